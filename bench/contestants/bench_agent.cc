// The contestant: an ordinary agent on the library. README.md says what is asked of it.
#include "bench/contestants/work.h"

int main() {
  return acp::Agent("bench", "1.0")
      .on_prompt(bench::work)
      .on_set_mode(
          [](acp::SessionContext, acp::v1::SetSessionModeRequest) -> acp::Task<void> { co_return; })
      .run(acp::stdio());
}
