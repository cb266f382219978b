#include "coder/tools/tool.h"

#include <algorithm>
#include <charconv>

#include "acp/json/utf8.h"
#include "acp/workspace/touched.h"

namespace acp::coder {

namespace {

[[noreturn]] void fail(std::string_view name, const char* expected, JsonView got) {
  std::string text = "the argument \"" + std::string(name) + "\" ";
  text += got.absent() ? "is missing: " : "is wrong: ";
  throw ToolFailed(text + expected + " is expected");
}

// A model that has nothing to say for an argument may say null.
bool is_there(JsonView value) { return !value.absent() && !value.is_null(); }

// Without what means nothing, "//" and "/./", so that a rule for a path knows it in each spelling.
// What ".." leads to only the disk can tell.
std::string plain_path(std::string_view path) {
  std::string plain;
  while (!path.empty()) {
    const std::size_t slash = std::min(path.find('/'), path.size());
    const std::string_view part = path.substr(0, slash);
    if (!part.empty() && part != ".") (plain += '/') += part;
    path.remove_prefix(std::min(slash + 1, path.size()));
  }
  return plain.empty() ? "/" : plain;
}

class MadeTool final : public Tool {
 public:
  MadeTool(ToolSpec spec, v1::ToolKind kind, bool only_reads,
           std::function<PreparedCall(JsonView, ToolHost&)> prepare)
      : spec_(std::move(spec)),
        kind_(kind),
        only_reads_(only_reads),
        prepare_(std::move(prepare)) {}
  ToolSpec spec() const override { return spec_; }
  v1::ToolKind kind() const override { return kind_; }
  bool only_reads() const override { return only_reads_; }
  PreparedCall prepare(JsonView arguments, ToolHost& host) const override {
    return prepare_(arguments, host);
  }

 private:
  ToolSpec spec_;
  v1::ToolKind kind_;
  bool only_reads_;
  std::function<PreparedCall(JsonView, ToolHost&)> prepare_;
};

}  // namespace

std::unique_ptr<Tool> make_tool(ToolSpec spec, v1::ToolKind kind, bool only_reads,
                                std::function<PreparedCall(JsonView, ToolHost&)> prepare) {
  return std::make_unique<MadeTool>(std::move(spec), kind, only_reads, std::move(prepare));
}

ToolSpec tool_spec(std::string name, std::string description, std::string_view properties,
                   std::string_view required) {
  std::string schema = R"({"type":"object","properties":)" + std::string(properties) +
                       R"(,"required":[)" + std::string(required) +
                       R"(],"additionalProperties":false})";
  return {std::move(name), std::move(description), Json::parse(schema).value()};
}

std::string absolute_path(const ToolHost& host, std::string_view path) {
  return plain_path(host.files().boundary().absolute(path));
}

std::string shown_path(const ToolHost& host, const std::string& path) {
  const workspace::Boundary& boundary = host.files().boundary();
  const std::string absolute = plain_path(boundary.absolute(path));
  const std::string cwd = plain_path(boundary.directories().front());
  if (absolute == cwd) return ".";
  const std::string below = cwd.ends_with('/') ? cwd : cwd + "/";
  return absolute.starts_with(below) ? absolute.substr(below.size()) : absolute;
}

std::function<bool(const std::string&)> kept_back(ToolHost& host, v1::ToolKind kind,
                                                  const std::string& directory) {
  workspace::PathFilter filter = host.path_filter(kind);
  if (!filter) return {};
  const workspace::Touched base = workspace::touched(host.files().boundary(), directory);
  return [filter = std::move(filter), base](const std::string& below) {
    const auto joined = [&](const std::string& path) {
      return path.ends_with('/') ? path + below : path + "/" + below;
    };
    workspace::Touched file(joined(base.written));
    for (const std::string& path : base.resolved) file.resolved.push_back(joined(path));
    return filter(file);
  };
}

std::string said_of_kept_back(std::size_t count) {
  if (count == 0) return {};
  return "[" + std::to_string(count) + (count == 1 ? " path is" : " paths are") +
         " left out: a rule of the user's keeps them from you]\n";
}

std::string bounded(std::string text, std::size_t most) {
  if (text.size() <= most) return text;
  const std::size_t end = json::utf8_cut(text, most);
  const std::size_t left_out = text.size() - end;
  text.resize(end);
  return text + "\n[" + std::to_string(left_out) + " more bytes are left out]";
}

std::string string_argument(JsonView arguments, std::string_view name) {
  const JsonView value = arguments[name];
  const auto text = value.as_string();
  if (!text) fail(name, "a string", value);
  return *text;
}

std::optional<std::string> optional_string(JsonView arguments, std::string_view name) {
  if (!is_there(arguments[name])) return std::nullopt;
  return string_argument(arguments, name);
}

std::optional<std::uint64_t> optional_number(JsonView arguments, std::string_view name) {
  const JsonView value = arguments[name];
  if (!is_there(value)) return std::nullopt;
  if (const auto number = value.as_uint64()) return number;
  // Some models write numbers as 3.0, or as strings.
  if (const auto number = value.as_double(); number && *number >= 0 && *number < 1e15)
    return static_cast<std::uint64_t>(*number);
  if (const auto text = value.as_string()) {
    std::uint64_t number = 0;
    const auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), number);
    if (error == std::errc() && end == text->data() + text->size()) return number;
  }
  fail(name, "a number that is not negative", value);
}

bool flag_argument(JsonView arguments, std::string_view name) {
  const JsonView value = arguments[name];
  if (!is_there(value)) return false;
  if (const auto flag = value.as_bool()) return *flag;
  fail(name, "true or false", value);
}

v1::ToolCallContent text_content(std::string_view text) {
  v1::Content content;
  content.content = v1::ContentBlock(text);
  return content;
}

v1::ToolCallLocation location(std::string path, std::uint32_t line) {
  v1::ToolCallLocation result;
  result.path = std::move(path);
  if (line != 0) result.line = line;
  return result;
}

std::vector<std::unique_ptr<Tool>> own_tools(const ToolLimits& limits) {
  std::vector<std::unique_ptr<Tool>> tools = file_tools(limits);
  for (auto& tool : search_tools(limits)) tools.push_back(std::move(tool));
  tools.push_back(run_tool(limits));
  tools.push_back(fetch_tool(limits));
  tools.push_back(plan_tool());
  tools.push_back(switch_mode_tool());
  return tools;
}

}  // namespace acp::coder
