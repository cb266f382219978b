// The agents that tests start as processes: the test program itself, run with a word.
#pragma once

#include <string>
#include <vector>

namespace acp::testing {

// The command that runs the program of that name:
//   stray  an agent that prints to stdout before its first message, and within a turn
//   tree   an agent with two more processes, one that ignores SIGTERM, one in a session of its own;
//          a turn says the ids of all three, a line each; it ignores the end of its input
//   host   a client of `tree` that prints what it says, and waits for ever
std::vector<std::string> program(const std::string& name);

}  // namespace acp::testing
