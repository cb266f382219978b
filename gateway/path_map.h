// Maps directories of the editor's machine to those of the agent's machine.
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
  // Adds a mapping of absolute paths, "LOCAL=REMOTE". Throws std::invalid_argument.
  void add(const std::string& pair);
  // No mapping: paths are used unchanged.
  bool empty() const { return pairs_.empty(); }

  enum class Towards { agent, editor };
  // Translates a path by the longest mapped directory that contains it; nothing if none does.
  std::optional<std::string> path(const std::string& given, Towards side) const;

  // A message's params or result, with all its paths and file: addresses translated; other data
  // (raw input and output, _meta, text) is kept. Unmapped paths are kept, too, and the first of
  // them is named.
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
