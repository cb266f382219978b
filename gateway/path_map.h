// The same directories by two names: what an editor calls them, and what they are called on the
// agent's machine.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "acp/json/json.h"

namespace acp::gateway {

class PathMap {
 public:
  // Absolute paths, as "LOCAL=REMOTE". Throws std::invalid_argument.
  void add(const std::string& pair);
  // Then every path is as good there as here.
  bool empty() const { return pairs_.empty(); }

  enum class Towards { agent, editor };
  // By the longest directory that holds it. Nothing if none does.
  std::optional<std::string> path(const std::string& given, Towards side) const;

  // A message's params or result, with all its paths and file: addresses translated; what is
  // foreign to the protocol (raw input and output, _meta, text) stays. Those without a mapping
  // stay, too, and the first of them is named.
  struct Translated {
    Json json;
    std::optional<std::string> unmapped = {};
  };
  Translated translate(JsonView json, Towards side) const;

  // "/home/me/project=/srv/project, …"; for messages.
  std::string list() const;

 private:
  std::string value(JsonView json, std::string_view name, Towards side,
                    std::optional<std::string>& unmapped) const;
  std::string text(const std::string& text, std::string_view name, Towards side,
                   std::optional<std::string>& unmapped) const;

  std::vector<std::pair<std::string, std::string>> pairs_;
};

}  // namespace acp::gateway
