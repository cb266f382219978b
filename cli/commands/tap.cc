// acp tap: a wire that is watched, and broken on request.
#include "check/wire/tap.h"

#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "cli/bad_usage.h"
#include "cli/client_options.h"
#include "cli/command.h"
#include "cli/did_you_mean.h"
#include "cli/remote_choice.h"
#include "settings/secrets.h"

namespace acp::cli {
namespace {

struct Options {
  std::vector<std::string> command, faults;
  RemoteChoice remote;
  std::string log, framing = "auto";
  std::uint64_t seed = 0;
  bool force = false, no_mask = false, quiet = false;
};

constexpr const char* about =
    R"(Start it where the client would start the agent: 'acp tap --log wire.jsonl -- my-agent --acp'.
Every byte passes unchanged. Each frame is checked against the schema and the rules of order; what is
broken is reported on standard error, and in the log. The exit code is the agent's.)";

constexpr const char* about_faults = R"(Faults:
  --fault KIND[=AMOUNT]:SIDE[@N|:P%][:METHOD]
SIDE is whose frames are meant: client, agent or both. @N takes the Nth of them, P% each with that
chance, neither takes all. METHOD takes only calls of it and their answers; 'session/*' all that
begin so. KIND is one of:
  delay=50ms   wait before the frame is written
  split=3      write it in pieces
  merge        write it together with the next one
  drop         do not write it
  duplicate    write it twice
  reorder      write it after the next one
  corrupt      one byte becomes 0xFF
  truncate     leave out its end
  noise        write a line that is no message
  stall=2s     write nothing for a time; without a time, for ever
  kill         kill the agent
Examples:
  drop:agent:10%    kill:agent@5    delay=1s:client:session/prompt
The same --seed does the same to the same frames. Each fault is reported when it happens.)";

int bad_usage(const std::string& what) {
  std::cerr << "acp tap: " << what << "\nTry 'acp tap --help'.\n";
  return 2;
}

// What such a fault would never meet, in words; empty if all is well.
std::string unknown_method(const check::FaultSpec& fault) {
  const std::string& name = fault.method;
  if (name.empty() || name.starts_with('_')) return "";
  const std::vector<std::string> known = method_names();
  const bool pattern = name.ends_with('*');
  const std::string begin = name.substr(0, name.size() - (pattern ? 1 : 0));
  for (const std::string& each : known)
    if (pattern ? each.starts_with(begin) : each == name) return "";
  if (pattern) return "no method of the protocol begins with " + begin;
  const std::string hint = did_you_mean(name, known);
  return "the protocol has no method " + name + hint + (hint.empty() ? "; " : " ") +
         "'acp schema list' lists them; those of extensions begin with _";
}

// The keys of the user's providers. With settings that cannot be read, those of the usual ones.
check::MaskKnown known_keys() {
  settings::Settings settings;
  try {
    settings = user_settings();
  } catch (const settings::SettingsError&) {
  }
  settings::Secrets secrets(settings, settings::Keys());
  if (secrets.empty()) return {};
  secrets.show_as(std::string(check::mask_text));
  return [secrets](std::string& line) { return secrets.mask(line); };
}

int run(const Options& options) {
  check::TapOptions tap;
  tap.command = options.command;
  try {
    options.remote.check("", options.command);
  } catch (const BadUsage& mistake) {
    return bad_usage(mistake.what());
  }
  if (options.remote.given()) tap.command = options.remote.exact_command(options.command);
  if (tap.command.empty())
    return bad_usage("the agent's command is missing: acp tap … -- AGENT…, or --url, or --ssh");
  try {
    for (const std::string& each : options.faults) {
      tap.faults.push_back(check::read_fault(each));
      if (const std::string why = unknown_method(tap.faults.back()); !why.empty())
        throw check::BadFaultSpec("'" + each + "': " + why);
    }
  } catch (const check::BadFaultSpec& mistake) {
    return bad_usage(std::string("--fault ") + mistake.what());
  }
  tap.log = options.log;
  tap.replace_log = options.force;
  tap.seed = options.seed;
  tap.framing = *rpc::framing_from(options.framing);
  tap.mask = !options.no_mask;
  if (tap.mask) tap.mask_known = known_keys();
  tap.quiet = options.quiet;
  tap.program = "acp " ACP_VERSION;
  return check::tap(tap);
}

}  // namespace

void add_tap_command(const Command& app, Action& action, std::vector<std::string> command) {
  const Command tap = app.add_subcommand("tap", "Stand between a client and an agent, and look on");
  tap->set_help_flag("-h,--help", "Show this help");
  tap->usage("-- COMMAND… | --url URL | --ssh HOST");
  tap->footer(std::string(about) + "\n" + about_faults);
  const auto options = std::make_shared<Options>();
  options->command = std::move(command);
  tap->add_option(
         "--log", options->log,
         "Record every frame, what was broken and what was done; only you can read the file. "
         "{n} in its name is the first number from 1 that is free")
      ->type_name("FILE");
  options->remote.add_to(tap);
  tap->add_flag("--force", options->force, "Replace a recording that is there");
  tap->add_option("--fault", options->faults, "Break something; any number of them: see below")
      ->type_name("SPEC")
      ->repeated();
  tap->add_option("--seed", options->seed, "What the chances of faults are drawn from (0)")
      ->type_name("N");
  tap->add_option("--framing", options->framing, "How messages are framed (auto)")
      ->type_name("auto|newline|content-length")
      ->one_of({"auto", "newline", "content-length"})
      ->option_text("auto|newline|content-length");
  tap->add_flag("--no-mask", options->no_mask, "Record secrets, too: tokens, passwords, keys");
  tap->add_flag("--quiet", options->quiet, "Tell nothing on standard error");
  tap->callback([options, &action] { action = [options] { return run(*options); }; });
}

}  // namespace acp::cli
