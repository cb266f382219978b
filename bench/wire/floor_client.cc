// The floor for clients: simdjson's DOM on each line, the fields that a user looks at copied into a
// struct, one thread, blocking reads; the thread that waits for an answer reads it itself.
//
//   bench_floor_client STEP...   stream N, diff N, reqs N, pipe N: see README.md
#include <simdjson.h>

#include <cstdlib>
#include <iostream>
#include <string>
#include <string_view>

#include "bench/wire/floor.h"

namespace {

struct Update {
  std::string session, kind, text;
};

class FloorClient {
 public:
  void start() {
    call("initialize",
         R"({"protocolVersion":1,"clientCapabilities":{"fs":{"readTextFile":true}}})");
    std::string_view session;
    if (call("session/new", R"({"cwd":"/","mcpServers":[]})")["sessionId"].get(session))
      quit("session/new: no sessionId");
    session_ = session;
  }

  void step(const std::string& what, long count) {
    updates_ = bytes_ = 0;
    if (what == "stream" || what == "diff") {
      call("session/prompt", R"({"sessionId":")" + session_ +
                                 R"(","prompt":[{"type":"text","text":")" + what + " " +
                                 std::to_string(count) + "\"}]}");
    } else if (what == "reqs") {
      for (long i = 0; i < count; ++i) call("session/set_mode", mode("code"));
    } else if (what == "pipe") {
      const std::string params = mode("code");
      long sent = 0, answered = 0;
      while (answered < count) {
        for (; sent < count && sent - answered < 64; ++sent) put("session/set_mode", params);
        io_.flush();
        do {
          next_answer();
          ++answered;
        } while (answered < sent && io_.has_line());
      }
    } else {
      quit("unknown step " + what);
    }
    call("session/set_mode",
         mode("done:" + std::to_string(updates_) + ":" + std::to_string(bytes_)));
  }

 private:
  [[noreturn]] static void quit(const std::string& why) {
    std::cerr << "bench_floor_client: " << why << '\n';
    std::exit(1);
  }

  std::string mode(const std::string& id) const {
    return R"({"sessionId":")" + session_ + R"(","modeId":")" + id + "\"}";
  }

  void put(std::string_view method, std::string_view params) {
    io_.out += R"({"jsonrpc":"2.0","id":)";
    io_.out += std::to_string(++last_id_);
    io_.out += R"(,"method":")";
    io_.out += method;
    io_.out += R"(","params":)";
    io_.out += params;
    io_.out += "}\n";
  }

  simdjson::dom::element call(std::string_view method, std::string_view params) {
    put(method, params);
    io_.flush();
    return next_answer();
  }

  // The result of the next response; takes the updates before it.
  simdjson::dom::element next_answer() {
    while (true) {
      const std::string_view line = io_.line();
      simdjson::dom::element message, result;
      if (line.data() == nullptr) quit("the agent is gone");
      if (parser_.parse(line.data(), line.size(), false).get(message)) quit("not JSON");
      if (!message["result"].get(result)) return result;
      take(message);
    }
  }

  void take(simdjson::dom::element message) {
    simdjson::dom::object params, update;
    std::string_view method, session, kind, text;
    if (message["method"].get(method) || method != "session/update" ||
        message["params"].get(params) || params["sessionId"].get(session) ||
        params["update"].get(update) || update["sessionUpdate"].get(kind))
      quit("not an update");
    if (kind == "agent_message_chunk") {
      if (update["content"]["text"].get(text)) quit("no text");
    } else if (update["content"].at(0)["newText"].get(text)) {
      quit("no newText");
    }
    update_.session.assign(session);
    update_.kind.assign(kind);
    update_.text.assign(text);
    ++updates_;
    bytes_ += static_cast<long>(update_.text.size());
  }

  bench::wire::Stdio io_;
  std::string session_;
  long last_id_ = 0, updates_ = 0, bytes_ = 0;
  Update update_;
  simdjson::dom::parser parser_;
};

}  // namespace

int main(int count, char** words) {
  FloorClient client;
  client.start();
  for (int i = 1; i + 1 < count; i += 2) client.step(words[i], std::atol(words[i + 1]));
}
