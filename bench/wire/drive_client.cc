// An agent that only writes and counts.
#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "bench/wire/child.h"
#include "bench/wire/drive.h"
#include "bench/wire/message.h"
#include "bench/wire/text.h"

namespace bench::wire {
namespace {

struct Step {
  std::string what;
  int count = 0;
};

class Driver {
 public:
  struct Result {
    double seconds = 0, cpu = 0;
  };

  Driver(const Contestant& client, Cores cores, std::vector<Step> steps)
      : steps_(std::move(steps)),
        child_(client.name, with(client.command, steps_), cores, "start", 20),
        version_(client.version) {
    const std::string chunk = version_ == 1 ? chunk_line(session_id) : chunk_line_2(session_id);
    while (chunks_.size() < 256 * 1024) chunks_ += chunk, ++chunks_in_block_;
    chunk_bytes_ = chunk.size();
  }

  // Of the last step; those before it warm up.
  Result run() {
    Result result;
    for (const Step& step : steps_) result = run(step);
    child_.finish();
    return result;
  }

 private:
  static std::vector<std::string> with(std::vector<std::string> command,
                                       const std::vector<Step>& steps) {
    for (const Step& step : steps) {
      command.push_back(step.what);
      command.push_back(std::to_string(step.count));
    }
    return command;
  }

  Result run(const Step& step) {
    const bool prompts = step.what == "stream" || step.what == "diff";
    if (step.what == "diff" && diff_.empty())
      diff_ = version_ == 1 ? diff_line(session_id) : diff_line_2(session_id);
    int requests = 0;
    bool prompted = false;
    double began = 0, cpu = 0;
    std::string answers;
    while (true) {
      const std::string_view line = child_.line();
      const std::string_view method = method_of(line);
      if (method == (version_ == 1 ? "session/set_mode" : "session/set_config_option")) {
        const std::string_view mode =
            text_of(line, version_ == 1 ? "\"modeId\":\"" : "\"value\":\"");
        answer(answers, line, version_ == 1 ? "{}" : "{" + std::string(options_2) + "}");
        if (mode.starts_with("done:")) {
          const Result result{now() - began, child_.cpu_seconds() - cpu};
          check(step, mode, prompted ? 1 : requests);
          child_.send(answers);
          return result;
        }
        if (requests++ == 0) begin(step, began, cpu);
        if (step.what == "reqs" && child_.has_line())
          child_.fail("the next request came before the answer to this one");
        if (child_.has_line()) continue;  // their answers go together
      } else if (method == "session/prompt") {
        if (!prompts || prompted) child_.fail("unexpected prompt: " + shown(line));
        prompted = true;
        if (text_of(line, "\"text\":\"") != step.what + " " + std::to_string(step.count))
          child_.fail("another prompt: " + shown(line));
        begin(step, began, cpu);
        if (version_ == 2) {  // it is answered at its beginning
          answer(answers, line, R"({"messageId":"msg_1"})");
          answers += state_2(R"("running")");
          child_.send(answers);
          answers = state_2(R"("idle","stopReason":"end_turn")");
        } else {
          answer(answers, line, R"({"stopReason":"end_turn"})");
        }
        emit(step);
      } else if (method == "session/new") {
        const std::string options = version_ == 1 ? "" : "," + std::string(options_2);
        answer(answers, line, R"({"sessionId":")" + std::string(session_id) + "\"" + options + "}");
      } else if (method == "initialize") {
        answer(
            answers, line,
            version_ == 1
                ? R"({"protocolVersion":1,"agentCapabilities":{},"authMethods":[]})"
                : R"({"protocolVersion":2,"info":{"name":"bench_wire","version":"1"},"capabilities":{"session":{}}})");
      } else {
        child_.fail("unexpected: " + shown(line));
      }
      child_.send(answers);
      answers.clear();
    }
  }

  void begin(const Step& step, double& began, double& cpu) {
    child_.begin(step.what + " " + std::to_string(step.count), 60);
    cpu = child_.cpu_seconds();
    began = now();
  }

  void emit(const Step& step) {
    if (step.what == "diff") {
      for (int i = 0; i < step.count; ++i) child_.send(diff_);
      return;
    }
    for (int left = step.count; left > 0; left -= chunks_in_block_)
      child_.send(std::string_view(chunks_).substr(
          0, static_cast<std::size_t>(std::min(left, chunks_in_block_)) * chunk_bytes_));
  }

  // `done:<updates>:<bytes of text>`, as many as were sent. A patch may be counted as the text that
  // it is, or as that of the file.
  void check(const Step& step, std::string_view mode, int asked) {
    std::string expected;
    if (version_ == 2 && step.what == "diff") {
      static const std::size_t patch_bytes = patch_text().size();
      const std::string start = "done:" + std::to_string(step.count) + ":";
      if (mode == start + std::to_string(static_cast<std::size_t>(step.count) * patch_bytes))
        return;
    }
    if (step.what == "stream" || step.what == "diff") {
      const std::size_t bytes = step.what == "diff" ? file_bytes : chunk_text.size();
      expected = "done:" + std::to_string(step.count) + ":" +
                 std::to_string(static_cast<std::size_t>(step.count) * bytes);
      if (asked != 1) child_.fail("done without a prompt");
    } else {
      expected = "done:0:0";
      if (asked != step.count)
        child_.fail(std::to_string(asked) + " requests instead of " + std::to_string(step.count));
    }
    if (mode != expected) child_.fail(expected + " expected, got " + std::string(mode));
  }

  void answer(std::string& answers, std::string_view line, std::string_view result) {
    ((answers += R"({"jsonrpc":"2.0","id":)") += id_of(line)) += R"(,"result":)";
    (answers += result) += "}\n";
  }

  static std::string shown(std::string_view line) { return std::string(line.substr(0, 200)); }

  // The modes, which are an option in version 2.
  static constexpr std::string_view options_2 =
      R"("configOptions":[{"type":"select","configId":"mode","name":"Mode","category":"mode","currentValue":"code","options":[{"value":"ask","name":"Ask"},{"value":"code","name":"Code"}]}])";
  static std::string state_2(const std::string& state) {
    return update_begin(session_id) + R"({"sessionUpdate":"state_update","state":)" + state +
           "}}}\n";
  }

  const std::vector<Step> steps_;
  Child child_;
  const int version_;
  std::string chunks_, diff_;
  std::size_t chunk_bytes_ = 0;
  int chunks_in_block_ = 0;
};

}  // namespace

const std::vector<std::string>& client_steps() {
  static const std::vector<std::string> steps = {"receive", "receive-diff", "requests", "pipe"};
  return steps;
}

Samples drive_client(const Contestant& client, const std::string& step, const Amounts& amounts) {
  if (step == "receive") {
    const auto result =
        Driver(client, Cores::two, {{"stream", amounts.warm_up}, {"stream", amounts.updates}})
            .run();
    return {{"received_per_s", amounts.updates / result.seconds},
            {"received_cpu_ms", result.cpu * 1e3 * 100'000 / amounts.updates}};
  }
  if (step == "receive-diff") {
    const auto result = Driver(client, Cores::two, {{"diff", 5}, {"diff", amounts.diffs}}).run();
    return {{"diffs_received_mb_s", amounts.diffs * (file_bytes / 1e6) / result.seconds},
            {"diffs_received_cpu_us", result.cpu * 1e6 / amounts.diffs}};
  }
  if (step == "requests") {
    const auto result =
        Driver(client, Cores::same, {{"reqs", amounts.warm_up}, {"reqs", amounts.requests}}).run();
    return {{"requests_per_s", amounts.requests / result.seconds}};
  }
  const auto result =
      Driver(client, Cores::two, {{"pipe", amounts.warm_up}, {"pipe", amounts.requests}}).run();
  return {{"pipe_per_s", amounts.requests / result.seconds},
          {"pipe_cpu_us", result.cpu * 1e6 / amounts.requests}};
}

}  // namespace bench::wire
