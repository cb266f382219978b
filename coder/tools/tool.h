// The tools of a model: each has a schema, prepares a call, and runs it.
#pragma once

#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "acp/schema/v1.h"
#include "coder/model/model.h"
#include "coder/tools/tool_host.h"

namespace acp::coder {

// Written for the model: what went wrong, and what would help.
class ToolFailed : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// What the model gets, and what the user sees.
struct ToolResult {
  std::string text = {};  // for the model
  bool failed = false;
  std::vector<MediaPart> media = {};
  // Replaces what the call has shown so far; empty: keeps it.
  std::vector<v1::ToolCallContent> content = {};
  std::vector<v1::ToolCallLocation> locations = {};
  Json raw_output = {};
  // The content to store, if it differs from what was shown: a terminal does not outlive the
  // session.
  std::vector<v1::ToolCallContent> kept_content = {};
};

// Shown while the call runs: the content so far.
using ToolProgress = std::function<void(std::vector<v1::ToolCallContent> content)>;

// A call that is ready to run, with what the user is asked about.
struct PreparedCall {
  std::string title = {};
  std::vector<v1::ToolCallLocation> locations = {};
  std::vector<v1::ToolCallContent> content = {};  // the change it would make
  // For the permission policy.
  std::string command = {};
  std::string directory = {};  // where the command runs
  std::string origin = {};     // of what is fetched
  std::vector<std::string> paths = {};
  std::string policy_name = {};  // in place of the tool's
  // Why the user is asked whatever mode and rules say. Empty: they decide.
  std::string ask_reason = {};
  // Throws ToolFailed, FileError, Cancelled.
  std::function<ToolResult(const ToolProgress&)> run = nullptr;
};

class Tool {
 public:
  virtual ~Tool() = default;
  virtual ToolSpec spec() const = 0;
  virtual v1::ToolKind kind() const = 0;
  // Whether it changes nothing: then several may run side by side.
  virtual bool only_reads() const { return false; }
  // Its name for the permission policy, if rules are made by it: MCP tools.
  virtual std::string policy_name() const { return {}; }
  // Throws ToolFailed, FileError. The host outlives what is given back.
  virtual PreparedCall prepare(JsonView arguments, ToolHost& host) const = 0;
};

// ---- for those who write tools

std::unique_ptr<Tool> make_tool(ToolSpec spec, v1::ToolKind kind, bool only_reads,
                                std::function<PreparedCall(JsonView arguments, ToolHost&)> prepare);
// Makes a spec from JSON: the properties of an object, then the names of the required ones.
ToolSpec tool_spec(std::string name, std::string description, std::string_view properties,
                   std::string_view required = "");

// A member of the arguments. Throws ToolFailed, which names it, if it is missing or of another
// kind.
std::string string_argument(JsonView arguments, std::string_view name);
std::optional<std::string> optional_string(JsonView arguments, std::string_view name);
std::optional<std::uint64_t> optional_number(JsonView arguments, std::string_view name);
bool flag_argument(JsonView arguments, std::string_view name);

// Makes a path of the model absolute; "." is the working directory.
std::string absolute_path(const ToolHost& host, std::string_view path);
// A path for the user: relative to the working directory, if it is below that.
std::string shown_path(const ToolHost& host, const std::string& path);
// A filter of the paths below a directory, relative to it, that rules hide from the model. Empty if
// there are no such rules.
std::function<bool(const std::string& below)> kept_back(ToolHost& host, v1::ToolKind kind,
                                                        const std::string& directory);
// "[3 files are left out: …]", on a line of its own; empty for none.
std::string said_of_kept_back(std::size_t count);
// Cuts a text to so many bytes, between characters, with a note of what is missing.
std::string bounded(std::string text, std::size_t most);
v1::ToolCallContent text_content(std::string_view text);
v1::ToolCallLocation location(std::string path, std::uint32_t line = 0);

struct ToolLimits {
  std::uint64_t command_seconds = 120;
  std::size_t output_bytes = 64 * 1024;       // of a result, for the model
  std::size_t edit_bytes = 16 * 1024 * 1024;  // of a file after an edit
  std::uint64_t mcp_seconds = 600;            // for a call to an MCP server
};
std::vector<std::unique_ptr<Tool>> file_tools(const ToolLimits& limits);
std::vector<std::unique_ptr<Tool>> search_tools(const ToolLimits& limits);
std::unique_ptr<Tool> run_tool(const ToolLimits& limits);
std::unique_ptr<Tool> fetch_tool(const ToolLimits& limits);
std::unique_ptr<Tool> plan_tool();
std::unique_ptr<Tool> switch_mode_tool();
// All tools of ours: what the model is offered besides the tools of MCP servers.
std::vector<std::unique_ptr<Tool>> own_tools(const ToolLimits& limits);

}  // namespace acp::coder
