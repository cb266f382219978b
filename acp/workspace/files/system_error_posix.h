// Converts the system's errors into FileError.
#pragma once

#include <cerrno>
#include <cstring>
#include <string>

#include "acp/workspace/files/file_error.h"

namespace acp::workspace {

inline FileError system_error(const std::string& path, int code) {
  using Kind = FileError::Kind;
  switch (code) {
    case ENOENT:
      return {Kind::not_found, path, "no such file or directory"};
    case ENOTDIR:
      return {Kind::not_found, path, "a part of the path is not a directory"};
    case EACCES:
    case EPERM:
    case EROFS:
      return {Kind::denied, path, std::strerror(code)};
    case EEXIST:
      return {Kind::exists, path, "it exists already"};
    case EISDIR:
      return {Kind::not_a_file, path, "a directory"};
    case ENOTEMPTY:
      return {Kind::exists, path, "the directory is not empty"};
    case ELOOP:
      return {Kind::failed, path, "too many symbolic links, or one that has just appeared"};
    default:
      return {Kind::failed, path, std::strerror(code)};
  }
}

}  // namespace acp::workspace
