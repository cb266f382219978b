// A client that only writes and counts.
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "bench/wire/child.h"
#include "bench/wire/drive.h"
#include "bench/wire/message.h"
#include "bench/wire/text.h"
#include "bench/wire/updates.h"

namespace bench::wire {
namespace {

constexpr double mb = file_bytes / 1e6;

class Driver {
 public:
  Driver(const Contestant& agent, Cores cores, const std::string& step)
      : child_(agent.name, agent.command, cores, step + ": initialize", 20),
        version_(agent.version) {
    const std::string params =
        version_ == 1
            ? R"({"protocolVersion":1,"clientCapabilities":{"fs":{"readTextFile":true}},"clientInfo":{"name":"bench_wire","version":"1"}})"
            : R"({"protocolVersion":2,"capabilities":{},"info":{"name":"bench_wire","version":"1"}})";
    child_.send(request("initialize", params));
    if (!has(answer(), "\"protocolVersion\":" + std::to_string(version_)))
      child_.fail("it speaks another version");
  }

  Child& child() { return child_; }

  std::string request(std::string_view method, std::string_view params) {
    std::string line = R"({"jsonrpc":"2.0","id":)" + std::to_string(++last_id_);
    ((line += R"(,"method":")") += method) += R"(","params":)";
    (line += params) += "}\n";
    return line;
  }

  // The response to the last request: passes over notifications, believes no other.
  std::string_view answer() {
    const std::string_view line = response();
    if (id_of(line) != std::to_string(last_id_)) child_.fail("wrong id: " + shown(line));
    return line;
  }

  std::string_view response() {
    while (true) {
      const std::string_view line = child_.line();
      if (method_of(line).empty()) return checked(line);
      if (method_of(line) != "session/update") child_.fail("unexpected: " + shown(line));
    }
  }

  std::string_view checked(std::string_view line) {
    if (!has(line.substr(0, 4096), "\"result\":")) child_.fail("no result: " + shown(line));
    return line;
  }

  void new_session() {
    child_.send(request("session/new", R"({"cwd":"/","mcpServers":[]})"));
    session_ = text_of(answer(), "\"sessionId\":\"");
    if (session_.empty()) child_.fail("session/new gave no sessionId");
  }

  std::string set_mode() {
    if (version_ == 2)
      return request(
          "session/set_config_option",
          R"({"sessionId":")" + session_ + R"(","configId":"mode","type":"id","value":"code"})");
    return request("session/set_mode", R"({"sessionId":")" + session_ + R"(","modeId":"code"})");
  }

  std::string prompt(const std::string& what, int count) {
    return request("session/prompt", R"({"sessionId":")" + session_ +
                                         R"(","prompt":[{"type":"text","text":")" + what + " " +
                                         std::to_string(count) + "\"}]}");
  }

  struct Turn {
    double first = 0, seconds = 0, cpu = 0;
    std::size_t updates = 0, line_bytes = 0;
  };

  // A prompt and all its updates, up to the answer.
  Turn turn(const std::string& what, int count, Updates& updates) {
    Turn result;
    bool ended = false;
    const std::string line = prompt(what, count);
    const std::string id = std::to_string(last_id_);
    updates.begin([&](std::string_view other) {
      if (method_of(other) == "session/update") {  // of another kind: does not count
        ended = ended || (version_ == 2 && ends_turn(other));
        return;
      }
      if (!method_of(other).empty()) child_.fail("unexpected: " + shown(other));
      const bool refused = what == "flush" && has(other, "\"error\":");
      if (version_ == 2 && id_of(other) == id && has(other, "\"messageId\":")) return;
      if (id_of(other) != id || !(refused || has(other, "\"end_turn\"")))
        child_.fail("expected end_turn: " + shown(other));
      ended = true;
    });
    const double cpu = child_.cpu_seconds();
    const double start = now();
    child_.send(line);
    const std::string_view piece = child_.bytes();
    result.first = now() - start;
    updates.take(piece);
    while (!ended) updates.take(child_.bytes());
    result.seconds = now() - start;
    result.cpu = child_.cpu_seconds() - cpu;
    result.updates = updates.count();
    result.line_bytes = updates.line_bytes();
    return result;
  }

  // The session's last state, which is not idle otherwise.
  static bool ends_turn(std::string_view update) {
    return has(update, "\"state\":\"idle\"") && has(update, "\"end_turn\"");
  }

  Turn full_turn(const std::string& what, int count, Updates& updates) {
    const Turn result = turn(what, count, updates);
    if (result.updates != static_cast<std::size_t>(count))
      child_.fail(std::to_string(result.updates) + " updates with their text in full instead of " +
                  std::to_string(count));
    return result;
  }

  // Answers its reads; the seconds from the prompt to its answer.
  double reads(int count, std::string_view body) {
    int answered = 0;
    const std::string line = prompt("read", count);
    const std::string id = std::to_string(last_id_);
    const double start = now();
    child_.send(line);
    while (true) {
      const std::string_view got = child_.line();
      const std::string_view method = method_of(got);
      if (method == "fs/read_text_file") {
        ++answered;
        child_.send(R"({"jsonrpc":"2.0","id":)" + std::string(id_of(got)), body);
      } else if (method.empty()) {
        if (id_of(got) != id || !has(got, "\"end_turn\""))
          child_.fail("expected end_turn: " + shown(got));
        break;
      } else if (method != "session/update") {
        child_.fail("unexpected: " + shown(got));
      }
    }
    const double seconds = now() - start;
    if (answered != count)
      child_.fail(std::to_string(answered) + " files read instead of " + std::to_string(count));
    return seconds;
  }

  static std::string shown(std::string_view line) { return std::string(line.substr(0, 200)); }
  int last_id() const { return last_id_; }

 private:
  Child child_;
  const int version_;
  int last_id_ = 0;
  std::string session_;
};

Samples start(const Contestant& agent, const Amounts& amounts) {
  Samples samples;
  const double began = now();
  Driver driver(agent, Cores::free, "start");
  samples["start_ms"] = (now() - began) * 1e3;
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  samples["idle_mb"] = driver.child().resident_mb();
  driver.child().begin("1,000 times session/new", 30);
  for (int i = 0; i < amounts.sessions; ++i) driver.new_session();
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  samples["sessions_mb"] = driver.child().resident_mb();
  driver.child().finish();
  return samples;
}

Samples round_trip(const Contestant& agent, const Amounts& amounts) {
  Driver driver(agent, Cores::same, "roundtrip");
  driver.new_session();
  driver.child().begin("session/set_mode, one at a time", 60);
  std::vector<double> times;
  for (int i = -amounts.warm_up; i < amounts.round_trips; ++i) {
    const std::string line = driver.set_mode();
    const double begin = now();
    driver.child().send(line);
    driver.answer();
    if (i >= 0) times.push_back((now() - begin) * 1e6);
  }
  driver.child().finish();
  std::sort(times.begin(), times.end());
  return {{"round_trip_p50_us", times[times.size() / 2]},
          {"round_trip_p99_us", times[times.size() * 99 / 100]}};
}

Samples in_flight(const Contestant& agent, const Amounts& amounts) {
  constexpr int size = 64;
  Driver driver(agent, Cores::same, "inflight");
  driver.new_session();
  driver.child().begin("64 times session/set_mode in flight", 60);
  double cpu = 0;
  for (int i = -amounts.warm_up / size - 1; i < amounts.batches; ++i) {
    if (i == 0) cpu = driver.child().cpu_seconds();
    const int first = driver.last_id() + 1;
    std::string lines;
    for (int n = 0; n < size; ++n) lines += driver.set_mode();
    driver.child().send(lines);
    std::uint64_t answered = 0;
    while (answered != ~std::uint64_t{0}) {
      const std::string_view line = driver.response();
      const int n = std::atoi(std::string(id_of(line)).c_str()) - first;
      if (n < 0 || n >= size || (answered >> n & 1))
        driver.child().fail("answered twice or never asked: " + Driver::shown(line));
      answered |= std::uint64_t{1} << n;
    }
  }
  cpu = driver.child().cpu_seconds() - cpu;
  driver.child().finish();
  return {{"in_flight_us", cpu * 1e6 / (amounts.batches * size)}};
}

Samples stream(const Contestant& agent, const Amounts& amounts, const std::string& what) {
  Driver driver(agent, Cores::two, what);
  driver.new_session();
  driver.child().begin(what, 60);
  Updates updates("\"text\":\"", chunk_text.size());
  for (int i = 0; i < 3; ++i) {
    const auto turn = driver.turn(what, i == 0 ? amounts.warm_up : 100, updates);
    // An agent may lack the mode that flushes each update alone.
    if (what == "flush" && turn.updates == 0) return {};
  }
  const auto turn = driver.full_turn(what, amounts.updates, updates);
  Samples samples;
  if (what == "flush") {
    samples["flushed_per_s"] = amounts.updates / turn.seconds;
  } else {
    samples = {{"emitted_per_s", amounts.updates / turn.seconds},
               {"emitted_cpu_ms", turn.cpu * 1e3 * 100'000 / amounts.updates},
               {"first_us", turn.first * 1e6},
               {"peak_mb", driver.child().peak_mb()}};
    // These write each update alone in any case.
    if (agent.name.starts_with("npm") || agent.name == "floor")
      samples["flushed_per_s"] = samples["emitted_per_s"];
  }
  driver.child().finish();
  return samples;
}

Samples diffs(const Contestant& agent, const Amounts& amounts) {
  Driver driver(agent, Cores::two, "diff");
  driver.new_session();
  driver.child().begin("diff", 60);
  static const std::size_t patch_bytes = patch_text().size();
  Updates updates(agent.version == 1 ? "\"newText\":\"" : "\"text\":\"",
                  agent.version == 1 ? file_bytes : patch_bytes);
  driver.full_turn("diff", 5, updates);
  const auto turn = driver.full_turn("diff", amounts.diffs, updates);
  driver.child().finish();
  return {{"diffs_emitted_mb_s", amounts.diffs * mb / turn.seconds},
          {"diffs_emitted_cpu_us", turn.cpu * 1e6 / amounts.diffs},
          {"diff_line_bytes", static_cast<double>(turn.line_bytes)}};
}

Samples reads(const Contestant& agent, const Amounts& amounts) {
  std::string body = R"(,"result":{"content":")";
  append_escaped(body, file_text());
  body += "\"}}\n";
  Driver driver(agent, Cores::two, "read");
  driver.new_session();
  driver.child().begin("read", 60);
  driver.reads(5, body);
  const double cpu = driver.child().cpu_seconds();
  const double seconds = driver.reads(amounts.reads, body);
  const double used = driver.child().cpu_seconds() - cpu;
  driver.child().finish();
  return {{"files_received_mb_s", amounts.reads * mb / seconds},
          {"files_received_cpu_us", used * 1e6 / amounts.reads}};
}

}  // namespace

const std::vector<std::string>& agent_steps() {
  static const std::vector<std::string> steps = {"start", "roundtrip", "inflight", "stream",
                                                 "flush", "diff",      "read"};
  return steps;
}

Samples drive_agent(const Contestant& agent, const std::string& step, const Amounts& amounts) {
  if (step == "start") return start(agent, amounts);
  if (step == "roundtrip") return round_trip(agent, amounts);
  if (step == "inflight") return in_flight(agent, amounts);
  if (step == "stream") return stream(agent, amounts, step);
  if (step == "flush")
    return agent.name.starts_with("acp") ? stream(agent, amounts, step) : Samples{};
  if (step == "diff") return diffs(agent, amounts);
  return agent.version == 1 ? reads(agent, amounts) : Samples{};
}

}  // namespace bench::wire
