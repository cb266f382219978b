// A client of version 2, line by line, with an agent of ours.
#pragma once

#include <functional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "acp/agent.h"
#include "acp/json/json.h"
#include "acp/testing/served.h"

namespace acp::testing {

class Version2Client {
 public:
  // Opens a session in this directory.
  explicit Version2Client(Agent& agent, const std::string& cwd = "/") : served(agent) {
    ask("initialize",
        R"({"protocolVersion":2,"info":{"name":"c","version":"1"},"capabilities":{}})");
    session = open(cwd);
  }

  std::string open(const std::string& cwd, const std::string& more = {}) {
    const Json answer = ask("session/new", "{\"cwd\":" + Json(cwd).text() + more + "}");
    return text_of(answer["result"]["sessionId"]);
  }
  // The answer, once it is there. What came before it is in `seen`.
  const Json ask(std::string_view method, const std::string& params) {
    const std::string id = std::to_string(++requests_);
    served.raw.line(request(id, method, params));
    return until([&](const Json& message) {
      return message["id"].text() == id && message["method"].absent();
    });
  }
  // Of this session, with one more member.
  const Json ask_about(std::string_view method, std::string_view member, const std::string& value) {
    return ask(method, "{\"sessionId\":" + Json(session).text() + ",\"" + std::string(member) +
                           "\":" + Json(value).text() + "}");
  }
  void notify(std::string_view method) {
    served.raw.line("{\"jsonrpc\":\"2.0\",\"method\":\"" + std::string(method) +
                    "\",\"params\":{\"sessionId\":" + Json(session).text() + "}}");
  }
  // Its answer is read with what follows.
  void prompt(const std::string& text = "go") {
    served.raw.prompt(std::to_string(++requests_), session, text);
  }

  // The next message for which this holds.
  const Json until(const std::function<bool(const Json& message)>& wanted) {
    while (true) {
      Json message = served.raw.read();
      if (message.is_null()) throw std::runtime_error("what was waited for did not come");
      seen.push_back(message);
      if (wanted(message)) return message;
    }
  }
  // The next update for which this holds.
  const Json update(const std::function<bool(JsonView update)>& wanted) {
    const Json message = until([&](const Json& message) {
      const JsonView update = message["params"]["update"];
      return !update.absent() && wanted(update);
    });
    return Json(message["params"]["update"]);
  }
  const Json update(std::string_view kind, std::string_view member) {
    return update([&](JsonView update) {
      return update["sessionUpdate"].as_string() == kind && !update[member].absent();
    });
  }
  const Json state(std::string_view state) {
    return update([&](JsonView update) { return update["state"].as_string() == state; });
  }
  // A turn's end.
  const Json idle() { return state("idle"); }

  // All updates of this kind so far.
  std::vector<Json> updates(std::string_view kind) const {
    std::vector<Json> found;
    for (const Json& message : seen) {
      const JsonView update = message["params"]["update"];
      if (update["sessionUpdate"].as_string() == kind) found.emplace_back(update);
    }
    return found;
  }
  static std::string text_of(JsonView value) { return value.as_string().value_or(""); }
  static std::int64_t code_of(const Json& answer) {
    return answer["error"]["code"].as_int64().value_or(0);
  }

  Served served;
  std::string session;
  std::vector<Json> seen;

 private:
  int requests_ = 0;
};

}  // namespace acp::testing
