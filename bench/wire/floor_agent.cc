// The floor for agents: a loop by hand that knows only what the driver asks for. It finds it by
// searching, and answers with prepared lines; only the 1 MiB texts are really escaped and decoded,
// since no agent has them prepared.
//
//   bench_floor_agent            one write for each message
//   bench_floor_agent --batch    updates and answers are gathered: one write for 64 KiB, or for all
//                                that one read brought
#include <simdjson.h>

#include <cstdlib>
#include <string>
#include <string_view>

#include "bench/wire/floor.h"
#include "bench/wire/message.h"
#include "bench/wire/text.h"

namespace {

using namespace bench::wire;

constexpr std::size_t batch_bytes = 64 * 1024;

class FloorAgent {
 public:
  explicit FloorAgent(bool batch) : batch_(batch) {}

  void run() {
    while (true) {
      const std::string_view line = io_.line();
      if (line.data() == nullptr) return;
      handle(line);
      if (!batch_ || !io_.has_line()) io_.flush();
    }
  }

 private:
  void handle(std::string_view line) {
    const std::string_view id = id_of(line);
    const std::string_view method = method_of(line);
    if (method == "session/set_mode") {
      answer(id, "{}");
    } else if (method == "session/prompt") {
      const std::string kept(id);
      prompt(line);
      answer(kept, R"({"stopReason":"end_turn"})");
    } else if (method == "session/new") {
      const std::string session = "sess_4f1c9a7be0d243668" + std::to_string(1000 + sessions_++);
      answer(id, R"({"sessionId":")" + session + "\"}");
    } else if (method == "initialize") {
      answer(id, R"({"protocolVersion":1,"agentCapabilities":{},"authMethods":[]})");
    }
  }

  void prompt(std::string_view line) {
    const std::string_view text = text_of(line, "\"text\":\"");
    const std::string session(text_of(line, "\"sessionId\":\""));
    const std::size_t space = text.find(' ');
    const long count = std::strtol(text.data() + space + 1, nullptr, 10);
    const std::string_view what = text.substr(0, space);
    if (what == "stream") {
      const std::string update = chunk_line(session);
      for (long i = 0; i < count; ++i) put(update);
    } else if (what == "diff") {
      if (file_.empty()) file_ = file_text();
      const std::string begin = diff_begin(session);
      for (long i = 0; i < count; ++i) {
        io_.out += begin;
        append_escaped(io_.out, file_);
        put(diff_end);
      }
    } else if (what == "read") {
      for (long i = 0; i < count; ++i) read_file(session);
    }
  }

  void read_file(std::string_view session) {
    put(R"({"jsonrpc":"2.0","id":1,"method":"fs/read_text_file","params":{"sessionId":")" +
        std::string(session) + R"(","path":"/big.txt"}})" + "\n");
    io_.flush();
    const std::string_view line = io_.line();
    std::string_view content;
    if (parser_.parse(line.data(), line.size(), false)["result"]["content"].get(content) ||
        content.size() != file_bytes)
      std::exit(1);
    file_read_ = content;
  }

  void answer(std::string_view id, std::string_view result) {
    io_.out += R"({"jsonrpc":"2.0","id":)";
    io_.out += id;
    io_.out += R"(,"result":)";
    io_.out += result;
    put("}\n");
  }

  void put(std::string_view end) {
    io_.out += end;
    if (!batch_ || io_.out.size() >= batch_bytes) io_.flush();
  }

  const bool batch_;
  Stdio io_;
  std::string file_, file_read_;
  int sessions_ = 0;
  simdjson::dom::parser parser_;
};

}  // namespace

int main(int count, char** words) {
  FloorAgent(count > 1 && std::string_view(words[1]) == "--batch").run();
}
