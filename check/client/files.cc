// Scenarios of the file system.
#include <fstream>
#include <iterator>

#include "check/client/answer.h"
#include "check/client/client_scenario.h"

namespace acp::check {
namespace {

void put(const std::filesystem::path& path, std::string_view content) {
  std::ofstream(path, std::ios::binary) << content;
}

std::optional<std::string> get(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return std::nullopt;
  return std::string(std::istreambuf_iterator<char>(file), {});
}

// To a prompt, in a session that stands where our files are, of a client that has the capability.
bool reach_files(ClientScenario& scenario, const char* capability) {
  if (!scenario.reach_prompt()) return false;
  std::error_code error;
  const char* why = nullptr;
  if (!scenario.capabilities()["fs"][capability].as_bool().value_or(false))
    why = "the client does not advertise it";
  else if (!std::filesystem::equivalent(scenario.session_cwd(), scenario.work(), error))
    why = "the session is not in the directory that the client was started in";
  if (why == nullptr) return true;
  for (const std::string_view id : scenario.ids) scenario.skip(id, why);
  scenario.finish();
  return false;
}

struct Reading {
  std::string_view id;
  std::string_view what;     // after the path
  std::string_view content;  // with or without its last newline
};

void play_read(ClientScenario& scenario) {
  put(scenario.work() / "exact.txt", "one\n\ttwo \xC3\xA4\xF0\x9F\x8E\xAD\n\nlast, without end");
  put(scenario.work() / "empty.txt", "");
  put(scenario.work() / "crlf.txt", "a\r\nb\r\n");
  put(scenario.work() / "five.txt", "one\ntwo\nthree\nfour\nfive\n");
  if (!reach_files(scenario, "readTextFile")) return;
  for (const char* const name : {"exact.txt", "empty.txt", "crlf.txt"}) {
    const auto answer = scenario.call("fs/read_text_file",
                                      std::string(R"({"sessionId":$S,"path":"$W/)") + name + "\"}");
    const auto content = answer ? (*answer)["result"]["content"].as_string() : std::nullopt;
    scenario.expect("C-FS-1", content && content == get(scenario.work() / name),
                    std::string(name) + ": " + shown(answer));
  }
  const Reading readings[] = {
      {"C-FS-2", R"("line":2,"limit":2)", "two\nthree\n"},
      {"C-FS-2", R"("line":1,"limit":1)", "one\n"},
      {"C-FS-2", R"("line":4)", "four\nfive\n"},
      {"C-FS-2", R"("limit":3)", "one\ntwo\nthree\n"},
      {"C-FS-2", R"("line":5,"limit":10)", "five\n"},
      {"C-FS-2", R"("line":null,"limit":null)", "one\ntwo\nthree\nfour\nfive\n"},
      {"C-FS-3", R"("line":0,"limit":2)", "one\ntwo\n"},
      {"C-FS-4", R"("line":2,"limit":0)", ""},
      {"C-FS-4", R"("line":100,"limit":2)", ""},
  };
  for (const Reading& each : readings) {
    const auto answer =
        scenario.call("fs/read_text_file",
                      R"({"sessionId":$S,"path":"$W/five.txt",)" + std::string(each.what) + "}");
    const auto content = answer ? (*answer)["result"]["content"].as_string() : std::nullopt;
    const bool same = content && (*content == each.content || *content + "\n" == each.content);
    // Lines that are not there may also be refused.
    scenario.expect(each.id, same || (each.content.empty() && is_error(answer)),
                    std::string(each.what) + " of five lines: " + shown(answer));
  }
  scenario.finish();
}

void play_read_refused(ClientScenario& scenario) {
  put(scenario.outside() / "secret.txt", "secret");
  put(scenario.work() / "here.txt", "here");
  if (!reach_files(scenario, "readTextFile")) return;
  const auto missing =
      scenario.call("fs/read_text_file", R"({"sessionId":$S,"path":"$W/missing.txt"})");
  scenario.expect("C-FS-5", is_error(missing), "a missing file: " + shown(missing));
  if (is_error(missing))
    scenario.expect("C-FS-6", (*missing)["error"]["code"].as_int64() == -32002,
                    "a missing file: " + shown(missing));
  else
    scenario.skip("C-FS-6", "there was no error");
  const auto relative = scenario.call("fs/read_text_file", R"({"sessionId":$S,"path":"here.txt"})");
  scenario.expect("C-FS-7", is_error(relative), "the path here.txt: " + shown(relative));
  for (const char* const path : {"$W/../outside/secret.txt", "$W/link.txt"}) {
    std::error_code error;
    std::filesystem::create_symlink(scenario.outside() / "secret.txt", scenario.work() / "link.txt",
                                    error);
    const auto outside = scenario.call("fs/read_text_file",
                                       std::string(R"({"sessionId":$S,"path":")") + path + "\"}");
    scenario.expect("C-FS-10", is_error(outside), std::string(path) + ": " + shown(outside));
  }
  std::filesystem::create_directory(scenario.work() / "folder");
  const auto folder = scenario.call("fs/read_text_file", R"({"sessionId":$S,"path":"$W/folder"})");
  scenario.expect("C-FS-12", is_error(folder), "a directory: " + shown(folder));
  scenario.finish();
}

void play_write(ClientScenario& scenario) {
  put(scenario.work() / "old.txt", "something that is longer than what replaces it\n");
  put(scenario.outside() / "kept.txt", "kept");
  if (!reach_files(scenario, "writeTextFile")) return;
  const auto write = [&](const char* path, const std::string& content) {
    return scenario.call("fs/write_text_file", std::string(R"({"sessionId":$S,"path":")") + path +
                                                   "\",\"content\":" + Json(content).text() + "}");
  };
  const auto exact = [&](std::string_view id, const char* name, const std::string& content) {
    const auto answer = write((std::string("$W/") + name).c_str(), content);
    scenario.expect(id, answer && !is_error(answer) && get(scenario.work() / name) == content,
                    std::string(name) + ": " + shown(answer) + "; the file is " +
                        (get(scenario.work() / name) ? Json(*get(scenario.work() / name)).text()
                                                     : "not there"));
  };
  exact("C-FS-8", "new.txt", "first\r\n\tsecond \xC3\xA4\xF0\x9F\x8E\xAD without end");
  exact("C-FS-8", "nothing.txt", "");
  exact("C-FS-9", "old.txt", "short\n\n");
  write("$W/../outside/kept.txt", "overwritten");
  scenario.expect("C-FS-11", get(scenario.outside() / "kept.txt") == "kept",
                  "a file outside of the session's directory was overwritten");
  scenario.finish();
}

}  // namespace

std::vector<ScenarioCase> client_file_scenarios() {
  return {
      {"reading files", {"C-FS-1", "C-FS-2", "C-FS-3", "C-FS-4"}, play_read},
      {"files that cannot be read",
       {"C-FS-5", "C-FS-6", "C-FS-7", "C-FS-10", "C-FS-12"},
       play_read_refused},
      {"writing files", {"C-FS-8", "C-FS-9", "C-FS-11"}, play_write},
  };
}

}  // namespace acp::check
