#include "check/client/client_scenario.h"

#include <algorithm>
#include <array>
#include <csignal>
#include <fstream>

namespace acp::check {
namespace {

using Clock = std::chrono::steady_clock;
using namespace std::chrono_literals;

constexpr std::string_view plain_result =
    R"({"protocolVersion":1,"agentCapabilities":{"loadSession":false,"promptCapabilities":)"
    R"({"image":false,"audio":false,"embeddedContext":false},"mcpCapabilities":{"http":false,)"
    R"("sse":false}},"agentInfo":{"name":"acp-check","version":"1"},"authMethods":[]})";
constexpr std::string_view plain_result_2 =
    R"({"protocolVersion":2,"capabilities":{"session":{"prompt":{},"mcp":{"stdio":{}}}},)"
    R"("info":{"name":"acp-check","version":"1"},"authMethods":[]})";

std::string text_of(JsonView value) { return std::string(value.text()); }

void replace_all(std::string& text, std::string_view what, const std::string& with) {
  for (std::size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += with.size())
    text.replace(at, what.size(), with);
}

}  // namespace

void Judge::pass(std::string_view id) {
  const std::lock_guard lock(mutex_);
  if (!ignored_.contains(id)) report_.pass(id);
}
void Judge::fail(std::string_view id, const std::string& message) {
  const std::lock_guard lock(mutex_);
  if (!ignored_.contains(id)) report_.fail(id, message);
}
void Judge::skip(std::string_view id, const std::string& reason) {
  const std::lock_guard lock(mutex_);
  if (!ignored_.contains(id)) report_.skip(id, reason);
}
void Judge::expect(std::string_view id, bool ok, const std::string& message) {
  const std::lock_guard lock(mutex_);
  if (!ignored_.contains(id)) report_.expect(id, ok, message);
}

ClientScenario::ClientScenario(const ClientCheckOptions& options, const ClientFacts& facts,
                               Judge& judge, std::string name, std::filesystem::path directory)
    : protocol(options.protocol),
      initialize_result(options.protocol == 2 ? plain_result_2 : plain_result),
      options_(options),
      facts_(facts),
      judge_(judge),
      name_(std::move(name)),
      directory_(std::move(directory)),
      work_(directory_ / "work"),
      outside_(directory_ / "outside"),
      socket_path_(options.listen.empty() ? (directory_ / "agent").string() : options.listen) {
  std::filesystem::create_directories(work_);
  std::filesystem::create_directories(outside_);
  if (options_.transport.empty())
    socket_ = std::make_unique<AgentSocket>(socket_path_);
  else
    remote_ = std::make_unique<ScenarioServer>();
}

ClientScenario::~ClientScenario() {
  wire_.reset();  // the agent ends first: the client may wait for it
  client_.end(0ms);
  stop_drain_ = true;
  if (client_output_) client_output_->poke();
  if (drain_.joinable()) drain_.join();
}

void ClientScenario::spawn() {
  std::vector<std::string> agent = options_.relay;
  agent.push_back(socket_path_);
  if (stubborn) agent.emplace_back("--stubborn");
  io::ProcessOptions process;
  process.cwd = work_.string();
  if (remote_) process.environment.push_back({"ACP_URL", remote_->url(options_.transport)});
  for (const std::string& word : options_.command) {
    if (!remote_ && word == agent_placeholder) {
      process.argv.insert(process.argv.end(), agent.begin(), agent.end());
      continue;
    }
    process.argv.push_back(word);
    if (remote_)
      replace_all(process.argv.back(), url_placeholder, remote_->url(options_.transport));
    else
      replace_all(process.argv.back(), agent_placeholder, io::command_line(agent));
  }
  // As it was meant where the kit was started, not where the client is.
  if (process.argv.front().find('/') != std::string::npos)
    process.argv.front() = std::filesystem::absolute(process.argv.front()).string();
  io::StartResult started = io::Process::start(process);
  if (!started.ok()) throw PeerNotStarted(started.error().message());
  started->child_stdin().reset();
  Transport output;
  output.in = started->take_stdout();
  client_output_ = std::make_unique<io::Wire>(std::move(output));
  client_.attend(std::move(*started), {});
  // What it prints is for its user: read, so that it is not held up.
  drain_ = std::thread([this] {
    std::array<char, 65536> buffer;
    while (!stop_drain_) {
      if (!client_output_->wait(true, false, 1s).input) continue;
      const auto kind = client_output_->read(buffer.data(), buffer.size()).kind;
      if (kind == io::Wire::Outcome::Kind::ended || kind == io::Wire::Outcome::Kind::failed) return;
    }
  });
}

bool ClientScenario::start() {
  if (options_.listen.empty()) {
    spawn();
  } else if (options_.say) {
    options_.say("scenario \"" + name_ + "\": start the client in " + work_.string());
  }
  const auto deadline = Clock::now() + options_.time;
  for (;;) {
    if (met(50ms)) return true;
    if (!options_.listen.empty()) continue;
    if (client_.exit_status() || Clock::now() > deadline) break;
  }
  skip_all((remote_ ? "the client did not connect to the agent: "
                    : "the client did not start the agent: ") +
           state());
  return false;
}

bool ClientScenario::met(std::chrono::milliseconds time) {
  std::optional<Transport> transport;
  if (remote_) {
    transport = remote_->wait(time);
  } else if (auto visitor = socket_->wait(time)) {
    agent_process_ = visitor->process;
    transport = std::move(visitor->transport);
  }
  if (transport) wire_ = std::make_unique<WirePeer>(std::move(*transport), options_.framing);
  return transport.has_value();
}

bool ClientScenario::reach(std::string_view method) {
  return until([&] { return called(method); });
}

bool ClientScenario::reach_prompt() {
  if (!start()) return false;
  if (until([&] { return !prompts_.empty(); })) return true;
  skip_all("the client sent no session/prompt: " + state());
  finish();
  return false;
}

void ClientScenario::skip_all(const std::string& reason) {
  for (const std::string_view id : ids) skip(id, reason);
}

bool ClientScenario::until(const std::function<bool()>& done, std::chrono::milliseconds time) {
  const auto deadline = Clock::now() + time;
  while (!done()) {
    if (!wire_) return false;
    const auto frame = wire_->receive(deadline);
    if (!frame) return done();
    take(*frame);
  }
  return true;
}

void ClientScenario::take(const PassedFrame& frame) {
  auto parsed = Json::parse(frame.text);
  if (!parsed || !parsed->is_object()) return;
  Incoming incoming;
  incoming.json = std::move(*parsed);
  incoming.method = incoming["method"].as_string().value_or("");
  incoming.request = !incoming.method.empty() && !incoming["id"].absent();
  if (incoming.method.empty()) {
    answers_[text_of(incoming["id"])] = std::move(incoming.json);
    return;
  }
  calls_.push_back(incoming);
  serve(incoming);
}

void ClientScenario::serve(const Incoming& call) {
  if (call.method == "initialize")
    capabilities_ = Json(call["params"][protocol == 2 ? "capabilities" : "clientCapabilities"]);
  if (call.method == "session/new") session_cwd_ = call["params"]["cwd"].as_string().value_or("");
  if (intercept && intercept(call)) return;
  const std::string& method = call.method;
  if (!call.request) return;
  if (method == "initialize") {
    const std::int64_t asked = call["params"]["protocolVersion"].as_int64().value_or(0);
    if (protocol == 2 && asked < 2)
      return send("{\"jsonrpc\":\"2.0\",\"id\":" + text_of(call["id"]) +
                  R"(,"error":{"code":-32022,"message":"Unsupported protocol version",)"
                  R"("data":{"requested":)" +
                  std::to_string(asked) + R"(,"supported":[2]}}})");
    return answer(call, initialize_result);
  }
  if (method == "session/prompt") {
    prompts_.push_back(call);
    if (session_.empty()) session_ = text_of(call["params"]["sessionId"]);
    if (protocol == 2) {
      insert(call);
      if (count(method) > 1) end_turn();
      return;
    }
    // Only the first one is played with.
    if (prompts_.size() > 1) return answer(call, R"({"stopReason":"end_turn"})");
    open_prompts_.push_back(call);
    return;
  }
  if (method == "session/new") {
    // Nobody may read anything into an id, or spell it otherwise. Over HTTP it is a header.
    const std::string name = "sess/" + std::to_string(++sessions_);
    const std::string odd = " \"\xC3\xA4\\u0041\\ \xF0\x9F\x8E\xAD";
    session_ = Json(options_.transport == "http" ? name : name + odd).text();
    return answer(call, "{\"sessionId\":$S" + session_members + "}");
  }
  if (method == "session/load" || method == "session/resume") {
    session_ = text_of(call["params"]["sessionId"]);
    if (protocol == 2) state("\"idle\"");
    return answer(call, "{}");
  }
  if (method == "session/list") return answer(call, R"({"sessions":[]})");
  if (method == "session/set_config_option") {
    // The whole list, as it was; the option's new value is in what was asked.
    const std::size_t options = session_members.find("\"configOptions\":");
    return answer(call, options == std::string::npos ? R"({"configOptions":[]})"
                                                     : "{" + session_members.substr(options) + "}");
  }
  const bool of_version = protocol == 2 ? method == "auth/login" || method == "auth/logout"
                                        : method == "authenticate" || method == "logout" ||
                                              method == "session/set_mode";
  const bool of_work = method == "tool_call/cancel" || method == "terminal/cancel";
  if (of_version || (of_work && protocol == 2) || method == "session/close" ||
      method == "session/delete")
    return answer(call, "{}");
  answer_error(call, -32601, "Method not found");
}

void ClientScenario::send(const std::string& message) { wire_->send(std::string_view(message)); }

std::string ClientScenario::filled(std::string_view text) const {
  std::string out(text);
  replace_all(out, "$S", session_.empty() ? "\"none\"" : session_);
  const std::string work = Json(work_.string()).text();
  replace_all(out, "$W", work.substr(1, work.size() - 2));
  return out;
}

std::string ClientScenario::ask(std::string_view method, std::string_view params, std::string id) {
  if (id.empty()) id = std::to_string(next_id_++);
  send(R"({"jsonrpc":"2.0","id":)" + id + R"(,"method":)" + Json(method).text() +
       ",\"params\":" + filled(params) + "}");
  return id;
}

std::optional<Json> ClientScenario::answer_to(const std::string& id) {
  if (!until([&] { return answers_.contains(id); })) return std::nullopt;
  return answers_.at(id);
}

std::optional<Json> ClientScenario::call(std::string_view method, std::string_view params) {
  return answer_to(ask(method, params));
}

void ClientScenario::notify(std::string_view method, std::string_view params) {
  send(R"({"jsonrpc":"2.0","method":)" + Json(method).text() + ",\"params\":" + filled(params) +
       "}");
}

void ClientScenario::update(std::string_view update) {
  notify("session/update", "{\"sessionId\":$S,\"update\":" + std::string(update) + "}");
}

std::string ClientScenario::number(std::string_view area_and_number) const {
  return (options_.protocol == 2 ? "C2-" : "C-") + std::string(area_and_number);
}

void ClientScenario::say(std::string_view text) {
  update(R"({"sessionUpdate":"agent_message_chunk",)" +
         std::string(protocol == 2 ? R"("messageId":"said",)" : "") +
         R"("content":{"type":"text","text":)" + Json(text).text() + "}}");
}

void ClientScenario::show_call(std::string_view id) {
  update(std::string(R"({"sessionUpdate":)") +
         (protocol == 2 ? R"("tool_call_update")" : R"("tool_call")") + ",\"toolCallId\":" +
         Json(id).text() + R"(,"title":"Edit a file","kind":"edit","status":"pending"})");
}

void ClientScenario::fail_call(std::string_view id) {
  update(R"({"sessionUpdate":"tool_call_update","toolCallId":)" + Json(id).text() +
         R"(,"status":"failed"})");
}

std::string ClientScenario::permission(std::string_view call) const {
  const std::string of_call = R"("toolCall":{"toolCallId":)" + Json(call).text() +
                              R"(,"title":"Edit a file","kind":"edit","status":"pending"})";
  const std::string options =
      R"("options":[{"optionId":"never","name":"Never","kind":"reject_always"},)"
      R"({"optionId":"yes","name":"Yes","kind":"allow_once"},)"
      R"({"optionId":"no","name":"No","kind":"reject_once"}]})";
  if (protocol != 2) return "{\"sessionId\":$S," + of_call + "," + options;
  return R"({"sessionId":$S,"title":"Edit a file?","subject":{"type":"tool_call",)" + of_call +
         "}," + options;
}

void ClientScenario::insert(const Incoming& prompt) {
  const std::string message = "\"message " + std::to_string(++messages_) + "\"";
  open_prompts_.push_back(prompt);
  answer(prompt, "{\"messageId\":" + message + "}");
  update(R"({"sessionUpdate":"user_message","messageId":)" + message +
         ",\"content\":" + text_of(prompt["params"]["prompt"]) + "}");
  state("\"running\"");
}

void ClientScenario::answer(const Incoming& request, std::string_view result) {
  send("{\"jsonrpc\":\"2.0\",\"id\":" + text_of(request["id"]) + ",\"result\":" + filled(result) +
       "}");
}

void ClientScenario::answer_session(const Incoming& request, std::string_view id) {
  session_ = id;
  answer(request, "{\"sessionId\":$S}");
}

void ClientScenario::answer_error(const Incoming& request, int code, std::string_view message) {
  send("{\"jsonrpc\":\"2.0\",\"id\":" + text_of(request["id"]) + ",\"error\":{\"code\":" +
       std::to_string(code) + ",\"message\":" + Json(message).text() + "}}");
}

void ClientScenario::end_turn_with(std::string_view members) {
  state(members);
  open_prompts_.clear();
}

void ClientScenario::end_turn(std::string_view stop_reason) {
  if (protocol == 2) {
    if (!open_prompts_.empty())
      end_turn_with("\"idle\",\"stopReason\":" + Json(stop_reason).text());
    return;
  }
  const std::string result = "{\"stopReason\":" + Json(stop_reason).text() + "}";
  for (const Incoming& prompt : open_prompts_) answer(prompt, result);
  open_prompts_.clear();
}

void ClientScenario::signal(int number) const {
  if (!client_.exit_status()) send_signal(client_.id(), number);
}

void ClientScenario::die() {
  wire_->flush(Clock::now() + options_.time);
  socket_.reset();  // started again, it dies again
  if (agent_process_ > 0 && send_signal(agent_process_, SIGKILL)) {
    until([&] { return gone(); });
  }
  wire_->close_output();
}

std::size_t ClientScenario::count(std::string_view method) const {
  return static_cast<std::size_t>(std::ranges::count(calls_, method, &Incoming::method));
}

}  // namespace acp::check
