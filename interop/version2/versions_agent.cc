// An agent that repeats every prompt, on these versions: `versions_agent 1|2|both`.
#include <acp/agent.h>

#include <string_view>

int main(int argc, char** argv) {
  const std::string_view versions = argc > 1 ? argv[1] : "both";
  acp::Agent agent("versions", "1.0");
  if (versions == "both")
    agent.versions({1, 2});
  else
    agent.versions({versions == "2" ? 2 : 1});
  return agent
      .on_prompt([](acp::Turn turn) -> acp::Task<acp::StopReason> {
        co_await turn.say(turn.text());
        co_return acp::StopReason::end_turn;
      })
      .run(acp::stdio());
}
