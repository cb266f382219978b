// The contestant: an ordinary agent on the library. README.md says what is asked of it.
#include "bench/contestants/work.h"

namespace {

// Of version BENCH_VERSION of the protocol. In version 2 its modes are an option.
acp::Agent bench_agent() {
  acp::Agent agent("bench", "1.0");
  if constexpr (BENCH_VERSION == 2) {
    std::vector<acp::v1::SessionMode> modes(2);
    modes[0].id = modes[0].name = "ask";
    modes[1].id = modes[1].name = "code";
    agent.versions({2}).modes(modes, "code");
  }
  return agent;
}

}  // namespace

int main() {
  return bench_agent()
      .on_prompt(bench::work)
      .on_set_mode(
          [](acp::SessionContext, acp::v1::SetSessionModeRequest) -> acp::Task<void> { co_return; })
      .run(acp::stdio());
}
