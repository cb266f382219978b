// The smallest agent.
#include <acp/agent.h>

int main() {
  return acp::Agent("hello", "1.0")
      .on_prompt([](acp::Turn turn) -> acp::Task<acp::StopReason> {
        co_await turn.say("Hello, " + turn.text());
        co_return acp::StopReason::end_turn;
      })
      .run(acp::stdio());
}
