// Why something could not be done with a file.
#pragma once

#include <string>
#include <utility>

#include "acp/error.h"

namespace acp::workspace {

// A file cannot be read or written.
class FileError : public LocalFailure {
 public:
  // What is wrong with the file.
  enum class Kind {
    not_found,   // it, or a directory on the way
    outside,     // not inside the directories that may be touched
    not_a_file,  // a directory, a socket, ...
    not_text,    // binary, or not UTF-8
    too_large,   //
    exists,      // and must not
    denied,      // by the system
    failed,      // anything else the system says
  };

  FileError(Kind kind, std::string path, const std::string& why)
      : LocalFailure(path + ": " + why), kind_(kind), path_(std::move(path)) {}

  // What went wrong, and with what.
  Kind kind() const { return kind_; }
  const std::string& path() const { return path_; }

 private:
  Kind kind_;
  std::string path_;
};
// "not_found", "outside", "not_a_file", "not_text",
// "too_large", "exists", "denied", "failed"
constexpr const char* to_string(FileError::Kind value) {
  switch (value) {
    case FileError::Kind::not_found:
      return "not_found";
    case FileError::Kind::outside:
      return "outside";
    case FileError::Kind::not_a_file:
      return "not_a_file";
    case FileError::Kind::not_text:
      return "not_text";
    case FileError::Kind::too_large:
      return "too_large";
    case FileError::Kind::exists:
      return "exists";
    case FileError::Kind::denied:
      return "denied";
    case FileError::Kind::failed:
      return "failed";
  }
  return "";
}

}  // namespace acp::workspace
