// Our agent and our client beside the npm SDK's and a loop written by hand, in one run over the
// same pipes: see bench/README.md.
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "bench/wire/child.h"
#include "bench/wire/drive.h"
#include "bench/wire/report.h"

namespace {

using namespace bench::wire;
namespace fs = std::filesystem;

constexpr const char* usage =
    R"(Usage: bench_wire [--protocol 2] [--agent 'CMD'] [--client 'CMD'] [--agent2 'CMD'] [--client2 'CMD']
                  [--node PATH] [--runs N] [--only NAME]... [--quick] [--best] [--json FILE]

Measures bench_agent and bench_client, which stand beside this program, against the npm SDK and a
loop written by hand, and says which goals are reached.

  --protocol 2   version 2 of the protocol beside version 1, ours and npm's in the same runs: what
                 becomes of our ratio to npm
  --agent CMD    our agent, with its arguments (separated by spaces) in place of bench_agent
  --client CMD   our client in place of bench_client; the steps are added to it
  --agent2 CMD, --client2 CMD   the same for version 2, in place of bench_agent2 and bench_client2
  --node PATH    the Node that runs the npm SDK (node)
  --runs N       runs of each contestant, interleaved (9; 3 with --quick)
  --only NAME    only this step or contestant; again for more of them. Steps of agents: start,
                 roundtrip, inflight, stream, flush, diff, read; of clients: receive, receive-diff,
                 requests, pipe. Contestants: acp, npm, floor, batched; acp2, npm2 with --protocol 2
  --quick        fewer messages and runs, for a look
  --best         the best run in place of the median: where other programs disturb
  --json FILE    all samples, too
)";

struct Options {
  std::string agent, client, agent2, client2, json, node = "node";
  int runs = 0, protocol = 1;
  bool quick = false, best = false;
  std::set<std::string> steps, contestants;
};

[[noreturn]] void misused(const std::string& why) {
  std::cerr << "bench_wire: " << why << "\n\n" << usage;
  std::exit(2);
}

const std::set<std::string> contestant_names = {"acp", "npm", "floor", "batched", "acp2", "npm2"};

Options options_of(int count, char** words) {
  Options options;
  for (int i = 1; i < count; ++i) {
    const std::string word = words[i];
    const auto value = [&]() -> std::string {
      if (i + 1 == count) misused(word + " needs a value");
      return words[++i];
    };
    if (word == "--agent") {
      options.agent = value();
    } else if (word == "--client") {
      options.client = value();
    } else if (word == "--agent2") {
      options.agent2 = value();
    } else if (word == "--client2") {
      options.client2 = value();
    } else if (word == "--protocol") {
      options.protocol = std::atoi(value().c_str());
      if (options.protocol != 1 && options.protocol != 2) misused("--protocol is 1 or 2");
    } else if (word == "--node") {
      options.node = value();
    } else if (word == "--best") {
      options.best = true;
    } else if (word == "--json") {
      options.json = value();
    } else if (word == "--runs") {
      options.runs = std::atoi(value().c_str());
      if (options.runs < 1) misused("--runs needs a number of at least 1");
    } else if (word == "--quick") {
      options.quick = true;
    } else if (word == "--only") {
      const std::string name = value();
      const auto knows = [&](const std::vector<std::string>& steps) {
        return std::find(steps.begin(), steps.end(), name) != steps.end();
      };
      if (contestant_names.contains(name)) {
        options.contestants.insert(name);
      } else if (knows(agent_steps()) || knows(client_steps())) {
        options.steps.insert(name);
      } else {
        misused("no step or contestant has the name " + name);
      }
    } else if (word == "-h" || word == "--help") {
      std::cout << usage;
      std::exit(0);
    } else {
      misused("unknown argument " + word);
    }
  }
  if (options.runs == 0) options.runs = options.quick ? 3 : 9;
  return options;
}

std::vector<std::string> words_of(const std::string& command) {
  std::istringstream stream(command);
  std::vector<std::string> words;
  for (std::string word; stream >> word;) words.push_back(word);
  return words;
}

fs::path here() { return own_folder(); }

// `v24.1.0`, or nothing where it does not run.
std::string version_of(const std::string& node) {
  std::string version;
  if (FILE* pipe = popen(("'" + node + "' --version 2>/dev/null").c_str(), "r")) {
    char text[64];
    if (std::fgets(text, sizeof text, pipe)) version = text;
    pclose(pipe);
  }
  while (!version.empty() && version.back() == '\n') version.pop_back();
  return version;
}

// Those that are there; of those that are not, it says so.
std::vector<Contestant> contestants(const Options& options, const std::string& role) {
  const fs::path source = BENCH_WIRE_SOURCE;
  std::vector<Contestant> all;
  const auto wanted = [&](const std::string& name) {
    return options.contestants.empty() || options.contestants.contains(name);
  };
  const auto missing = [&](const std::string& name, const std::string& why) {
    std::cerr << "bench_wire: goes on without " << name << " as " << role << ": " << why << '\n';
  };
  const bool is_agent = role == "agent";
  for (int version = 1; version <= options.protocol; ++version) {
    const std::string suffix = version == 1 ? "" : "2";
    if (wanted("acp" + suffix)) {
      const std::string& own = version == 1 ? (is_agent ? options.agent : options.client)
                                            : (is_agent ? options.agent2 : options.client2);
      const std::string program = (here() / ("bench_" + role + suffix)).string();
      if (!own.empty()) {
        all.push_back({"acp" + suffix, words_of(own), version});
      } else if (access(program.c_str(), X_OK) == 0) {
        all.push_back({"acp" + suffix, {program}, version});
      } else {
        missing("acp" + suffix,
                program + " is not there; build it, or name another with --" + role + suffix);
      }
    }
    if (wanted("npm" + suffix)) {
      if (version_of(options.node).empty()) {
        missing("npm" + suffix, options.node + " does not run");
      } else if (!fs::exists(source.parent_path().parent_path() /
                             "node_modules/@agentclientprotocol/sdk")) {
        missing("npm" + suffix, "no @agentclientprotocol/sdk in node_modules; run npm ci");
      } else {
        const std::string script = (source / ("npm_" + role + suffix + ".mjs")).string();
        all.push_back({"npm" + suffix, {options.node, script}, version});
      }
    }
  }
  if (options.protocol == 2) return all;  // the floor is there for version 1's figures
  const std::string floor = (here() / ("bench_floor_" + role)).string();
  if (wanted("floor")) all.push_back({"floor", {floor}});
  if (wanted("batched") && is_agent) all.push_back({"batched", {floor, "--batch"}});
  return all;
}

// What all programs of this machine, and we ourselves, have used of its cores so far.
struct Usage {
  double all = 0, own = 0;
};

Usage usage_now() {
  Usage usage;
  std::ifstream stat("/proc/stat");
  std::string cpu;
  double user, nice, system, idle, wait, interrupts, soft;
  if (stat >> cpu >> user >> nice >> system >> idle >> wait >> interrupts >> soft)
    usage.all =
        (user + nice + system + interrupts + soft) / static_cast<double>(sysconf(_SC_CLK_TCK));
  for (const int who : {RUSAGE_SELF, RUSAGE_CHILDREN}) {
    rusage own{};
    getrusage(who, &own);
    for (const timeval& time : {own.ru_utime, own.ru_stime})
      usage.own += static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
  }
  return usage;
}

void warn_of_others(const Usage& before, double began) {
  const Usage after = usage_now();
  const double cores = ((after.all - before.all) - (after.own - before.own)) / (now() - began);
  if (now() - began > 1 && cores > 0.1)
    std::cerr << "bench_wire: other programs used " << std::round(cores * 10) / 10
              << " cores meanwhile: only CPU times and memory are to be trusted\n";
}

// MB/s of different texts do not compare.
void warn_of_other_texts(const Results& results) {
  const auto lines = results.find("diff_line_bytes");
  if (lines == results.end() || !lines->second.contains("floor")) return;
  const double expected = lines->second.at("floor")[0];
  for (const auto& [name, sizes] : lines->second)
    if (std::abs(sizes[0] / expected - 1) > 0.01)
      std::cerr << "bench_wire: a diff of " << name << " has " << sizes[0]
                << " bytes on the wire, the floor's " << expected
                << ": its text has other escapes, and its MB/s do not compare\n";
}

}  // namespace

int main(int count, char** words) {
  const Options options = options_of(count, words);
  Amounts amounts;
  if (options.quick) amounts = {20'000, 20, 20, 2'000, 1'000, 100, 1'000, 5'000};

  Results results;
  std::set<std::string> failed;
  const auto run = [&](auto drive, const Contestant& contestant, const std::string& step) {
    const std::string which = contestant.name + " " + step;
    if (failed.contains(which)) return;
    try {
      for (const auto& [metric, value] : drive(contestant, step, amounts))
        results[metric][contestant.name].push_back(value);
    } catch (const std::exception& error) {
      std::cerr << "bench_wire: " << error.what() << '\n';
      failed.insert(which);
    }
  };
  const auto chosen = [&](const std::string& step) {
    return options.steps.empty() || options.steps.contains(step);
  };
  const auto any = [&](const std::vector<std::string>& steps) {
    return std::any_of(steps.begin(), steps.end(), chosen);
  };
  std::vector<Contestant> agents, clients;
  if (any(agent_steps())) agents = contestants(options, "agent");
  if (any(client_steps())) clients = contestants(options, "client");
  const Usage before = usage_now();
  const double began = now();
  for (int i = 0; i < options.runs; ++i) {
    if (isatty(2)) std::cerr << "\rrun " << i + 1 << " of " << options.runs << ' ' << std::flush;
    for (const std::string& step : agent_steps())
      for (const Contestant& agent : agents)
        if (chosen(step)) run(drive_agent, agent, step);
    for (const std::string& step : client_steps())
      for (const Contestant& client : clients)
        if (chosen(step)) run(drive_client, client, step);
  }
  if (isatty(2)) std::cerr << '\r';

  warn_of_others(before, began);
  warn_of_other_texts(results);
  const std::string how = std::string(options.best ? "the best" : "medians") + " of " +
                          std::to_string(options.runs) + " interleaved runs";
  const std::string node = version_of(options.node);
  std::cout << how << "; npm SDK on Node " << (node.empty() ? "-" : node) << '\n';
  const bool both = options.protocol == 2;
  std::cout << (both ? versions_table(results, options.best)
                     : table(wire_plan, results, options.best));
  if (!options.json.empty()) {
    std::ofstream file(options.json);
    if (!(file << json(both ? versions_plan : wire_plan, results, options.best))) {
      std::cerr << "bench_wire: cannot write " << options.json << '\n';
      return 1;
    }
  }
  return failed.empty() ? 0 : 1;
}
