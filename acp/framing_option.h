// The option that every program has which speaks ACP: --framing newline|content-length|auto.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "acp/rpc/framing.h"

namespace acp {

// Reads `--framing NAME` or `--framing=NAME` for an Agent or a Client; the program handles `--help`
// itself. An error says what is wrong with the arguments.
template <class Role>
std::optional<std::string> read_framing_option(int argc, char** argv, Role& role) {
  for (int i = 1; i < argc; ++i) {
    std::string_view word = argv[i];
    if (word == "--") break;
    if (!word.starts_with("--framing")) continue;
    std::string_view name = word.substr(9);
    if (name.starts_with('='))
      name.remove_prefix(1);
    else
      name = i + 1 < argc ? argv[i + 1] : "";
    const std::optional<rpc::Framing> framing = rpc::framing_from(name);
    if (!framing)
      return "--framing: expected newline, content-length or auto, got \"" + std::string(name) +
             "\"";
    role.framing(*framing);
  }
  return std::nullopt;
}

}  // namespace acp
