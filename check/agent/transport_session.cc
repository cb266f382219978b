// A session over HTTP: where its updates come, and how its agent's questions are answered.
#include "check/agent/check.h"
#include "check/agent/transport_scenarios.h"

namespace acp::check {

namespace {

// Plays turns in one session.
class TransportSession {
 public:
  TransportSession(TransportRun& run, HttpHeaders connection, EventReader& stream, std::string id)
      : run_(run),
        connection_(std::move(connection)),
        headers_(with(connection_, session_header, id)),
        id_(std::move(id)),
        stream_(stream),
        own_(run.server, headers_) {}

  bool open() const { return own_.open(); }

  // Until the turn has ended; false if it does not.
  bool prompt(const std::string& kind) {
    const auto found = run_.options.prompts.find(kind);
    std::string text =
        found != run_.options.prompts.end() ? found->second : default_prompts().at(kind);
    if (const std::size_t file = text.find("{file}"); file != std::string::npos)
      text.replace(file, 6, "acp-check-file.txt");
    if (const std::size_t cwd = text.find("{cwd}"); cwd != std::string::npos)
      text.replace(cwd, 5, run_.options.cwd);
    const std::int64_t number = run_.next_id++;
    const Json content = Json::object({{"type", "text"}, {"text", text}});
    const std::string message = run_.request(
        "session/prompt", Json::object({{"sessionId", id_}, {"prompt", Json::array({content})}}),
        number);
    if (run_.server.post(message, headers_).status != 202) return false;
    const EventReader* const ended = EventReader::wait(
        {&own_, &stream_},
        [&](EventReader& from, const Json& seen) { return take(from, seen, number); },
        run_.server.deadline());
    run_.report.expect("A-HTTP-36", ended == &own_,
                       ended == nullptr ? "session/prompt was not answered"
                                        : "the answer to session/prompt came on the connection's "
                                          "stream");
    return ended != nullptr;
  }
  // Reads what was sent on the connection's stream before the turn's answer, which had its own: the
  // answer to a request that no agent knows comes after it.
  void catch_up() {
    const std::int64_t number = run_.next_id++;
    const std::string message = run_.request("_libacp/sync", Json::object(), number);
    if (run_.server.post(message, connection_).status != 202) return;
    EventReader::wait(
        {&own_, &stream_},
        [&](EventReader& from, const Json& seen) { return take(from, seen, number); },
        run_.server.deadline());
  }
  bool updated() const { return updated_; }
  bool asked() const { return asked_; }
  const EventReader& stream() const { return own_; }

 private:
  // Returns whether it is the answer to this request.
  bool take(EventReader& from, const Json& seen, std::int64_t request) {
    const std::string method = seen["method"].as_string().value_or("");
    if (method.empty()) return seen["id"].as_int64() == request;
    if (seen["params"]["sessionId"].as_string() != id_) return false;
    run_.report.expect("A-HTTP-37", &from == &own_, method + " came on the connection's stream");
    updated_ = true;
    if (!seen["id"].absent()) answer(seen, method);
    return false;
  }

  void answer(const Json& request, const std::string& method) {
    Json reply = Json::object({{"jsonrpc", "2.0"}, {"id", Json(request["id"])}});
    if (method == "session/request_permission")
      reply.set("result", Json::object({{"outcome", Json::object({{"outcome", "cancelled"}})}}));
    else
      reply.set("error", Json::object({{"code", -32601}, {"message", "Method not found"}}));
    const std::string& text = reply.text();
    // Only what is refused leaves the question open for the next one.
    if (!asked_) {
      asked_ = true;
      HttpReply sent = run_.server.post(text, connection_);
      if (!run_.expect("A-HTTP-21", "an answer without Acp-Session-Id", sent, 400,
                       "Missing Acp-Session-Id") &&
          sent.status == 202)
        return run_.skip({"A-HTTP-22", "A-HTTP-23"}, "the answer was taken without the header");
      sent = run_.server.post(text, with(connection_, session_header, "acp-check-other"));
      if (!run_.expect("A-HTTP-22", "an answer with another Acp-Session-Id", sent, 400,
                       "Mismatched Acp-Session-Id") &&
          sent.status == 202)
        return run_.skip({"A-HTTP-23"}, "the answer was taken with another session's header");
    }
    const HttpReply sent = run_.server.post(text, headers_);
    run_.report.expect("A-HTTP-23", accepted(sent),
                       "an answer with its session's header was answered with " + sent.describe());
  }

  TransportRun& run_;
  const HttpHeaders connection_, headers_;
  const std::string id_;
  EventReader &stream_, own_;
  bool updated_ = false, asked_ = false;
};

}  // namespace

void check_http_session(TransportRun& run, const HttpHeaders& connection, EventReader& stream) {
  const auto skip_rest = [&](const std::string& why) {
    run.skip({"A-HTTP-37", "A-HTTP-21", "A-HTTP-22", "A-HTTP-23"}, why);
  };
  const std::int64_t number = run.next_id++;
  const std::string message =
      run.request("session/new",
                  Json::object({{"cwd", run.options.cwd}, {"mcpServers", Json::array()}}), number);
  Json answer;
  if (run.server.post(message, connection).status == 202)
    EventReader::wait(
        {&stream},
        [&](EventReader&, const Json& seen) {
          if (!seen["method"].absent() || seen["id"].as_int64() != number) return false;
          answer = seen;
          return true;
        },
        run.server.deadline());
  run.report.expect("A-HTTP-35", !answer.absent(), "it did not come on the connection's stream");
  if (answer.absent()) return skip_rest("session/new was not answered");
  const auto id = answer["result"]["sessionId"].as_string();
  if (!id) {
    std::string why = "no session could be opened: " + std::string(answer["error"].text());
    if (answer["error"]["code"].as_int64() == -32602)
      why += " (--cwd names a directory of the server's machine)";
    return skip_rest(why);
  }
  TransportSession session(run, connection, stream, *id);
  if (!session.open()) return skip_rest("the session's stream could not be opened");
  session.prompt("hello");
  if (!session.updated()) session.catch_up();
  if (!session.updated()) run.skip({"A-HTTP-37"}, "the agent reported nothing");
  if (!session.asked()) session.prompt("write");
  if (!session.asked())
    run.skip({"A-HTTP-21", "A-HTTP-22", "A-HTTP-23"}, "the agent asked for nothing");
  for (const std::string& text : session.stream().malformed())
    run.report.fail("A-HTTP-33", "an event has the data " + text.substr(0, 200));
  // As far as the agent offers it; nothing is judged.
  run.server.post(run.request("session/delete", Json::object({{"sessionId", *id}})),
                  with(connection, session_header, *id));
}

}  // namespace acp::check
