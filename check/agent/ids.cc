// Ids in the answers that matter: results.
#include <algorithm>

#include "check/agent/scenarios.h"
#include "check/agent/turn_version2.h"

namespace acp::check {

namespace {

using Ids = std::vector<Json>;

// Requests with these ids, in turn, until one does not come back.
class IdExchange {
 public:
  IdExchange(AgentRun& run, std::string_view requirement, Ids ids)
      : run_(run),
        requirement_(requirement),
        ids_(std::move(ids)),
        client_(run, AgentClient::no_capabilities(run.options.protocol), Watch::shape) {}

  void play() {
    if (!ask("initialize", client_.introduction())) return;
    if (run_.options.auth && !ask(run_.version_2() ? "auth/login" : "authenticate",
                                  Json::object({{"methodId", *run_.options.auth}})))
      return;
    const Json params = Json::object({{"cwd", run_.folder}, {"mcpServers", Json::array()}});
    const auto opened = ask("session/new", params);
    if (!opened) return;
    const Json block = Json::object({{"type", "text"}, {"text", run_.prompt("hello")}});
    ask("session/prompt", Json::object({{"sessionId", Json((*opened)["sessionId"])},
                                        {"prompt", Json::array({block})}}));
  }

 private:
  // The result. An error says nothing here.
  std::optional<Json> ask(std::string_view method, const Json& params) {
    const Json id = ids_[next_++ % ids_.size()];
    client_.ask_as(id, method, params);
    const std::size_t before = strays();
    client_.until([&] { return client_.answered(id) || strays() > before || client_.gone(); });
    // Some other answer may have come between.
    if (!client_.answered(id) && !client_.gone())
      client_.until([&] { return client_.answered(id); },
                    std::min(run_.options.timeout, std::chrono::milliseconds(2000)));
    if (client_.answered(id)) {
      const Reply reply = client_.wait(id);
      if (reply.ok()) {
        run_.report.pass(requirement_);
        return reply.body;
      }
      run_.report.skip(requirement_,
                       std::string(method) + " was answered with " + reply.describe());
      return std::nullopt;
    }
    run_.report.fail(requirement_, std::string(method) + " with the id " + id.text() +
                                       " was answered with " + last_stray());
    return std::nullopt;
  }

  // Answers that nobody waits for.
  std::size_t strays() const {
    return client_.unclaimed_answers().size() + client_.answers_without_id.size();
  }
  std::string last_stray() const {
    const auto ids = client_.unclaimed_answers();
    if (!ids.empty()) return "the id " + ids.back().text();
    return client_.answers_without_id.empty() ? "nothing" : "the id null";
  }

  AgentRun& run_;
  std::string_view requirement_;
  Ids ids_;
  std::size_t next_ = 0;
  AgentClient client_;
};

// Both sides count for themselves: while the agent asks, a request with the id of its question.
void check_same_id_2(AgentRun& run) {
  constexpr std::string_view requirement = "A-ID-6";
  AgentClient client(run, AgentClient::all_capabilities(2));
  const auto session = open_session(client, {requirement});
  if (!session) return;
  client.permit = Permit::hold;
  version2::Turn turn(client, *session, run.prompt("write", run.new_file()));
  client.until([&] { return !client.calls.empty() || turn.over() || client.gone(); });
  if (client.calls.empty())
    return run.report.skip(requirement, "the agent asked the client for nothing");
  const Json id = client.calls.back().id;
  client.ask_as(id, "session/list", Json::object());
  const Reply reply = client.wait(id);
  run.report.expect(requirement, reply.answered(),
                    "session/list with the id " + id.text() + " got " + reply.describe());
  client.decide(Permit::reject);
  turn.wait();
}

// Both sides count for themselves: the prompt gets the id that the agent's next request will have.
void check_same_id(AgentRun& run) {
  constexpr std::string_view requirement = "A-ID-6";
  AgentClient client(run, AgentClient::all_capabilities());
  const auto session = open_session(client, {requirement});
  if (!session) return;
  client.prompt(*session, run.prompt("read"));
  std::optional<std::int64_t> last;
  if (!client.calls.empty()) last = client.calls.back().id.as_int64();
  if (!last)
    return run.report.skip(requirement, client.calls.empty()
                                            ? "the agent asked the client for nothing"
                                            : "the agent's ids are not numbers");
  const std::size_t from = client.calls.size();
  const Json id(*last + 1);
  const Json block = Json::object({{"type", "text"}, {"text", run.prompt("read")}});
  client.ask_as(id, "session/prompt",
                Json::object({{"sessionId", *session}, {"prompt", Json::array({block})}}));
  const Reply reply = client.wait(id);
  if (std::none_of(client.calls.begin() + static_cast<std::ptrdiff_t>(from), client.calls.end(),
                   [&](const Call& call) { return call.id.text() == id.text(); }))
    return run.report.skip(requirement, "the agent's next id could not be foreseen");
  run.report.expect(requirement, !stop_reason(reply).empty(),
                    "the prompt with the id " + id.text() + " got " + reply.describe());
}

}  // namespace

void check_ids(AgentRun& run) {
  IdExchange(run, "A-ID-4",
             {Json("a-1"), Json("4712"), Json("\"quoted\" \\ ü \xf0\x9f\x98\x80"),
              Json("b7c1e2d4-0001-4a00-9f00-00000000abcd")})
      .play();
  IdExchange(run, "A-ID-5", {Json(0), Json(-1), Json(2147483648), Json(9007199254740991)}).play();
  run.version_2() ? check_same_id_2(run) : check_same_id(run);
}

}  // namespace acp::check
