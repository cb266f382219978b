// Addresses of files: "file:///home/me/my%20notes#L10".
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace acp::gateway {

struct FileAddress {
  std::string path;  // absolute, without escapes
  std::string rest;  // "#L10", as it was
};

// Nothing, if it is no address of a file on the own machine.
std::optional<FileAddress> read_file_address(std::string_view text);
std::string to_text(const FileAddress& address);

}  // namespace acp::gateway
