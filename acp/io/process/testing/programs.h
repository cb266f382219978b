// The programs that the tests of processes start: this test program itself, run with a word and its
// arguments.
#pragma once

#include <string>
#include <vector>

namespace acp::io::testing {

// The command that runs the program of that name:
//   descriptors     prints the numbers of its open descriptors
//   tree            three processes, one that ignores SIGTERM, one in a session of its own; prints
//   their
//                   ids, a line each
//   bomb N          N processes, each forked by any of the others, as fast as they can; prints
//   "lit" before
//                   and "full" after
//   terms           prints "ready", and "term" for each SIGTERM
//   host            starts `tree` as a Process, and prints what it prints
//   host-with-fork  likewise, and has a fork of itself that lives on
//   big-host        holds 256 MiB; prints how many MiB the supervisor of its child holds
//   old-kernel      `descriptors`, then starts and kills `tree`, without the system calls of Linux
//   5;
//                   prints "gone"
//   killer HOW      leaves a daemon (two forks, a session and an empty environment of its own) and
//                   prints its id; after a byte on stdin, HOW: "supervisor" kills its parent,
//                   "group" its own process group, "stop" stops its parent and exits
//   stopper         stops its parent at once, and exits
//   adopting-host HOW   adopts orphans, starts `killer HOW`, prints how it ended, and "gone" once
//                       its daemon is
//   no-stdio        runs cat without standard descriptors of its own; prints what comes back
std::vector<std::string> program(const std::string& name, const std::string& argument = {});

// Runs the program that the command line names; -1 if it names none.
int run_program(int argc, char** argv);

}  // namespace acp::io::testing
