// mcp_client CALLS IN_FLIGHT COMMAND…: starts an MCP server on stdio, lists its tools and calls
// `echo`; prints what that took as JSON. bench/mcp/npm_client.mjs is the same on the npm SDK.
#include <sys/resource.h>

#include <chrono>
#include <iostream>
#include <stdexcept>
#include <string>
#include <vector>

#include "acp/async/event.h"
#include "acp/async/spawn.h"
#include "acp/mcp/client.h"

namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

// Of this process alone.
double cpu_seconds() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

acp::Task<void> call(acp::mcp::Server server, int calls) {
  const acp::Json arguments = acp::Json::object({{"message", "hello"}});
  for (int i = 0; i < calls; ++i) {
    acp::Task<acp::mcp::CallToolResult> calling = server.call_tool("echo", arguments);
    const acp::mcp::CallToolResult result = co_await std::move(calling);
    if (result.isError || result.content.size() != 1) throw std::runtime_error("no echo");
  }
}

acp::Task<void> call_side_by_side(acp::mcp::Server server, int calls, int in_flight) {
  acp::Event<int> all_done;
  int left = in_flight;
  const auto one_done = [&left, source = all_done.source()] {
    if (--left == 0) source.settle(0);
  };
  std::vector<acp::Running<void>> running;
  for (int i = 0; i < in_flight; ++i)
    running.emplace_back(call(server, calls / in_flight), one_done);
  co_await all_done;
  for (acp::Running<void>& each : running) each.take();
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 4) return 2;
  const int calls = std::stoi(argv[1]), in_flight = std::stoi(argv[2]);
  acp::v1::McpServerStdio config;
  config.name = "bench";
  config.command = argv[3];
  config.args.assign(argv + 4, argv + argc);
  const auto begin = Clock::now();
  acp::mcp::Client client("bench", "1");
  const acp::mcp::Server server = client.exit_time(std::chrono::milliseconds(0)).connect(config).wait();
  const std::size_t tools = server.list_tools().wait().size();
  const double start = seconds_since(begin);
  const double start_cpu = cpu_seconds();
  const auto calling = Clock::now();
  if (in_flight == 1)
    call(server, calls).wait();
  else
    call_side_by_side(server, calls, in_flight).wait();
  const double time = seconds_since(calling);
  const double cpu = cpu_seconds() - start_cpu;
  std::cout << "{\"tools\":" << tools << ",\"start\":" << start << ",\"startCpu\":" << start_cpu
            << ",\"time\":" << time << ",\"cpu\":" << cpu << "}\n";
}
