// The files of settings and keys.
#pragma once

#include <optional>
#include <string>

#include "acp/io/descriptor.h"

namespace acp::settings {

enum class Trust {
  nobody,   // any user may have written it
  owner,    // nobody else may write to it
  private_  // nor read it
};
// Reads a file; nothing if it does not exist. Throws std::runtime_error: "PATH: why".
std::optional<std::string> read_settings_file(const std::string& path, Trust trust);

// A text that differs whenever the file was replaced or written. Empty if it does not exist.
std::string file_stamp(const std::string& path);

// One program at a time changes the file; its directory is made if it is missing. Both throw
// std::runtime_error: "PATH: why".
class PrivateFileChange {
 public:
  explicit PrivateFileChange(const std::string& path);
  // Writes the file, all or nothing, and never readable for anybody else.
  void write(const std::string& text) const;

 private:
  std::string path_;
  io::Descriptor lock_;
};

// "~/a" in the home directory; any other path as it is.
std::string with_home(const std::string& path);

// $XDG_CONFIG_HOME/acp/NAME, or ~/.config/acp/NAME. Empty if there is neither.
std::string configuration_path(const std::string& name);

}  // namespace acp::settings
