// acp replay: one side of a recording against a real other side.
#include "check/wire/replay.h"
#include "chat/program.h"

#include <filesystem>
#include <fstream>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "acp/io/printable.h"
#include "cli/command.h"
#include "cli/input_file.h"
#include "cli/seconds.h"

namespace acp::cli {
namespace {

struct Options {
  std::vector<std::string> command;
  std::string file, as, report;
  double timeout = 30;
};

constexpr const char* about = R"(  acp replay wire.jsonl --as client -- my-agent --acp
  acp replay wire.jsonl --as agent -- my-client --agent '{agent}'
  acp replay wire.jsonl --as agent    # speaks on standard input and output

What the other side does is compared with the recording, frame by frame. Ids of requests, sessions,
tool calls and terminals may be others; times and what was masked may be anything; text may be cut
into other chunks. The first departure is reported, and ends it. The exit code is 0 if there was none,
otherwise 1.)";

int fail(const std::string& what, int code) {
  std::cerr << "acp replay: " << what << '\n';
  return code;
}

int run(const Options& options) {
  check::ReplayOptions replay;
  replay.as = options.as == "client" ? Side::client : Side::agent;
  replay.command = options.command;
  if (replay.as == Side::client && replay.command.empty())
    return fail("the agent's command is missing: acp replay FILE --as client -- AGENT…", 2);
  std::ifstream file(options.file, std::ios::binary);
  if (!file || is_directory(options.file)) return fail(cannot_read(options.file), 1);
  const check::Recording recording = check::read_recording(file);
  for (const std::string& problem : recording.problems)
    std::cerr << "acp replay: " << io::one_line(options.file, io::whole) << ": "
              << io::one_line(problem, io::whole) << '\n';
  if (recording.entries.empty())
    return fail("there is no frame in " + io::one_line(options.file, io::whole), 1);
  std::error_code error;
  replay.self = {chat::own_program(),
                 "replay",
                 std::filesystem::absolute(options.file, error).string(),
                 "--as",
                 "agent",
                 "--timeout",
                 std::to_string(options.timeout)};
  replay.report = options.report;
  replay.timeout = milliseconds(options.timeout);
  return check::replay(recording, replay);
}

}  // namespace

void add_replay_command(const Command& app, Action& action, std::vector<std::string> command) {
  const Command replay =
      app.add_subcommand("replay", "Play one side of a recording against the other");
  replay->set_help_flag("-h,--help", "Show this help");
  replay->usage("--as agent|client FILE [-- COMMAND…]");
  replay->footer(about);
  const auto options = std::make_shared<Options>();
  options->command = std::move(command);
  replay->add_option("FILE", options->file, "The recording")->required()->type_name("");
  replay->add_option("--as", options->as, "The side to play")
      ->required()
      ->one_of({"agent", "client"})
      ->option_text("agent|client REQUIRED");
  add_seconds(replay, "--timeout", options->timeout, "The longest wait for a frame (30)");
  replay->add_option("--report", options->report)->group("");  // how {agent} tells its starter
  replay->callback([options, &action] { action = [options] { return run(*options); }; });
}

}  // namespace acp::cli
