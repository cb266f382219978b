// acp log: a recording of `acp tap` made readable.
#include "check/wire/log.h"

#include <fstream>
#include <iostream>
#include <memory>
#include <sstream>
#include <string>

#include "acp/io/printable.h"
#include "acp/io/private_file.h"
#include "cli/command.h"
#include "cli/input_file.h"

namespace acp::cli {
namespace {

struct Options {
  std::string file, method, session, from, html;
  bool violations = false, statistics = false;
};

constexpr const char* about =
    R"(Requests stand on one line with their answers and how long these took; a turn's lines are indented
below its prompt; chunks are joined, and updates of a tool call stand on its line. '>' is from the
client, '<' from the agent, '!' a requirement that was broken, '~' a fault that was injected. The
statistics follow; they are those of the whole recording, whatever was chosen. Without --html the
exit code is 0, whatever was recorded.)";

// The story, or that there is none. False if nothing was chosen.
bool print_story(const Options& options, const check::Recording& recording,
                 const check::LogFilter& filter) {
  std::ostringstream told;
  check::print_log(told, recording, filter);
  const std::string lines = told.str();
  if (!lines.empty()) {
    std::cout << lines << '\n';
    return true;
  }
  const bool chosen = !options.method.empty() || !options.session.empty() || !options.from.empty();
  if (!chosen) {
    std::cout << (filter.violations ? "Nothing was broken.\n\n" : "\n");
    return true;
  }
  std::string words;
  if (!options.method.empty()) words += " --method " + options.method;
  if (!options.session.empty()) words += " --session " + options.session;
  if (!options.from.empty()) words += " --from " + options.from;
  if (filter.violations) words += " --violations";
  std::cout << "Nothing in the recording matches" << io::one_line(words, io::whole) << ".\n";
  return false;
}

int run(const Options& options) {
  std::ifstream file;
  if (options.file != "-") file.open(options.file, std::ios::binary);
  if (!file || is_directory(options.file)) {
    std::cerr << "acp log: " << cannot_read(options.file) << '\n';
    return 1;
  }
  const check::Recording recording =
      check::read_recording(options.file == "-" ? std::cin : static_cast<std::istream&>(file));
  for (const std::string& problem : recording.problems)
    std::cerr << "acp log: " << io::one_line(options.file, io::whole) << ": "
              << io::one_line(problem, io::whole) << '\n';
  if (recording.entries.empty()) {
    std::cerr << "acp log: there is no frame in " << io::one_line(options.file, io::whole) << '\n';
    return 1;
  }
  check::LogFilter filter;
  filter.method = options.method;
  filter.session = options.session;
  if (!options.from.empty()) filter.from = options.from == "client" ? Side::client : Side::agent;
  filter.violations = options.violations;
  if (!options.html.empty()) {
    std::ostringstream page;
    check::write_html(page, recording, filter, options.file + ": acp log");
    if (options.html == "-") {
      std::cout << page.str();
      return 0;
    }
    try {
      io::write_private_file(options.html, page.str(), io::Existing::replace);
    } catch (const std::runtime_error& error) {
      std::cerr << "acp log: " << io::one_line(error.what(), io::whole) << '\n';
      return 1;
    }
    return 0;
  }
  if (!options.statistics && !print_story(options, recording, filter)) return 0;
  check::print_statistics(std::cout, recording);
  return 0;
}

}  // namespace

void add_log_command(const Command& app, Action& action) {
  const Command log = app.add_subcommand("log", "Read a recording of 'acp tap'");
  log->set_help_flag("-h,--help", "Show this help");
  log->footer(about);
  const auto options = std::make_shared<Options>();
  log->add_option("FILE", options->file, "The recording; - is standard input")
      ->required()
      ->type_name("");
  log->add_option("--method", options->method,
                  "Only this method, kind of update or requirement; 'session/*' for all that begin "
                  "so")
      ->type_name("NAME");
  log->add_option("--session", options->session,
                  "Only this session: its id, or the beginning of it")
      ->type_name("ID");
  log->add_option("--from", options->from, "Only what this side began")
      ->type_name("client|agent")
      ->one_of({"client", "agent"})
      ->option_text("client|agent");
  log->add_flag("--violations", options->violations, "Only what was broken, and where");
  log->add_flag("--stats", options->statistics, "Only the statistics");
  log->add_option(
         "--html", options->html,
         "Write a page instead, which only you can read: a sequence diagram with folding and "
         "search; - is standard output")
      ->type_name("FILE");
  log->callback([options, &action] { action = [options] { return run(*options); }; });
}

}  // namespace acp::cli
