// What `acp tap` costs, beside `tee` on both pipes and beside nothing at all, in one run.
//
//   bench_tap ACP FLOOR_AGENT [--frames N] [--pings N] [--rounds N]
//
// Throughput: one prompt makes the agent write N updates, each with one write; the time is that to
// the prompt's answer, and that to the end of the programs, when the recordings are complete.
// Latency: prompts that are answered at once, one after the other.
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "acp/io/process/process.h"

namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

[[noreturn]] void fail(const std::string& what) {
  std::fprintf(stderr, "bench_tap: %s\n", what.c_str());
  std::exit(1);
}

// A client by hand.
class Wire {
 public:
  explicit Wire(const std::vector<std::string>& command) {
    acp::io::ProcessOptions options;
    options.argv = command;
    auto started = acp::io::Process::start(options);
    if (!started) fail(started.error().message());
    process_ = std::move(*started);
    say(R"({"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":1}})");
    wait_for("\"id\":0,");
    say(R"({"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":"/","mcpServers":[]}})");
    const std::string answer = wait_for("\"id\":1,");
    const std::size_t at = answer.find("sess_");
    session_ = answer.substr(at, answer.find('"', at) - at);
  }

  // Until its answer is here. Returns the lines that came before it.
  std::size_t prompt(const std::string& text) {
    const std::string id = std::to_string(next_id_++);
    say(R"({"jsonrpc":"2.0","id":)" + id + R"(,"method":"session/prompt","params":{"sessionId":")" +
        session_ + R"(","prompt":[{"type":"text","text":")" + text + R"("}]}})");
    lines_ = 0;
    wait_for("\"id\":" + id + ",");
    return lines_;
  }

  // Closes its input, and waits until it has ended.
  void end() {
    process_.child_stdin().reset();
    while (!process_.poll_exit()) {
      pollfd fd = {process_.exit_descriptor(), POLLIN, 0};
      poll(&fd, 1, 10'000);
    }
  }

 private:
  void say(std::string line) {
    line += '\n';
    for (std::string_view rest = line; !rest.empty();) {
      const ssize_t count = write(process_.child_stdin().get(), rest.data(), rest.size());
      if (count > 0) rest.remove_prefix(static_cast<std::size_t>(count));
    }
  }
  // The line that begins an answer with this id.
  std::string wait_for(const std::string& mark) {
    for (;;) {
      for (;;) {
        const std::size_t end = buffer_.find('\n', begin_);
        if (end == std::string::npos) break;
        const std::string_view line = std::string_view(buffer_).substr(begin_, end - begin_);
        begin_ = end + 1;
        // Answers are short, updates are not.
        if (line.size() < 160 && line.find(mark) != line.npos) return std::string(line);
        ++lines_;
      }
      buffer_.erase(0, begin_);
      begin_ = 0;
      pollfd fd = {process_.child_stdout().get(), POLLIN, 0};
      if (poll(&fd, 1, 60'000) <= 0) fail("no answer within a minute");
      char bytes[64 * 1024];
      const ssize_t count = read(fd.fd, bytes, sizeof bytes);
      if (count == 0) fail("the agent has ended");
      if (count > 0) buffer_.append(bytes, static_cast<std::size_t>(count));
    }
  }

  acp::io::Process process_;
  std::string session_, buffer_;
  std::size_t begin_ = 0, lines_ = 0;
  int next_id_ = 2;
};

double median(std::vector<double> values) {
  std::ranges::sort(values);
  return values[values.size() / 2];
}

struct Contestant {
  std::string name;
  std::vector<std::string> command;
  std::vector<double> relayed, done, ping;
};

void run(Contestant& contestant, long frames, long pings) {
  {
    Wire wire(contestant.command);
    const auto start = Clock::now();
    const std::size_t lines = wire.prompt("stream " + std::to_string(frames));
    contestant.relayed.push_back(static_cast<double>(frames) / seconds_since(start));
    if (lines != static_cast<std::size_t>(frames))
      fail(contestant.name + ": " + std::to_string(lines) + " updates instead of " +
           std::to_string(frames));
    wire.end();
    contestant.done.push_back(static_cast<double>(frames) / seconds_since(start));
  }
  Wire wire(contestant.command);
  std::vector<double> times;
  for (long i = 0; i < pings; ++i) {
    const auto start = Clock::now();
    wire.prompt("stream 0");
    times.push_back(seconds_since(start) * 1e6);
  }
  wire.end();
  contestant.ping.push_back(median(times));
}

}  // namespace

int main(int count, char** words) {
  if (count < 3) fail("usage: bench_tap ACP FLOOR_AGENT [--frames N] [--pings N] [--rounds N]");
  long frames = 200'000, pings = 5'000, rounds = 5;
  for (int i = 3; i + 1 < count; i += 2) {
    const std::string_view name = words[i];
    const long value = std::strtol(words[i + 1], nullptr, 10);
    if (value <= 0) fail("a number is missing");
    (name == "--frames" ? frames : name == "--pings" ? pings : rounds) = value;
  }
  const std::string acp = words[1], agent = words[2];
  const auto folder = std::filesystem::temp_directory_path() / "bench_tap";
  std::filesystem::create_directories(folder);
  const std::string in = folder / "in", out = folder / "out", log = folder / "log";
  std::vector<Contestant> all = {
      {"nothing", {agent}, {}, {}, {}},
      {"tee",
       {"/bin/sh", "-c", "tee '" + in + "' | '" + agent + "' | tee '" + out + "'"},
       {},
       {},
       {}},
      {"acp tap", {acp, "tap", "--quiet", "--force", "--log", log, "--", agent}, {}, {}, {}},
      {"acp tap, no log", {acp, "tap", "--quiet", "--", agent}, {}, {}, {}},
  };
  for (long round = 0; round < rounds; ++round)
    for (Contestant& each : all) run(each, frames, pings);

  std::printf("%ld updates, %ld pings, medians of %ld rounds\n", frames, pings, rounds);
  std::printf("%-18s %14s %20s %14s\n", "between", "frames/s", "until recorded /s", "round trip");
  for (const Contestant& each : all)
    std::printf("%-18s %14.0f %20.0f %11.1f us\n", each.name.c_str(), median(each.relayed),
                median(each.done), median(each.ping));
  const double ratio = median(all[2].relayed) / median(all[1].relayed);
  const double whole = median(all[2].done) / median(all[1].done);
  const double added = (median(all[2].ping) - median(all[0].ping)) / 2;
  std::printf(
      "acp tap / tee: %.2f relayed (goal 0.5), %.2f until recorded; added %.1f us to a frame (goal "
      "50)\n",
      ratio, whole, added);
  std::filesystem::remove_all(folder);
  return ratio >= 0.5 && added < 50 ? 0 : 1;
}
