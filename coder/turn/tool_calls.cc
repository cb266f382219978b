#include "coder/turn/tool_calls.h"

#include <algorithm>
#include <future>

#include "coder/session/random_id.h"

namespace acp::coder {

namespace {

constexpr std::size_t side_by_side = 8;
constexpr std::size_t most_name = 256;

Json raw_error(const std::string& why) { return Json::object({{"error", why}}); }

}  // namespace

ToolCalls::ToolCalls(SessionContext context, Session& session, TurnReport& report,
                     const settings::Secrets& secrets)
    : context_(std::move(context)), session_(session), report_(report), secrets_(secrets) {}

void ToolCalls::offer(std::vector<std::unique_ptr<Tool>> tools) {
  tools_ = std::move(tools);
  by_name_.clear();
  for (const auto& tool : tools_) by_name_.emplace(tool->spec().name, tool.get());
}

std::vector<ToolSpec> ToolCalls::specs() const {
  std::vector<ToolSpec> specs;
  for (const auto& tool : tools_) specs.push_back(tool->spec());
  return specs;
}

const Tool* ToolCalls::find(const std::string& name) const {
  const auto found = by_name_.find(name);
  return found == by_name_.end() ? nullptr : found->second;
}

std::string ToolCalls::no_tool(const std::string& name) const {
  constexpr std::size_t most_names = 4000;
  std::string names;
  bool has_servers = false;
  for (const auto& tool : tools_) {
    const std::string& one = tool->spec().name;
    names += (names.empty() ? "" : ", ") + one;
    has_servers = has_servers || one.starts_with("mcp__");
  }
  return "there is no tool " + bounded(name, most_name) + ", only: " + bounded(names, most_names) +
         (has_servers ? "; those of MCP servers are named mcp__SERVER__TOOL" : "");
}

acp::ToolCall ToolCalls::announce(const std::string& name) {
  const Tool* const tool = find(name);
  v1::ToolCall announcement;
  // Unlike any in the store: a session goes on with another process.
  announcement.toolCallId = random_id("call_");
  // A name that no tool has may be of any length.
  announcement.title = bounded(name, most_name);
  announcement.name = announcement.title;
  announcement.kind = tool == nullptr ? v1::ToolKind::other : tool->kind();
  acp::ToolCall call = report_.announce(std::move(announcement));
  const std::lock_guard lock(mutex_);
  open_by_id_[call.id()] = open_.insert(open_.end(), call);
  return call;
}

std::vector<ToolResultPart> ToolCalls::run(const std::vector<ToolCallPart>& calls,
                                           const std::vector<acp::ToolCall>& announced) {
  std::vector<ToolResultPart> results(calls.size());
  const auto only_reads = [&](std::size_t i) {
    const Tool* const tool = find(calls[i].name);
    return tool != nullptr && tool->only_reads();
  };
  for (std::size_t i = 0; i < calls.size();) {
    std::size_t end = i + 1;
    if (only_reads(i))
      while (end < calls.size() && end - i < side_by_side && only_reads(end)) ++end;
    if (end - i == 1) {
      results[i] = run_one(calls[i], announced[i]);
    } else {
      std::vector<std::future<void>> running;
      for (std::size_t k = i; k < end; ++k)
        running.push_back(std::async(std::launch::async,
                                     [&, k] { results[k] = run_one(calls[k], announced[k]); }));
      for (std::future<void>& one : running) one.wait();
      for (std::future<void>& one : running) one.get();
    }
    i = end;
  }
  return results;
}

ToolResultPart ToolCalls::run_one(const ToolCallPart& call, const acp::ToolCall& announced) {
  if (context_.cancelled()) throw Cancelled();
  std::string failure;
  const auto arguments = Json::parse(call.arguments.empty() ? "{}" : call.arguments);
  try {
    const Tool* const tool = find(call.name);
    if (tool == nullptr) throw ToolFailed(no_tool(call.name));
    if (!arguments || !arguments->is_object())
      throw ToolFailed("the arguments are no JSON object" +
                       (arguments ? std::string() : ": " + arguments.error().message()));
    SessionToolHost host(context_, announced.context(), session_, report_, secrets_);
    const PreparedCall prepared = tool->prepare(*arguments, host);
    const ToolResult result = run_prepared(*tool, prepared, announced, *arguments, host);
    finish(announced, result);
    return {call.id, secrets_.masked(result.text), result.failed, result.media};
  } catch (const Cancelled&) {
    // The client may cancel a call alone; then the turn goes on.
    if (context_.cancelled() || !announced.cancelled()) throw;
    failure = "the user cancelled this call";
  } catch (const ConnectionClosed&) {
    throw;
  } catch (const std::exception& error) {
    // A tool that fails fails alone: the model reads why, and may do better.
    failure = secrets_.masked(error.what());
  }
  if (context_.cancelled()) throw Cancelled();
  fail(announced, failure, arguments ? *arguments : Json(call.arguments));
  return {call.id, failure, true};
}

ToolResult ToolCalls::run_prepared(const Tool& tool, const PreparedCall& prepared,
                                   const acp::ToolCall& call, const Json& raw_input,
                                   const ToolHost& host) {
  v1::ToolCallUpdate shown;
  shown.title = prepared.title;
  if (!prepared.locations.empty()) shown.locations = prepared.locations;
  if (!prepared.content.empty()) shown.content = prepared.content;
  shown.rawInput = raw_input;
  report_.update(call, std::move(shown));
  Asked asked;
  asked.kind = tool.kind();
  asked.tool = prepared.policy_name.empty() ? tool.policy_name() : prepared.policy_name;
  asked.command = prepared.command;
  asked.directory = prepared.directory;
  asked.origin = prepared.origin;
  asked.paths = prepared.paths;
  asked.ask_reason = secrets_.masked(prepared.ask_reason);
  std::string facts =
      asked.tool + "\n" + asked.command + "\n" + asked.directory + "\n" + asked.origin;
  for (const std::string& path : asked.paths) facts += "\n" + path;
  asked.secret = secrets_.in(facts);
  const GateAnswer verdict = session_.gate.pass(call, session_.mode(), asked, host.stop_token());
  if (const auto problem = session_.gate.take_problem())
    report_.note(v1::NoticeSeverity::warning, "The permission rules cannot be used", *problem);
  if (!verdict.allowed) throw ToolFailed(verdict.reason);

  v1::ToolCallUpdate begins;
  begins.status = v1::ToolCallStatus::in_progress;
  // What was done without asking is shown with its reason.
  if (!verdict.reason.empty()) {
    std::vector<v1::ToolCallContent> content = prepared.content;
    content.push_back(text_content("[" + verdict.reason + "]"));
    begins.content = std::move(content);
  }
  report_.update(call, std::move(begins));
  const ToolProgress progress = [&](std::vector<v1::ToolCallContent> content) {
    v1::ToolCallUpdate going_on;
    going_on.content = std::move(content);
    report_.show(call, std::move(going_on));
  };
  // The user may have cancelled while the question was answered.
  if (host.stop_token().stop_requested()) throw Cancelled();
  ToolResult result = prepared.run(progress);
  if (!verdict.reason.empty() && !result.content.empty())
    result.content.push_back(text_content("[" + verdict.reason + "]"));
  return result;
}

void ToolCalls::finish(const acp::ToolCall& call, const ToolResult& result) {
  v1::ToolCallUpdate end;
  end.status = result.failed ? v1::ToolCallStatus::failed : v1::ToolCallStatus::completed;
  if (!result.content.empty()) end.content = result.content;
  if (!result.locations.empty()) end.locations = result.locations;
  end.rawOutput = result.raw_output;
  forget(call);
  if (result.kept_content.empty()) return report_.update(call, std::move(end));
  v1::ToolCallUpdate stored = end;
  stored.content = result.kept_content;
  report_.update(call, std::move(end), std::move(stored));
}

void ToolCalls::fail(const acp::ToolCall& call, const std::string& why, const Json& raw_input) {
  forget(call);
  v1::ToolCallUpdate end;
  end.status = v1::ToolCallStatus::failed;
  end.content = std::vector<v1::ToolCallContent>{text_content(why)};
  end.rawInput = raw_input;
  end.rawOutput = raw_error(why);
  report_.update(call, std::move(end));
}

void ToolCalls::fail_open(const std::string& why) {
  std::vector<acp::ToolCall> open;
  {
    const std::lock_guard lock(mutex_);
    open.assign(open_.begin(), open_.end());
  }
  for (const acp::ToolCall& call : open) fail(call, why);
}

void ToolCalls::forget(const acp::ToolCall& call) {
  const std::lock_guard lock(mutex_);
  const auto found = open_by_id_.find(call.id());
  if (found == open_by_id_.end()) return;
  open_.erase(found->second);
  open_by_id_.erase(found);
}

}  // namespace acp::coder
