#include "cli/check_options.h"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <iostream>

#include "acp/io/printable.h"
#include "cli/seconds.h"

namespace acp::cli {

void CheckOptions::add_to(const Command& app, const std::string& area,
                          const std::string& timeout_help) {
  app.add_option("--only", only,
                 "Only this requirement, or this area (" + area + "); any number of them")
      ->type_name("ID")
      ->allow_extra_args(false);
  app.add_flag("--list", list, "List the requirements, and start nothing");
  app.add_option("--json", json,
                 "Write the results to a file, as JSON; '-' is stdout, without the text")
      ->type_name("FILE");
  app.add_option("--junit", junit, "… as JUnit's XML; '-' is stdout, without the text")
      ->type_name("FILE");
  app.add_option("--framing", framing, "How messages are framed")
      ->type_name("newline|content-length")
      ->capture_default_str();
  app.add_option("--protocol", protocol,
                 "The version of ACP to speak: 2 is a draft, see docs/versions.md")
      ->type_name("VERSION")
      ->one_of({"1", "2"})
      ->capture_default_str();
  add_seconds(app, "--timeout", timeout, timeout_help)->capture_default_str();
  app.add_flag("-v,--verbose", verbose, "Tell why requirements were skipped");
}

CheckOptions::Read CheckOptions::read() const {
  Read read;
  std::string unknown;
  read.protocol = protocol == "2" ? 2 : 1;
  read.selected = check::select(side, read.protocol, only, unknown);
  if (!unknown.empty())
    throw BadUsage("there is no requirement " + unknown +
                   (read.protocol == 2 ? " of version 2" : "") + "; see --list");
  if (json == "-" && junit == "-") throw BadUsage("only one of --json and --junit can be -");
  const auto known = rpc::framing_from(framing);
  if (!known || *known == rpc::Framing::automatic)
    throw BadUsage("--framing is newline or content-length, not " + framing);
  read.framing = *known;
  read.timeout = milliseconds(timeout);
  return read;
}

namespace {

// What is there stays until there are results. Throws BadUsage.
void open_for_results(const std::string& file, std::ofstream& out) {
  if (file.empty() || file == "-") return;
  errno = 0;
  out.open(file, std::ios::binary | std::ios::app);
  if (!out)
    throw BadUsage("cannot write " + io::one_line(file, io::whole) + ": " + std::strerror(errno));
}

}  // namespace

int CheckOptions::run(const std::function<int(const Read&)>& check) {
  try {
    const Read words = read();
    if (!list) {
      open_for_results(json, json_out);
      open_for_results(junit, junit_out);
      return check(words);
    }
    check::write_list(std::cout, words.selected);
    return 0;
  } catch (const BadUsage& mistake) {
    std::cerr << name << ": " << mistake.what() << "\nTry '" << name << " --help'.\n";
    return usage_fault;
  }
}

bool CheckOptions::write_file(const std::string& file, std::ofstream& out,
                              const std::function<void(std::ostream&)>& write) const {
  if (file.empty()) return true;
  if (file == "-") {
    write(std::cout);
    return static_cast<bool>(std::cout.flush());
  }
  std::error_code error;
  if (std::filesystem::is_regular_file(file, error)) std::filesystem::resize_file(file, 0, error);
  errno = 0;
  write(out);
  out.close();
  if (out) return true;
  std::cerr << name << ": cannot write " << io::one_line(file, io::whole)
            << (errno == 0 ? "" : std::string(": ") + std::strerror(errno)) << '\n';
  return false;
}

int CheckOptions::tell(const check::Report& report) {
  if (json != "-" && junit != "-") check::write_text(std::cout, report, verbose);
  const bool json_written =
      write_file(json, json_out, [&](std::ostream& out) { check::write_json(out, report); });
  const bool junit_written = write_file(
      junit, junit_out, [&](std::ostream& out) { check::write_junit(out, report, name); });
  return json_written && junit_written ? report.exit_code() : 1;
}

}  // namespace acp::cli
