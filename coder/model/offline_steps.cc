// The requests that the offline model understands.
#include <charconv>
#include <optional>

#include "coder/model/offline.h"

namespace acp::coder {

namespace {

std::string_view trimmed(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t\r\n");
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t\r\n") - begin + 1);
}

// Follows quotes and braces, so that what stands in them is left whole.
class Nesting {
 public:
  void see(char c) {
    if (quoted_) {
      if (escaped_)
        escaped_ = false;
      else if (c == '\\')
        escaped_ = true;
      else if (c == '"')
        quoted_ = false;
      return;
    }
    if (c == '"') quoted_ = true;
    if (c == '{') ++depth_;
    if (c == '}' && depth_ > 0) --depth_;
  }
  bool outside() const { return !quoted_ && depth_ == 0; }

 private:
  bool quoted_ = false, escaped_ = false;
  int depth_ = 0;
};

// Where `word` stands outside quotes and braces.
std::size_t find_outside(std::string_view text, std::string_view word) {
  Nesting nesting;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (nesting.outside() && text.substr(i).starts_with(word)) return i;
    nesting.see(text[i]);
  }
  return std::string_view::npos;
}

std::size_t find_last_outside(std::string_view text, std::string_view word) {
  Nesting nesting;
  std::size_t found = std::string_view::npos;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (nesting.outside() && text.substr(i).starts_with(word)) found = i;
    nesting.see(text[i]);
  }
  return found;
}

std::vector<std::string_view> split(std::string_view text, std::string_view between) {
  std::vector<std::string_view> parts;
  while (true) {
    const std::size_t end = find_outside(text, between);
    const std::string_view part = trimmed(text.substr(0, end));
    if (!part.empty()) parts.push_back(part);
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + between.size());
  }
}

// "in quotes" means what stands in them.
std::string unquoted(std::string_view text) {
  text = trimmed(text);
  if (text.size() < 2 || !text.starts_with('"') || !text.ends_with('"')) return std::string(text);
  const auto parsed = Json::parse(text);
  if (parsed && parsed->is_string()) return *parsed->as_string();
  return std::string(text.substr(1, text.size() - 2));
}

// What follows the word, if the request begins with it.
std::optional<std::string_view> after(std::string_view request, std::string_view word) {
  if (!request.starts_with(word)) return std::nullopt;
  request.remove_prefix(word.size());
  if (!request.empty() && request.front() != ' ') return std::nullopt;
  return trimmed(request);
}

// "A with B" → A, B.
std::optional<std::pair<std::string, std::string>> both_sides(std::string_view text,
                                                              std::string_view between) {
  const std::size_t at = find_outside(text, between);
  if (at == std::string_view::npos) return std::nullopt;
  std::pair<std::string, std::string> sides(unquoted(text.substr(0, at)),
                                            unquoted(text.substr(at + between.size())));
  if (sides.first.empty()) return std::nullopt;
  return sides;
}

// As people write it, also as they mention a file in a chat: @notes.txt.
std::string path_in(std::string_view text) {
  text = trimmed(text);
  if (text.starts_with('@')) text.remove_prefix(1);
  return unquoted(text);
}

OfflineStep reading(std::string tool, Json arguments) {
  return {std::move(tool), std::move(arguments), {}, 0, true};
}
OfflineStep doing(std::string tool, Json arguments) {
  return {std::move(tool), std::move(arguments)};
}
OfflineStep saying(std::string text) {
  OfflineStep step;
  step.text = std::move(text);
  return step;
}

std::optional<OfflineStep> replace_step(std::string_view rest) {
  // The last " in " is the one that names the file.
  const std::size_t in = find_last_outside(rest, " in ");
  if (in == std::string_view::npos) return std::nullopt;
  const auto texts = both_sides(rest.substr(0, in), " with ");
  const std::string file = path_in(rest.substr(in + 4));
  if (!texts || file.empty()) return std::nullopt;
  const Json edit = Json::object({{"old_text", texts->first}, {"new_text", texts->second}});
  return doing("edit", Json::object({{"path", file}, {"edits", Json::array({edit})}}));
}

std::optional<OfflineStep> use_step(std::string_view rest) {
  const std::size_t space = rest.find_first_of(" {");
  const std::string tool(rest.substr(0, space));
  const std::string_view written =
      space == std::string_view::npos ? "" : trimmed(rest.substr(space));
  if (tool.empty()) return std::nullopt;
  if (written.empty()) return doing(tool, Json::object());
  const auto arguments = Json::parse(written);
  if (!arguments || !arguments->is_object())
    return saying("The arguments for " + tool + " are no JSON object: " + std::string(written));
  return doing(tool, *arguments);
}

OfflineStep plan_step(std::string_view rest) {
  Json entries = Json::array();
  for (const std::string_view entry : split(rest, ","))
    entries.append(Json::object(
        {{"content", unquoted(entry)}, {"status", "pending"}, {"priority", "medium"}}));
  return doing("plan", Json::object({{"entries", entries}}));
}

std::optional<OfflineStep> wait_step(std::string_view rest) {
  OfflineStep step;
  const auto [end, error] =
      std::from_chars(rest.data(), rest.data() + rest.size(), step.wait_seconds);
  const std::string_view unit = trimmed(rest.substr(static_cast<std::size_t>(end - rest.data())));
  const bool known = unit.empty() || unit == "s" || unit == "second" || unit == "seconds";
  if (error != std::errc() || !known || !(step.wait_seconds >= 0) || step.wait_seconds > 3600)
    return std::nullopt;
  step.text =
      "Waiting " + std::string(rest.substr(0, static_cast<std::size_t>(end - rest.data()))) + " s.";
  return step;
}

std::optional<OfflineStep> understand(std::string_view request) {
  if (request == "list") return reading("list", Json::object());
  if (const auto rest = after(request, "list"))
    return reading("list", Json::object({{"path", path_in(*rest)}}));
  if (const auto rest = after(request, "find"); rest && !rest->empty())
    return reading("glob", Json::object({{"pattern", unquoted(*rest)}}));
  if (const auto rest = after(request, "show"); rest && !rest->empty())
    return reading("read", Json::object({{"path", path_in(*rest)}}));
  if (const auto rest = after(request, "search for"); rest && !rest->empty())
    return reading("grep", Json::object({{"pattern", unquoted(*rest)}, {"literal", true}}));
  if (const auto rest = after(request, "replace")) return replace_step(*rest);
  if (const auto rest = after(request, "create")) {
    const auto sides = both_sides(*rest, " with ");
    if (!sides) return std::nullopt;
    return doing("write",
                 Json::object({{"path", sides->first}, {"content", sides->second + "\n"}}));
  }
  if (const auto rest = after(request, "delete"); rest && !rest->empty())
    return doing("delete", Json::object({{"path", path_in(*rest)}}));
  if (const auto rest = after(request, "move")) {
    const auto sides = both_sides(*rest, " to ");
    if (!sides || sides->second.empty()) return std::nullopt;
    return doing("move", Json::object({{"from", sides->first}, {"to", sides->second}}));
  }
  if (const auto rest = after(request, "run"); rest && !rest->empty())
    return doing("run", Json::object({{"command", unquoted(*rest)}}));
  if (const auto rest = after(request, "fetch"); rest && !rest->empty())
    return doing("fetch", Json::object({{"url", unquoted(*rest)}}));
  if (const auto rest = after(request, "switch to"); rest && !rest->empty())
    return doing("switch_mode", Json::object({{"mode", unquoted(*rest)}}));
  if (const auto rest = after(request, "wait")) return wait_step(*rest);
  if (const auto rest = after(request, "use")) return use_step(*rest);
  if (const auto rest = after(request, "plan"); rest && !rest->empty()) return plan_step(*rest);
  if (const auto rest = after(request, "say")) return saying(unquoted(*rest));
  return std::nullopt;
}

}  // namespace

std::vector<OfflineStep> offline_steps(const std::string& request) {
  std::vector<OfflineStep> steps;
  for (const std::string_view part : split(request, ";")) {
    if (auto step = understand(part))
      steps.push_back(std::move(*step));
    else
      steps.push_back(saying("I do not understand \"" + std::string(part) + "\"."));
  }
  return steps;
}

}  // namespace acp::coder
