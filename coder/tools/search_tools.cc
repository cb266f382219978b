// glob and grep.
#include <algorithm>

#include "acp/error.h"
#include "acp/workspace/touched.h"
#include "coder/tools/search.h"
#include "coder/tools/tool.h"

namespace acp::coder {

namespace {

constexpr std::size_t most_files = 1000;
constexpr std::size_t most_matches = 500;
constexpr std::size_t most_locations = 50;

std::string joined(const std::string& directory, const std::string& below) {
  return directory.ends_with('/') ? directory + below : directory + "/" + below;
}

constexpr const char* left_out_forbidden =
    "[what belongs to acp itself was left out: agents have no access]\n";

std::string where(const ToolHost& host, const std::string& path) {
  const std::string shown = shown_path(host, path);
  return shown == "." ? "" : " in " + shown;
}

PreparedCall prepare_glob(JsonView arguments, ToolHost& host, const ToolLimits& limits) {
  const std::string pattern = string_argument(arguments, "pattern");
  const std::string path = absolute_path(host, optional_string(arguments, "path").value_or("."));
  PreparedCall call;
  call.title = "Find " + pattern + where(host, path);
  call.locations = {location(path)};
  call.paths = {path};
  call.run = [&host, pattern, path, limits](const ToolProgress&) {
    FoundFiles found;
    try {
      const workspace::Boundary& boundary = host.files().boundary();
      found =
          find_files(boundary.open_directory(path), pattern, most_files, false, host.stop_token(),
                     kept_back(host, v1::ToolKind::search, path), boundary.forbidden());
    } catch (const BadPattern& error) {
      throw ToolFailed(error.what());
    }
    if (host.stop_token().stop_requested()) throw Cancelled();
    ToolResult result;
    for (const std::string& file : found.paths) result.text += joined(path, file) + "\n";
    if (found.paths.empty()) result.text = "(no file matches)\n";
    result.text += said_of_kept_back(found.left_out);
    if (found.truncated) result.text += "[there are more: be more exact]\n";
    if (found.forbidden) result.text += left_out_forbidden;
    if (!found.unopened.empty()) result.text += "[" + found.unopened + "]\n";
    result.text = bounded(std::move(result.text), limits.output_bytes);
    result.content = {text_content(result.text)};
    for (std::size_t i = 0; i < std::min(found.paths.size(), most_locations); ++i)
      result.locations.push_back(location(joined(path, found.paths[i])));
    result.raw_output =
        Json::object({{"files", found.paths.size()}, {"truncated", found.truncated}});
    return result;
  };
  return call;
}

// In the one file that was named, whether git ignores it or not, or in all below a directory.
// `path` becomes what the matches are relative to.
SearchResult search(const workspace::Files& files, std::string& path,
                    const SearchOptions& options) {
  if (files.kind(path) != workspace::EntryKind::file)
    return search_tree(files.boundary().open_directory(path), options);
  SearchResult found = search_file(files.boundary(), path, options);
  path.resize(std::max<std::size_t>(path.rfind('/'), 1));
  return found;
}

PreparedCall prepare_grep(JsonView arguments, ToolHost& host, const ToolLimits& limits) {
  SearchOptions options;
  options.pattern = string_argument(arguments, "pattern");
  options.glob = optional_string(arguments, "glob").value_or("");
  options.literal = flag_argument(arguments, "literal");
  options.ignore_case = flag_argument(arguments, "ignore_case");
  options.max_matches = most_matches;
  options.stop = host.stop_token();
  options.forbidden = host.files().boundary().forbidden();
  const std::string path = absolute_path(host, optional_string(arguments, "path").value_or("."));
  PreparedCall call;
  call.title = "Search for " + options.pattern + where(host, path);
  call.locations = {location(path)};
  call.paths = {path};
  call.run = [&host, options, at = path, limits](const ToolProgress&) mutable {
    std::string path = at;
    options.leave_out = kept_back(host, v1::ToolKind::search, path);
    options.mask = [&host](std::string& text) { host.mask(text); };
    // One file by its name: to search it is to read it.
    const auto filter = host.path_filter(v1::ToolKind::search);
    if (filter && filter(workspace::touched(host.files().boundary(), path)))
      throw ToolFailed(path + ": a rule of the user's keeps it from you");
    SearchResult found;
    try {
      found = search(host.files(), path, options);
    } catch (const BadPattern& error) {
      throw ToolFailed(error.what());
    }
    if (host.stop_token().stop_requested()) throw Cancelled();
    ToolResult result;
    for (const SearchMatch& match : found.matches)
      result.text += match.path + ":" + std::to_string(match.line) + ": " + match.text + "\n";
    if (found.matches.empty())
      result.text = "(nothing found in " + std::to_string(found.files) + " files)\n";
    result.text += said_of_kept_back(found.left_out);
    if (found.truncated) result.text += "[there are more: be more exact]\n";
    if (found.forbidden) result.text += left_out_forbidden;
    if (!found.unopened.empty()) result.text += "[" + found.unopened + "]\n";
    for (const std::string& file : found.passed_over)
      result.text += "[" + file + " is too large and was not searched]\n";
    result.text = bounded(std::move(result.text), limits.output_bytes);
    result.content = {text_content(result.text)};
    for (std::size_t i = 0; i < std::min(found.matches.size(), most_locations); ++i)
      result.locations.push_back(location(joined(path, found.matches[i].path),
                                          static_cast<std::uint32_t>(found.matches[i].line)));
    result.raw_output = Json::object({{"matches", found.matches.size()},
                                      {"files", found.files},
                                      {"truncated", found.truncated}});
    return result;
  };
  return call;
}

}  // namespace

std::vector<std::unique_ptr<Tool>> search_tools(const ToolLimits& limits) {
  std::vector<std::unique_ptr<Tool>> tools;
  tools.push_back(make_tool(
      tool_spec(
          "glob",
          "Finds files by their path, e.g. *.h, src/**/*_test.cc. What git ignores is left out.",
          R"({"pattern":{"type":"string"},"path":{"type":"string","description":"a directory to look in"}})",
          R"("pattern")"),
      v1::ToolKind::search, true, [limits](JsonView arguments, ToolHost& host) {
        return prepare_glob(arguments, host, limits);
      }));
  tools.push_back(make_tool(
      tool_spec(
          "grep",
          "Searches the files below a directory for a regular expression (RE2), or a text if "
          "literal is true. What git ignores and binary files are left out.",
          R"({"pattern":{"type":"string"},"path":{"type":"string","description":"a directory or file to look in"},"glob":{"type":"string","description":"only files that match, e.g. *.cc"},"literal":{"type":"boolean"},"ignore_case":{"type":"boolean"}})",
          R"("pattern")"),
      v1::ToolKind::search, true, [limits](JsonView arguments, ToolHost& host) {
        return prepare_grep(arguments, host, limits);
      }));
  return tools;
}

}  // namespace acp::coder
