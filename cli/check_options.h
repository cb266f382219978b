// Options that `acp check agent` and `acp check client` share.
#pragma once

#include <chrono>
#include <fstream>
#include <functional>
#include <string>
#include <vector>

#include "acp/rpc/framing.h"
#include "check/rules/report.h"
#include "cli/bad_usage.h"
#include "cli/parser.h"

namespace acp::cli {

struct CheckOptions {
  static constexpr int usage_fault = 2, no_peer = 3;

  std::string name;  // acp check agent
  Side side;
  double timeout;
  std::vector<std::string> command;
  std::vector<std::string> only = {};
  bool list = false;
  bool verbose = false;
  std::string junit = {}, json = {};
  // Of these files, opened before the check, which takes minutes; not of "-".
  std::ofstream junit_out = {}, json_out = {};
  std::string framing = "newline";
  std::string protocol = "1";

  // `area` is one of the requirements' areas; `timeout_help` describes the time limit.
  void add_to(const Command& app, const std::string& area, const std::string& timeout_help);

  // The parsed options.
  struct Read {
    std::vector<const check::Requirement*> selected;
    rpc::Framing framing;
    std::chrono::milliseconds timeout;
    int protocol;
  };
  // Lists the requirements, or calls `check`; reports BadUsage. Returns the exit code.
  int run(const std::function<int(const Read&)>& check);

  // Prints the report, unless a file is "-", stdout, and writes the files. Returns the exit code.
  int tell(const check::Report& report);

 private:
  Read read() const;
  bool write_file(const std::string& file, std::ofstream& out,
                  const std::function<void(std::ostream&)>& write) const;
};

}  // namespace acp::cli
