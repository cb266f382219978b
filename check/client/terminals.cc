// Scenarios of terminals.
#include <fstream>

#include "check/client/answer.h"
#include "check/client/client_scenario.h"

namespace acp::check {
namespace {

using namespace std::chrono_literals;

bool reach_terminals(ClientScenario& scenario) {
  if (!scenario.reach_prompt()) return false;
  std::error_code error;
  const char* why = nullptr;
  if (!scenario.capabilities()["terminal"].as_bool().value_or(false))
    why = "the client does not advertise terminals";
  else if (!std::filesystem::equivalent(scenario.session_cwd(), scenario.work(), error))
    why = "the session is not in the directory that the client was started in";
  if (why == nullptr) return true;
  for (const std::string_view id : scenario.ids) scenario.skip(id, why);
  scenario.finish();
  return false;
}

class Terminal {
 public:
  // `members` after the session's id.
  Terminal(ClientScenario& scenario, const std::string& members)
      : scenario_(scenario),
        created_(scenario.call("terminal/create", "{\"sessionId\":$S," + members + "}")) {
    if (created_) id_ = Json((*created_)["result"]["terminalId"]);
  }
  // Of a shell's line.
  static Terminal shell(ClientScenario& scenario, const std::string& line,
                        const std::string& more = "") {
    return {scenario, R"("command":"/bin/sh","args":["-c",)" + Json(line).text() + "]" + more};
  }

  bool ok() const { return id_.is_string(); }
  const std::optional<Json>& created() const { return created_; }
  std::string params() const {
    return "{\"sessionId\":$S,\"terminalId\":" + (ok() ? id_.text() : "\"none\"") + "}";
  }
  std::optional<Json> call(const char* what) {
    return scenario_.call(std::string("terminal/") + what, params());
  }
  std::string wait() { return scenario_.ask("terminal/wait_for_exit", params()); }
  // Its output when it has ended.
  std::string all_output() {
    call("wait_for_exit");
    const auto answer = call("output");
    return answer ? (*answer)["result"]["output"].as_string().value_or("") : "";
  }

 private:
  ClientScenario& scenario_;
  std::optional<Json> created_;
  Json id_;
};

// These ids say nothing about a client that denies the command: they are skipped then.
bool denied(ClientScenario& scenario, const Terminal& terminal,
            std::initializer_list<std::string_view> ids) {
  if (terminal.ok()) return false;
  for (const std::string_view id : ids)
    scenario.skip(id, "no command was started: terminal/create got " + shown(terminal.created()));
  return true;
}

// Terminals may turn newlines into CRLF.
std::string plain(std::string text) {
  std::erase(text, '\r');
  return text;
}

void play_command(ClientScenario& scenario) {
  if (!reach_terminals(scenario)) return;
  std::filesystem::create_directory(scenario.work() / "inner");
  Terminal args(
      scenario,
      R"J("command":"/bin/sh","args":["-c","printf '<%s>' \"$@\"","sh","a b","","$HOME","x'y\"z","ä"])J");
  if (denied(scenario, args,
             {"C-TTY-2", "C-TTY-3", "C-TTY-4", "C-TTY-5", "C-TTY-18", "C-TTY-19"})) {
    scenario.finish();
    return;
  }
  const std::string got = args.all_output();
  scenario.expect("C-TTY-2", got == "<a b><><$HOME><x'y\"z><\xC3\xA4>",
                  "the arguments are: " + got);
  args.call("release");

  Terminal env = Terminal::shell(scenario, "printf %s \"$ACP_CHECK_ONE/$ACP_CHECK_TWO\"",
                                 R"(,"env":[{"name":"ACP_CHECK_ONE","value":"1 = one"},)"
                                 R"({"name":"ACP_CHECK_TWO","value":""}])");
  const std::string seen = env.all_output();
  scenario.expect("C-TTY-3", seen == "1 = one/", "the variables are: " + seen);
  env.call("release");

  Terminal inner = Terminal::shell(scenario, "pwd -P", R"(,"cwd":"$W/inner")");
  const std::string there = plain(inner.all_output());
  scenario.expect("C-TTY-4", there == (scenario.work() / "inner").string() + "\n",
                  "it ran in " + there);
  inner.call("release");
  Terminal here = Terminal::shell(scenario, "pwd -P");
  const std::string where = plain(here.all_output());
  scenario.expect("C-TTY-5", where == scenario.work().string() + "\n", "it ran in " + where);
  here.call("release");

  Terminal none(scenario, R"("command":"no-such-command-of-acp-check","args":["x"])");
  if (none.ok()) {
    const auto end = none.call("wait_for_exit");
    scenario.expect("C-TTY-18",
                    end && ((*end)["result"]["exitCode"].as_int64().value_or(0) != 0 ||
                            (*end)["result"]["signal"].is_string()),
                    "a command that does not exist: " + shown(end));
    none.call("release");
  } else {
    scenario.expect("C-TTY-18", is_error(none.created()),
                    "a command that does not exist: no answer");
  }
  Terminal line(scenario, R"("command":"printf 'a line' | tr a b")");
  const std::string piped = line.ok() ? line.all_output() : shown(line.created());
  scenario.expect("C-TTY-19", piped == "b line", "printf 'a line' | tr a b: " + piped);
  if (line.ok()) line.call("release");
  scenario.finish();
}

// A command that ends when a file is there: nothing depends on speed.
void play_run(ClientScenario& scenario) {
  if (!reach_terminals(scenario)) return;
  Terminal run = Terminal::shell(
      scenario,
      "echo out; echo err >&2; touch begun; while [ ! -e go ]; do sleep 0.02; done; exit 3");
  if (denied(scenario, run, {"C-TTY-6", "C-TTY-7", "C-TTY-8", "C-TTY-9"})) {
    std::ofstream(scenario.work() / "go");
    // Once: a client that advertises terminals and runs nothing is no client with terminals.
    scenario.fail("C-TTY-1", "no command was started: terminal/create got " + shown(run.created()));
    scenario.finish();
    return;
  }
  scenario.pass("C-TTY-1");
  scenario.until(
      [&] { return std::filesystem::exists(scenario.work() / "begun") || scenario.gone(); }, 20ms);
  const auto deadline = std::chrono::steady_clock::now() + scenario.options().time;
  while (!std::filesystem::exists(scenario.work() / "begun") &&
         std::chrono::steady_clock::now() < deadline)
    scenario.until([&] { return scenario.gone(); }, 20ms);
  const auto running = run.call("output");
  const JsonView early = running ? (*running)["result"]["exitStatus"] : JsonView();
  scenario.expect("C-TTY-7", running && (early.absent() || early.is_null()),
                  "while the command runs: " + shown(running));
  const std::string first = run.wait(), second = run.wait();
  run.call("output");  // when this is answered, both of them have been read
  std::ofstream(scenario.work() / "go");
  const auto one = scenario.answer_to(first), two = scenario.answer_to(second);
  const auto three = run.call("wait_for_exit");
  scenario.expect("C-TTY-9",
                  one && two && three && !is_error(one) && !is_error(two) && !is_error(three),
                  "three who waited: " + shown(one) + ", " + shown(two) + ", " + shown(three));
  const auto waited = one ? one : two ? two : three;
  if (waited)
    scenario.expect("C-TTY-8", (*waited)["result"]["exitCode"].as_int64() == 3,
                    "exit 3: " + shown(waited));
  else
    scenario.skip("C-TTY-8", "nobody who waited was answered");
  const auto ended = run.call("output");
  const JsonView status = ended ? (*ended)["result"]["exitStatus"] : JsonView();
  scenario.expect("C-TTY-7", status.is_object(), "after exit 3: " + shown(ended));
  const std::string output = ended ? (*ended)["result"]["output"].as_string().value_or("") : "";
  scenario.expect(
      "C-TTY-6", output.find("out") != std::string::npos && output.find("err") != std::string::npos,
      "the output is " + Json(output).text());
  run.call("release");
  scenario.finish();
}

void play_limit(ClientScenario& scenario) {
  if (!reach_terminals(scenario)) return;
  // 400 bytes: 3 for each of 100 signs, of 4, and 100 small ones between them.
  const std::string loop =
      "i=0; while [ $i -lt 50 ]; do printf '\xE2\x82\xAC"
      "x\xE2\x82\xAC\xC3\xA4'; i=$((i+1)); done";
  std::string whole;
  for (int i = 0; i < 50; ++i) whole += "\xE2\x82\xACx\xE2\x82\xAC\xC3\xA4";
  for (const std::size_t limit :
       {std::size_t{64}, std::size_t{65}, std::size_t{66}, std::size_t{67}}) {
    Terminal run = Terminal::shell(scenario, loop, ",\"outputByteLimit\":" + std::to_string(limit));
    if (denied(scenario, run, {"C-TTY-10", "C-TTY-11", "C-TTY-12"})) {
      scenario.finish();
      return;
    }
    run.call("wait_for_exit");
    const auto answer = run.call("output");
    const std::string output = answer ? (*answer)["result"]["output"].as_string().value_or("") : "";
    const std::string what = "outputByteLimit " + std::to_string(limit) + ": " + shown(answer);
    // One sign may not have had room.
    const bool length = output.size() <= limit && output.size() + 4 > limit;
    const bool broken = output.find("\xEF\xBF\xBD") != std::string::npos;
    // Broken signs make an output long, and unlike the end: that is one fault, not three.
    if (!broken) scenario.expect("C-TTY-10", length && whole.ends_with(output), what);
    scenario.expect("C-TTY-11", !broken, what);
    scenario.expect("C-TTY-12", answer && (*answer)["result"]["truncated"].as_bool() == true, what);
    run.call("release");
  }
  Terminal run = Terminal::shell(scenario, "printf 12345", ",\"outputByteLimit\":5");
  run.call("wait_for_exit");
  const auto answer = run.call("output");
  scenario.expect("C-TTY-12", answer && (*answer)["result"]["truncated"].as_bool() == false,
                  "5 bytes of 5: " + shown(answer));
  run.call("release");
  // Two at a time must not share an id: the rules of the wire look on.
  Terminal one = Terminal::shell(scenario, "true"), two = Terminal::shell(scenario, "true");
  one.call("release");
  two.call("release");
  scenario.finish();
}

// The process of `endless`. These ids are skipped if it does not begin, and the process is 0.
int begun(ClientScenario& scenario, const Terminal& terminal,
          std::initializer_list<std::string_view> ids) {
  if (denied(scenario, terminal, ids)) return 0;
  const auto deadline = std::chrono::steady_clock::now() + scenario.options().time;
  while (!scenario.gone() && std::chrono::steady_clock::now() < deadline) {
    int process = 0;
    std::ifstream(scenario.work() / "pid") >> process;
    if (process > 0) return process;
    scenario.until([&] { return scenario.gone(); }, 20ms);
  }
  for (const std::string_view id : ids)
    scenario.skip(
        id, "the command did not begin, though terminal/create got " + shown(terminal.created()));
  return 0;
}

bool wait_gone(ClientScenario& scenario, int process) {
  const auto deadline = std::chrono::steady_clock::now() + scenario.options().time;
  while (process_exists(process)) {
    if (std::chrono::steady_clock::now() > deadline) return false;
    scenario.until([] { return false; }, 20ms);
  }
  return true;
}

// The pid is written in one piece, by a rename.
constexpr const char* endless =
    "echo before; echo $$ > pid.new; mv pid.new pid; while :; do sleep 1; done";

void play_kill(ClientScenario& scenario) {
  if (!reach_terminals(scenario)) return;
  Terminal run = Terminal::shell(scenario, endless);
  const int process = begun(scenario, run, {"C-TTY-13", "C-TTY-14"});
  if (process <= 0) {
    scenario.finish();
    return;
  }
  const std::string waiting = run.wait();
  const auto killed = run.call("kill");
  const auto waited = scenario.answer_to(waiting);
  const bool gone = wait_gone(scenario, process);
  scenario.expect("C-TTY-13", killed && !is_error(killed) && waited && gone,
                  "kill: " + shown(killed) + "; who waited: " + shown(waited) +
                      (gone ? "" : "; the command lives on"));
  if (!gone) send_signal(process, 9);
  const auto output = run.call("output");
  // A shell may add a line of its own, such as "Terminated".
  const std::string kept =
      output ? plain((*output)["result"]["output"].as_string().value_or("")) : "";
  scenario.expect("C-TTY-14", kept.starts_with("before\n"), "output after kill: " + shown(output));
  run.call("release");
  scenario.finish();
}

void play_release(ClientScenario& scenario) {
  if (!reach_terminals(scenario)) return;
  Terminal run = Terminal::shell(scenario, endless);
  const int process = begun(scenario, run, {"C-TTY-15"});
  run.call("release");
  if (process > 0) {
    const bool gone = wait_gone(scenario, process);
    scenario.expect("C-TTY-15", gone, "the command lives on");
    if (!gone) send_signal(process, 9);
  }
  if (!denied(scenario, run, {"C-TTY-16"})) {
    for (const char* const what : {"output", "wait_for_exit", "kill"}) {
      const auto after = run.call(what);
      scenario.expect("C-TTY-16", is_error(after),
                      "terminal/" + std::string(what) + " after release: " + shown(after));
    }
  }
  for (const char* const what : {"output", "wait_for_exit", "kill", "release"}) {
    const auto unknown = scenario.call("terminal/" + std::string(what),
                                       R"({"sessionId":$S,"terminalId":"never created"})");
    scenario.expect("C-TTY-17", is_error(unknown),
                    "terminal/" + std::string(what) + ": " + shown(unknown));
  }
  scenario.finish();
}

}  // namespace

std::vector<ScenarioCase> client_terminal_scenarios() {
  return {
      {"commands",
       {"C-TTY-2", "C-TTY-3", "C-TTY-4", "C-TTY-5", "C-TTY-18", "C-TTY-19"},
       play_command},
      {"a command that waits", {"C-TTY-1", "C-TTY-6", "C-TTY-7", "C-TTY-8", "C-TTY-9"}, play_run},
      {"output that is cut", {"C-TTY-10", "C-TTY-11", "C-TTY-12"}, play_limit},
      {"killing a command", {"C-TTY-13", "C-TTY-14"}, play_kill},
      {"releasing a terminal", {"C-TTY-15", "C-TTY-16", "C-TTY-17"}, play_release},
  };
}

}  // namespace acp::check
