// For tests: a host on the disk, and what happened on it.
#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "acp/error.h"
#include "acp/json/codec.h"
#include "acp/workspace/command.h"
#include "acp/workspace/testing/scratch.h"
#include "coder/testing/text.h"
#include "coder/tools/tool.h"

namespace acp::coder::testing {

class LocalToolHost final : public ToolHost {
 public:
  explicit LocalToolHost(std::vector<std::string> directories,
                         std::vector<std::string> forbidden = {})
      : files_(workspace::Boundary(std::move(directories),
                                   workspace::Forbidden(std::move(forbidden)))) {}

  const workspace::Files& files() const override { return files_; }
  std::string read_text(const std::string& path, std::optional<std::uint32_t> line,
                        std::optional<std::uint32_t> limit) override {
    return files_.read_text(path, line, limit, stop.get_token());
  }
  void write_text(const std::string& path, const std::string& content) override {
    files_.write(path, content, stop.get_token());
  }
  CommandOutcome run(const CommandWanted& wanted, const CommandProgress& progress) override {
    if (!terminal.empty()) {
      progress.on_terminal(terminal);
      return outcome;
    }
    workspace::CommandLine line;
    line.command = wanted.command;
    line.cwd = wanted.cwd;
    workspace::CommandLimits limits;
    limits.time = std::chrono::seconds(wanted.seconds);
    limits.output_bytes = 1024 * 1024;
    const auto result = workspace::run_command(line, limits, progress.on_output, stop.get_token());
    if (result.stopped) throw Cancelled();
    CommandOutcome told;
    told.output = result.output;
    told.truncated = result.truncated;
    told.timed_out = result.timed_out;
    if (result.exit.kind == io::ExitStatus::Kind::exited)
      told.exit_code = static_cast<std::uint32_t>(result.exit.value);
    else
      told.signal = result.exit.describe();
    return told;
  }
  void show_plan(const std::vector<v1::PlanEntry>& entries) override { plan = entries; }
  std::vector<std::string> modes() const override { return {"ask", "code", "architect"}; }
  std::string mode() const override { return mode_; }
  void switch_mode(const std::string& mode) override { mode_ = mode; }
  std::stop_token stop_token() const override { return stop.get_token(); }

  std::vector<v1::PlanEntry> plan;
  std::stop_source stop;
  // A client's terminal that says this, in place of a process.
  std::string terminal;
  CommandOutcome outcome;

 private:
  workspace::Files files_;
  std::string mode_ = "ask";
};

// All tools on a scratch directory; "project" is the session's, "outside" is not.
class ToolsTest : public ::testing::Test {
 protected:
  ToolsTest() {
    std::filesystem::create_directories(scratch.path() / "project");
    scratch.put("outside/secret.txt", "secret\n");
    host = std::make_unique<LocalToolHost>(std::vector{project()});
  }
  std::string project() const { return scratch / "project"; }
  void put(const std::string& name, const std::string& text) const {
    scratch.put("project/" + name, text);
  }
  std::string get(const std::string& name) const { return scratch.get("project/" + name); }

  const Tool& tool(const std::string& name) {
    if (tools.empty()) tools = own_tools(limits);
    for (const auto& one : tools)
      if (one->spec().name == name) return *one;
    throw std::runtime_error("there is no tool " + name);
  }
  PreparedCall prepare(const std::string& name, const char* arguments) {
    return tool(name).prepare(Json::parse(arguments).value(), *host);
  }
  PreparedCall prepare(const std::string& name, const Json& arguments) {
    return tool(name).prepare(arguments, *host);
  }
  ToolResult run(const PreparedCall& call) {
    return call.run([this](std::vector<v1::ToolCallContent> content) {
      progress.push_back(json::encode(content.front()));
    });
  }
  template <class Arguments>
  ToolResult run(const std::string& name, const Arguments& arguments) {
    return run(prepare(name, arguments));
  }
  // What it throws, by prepare() or by run.
  template <class Arguments>
  std::string failure(const std::string& name, const Arguments& arguments) {
    try {
      run(name, arguments);
    } catch (const std::exception& error) {
      return error.what();
    }
    return "(no failure)";
  }

  workspace::testing::Scratch scratch;
  std::unique_ptr<LocalToolHost> host;
  ToolLimits limits;
  std::vector<std::unique_ptr<Tool>> tools;
  std::vector<std::string> progress;
};

}  // namespace acp::coder::testing
