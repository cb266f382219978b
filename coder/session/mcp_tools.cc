#include "coder/session/mcp_tools.h"

#include <algorithm>
#include <array>
#include <condition_variable>
#include <cstdio>
#include <functional>
#include <set>
#include <thread>
#include <utility>

#include "acp/error.h"
#include "acp/io/printable.h"
#include "coder/session/prompt_content.h"
#include "coder/tools/paced_progress.h"

namespace acp::coder {

struct McpTools::State {
  std::mutex mutex;
  std::condition_variable_any changed;
  std::unique_ptr<mcp::Servers> servers;
  bool ready = false;
  bool abandoned = false;
  std::vector<std::string> events;
  std::vector<std::string> slow;  // names that were not reported yet
};

namespace {

constexpr std::size_t most_name = 64;
constexpr std::size_t most_shown = 1024 * 1024;  // of a result, to the user, and kept
constexpr std::size_t most_progress = 8 * 1024;  // of one message

std::string event_text(const mcp::ServersEvent& event) {
  using Kind = mcp::ServersEvent::Kind;
  const std::string again = event.tries_again ? " It is tried again." : "";
  if (event.kind == Kind::failed)
    return "The MCP server " + event.server + " could not be connected: " + event.reason + again;
  if (event.kind == Kind::lost)
    return "The MCP server " + event.server + " is gone, and its tools with it: " + event.reason +
           again;
  return {};
}

std::string describe(const mcp::Progress& progress, const ToolHost& host) {
  std::string text = progress.message.value_or("");
  host.mask(text);
  text = bounded(std::move(text), most_progress);
  if (!text.empty()) text += ": ";
  text += Json(progress.progress).text();
  if (progress.total) text += " of " + Json(*progress.total).text();
  return text;
}

// A call that is cancelled ends while another thread may still report the server's progress: after
// the end nothing is reported.
class ProgressUntilTheEnd {
 public:
  struct State {
    std::mutex mutex;
    std::optional<PacedProgress> progress;
    const ToolHost* host = nullptr;  // is there as long as `progress` is
    void tell(const mcp::Progress& told) {
      const std::lock_guard lock(mutex);
      if (progress) progress->tell({text_content(describe(told, *host))});
    }
  };
  ProgressUntilTheEnd(const ToolProgress& progress, const ToolHost& host)
      : state_(std::make_shared<State>()) {
    state_->progress.emplace(progress);
    state_->host = &host;
  }
  ~ProgressUntilTheEnd() {
    const std::lock_guard lock(state_->mutex);
    state_->progress.reset();
  }
  ProgressUntilTheEnd(const ProgressUntilTheEnd&) = delete;
  ProgressUntilTheEnd& operator=(const ProgressUntilTheEnd&) = delete;
  const std::shared_ptr<State>& state() const { return state_; }

 private:
  std::shared_ptr<State> state_;
};

// A tool of a server's.
class McpTool final : public Tool {
 public:
  McpTool(const mcp::Servers& servers, mcp::Servers::OfferedTool tool, std::string name,
          ModelInfo model, const ToolLimits& limits)
      : servers_(servers),
        tool_(std::move(tool)),
        name_(std::move(name)),
        model_(std::move(model)),
        limits_(limits) {}

  ToolSpec spec() const override {
    const Json& schema = tool_.tool.inputSchema;
    return {name_, tool_.tool.description.value_or(tool_.tool.title.value_or("")),
            schema.is_object() ? schema : Json::parse(R"({"type":"object"})").value()};
  }
  v1::ToolKind kind() const override { return v1::ToolKind::other; }
  std::string policy_name() const override { return tool_.server + "/" + tool_.tool.name; }

  PreparedCall prepare(JsonView arguments, ToolHost& host) const override {
    PreparedCall call;
    // The server's own title may say anything: it comes after what is really called.
    call.title = io::one_line(policy_name());
    if (tool_.tool.title && *tool_.tool.title != tool_.tool.name)
      call.title += ": " + io::one_line(*tool_.tool.title);
    call.run = [this, given = Json(arguments), &host](const ToolProgress& progress) {
      return run(given, host, progress);
    };
    return call;
  }

 private:
  ToolResult run(const Json& arguments, ToolHost& host, const ToolProgress& progress) const {
    const ProgressUntilTheEnd telling(progress, host);
    mcp::CallOptions options;
    options.stop = host.stop_token();
    options.time = std::chrono::seconds(limits_.mcp_seconds);
    options.on_progress = [tell = telling.state()](mcp::ServerContext, mcp::Progress told) {
      tell->tell(told);
    };
    mcp::CallToolResult given;
    try {
      given = servers_.call_tool(tool_.server, tool_.tool.name, arguments, std::move(options));
    } catch (const Cancelled&) {
      throw;
    } catch (const TimedOut&) {
      throw ToolFailed("the MCP server " + tool_.server + " did not answer within " +
                       std::to_string(limits_.mcp_seconds) +
                       " s (limits.mcp_seconds). The call was cancelled; what it has done until "
                       "then is not known.");
    } catch (const Error& error) {
      throw ToolFailed(error.what());
    }
    return result_of(given, host);
  }

  // Masked before it is cut: a part of a key is one, too.
  ToolResult result_of(const mcp::CallToolResult& given, const ToolHost& host) const {
    ToolResult result;
    result.failed = given.isError;
    for (const v1::ContentBlock& block : given.content) {
      v1::Content content;
      content.content = block;
      if (auto* text = std::get_if<v1::TextContent>(&content.content)) {
        host.mask(text->text);
        text->text = bounded(std::move(text->text), most_shown);
      }
      add_content(block, model_, result.text, result.media);
      result.content.push_back(std::move(content));
    }
    if (result.text.empty() && !given.structuredContent.absent())
      result.text = given.structuredContent.text();
    host.mask(result.text);
    result.text = bounded(std::move(result.text), limits_.output_bytes);
    if (result.text.empty() && result.media.empty())
      result.text = given.isError ? "the tool failed, and did not say why" : "(no output)";
    const std::size_t structured = given.structuredContent.text().size();
    if (given.structuredContent.absent())
      result.raw_output = Json::object({{"isError", given.isError}});
    else if (structured <= most_shown)
      result.raw_output = given.structuredContent;
    else
      result.raw_output = Json::object({{"isError", given.isError}, {"leftOutBytes", structured}});
    return result;
  }

  const mcp::Servers& servers_;
  mcp::Servers::OfferedTool tool_;
  std::string name_;
  ModelInfo model_;
  ToolLimits limits_;
};

// Eight digits that stand for the text (FNV-1a), the same on every machine: rules name them.
std::string mark_of(std::string_view text) {
  std::uint64_t hash = 14695981039346656037u;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211u;
  std::array<char, 9> digits{};
  std::snprintf(digits.data(), digits.size(), "%08x", static_cast<unsigned>(hash ^ (hash >> 32)));
  return digits.data();
}

}  // namespace

std::string mcp_tool_name(const std::string& server, const std::string& tool) {
  // Two tools must never share a name: a rule for one would hold for the other.
  const auto splits = [](const std::string& part) {
    return part.find("__") != std::string::npos || part.starts_with('_') || part.ends_with('_');
  };
  bool ambiguous = splits(server) || splits(tool);
  std::string name = "mcp__" + server + "__" + tool;
  for (char& c : name) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       c == '_' || c == '-';
    if (!plain) c = '_';
    ambiguous |= !plain;
  }
  if (ambiguous || name.size() > most_name) {
    const std::string mark = "_" + mark_of(server + '\0' + tool);
    name.resize(std::min(name.size(), most_name - mark.size()));
    name += mark;
  }
  return name;
}

McpTools::McpTools(std::vector<v1::McpServer> configs, const std::vector<std::string>& directories,
                   std::vector<std::string> withheld)
    : state_(std::make_shared<State>()) {
  if (configs.empty()) {
    state_->ready = true;
    return;
  }
  mcp::Client client("acp", ACP_VERSION);
  client.roots(directories).cwd(directories.front()).without_variables(std::move(withheld));
  mcp::ServersOptions options;
  // The servers outlive neither: they hold what they call by the weak end.
  options.on_event = [state = std::weak_ptr(state_)](const mcp::ServersEvent& event) {
    const auto kept = state.lock();
    std::string text = event_text(event);
    if (!kept || text.empty()) return;
    const std::lock_guard lock(kept->mutex);
    kept->events.push_back(std::move(text));
  };
  options.on_slow = [state = std::weak_ptr(state_)](const std::vector<std::string>& names) {
    const auto kept = state.lock();
    if (!kept) return;
    const std::lock_guard lock(kept->mutex);
    kept->slow = names;
    kept->changed.notify_all();
  };
  std::thread([state = state_, client = std::move(client), configs = std::move(configs),
               options]() mutable {
    std::unique_ptr<mcp::Servers> servers;
    std::string problem;
    try {
      servers = std::make_unique<mcp::Servers>(client, std::move(configs), std::move(options));
    } catch (const std::exception& error) {
      problem = std::string("The MCP servers could not be started: ") + error.what();
    }
    const std::lock_guard lock(state->mutex);
    if (state->abandoned) return;
    if (!problem.empty()) state->events.push_back(std::move(problem));
    state->servers = std::move(servers);
    state->ready = true;
    state->changed.notify_all();
  }).detach();
}

McpTools::~McpTools() {
  // Ended here: one of their own threads, while it reports an event, may own the last reference to
  // the state.
  std::unique_ptr<mcp::Servers> servers;
  const std::lock_guard lock(state_->mutex);
  state_->abandoned = true;
  servers = std::move(state_->servers);
}

void McpTools::await(const std::stop_token& stop, const OnSlow& on_slow) {
  std::unique_lock lock(state_->mutex);
  while (!state_->ready) {
    const auto woken = [&] { return state_->ready || (on_slow && !state_->slow.empty()); };
    if (!state_->changed.wait(lock, stop, woken)) throw Cancelled();
    if (state_->ready || !on_slow) continue;
    const std::vector<std::string> names = std::exchange(state_->slow, {});
    lock.unlock();
    on_slow(names);
    lock.lock();
  }
}

std::vector<std::string> McpTools::take_events() {
  const std::lock_guard lock(state_->mutex);
  return std::exchange(state_->events, {});
}

std::vector<std::unique_ptr<Tool>> McpTools::tools(const ModelInfo& model,
                                                   const ToolLimits& limits) const {
  std::vector<std::unique_ptr<Tool>> tools;
  if (!state_->servers) return tools;
  std::set<std::string> names;
  for (mcp::Servers::OfferedTool& offered : state_->servers->tools()) {
    std::string name = mcp_tool_name(offered.server, offered.tool.name);
    for (int number = 2; !names.insert(name).second; ++number)
      name = mcp_tool_name(offered.server, offered.tool.name + "_" + std::to_string(number));
    tools.push_back(std::make_unique<McpTool>(*state_->servers, std::move(offered), std::move(name),
                                              model, limits));
  }
  return tools;
}

}  // namespace acp::coder
