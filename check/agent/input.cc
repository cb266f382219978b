// Input that is odd, broken or hostile; extensions; ids.
#include <algorithm>
#include <memory>

#include "check/agent/scenarios.h"

namespace acp::check {

namespace {

constexpr std::string_view unknown_method = "_acp.check/unknown";

std::string request(std::string_view id, std::string_view rest) {
  return R"({"jsonrpc":"2.0","id":)" + std::string(id) + "," + std::string(rest) + "}";
}

// A connection that is made anew when the agent did not survive the last thing.
class Patient {
 public:
  explicit Patient(AgentRun& run) : run_(run) {}

  AgentClient* client() {
    if (!client_ || client_->gone() || spoilt_) {
      client_ = std::make_unique<AgentClient>(
          run_, AgentClient::no_capabilities(run_.options.protocol), Watch::shape);
      spoilt_ = false;
      if (!client_->open()) client_.reset();
    }
    return client_.get();
  }

  // Sends a text that is no good message. The answers that it got, and whether the agent lives.
  struct Outcome {
    std::vector<Json> answers;
    bool alive = false;
    bool answered_with(std::int64_t code) const {
      for (const Json& answer : answers)
        if (answer["error"]["code"].as_int64() == code) return true;
      return false;
    }
    std::string describe() const {
      std::string text = alive ? "" : "the agent did not survive it";
      for (const Json& answer : answers) text += (text.empty() ? "" : "; ") + answer.text();
      return text.empty() ? "no answer" : text;
    }
  };
  // An answer counts if it has this id or none. One that is due gets a little time: agents answer
  // out of order.
  Outcome give(std::string_view message, const Json& id, bool due) {
    Outcome outcome;
    AgentClient* const to = client();
    if (!to) return outcome;
    const std::size_t from = to->wire().transcript().size();
    to->wire().send(message);
    outcome.alive = to->still_there();
    spoilt_ = !outcome.alive;
    const auto look = [&] {
      outcome.answers = answers(*to, from, id);
      return !outcome.answers.empty();
    };
    if (due && outcome.alive)
      to->until(look, std::min(run_.options.timeout, std::chrono::milliseconds(2000)));
    look();
    return outcome;
  }
  void spoil() { spoilt_ = true; }

 private:
  AgentRun& run_;
  std::unique_ptr<AgentClient> client_;
  static std::vector<Json> answers(AgentClient& client, std::size_t from, const Json& id) {
    std::vector<Json> found;
    const auto& all = client.wire().transcript();
    for (std::size_t i = from; i < all.size(); ++i) {
      if (all[i].sent) continue;
      const auto parsed = Json::parse(all[i].text);
      if (!parsed || !parsed->view()["method"].absent()) continue;
      const JsonView its = parsed->view()["id"];
      if (its.absent() || its.is_null() || its.text() == id.text()) found.push_back(*parsed);
    }
    return found;
  }
  bool spoilt_ = false;
};

// Over a network, what is no good message may be refused before the agent sees it: by an answer of
// the transport (A-HTTP and A-WS are about these), or by the end of the connection.
void judge(AgentRun& run, std::string_view id, bool ok, const Patient::Outcome& outcome) {
  if (!ok && run.options.over_network)
    return run.report.skip(id, "the transport does not let it through: " + outcome.describe());
  run.report.expect(id, ok, outcome.describe());
}

void check_broken(AgentRun& run, Patient& patient) {
  struct Case {
    std::string_view id;
    int mark;  // the id of the request
    std::string text;
    std::int64_t code;  // 0: any answer
  };
  const Case cases[] = {
      {"A-INPUT-1", 47111, R"({"jsonrpc":"2.0","id":47111,"method":)", -32700},
      {"A-INPUT-2", 47112, request("47112", "\"method\":\"_acp.check/\xff\xfe\""), 0},
      {"A-INPUT-3", 47113, "[" + request("47113", R"("method":"_acp.check/batch")") + "]", 0},
      {"A-INPUT-4", 47114, "42", -32600},
      {"A-INPUT-5", 47115, request("47115", R"("method":7)"), -32600},
      {"A-INPUT-7", 47117,
       request("47117", R"("method":"session/prompt","params":{"sessionId":7,"prompt":"hello"})"),
       -32602},
      {"A-INPUT-11", 47121,
       request("47121", R"("method":"_acp.check/large","params":{"text":")" +
                            std::string(2'000'000, 'x') + "\"}"),
       0},
      {"A-INPUT-12", 47122,
       request("47122", R"("method":"_acp.check/deep","params":{"deep":)" +
                            std::string(20'000, '[') + std::string(20'000, ']') + "}"),
       0},
  };
  for (const Case& one : cases) {
    if (!run.report.selected(one.id)) continue;
    const auto outcome = patient.give(one.text, one.mark, true);
    // What is nested too deep may end in anything but silence of the whole agent.
    const bool answered = one.id == "A-INPUT-12" || (one.code != 0 ? outcome.answered_with(one.code)
                                                                   : !outcome.answers.empty());
    judge(run, one.id, outcome.alive && answered, outcome);
  }
  // Version 2 takes no second initialize, whatever it says.
  const auto versionless = patient.give(
      run.version_2() ? R"({"id":47116,"method":"session/list","params":{}})"
                      : R"({"id":47116,"method":"initialize","params":{"protocolVersion":1}})",
      47116, true);
  bool refused = false, obeyed = false;
  for (const Json& answer : versionless.answers) {
    refused = refused || !answer["error"].absent();
    obeyed = obeyed || !answer["result"].absent();
  }
  judge(run, "A-INPUT-6", versionless.alive && refused && !obeyed, versionless);
  const auto stray =
      patient.give(R"({"jsonrpc":"2.0","id":"never-asked","result":{}})", "never-asked", false);
  run.report.expect("A-INPUT-8", stray.alive && stray.answers.empty(), stray.describe());
}

void check_pieces(AgentRun& run, Patient& patient) {
  AgentClient* client = patient.client();
  if (!client)
    return skip_all(run, {"A-INPUT-9", "A-INPUT-10"}, "the connection could not be opened");
  const auto soon = [&] { return std::chrono::steady_clock::now() + run.options.timeout; };
  const std::string one =
      request("\"piece-1\"", R"("method":"_acp.check/pieces","params":{"a":"ü"})");
  const std::string two = request("\"piece-2\"", R"("method":"_acp.check/pieces")");
  const bool lines = run.options.framing != rpc::Framing::content_length;
  const auto framed = [&](const std::string& text) {
    if (lines) return text + "\n";
    return "Content-Length: " + std::to_string(text.size()) + "\r\n\r\n" + text;
  };
  // The cut is inside of a character.
  const std::string both = framed(one) + framed(two);
  const std::size_t cut = both.find("ü") + 1;
  client->wire().send_bytes(both.substr(0, cut));
  client->wire().flush(soon());
  // An agent that has read the first piece gives no answer to it: there is nothing to wait for.
  client->wire().receive(std::chrono::steady_clock::now() + std::chrono::milliseconds(20));
  client->wire().send_bytes(both.substr(cut));
  const Reply first = client->wait(Json("piece-1")), second = client->wait(Json("piece-2"));
  run.report.expect("A-INPUT-9", first.answered() && second.answered(),
                    "the two requests got " + first.describe() + " and " + second.describe());
  if (!first.answered() || !second.answered()) patient.spoil();
  client = patient.client();
  if (!lines || !client) return run.report.skip("A-INPUT-10", "the framing has no lines");
  client->wire().send_bytes("\n  \r\n" + request("\"crlf\"", R"("method":"_acp.check/crlf")") +
                            "\r\n");
  const Reply crlf = client->wait(Json("crlf"));
  run.report.expect("A-INPUT-10", crlf.answered() && client->answers_without_id.empty(),
                    "a request after blank lines got " + crlf.describe());
  if (!crlf.answered()) patient.spoil();
}

void check_extensions(AgentRun& run, Patient& patient) {
  if (AgentClient* client = patient.client()) {
    const Reply own = client->call(unknown_method, Json::object());
    run.report.expect("A-EXT-1", own.code() == -32601, "the answer was " + own.describe());
    const Reply bare = client->call("acp_check/unknown", Json::object());
    run.report.expect("A-EXT-3", bare.code() == -32601, "the answer was " + bare.describe());
    if (!own.answered() || !bare.answered()) patient.spoil();
  }
  const std::pair<std::string_view, std::string_view> notices[] = {
      {"A-EXT-2", R"({"jsonrpc":"2.0","method":"_acp.check/event","params":{"a":1}})"},
      {"A-EXT-4", R"({"jsonrpc":"2.0","method":"$/acp_check","params":{"a":1}})"},
      {"A-EXT-4", R"({"jsonrpc":"2.0","method":"$/cancel_request","params":{"requestId":"none"}})"},
  };
  for (const auto& [id, text] : notices) {
    const auto outcome = patient.give(text, Json(), false);
    run.report.expect(id, outcome.alive, outcome.describe());
  }
}

// A session and a turn, with something added to each request.
void check_additions(AgentClient& client, std::string_view id, std::string_view key,
                     const Json& value) {
  AgentRun& run = client.run();
  const auto plain = client.new_session();
  if (!plain) return run.report.skip(id, "no session could be opened");
  if (!client.prompt(*plain, run.prompt("hello")).ok())
    return run.report.skip(id, "the same without it does not work either");
  Json params = Json::object({{"cwd", run.folder}, {"mcpServers", Json::array()}});
  params.set(key, value);
  const Reply opened = client.call("session/new", params);
  const auto session = opened["sessionId"].as_string();
  if (!opened.ok() || !session)
    return run.report.fail(id, "session/new was answered with " + opened.describe());
  Json block = Json::object({{"type", "text"}, {"text", run.prompt("hello")}});
  block.set(key, value);
  Json prompt = Json::object({{"sessionId", *session}, {"prompt", Json::array({block})}});
  prompt.set(key, value);
  const Reply reply = client.call("session/prompt", prompt);
  run.report.expect(id, reply.ok(), "session/prompt was answered with " + reply.describe());
}

bool comes_back(AgentClient& client, const Json& id) {
  client.ask_as(id, "_acp.check/id", Json::object());
  // Beyond what follows it: agents answer out of order.
  if (client.still_there() && !client.answered(id))
    client.until([&] { return client.answered(id); },
                 std::min(client.run().options.timeout, std::chrono::milliseconds(2000)));
  return client.answered(id);
}

void check_error_ids(AgentClient& client) {
  Report& report = client.run().report;
  for (const Json& id : {Json("a"), Json("b7c1e2d4-0001-4a00-9f00-00000000abcd"), Json("4712"),
                         Json("\"quoted\" \\ ü \xf0\x9f\x98\x80")})
    report.expect("A-ID-1", comes_back(client, id), "no answer has the id " + id.text());
  for (const Json& id : {Json(0), Json(-1), Json(2147483648), Json(9007199254740991)})
    report.expect("A-ID-2", comes_back(client, id), "no answer has the id " + id.text());
  for (const Json& id : {Json(INT64_MAX), Json(INT64_MIN)})
    report.expect("A-ID-3", comes_back(client, id), "no answer has the id " + id.text());
}

}  // namespace

void check_input(AgentRun& run) {
  Patient patient(run);
  if (!patient.client())
    return skip_all(
        run,
        {"A-INPUT-1", "A-INPUT-2", "A-INPUT-3", "A-INPUT-4", "A-INPUT-5", "A-INPUT-6", "A-INPUT-7",
         "A-INPUT-8", "A-INPUT-9", "A-INPUT-10", "A-INPUT-11", "A-INPUT-12", "A-EXT-1", "A-EXT-2",
         "A-EXT-3", "A-EXT-4", "A-META-1", "A-META-2"},
        "the connection could not be opened");
  check_extensions(run, patient);
  check_pieces(run, patient);
  check_broken(run, patient);
  const std::string trace = "00-80e1afed08e019fc1110464cfa66635c-7a085853722dc6d2-01";
  const Json meta = Json::object({{"traceparent", trace}, {"acp.check", Json::object({{"n", 1}})}});
  if (AgentClient* client = patient.client()) check_additions(*client, "A-META-1", "_meta", meta);
  if (AgentClient* client = patient.client())
    check_additions(*client, "A-META-2", "mood", "curious");
  if (AgentClient* client = patient.client()) check_error_ids(*client);
}

}  // namespace acp::check
