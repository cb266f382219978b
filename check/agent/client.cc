#include "check/agent/client.h"

#include <algorithm>
#include <iostream>

#include "acp/io/printable.h"
#include "acp/json/utf8.h"
#include "check/agent/turn_version2.h"

namespace acp::check {

namespace {

using namespace std::chrono_literals;

std::string replaced(std::string text, std::string_view what, std::string_view by) {
  for (std::size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += by.size())
    text.replace(at, what.size(), by);
  return text;
}

std::string shortened(std::string_view text, std::size_t limit = 300) {
  return json::utf8_shortened(text, limit);
}

// The same id: a text may be spelt with other escapes, a number not.
bool same_id(const Json& a, const Json& b) {
  if (a.is_string() && b.is_string()) return a.as_string() == b.as_string();
  return a.text() == b.text();
}

bool is_shape(std::string_view id) {
  for (const std::string_view name :
       {"A-WIRE-1", "A-WIRE-2", "A-WIRE-3", "A-WIRE-10", "A-SCHEMA-3"})
    if (id == name) return true;
  return false;
}

io::ProcessOptions process(const AgentRun& run) {
  io::ProcessOptions process;
  process.argv = run.options.command;
  if (run.home.empty()) return process;
  process.environment.push_back({"HOME", run.home});
  for (const char* const name :
       {"XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME", "XDG_RUNTIME_DIR"})
    process.environment.push_back({name});
  return process;
}

}  // namespace

std::string AgentRun::prompt(const std::string& kind) const { return prompt(kind, "made.txt"); }

std::string AgentRun::prompt(const std::string& kind, const std::string& file) const {
  const auto own = options.prompts.find(kind);
  const std::string& text = own != options.prompts.end() ? own->second : default_prompts().at(kind);
  return replaced(replaced(text, "{cwd}", folder), "{file}", file);
}

AgentClient& AgentRun::client() {
  if (!shared || shared->gone())
    shared = std::make_shared<AgentClient>(*this, AgentClient::all_capabilities(options.protocol));
  shared->permit = Permit::allow;
  shared->fs_fails = shared->terminal_fails = shared->terminal_runs_on = false;
  return *shared;
}

std::string AgentRun::number(std::string_view area_and_number) const {
  return (version_2() ? "A2-" : "A-") + std::string(area_and_number);
}

std::string Reply::describe() const {
  switch (kind) {
    case Kind::result:
      return "the result " + shortened(body.text());
    case Kind::error:
      return "error " + shortened(body.text());
    case Kind::late:
      return "nothing in time";
    case Kind::closed:
      return "nothing: the agent closed the connection";
  }
  return "";
}

Json AgentClient::all_capabilities(int protocol) {
  const Json forms = Json::object({{"form", Json::object()}});
  if (protocol == 2) return Json::object({{"elicitation", forms}});
  const Json files = Json::object({{"readTextFile", true}, {"writeTextFile", true}});
  const Json options = Json::object({{"boolean", Json::object()}});
  const Json session = Json::object(
      {{"notices", Json::object()}, {"compaction", Json::object()}, {"configOptions", options}});
  return Json::object(
      {{"fs", files}, {"terminal", true}, {"session", session}, {"elicitation", forms}});
}

Json AgentClient::no_capabilities(int protocol) {
  if (protocol == 2) return Json::object();
  const Json files = Json::object({{"readTextFile", false}, {"writeTextFile", false}});
  return Json::object({{"fs", files}, {"terminal", false}});
}

AgentClient::AgentClient(AgentRun& run, Json capabilities, Watch watch)
    : run_(run),
      capabilities_(std::move(capabilities)),
      watch_(watch),
      program_(std::make_unique<ProgramPeer>(process(run), run.options.framing)) {
  wire().on_frame([this](const PassedFrame& frame) { see(frame); });
}

AgentClient::~AgentClient() {
  wire().on_frame({});
  report(rules_.end());
}

void AgentClient::see(const PassedFrame& frame) {
  if (run_.options.print_frames)
    std::cerr << (frame.sent ? "> " : "< ") << io::one_line(frame.text, 2000) << '\n';
  report(rules_.see({frame.time, frame.sent ? Side::client : Side::agent, frame.text}));
  if (frame.sent) return;
  run_.seen.things.insert("frame");
  if (const auto message = Json::parse(frame.text)) note(message->view());
}

// For what the rules of the wire say nothing about unless it happens.
void AgentClient::note(JsonView message) {
  auto& things = run_.seen.things;
  if (const auto method = message["method"].as_string()) things.insert(*method);
  const JsonView params = message["params"], update = params["update"];
  if (const auto kind = update["sessionUpdate"].as_string()) things.insert(*kind);
  for (const JsonView call : {update, params["toolCall"]}) {
    if (!call["rawInput"]["command"].absent()) things.insert("command");
    for (const JsonView location : call["locations"].elements()) {
      things.insert("location");
      if (location["line"].is_number()) things.insert("line");
    }
    if (!call["content"].is_array()) continue;
    for (const JsonView content : call["content"].elements()) note_content(content);
  }
  if (update["sessionUpdate"].as_string() == "tool_call_content_chunk")
    note_content(update["content"]);
  note_2(update, params);
  if (params["line"].is_number()) things.insert("line");
  const JsonView result = message["result"];
  if (result["stopReason"].is_string() || result["messageId"].is_string()) things.insert("turn");
  if (result["modes"].is_object()) things.insert("modes");
  if (result["sessions"].size() > 0) things.insert("listed");
  if (const auto session = result["sessionId"].as_string()) run_.sessions.push_back(*session);
}

void AgentClient::note_content(JsonView content) {
  auto& things = run_.seen.things;
  if (const auto type = content["type"].as_string()) things.insert("shows " + *type);
  if (content["patch"].is_object()) things.insert("patch");
}

// What only version 2 has.
void AgentClient::note_2(JsonView update, JsonView params) {
  auto& things = run_.seen.things;
  if (update["background"].is_array()) things.insert("background");
  if (update["state"].as_string() == "requires_action") things.insert("requires_action");
  if (update["capabilities"]["cancel"].is_object())
    things.insert("cancellable " + update["sessionUpdate"].as_string().value_or(""));
  const JsonView cwd = update["cwd"].absent() ? params["subject"]["cwd"] : update["cwd"];
  if (cwd.is_string()) things.insert("directory");
  if (params["subject"]["type"].as_string() == "tool_call" ||
      params["subject"]["toolCallId"].is_string())
    things.insert("asks about a call");
}

void AgentClient::report(const std::vector<Violation>& violations) {
  for (const Violation& violation : violations)
    if (violation.requirement->side == Side::agent &&
        (watch_ == Watch::all || (watch_ == Watch::shape && is_shape(violation.requirement->id))))
      run_.report.fail(violation.requirement->id, violation.message);
}

// ---- talking

Json AgentClient::ask(std::string_view method, const Json& params) {
  const Json id(++next_id_);
  ask_as(id, method, params);
  return id;
}

void AgentClient::ask_as(const Json& id, std::string_view method, const Json& params) {
  wire().send(
      Json::object({{"jsonrpc", "2.0"}, {"id", id}, {"method", method}, {"params", params}}));
}

void AgentClient::notify(std::string_view method, const Json& params) {
  wire().send(Json::object({{"jsonrpc", "2.0"}, {"method", method}, {"params", params}}));
}

bool AgentClient::until(const std::function<bool()>& done) {
  return until(done, run_.options.timeout);
}

bool AgentClient::until(const std::function<bool()>& done, std::chrono::milliseconds time) {
  const auto deadline = std::chrono::steady_clock::now() + time;
  while (!done()) {
    const auto frame = wire().receive(deadline);
    if (!frame) return done();
    take(*frame);
  }
  return true;
}

Reply AgentClient::wait(const Json& id) { return wait(id, run_.options.timeout); }

Reply AgentClient::wait(const Json& id, std::chrono::milliseconds time) {
  auto found = replies_.end();
  until(
      [&] {
        found = std::ranges::find_if(replies_,
                                     [&](const auto& reply) { return same_id(reply.first, id); });
        return found != replies_.end();
      },
      time);
  if (found != replies_.end()) {
    Reply reply = std::move(found->second);
    replies_.erase(found);
    return reply;
  }
  Reply reply;
  reply.kind = wire().ended() ? Reply::Kind::closed : Reply::Kind::late;
  return reply;
}

bool AgentClient::answered(const Json& id) const {
  return std::ranges::any_of(replies_, [&](const auto& reply) { return same_id(reply.first, id); });
}

bool AgentClient::still_there() {
  return call("_acp.check/are_you_there", Json::object()).answered();
}

bool AgentClient::gone() { return wire().ended() || wire().broken(); }

void AgentClient::take(const PassedFrame& frame) {
  ++taken_;
  const auto parsed = Json::parse(frame.text);
  if (!parsed || !parsed->is_object()) return;
  const JsonView message = parsed->view();
  const JsonView id = message["id"];
  if (const auto method = message["method"].as_string()) {
    if (id.absent()) {
      const JsonView params = message["params"];
      if (*method == "session/update")
        updates.push_back({params["sessionId"].as_string().value_or(""),
                           params["update"]["sessionUpdate"].as_string().value_or(""),
                           Json(params["update"]), taken_});
      if (*method == "$/cancel_request") take_back(Json(params["requestId"]));
      return;
    }
    calls.push_back({Json(id), *method, Json(message["params"])});
    serve(Call(calls.back()));
    return;
  }
  Reply reply;
  reply.frame = taken_;
  if (!message["error"].absent()) {
    reply.kind = Reply::Kind::error;
    reply.body = Json(message["error"]);
  } else {
    reply.kind = Reply::Kind::result;
    reply.body = Json(message["result"]);
  }
  if (id.is_null() || id.absent())
    answers_without_id.push_back(frame);
  else
    replies_.emplace_back(Json(id), std::move(reply));
}

// ---- whole steps

Json AgentClient::introduction() const {
  const Json info = Json::object({{"name", "acp-check"}, {"title", "acp check"}, {"version", "1"}});
  if (run_.version_2())
    return Json::object({{"protocolVersion", 2}, {"capabilities", capabilities_}, {"info", info}});
  return Json::object(
      {{"protocolVersion", 1}, {"clientCapabilities", capabilities_}, {"clientInfo", info}});
}

Reply AgentClient::initialize() { return initialize_with(introduction()); }

void AgentClient::never_answered(const Reply& reply) {
  const auto exit = gone() ? program_->wait_exit(std::chrono::seconds(2)) : std::nullopt;
  std::string how = "the agent never answered initialize: ";
  if (exit)
    how = exit->describe("agent") + " before it had answered initialize";
  else if (count_calls("initialize") > 0)
    how += "it sent back what it was sent";
  else if (reply.kind == Reply::Kind::closed)
    how += "it closed its output, and runs on";
  else
    how += "nothing came in time (--timeout)";
  std::string tail = program_->stderr_tail();
  while (tail.ends_with('\n')) tail.pop_back();
  if (!tail.empty()) how += "; its last words:\n" + tail;
  throw NeverAnswered(how);
}

Reply AgentClient::initialize_with(const Json& params) {
  Reply reply = call("initialize", params);
  // What only sends everything back answers with our own error.
  const bool answered = reply.answered() && count_calls("initialize") == 0;
  if (answered)
    run_.answered = true;
  else if (!run_.answered)
    never_answered(reply);
  if (reply.refused()) run_.refusal = reply.describe();
  if (reply.ok()) {
    run_.initialized = true;
    initialized_ = reply.body;
    agent_capabilities_ =
        Json(initialized_[run_.version_2() ? "capabilities" : "agentCapabilities"]);
  }
  return reply;
}

bool AgentClient::advertises(std::string_view session_capability) const {
  if (run_.version_2()) {
    const JsonView session = agent_capabilities_["session"];
    for (const std::string_view baseline : {"list", "resume", "close"})
      if (session_capability == baseline) return session.is_object();
    return session[session_capability].is_object();
  }
  const JsonView mark = agent_capabilities_["sessionCapabilities"][session_capability];
  return mark.is_object() || mark.as_bool().value_or(false);
}

bool AgentClient::open() {
  if (opened_) return *opened_;
  const Reply reply = initialize();
  if (run_.version_2() && reply.ok() && reply["protocolVersion"].as_int64() != 2)
    throw OtherVersion(reply.describe());
  opened_ = reply.ok();
  if (*opened_ && run_.options.auth)
    opened_ = call(run_.version_2() ? "auth/login" : "authenticate",
                   Json::object({{"methodId", *run_.options.auth}}))
                  .ok();
  return *opened_;
}

Reply AgentClient::new_session_in(const std::string& cwd, const Json& servers) {
  return call("session/new", Json::object({{"cwd", cwd}, {"mcpServers", servers}}));
}

std::optional<std::string> AgentClient::new_session() {
  const Reply reply = new_session_in(run_.folder);
  if (!reply.ok()) return std::nullopt;
  return reply["sessionId"].as_string();
}

Json AgentClient::ask_prompt(const std::string& session, const std::string& text) {
  const Json block = Json::object({{"type", "text"}, {"text", text}});
  return ask("session/prompt",
             Json::object({{"sessionId", session}, {"prompt", Json::array({block})}}));
}

Reply AgentClient::prompt(const std::string& session, const std::string& text) {
  if (!run_.version_2()) return wait(ask_prompt(session, text));
  version2::Turn turn(*this, session, text);
  turn.wait();
  return turn.answer();
}

void AgentClient::cancel(const std::string& session) {
  notify("session/cancel", Json::object({{"sessionId", session}}));
  if (run_.version_2()) return;  // the agent takes its questions back
  for (const Call& call : std::exchange(held_, {}))
    answer(call.id, Json::object({{"outcome", Json::object({{"outcome", "cancelled"}})}}));
}

std::vector<Json> AgentClient::unclaimed_answers() const {
  std::vector<Json> ids;
  for (const auto& [id, reply] : replies_) ids.push_back(id);
  return ids;
}

std::size_t AgentClient::count_calls(std::string_view method, std::size_t from) const {
  std::size_t count = 0;
  for (std::size_t i = from; i < calls.size(); ++i)
    if (calls[i].method == method) ++count;
  return count;
}

std::string AgentClient::said(const std::string& session, std::string_view kind,
                              std::size_t from) const {
  std::string text;
  for (std::size_t i = from; i < updates.size(); ++i)
    if (updates[i].session == session && updates[i].kind == kind)
      text += updates[i].update["content"]["text"].as_string().value_or("");
  return text;
}

}  // namespace acp::check
