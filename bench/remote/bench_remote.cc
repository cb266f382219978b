// Our server and the npm SDK's in one run, driven by a client that only writes and counts: see
// bench/README.md.
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <set>
#include <string>
#include <vector>

#include "bench/remote/drive.h"
#include "bench/wire/report.h"

namespace {

using namespace bench::remote;
namespace fs = std::filesystem;
namespace wire = bench::wire;

constexpr const char* usage =
    R"(Usage: bench_remote [--node PATH] [--runs N] [--only NAME]... [--quick] [--best]
                    [--idle N] [--clients N] [--seconds N] [--json FILE]

Measures bench_remote_server, which stands beside this program, against the npm SDK's server on its
node adapter, and says which goals are reached.

  --node PATH    the Node that runs the npm SDK (the checkout's, else node)
  --runs N       runs of each contestant, interleaved (5; 3 with --quick); `idle` and `load` run once
  --only NAME    only this step or contestant; again for more of them. Steps: roundtrip-ws,
                 roundtrip-http, stream-ws, stream-sse, diff-ws, diff-sse, idle, load.
                 Contestants: acp, npm
  --quick        fewer messages and runs, and 5 s of `load`, for a look
  --best         the best run in place of the median: where other programs disturb
  --idle N       idle connections (10,000)
  --clients N    clients with a session that streams (500)
  --seconds N    how long they do (60)
  --json FILE    all samples, too
)";

constexpr wire::Metric metrics[] = {
    {"one client", "ws_updates_per_s", "updates over WebSocket, each s", true, 0, 10},
    {"one client", "ws_updates_cpu_ms", "CPU ms for 100k", false, 1},
    {"one client", "sse_updates_per_s", "updates over SSE, each s", true, 0, 10},
    {"one client", "sse_updates_cpu_ms", "CPU ms for 100k", false, 1},
    {"one client", "ws_round_trip_p50_us", "round trip over WebSocket, p50 µs", false, 1, 3},
    {"one client", "ws_round_trip_p99_us", "the same, p99 µs", false, 1},
    {"one client", "http_round_trip_p50_us", "round trip over HTTP, p50 µs", false, 1, 3},
    {"one client", "http_round_trip_p99_us", "the same, p99 µs", false, 1},
    {"one client", "ws_diffs_per_s", "1 MiB diffs over WebSocket, each s", true, 0, 4},
    {"one client", "ws_diffs_cpu_us", "the same, CPU µs each", false, 0},
    {"one client", "sse_diffs_per_s", "1 MiB diffs over SSE, each s", true, 0, 4},
    {"one client", "sse_diffs_cpu_us", "the same, CPU µs each", false, 0},
    {"many clients", "idle_kib", "memory of an idle WebSocket, KiB", false, 1, 0, 0, "", 16, "KiB"},
    {"many clients", "load_p99_ms", "20 updates a second each: p99 ms", false, 1, 0, 0, "", 50,
     "ms"},
    {"many clients", "load_p50_ms", "the same, p50 ms", false, 2},
    {"many clients", "load_cpu_us", "the same, CPU µs each", false, 1},
    {"many clients", "load_mb", "the same, memory of the server, MB", false, 0},
};
constexpr const char* columns[] = {"acp", "npm"};
const wire::Plan plan = {metrics, columns, false};

struct Options {
  std::string json, node;
  int runs = 0;
  bool quick = false, best = false;
  std::set<std::string> steps, contestants;
  Amounts amounts;
};

[[noreturn]] void misused(const std::string& why) {
  std::cerr << "bench_remote: " << why << "\n\n" << usage;
  std::exit(2);
}

bool knows(const std::vector<std::string>& steps, const std::string& name) {
  return std::find(steps.begin(), steps.end(), name) != steps.end();
}

Options options_of(int count, char** words) {
  Options options;
  for (int i = 1; i < count; ++i)
    if (words[i] == std::string("--quick")) {
      options.quick = true;
      options.amounts = {50'000, 20, 2'000, 2'000, 2'000, 500, 5};
    }
  for (int i = 1; i < count; ++i) {
    const std::string word = words[i];
    const auto value = [&]() -> std::string {
      if (i + 1 == count) misused(word + " needs a value");
      return words[++i];
    };
    const auto number = [&] {
      const int number = std::atoi(value().c_str());
      if (number < 1) misused(word + " needs a number of at least 1");
      return number;
    };
    if (word == "--quick") {
    } else if (word == "--node") {
      options.node = value();
    } else if (word == "--best") {
      options.best = true;
    } else if (word == "--json") {
      options.json = value();
    } else if (word == "--runs") {
      options.runs = number();
    } else if (word == "--idle") {
      options.amounts.idle = number();
    } else if (word == "--clients") {
      options.amounts.clients = number();
    } else if (word == "--seconds") {
      options.amounts.seconds = number();
    } else if (word == "--only") {
      const std::string name = value();
      if (name == "acp" || name == "npm")
        options.contestants.insert(name);
      else if (knows(one_client_steps(), name) || knows(many_clients_steps(), name))
        options.steps.insert(name);
      else
        misused("no step or contestant has the name " + name);
    } else if (word == "-h" || word == "--help") {
      std::cout << usage;
      std::exit(0);
    } else {
      misused("unknown argument " + word);
    }
  }
  if (options.runs == 0) options.runs = options.quick ? 3 : 5;
  return options;
}

std::vector<Contestant> contestants(const Options& options) {
  const fs::path source = BENCH_REMOTE_SOURCE;
  const fs::path checkout = source.parent_path().parent_path();
  const auto wanted = [&](const std::string& name) {
    return options.contestants.empty() || options.contestants.contains(name);
  };
  std::vector<Contestant> all;
  if (wanted("acp")) {
    const fs::path here = wire::own_folder();
    all.push_back({"acp", {(here / "bench_remote_server").string()}});
  }
  if (wanted("npm")) {
    const fs::path own = checkout / "scripts/node/node_modules/node/bin/node";
    const std::string node = !options.node.empty() ? options.node
                             : fs::exists(own)     ? own.string()
                                                   : "node";
    if (fs::exists(checkout / "node_modules/@agentclientprotocol/sdk") &&
        fs::exists(checkout / "node_modules/ws"))
      all.push_back({"npm", {node, (source / "npm_server.mjs").string()}});
    else
      std::cerr << "bench_remote: goes on without npm: no @agentclientprotocol/sdk or ws in "
                   "node_modules; run npm ci\n";
  }
  return all;
}

// As many as we may: for driver and server.
void raise_descriptor_limit() {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
}

}  // namespace

int main(int count, char** words) {
  const Options options = options_of(count, words);
  raise_descriptor_limit();
  wire::Results results;
  std::set<std::string> failed;
  const std::vector<Contestant> all = contestants(options);
  const auto run = [&](auto drive, const std::string& step) {
    if (!options.steps.empty() && !options.steps.contains(step)) return;
    for (const Contestant& contestant : all) {
      const std::string which = contestant.name + " " + step;
      if (failed.contains(which)) continue;
      try {
        for (const auto& [metric, value] : drive(contestant, step, options.amounts))
          results[metric][contestant.name].push_back(value);
      } catch (const std::exception& error) {
        std::cerr << "bench_remote: " << which << ": " << error.what()
                  << (wire::Child::was_killed() ? " (it was killed: its time was over)\n" : "\n");
        failed.insert(which);
      }
    }
  };
  for (int i = 0; i < options.runs; ++i) {
    if (isatty(2)) std::cerr << "\rrun " << i + 1 << " of " << options.runs << ' ' << std::flush;
    for (const std::string& step : one_client_steps()) run(drive_one_client, step);
  }
  for (const std::string& step : many_clients_steps()) run(drive_many_clients, step);
  if (isatty(2)) std::cerr << '\r';

  std::cout << (options.best ? "the best" : "medians") << " of " << options.runs
            << " interleaved runs\n"
            << wire::table(plan, results, options.best);
  if (!options.json.empty()) {
    std::ofstream file(options.json);
    if (!(file << wire::json(plan, results, options.best))) {
      std::cerr << "bench_remote: cannot write " << options.json << '\n';
      return 1;
    }
  }
  return failed.empty() ? 0 : 1;
}
