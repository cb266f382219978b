// The tool calls of one turn: announced when the model names them, asked about, run and reported.
#pragma once

#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include "acp/context.h"
#include "acp/tool_call.h"
#include "coder/session/session.h"
#include "coder/session/turn_report.h"
#include "coder/tools/tool.h"
#include "coder/turn/session_tool_host.h"

namespace acp::coder {

class ToolCalls {
 public:
  // Keys of `secrets` are masked for the model and in questions. All outlive this.
  ToolCalls(SessionContext context, Session& session, TurnReport& report,
            const settings::Secrets& secrets);

  // Replaces the tools: servers come and go.
  void offer(std::vector<std::unique_ptr<Tool>> tools);
  std::vector<ToolSpec> specs() const;

  // Shows the user that the model is about to call a tool.
  acp::ToolCall announce(const std::string& tool);
  // Runs the calls, which were announced as these, and returns the results in the same order. Calls
  // that only read run side by side, others one after another. One that the user cancels alone has
  // failed. Throws Cancelled.
  std::vector<ToolResultPart> run(const std::vector<ToolCallPart>& calls,
                                  const std::vector<acp::ToolCall>& announced);
  // Fails the calls that have not ended.
  void fail_open(const std::string& why);

 private:
  ToolResultPart run_one(const ToolCallPart& call, const acp::ToolCall& announced);
  ToolResult run_prepared(const Tool& tool, const PreparedCall& prepared, const acp::ToolCall& call,
                          const Json& raw_input, const ToolHost& host);
  const Tool* find(const std::string& name) const;
  std::string no_tool(const std::string& name) const;
  void fail(const acp::ToolCall& call, const std::string& why, const Json& raw_input = {});
  void finish(const acp::ToolCall& call, const ToolResult& result);
  void forget(const acp::ToolCall& call);

  SessionContext context_;
  Session& session_;
  TurnReport& report_;
  const settings::Secrets& secrets_;
  std::vector<std::unique_ptr<Tool>> tools_;
  std::unordered_map<std::string, const Tool*> by_name_;
  std::mutex mutex_;
  // In the order of their announcements, and found by their ids.
  std::list<acp::ToolCall> open_;
  std::unordered_map<std::string, std::list<acp::ToolCall>::iterator> open_by_id_;
};

}  // namespace acp::coder
