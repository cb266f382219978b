// A file beside the one it will replace: complete before it has that one's name.
#pragma once

#include <sys/stat.h>

#include <stop_token>
#include <string>
#include <string_view>

#include "acp/io/descriptor.h"
#include "acp/workspace/files/boundary.h"

namespace acp::workspace {

// Has no name while it is written, where the file system can do that; else one of its own, which is
// locked, and gone if this goes first. All functions throw FileError.
class Replacement {
 public:
  // Removes what a process that was killed has left in this directory: once in a process.
  Replacement(const Place& place, const std::string& path);
  Replacement(const Replacement&) = delete;
  Replacement& operator=(const Replacement&) = delete;
  ~Replacement();

  // Writes the content, which must live until this has gone. Throws Cancelled once the token is
  // set.
  void fill(std::string_view content, std::stop_token stop);
  // Takes over owner and mode of the replaced file.
  void take_over(const struct stat& old);
  void put_in_place();

 private:
  void open_named();
  // Gives the file a name. Returns false if the system cannot.
  bool give_name();
  void write_all();

  const Place& place_;
  const std::string& path_;
  std::string name_;  // empty: it has none
  io::Descriptor file_;
  std::string_view content_;
  std::stop_token stop_;
};

}  // namespace acp::workspace
