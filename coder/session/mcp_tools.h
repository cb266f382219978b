// The MCP servers that a session names: started in the background, awaited by the first turn.
#pragma once

#include <functional>
#include <future>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "acp/mcp/servers.h"
#include "coder/tools/tool.h"

namespace acp::coder {

class McpTools {
 public:
  // Processes do not get the variables that are `withheld`, unless their configuration sets them.
  McpTools(std::vector<v1::McpServer> configs, const std::vector<std::string>& directories,
           std::vector<std::string> withheld = {});
  McpTools(const McpTools&) = delete;
  McpTools& operator=(const McpTools&) = delete;
  // Ends all of them. One that is still starting ends once its start has succeeded or failed.
  ~McpTools();

  // Returns when each is ready or has failed. Throws Cancelled once the token is set. Those that
  // take long are named by `on_slow`, once for all callers.
  using OnSlow = std::function<void(const std::vector<std::string>& names)>;
  void await(const std::stop_token& stop, const OnSlow& on_slow = nullptr);
  // Events since the last call, for people.
  std::vector<std::string> take_events();
  // The tools that they offer now. Call it after await().
  std::vector<std::unique_ptr<Tool>> tools(const ModelInfo& model, const ToolLimits& limits) const;

 private:
  struct State;
  std::shared_ptr<State> state_;
};

// "mcp__SERVER__TOOL", of letters that all providers take, and not longer than they take.
std::string mcp_tool_name(const std::string& server, const std::string& tool);

}  // namespace acp::coder
