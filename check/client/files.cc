// Scenes of the file system.
#include <fstream>
#include <iterator>

#include "check/client/answer.h"
#include "check/client/scene.h"

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
bool reach_files(Scene& scene, const char* capability) {
  if (!scene.reach_prompt()) return false;
  std::error_code error;
  const char* why = nullptr;
  if (!scene.capabilities()["fs"][capability].as_bool().value_or(false))
    why = "the client does not advertise it";
  else if (!std::filesystem::equivalent(scene.session_cwd(), scene.work(), error))
    why = "the session is not in the directory that the client was started in";
  if (why == nullptr) return true;
  for (const std::string_view id : scene.ids) scene.skip(id, why);
  scene.finish();
  return false;
}

struct Reading {
  std::string_view id;
  std::string_view what;     // after the path
  std::string_view content;  // with or without its last newline
};

void play_read(Scene& scene) {
  put(scene.work() / "exact.txt", "one\n\ttwo \xC3\xA4\xF0\x9F\x8E\xAD\n\nlast, without end");
  put(scene.work() / "empty.txt", "");
  put(scene.work() / "crlf.txt", "a\r\nb\r\n");
  put(scene.work() / "five.txt", "one\ntwo\nthree\nfour\nfive\n");
  if (!reach_files(scene, "readTextFile")) return;
  for (const char* const name : {"exact.txt", "empty.txt", "crlf.txt"}) {
    const auto answer = scene.call("fs/read_text_file",
                                   std::string(R"({"sessionId":$S,"path":"$W/)") + name + "\"}");
    const auto content = answer ? (*answer)["result"]["content"].as_string() : std::nullopt;
    scene.expect("C-FS-1", content && content == get(scene.work() / name),
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
    const auto answer = scene.call("fs/read_text_file", R"({"sessionId":$S,"path":"$W/five.txt",)" +
                                                            std::string(each.what) + "}");
    const auto content = answer ? (*answer)["result"]["content"].as_string() : std::nullopt;
    const bool same = content && (*content == each.content || *content + "\n" == each.content);
    // Lines that are not there may also be refused.
    scene.expect(each.id, same || (each.content.empty() && is_error(answer)),
                 std::string(each.what) + " of five lines: " + shown(answer));
  }
  scene.finish();
}

void play_read_refused(Scene& scene) {
  put(scene.outside() / "secret.txt", "secret");
  put(scene.work() / "here.txt", "here");
  if (!reach_files(scene, "readTextFile")) return;
  const auto missing =
      scene.call("fs/read_text_file", R"({"sessionId":$S,"path":"$W/missing.txt"})");
  scene.expect("C-FS-5", is_error(missing), "a missing file: " + shown(missing));
  if (is_error(missing))
    scene.expect("C-FS-6", (*missing)["error"]["code"].as_int64() == -32002,
                 "a missing file: " + shown(missing));
  else
    scene.skip("C-FS-6", "there was no error");
  const auto relative = scene.call("fs/read_text_file", R"({"sessionId":$S,"path":"here.txt"})");
  scene.expect("C-FS-7", is_error(relative), "the path here.txt: " + shown(relative));
  for (const char* const path : {"$W/../outside/secret.txt", "$W/link.txt"}) {
    std::error_code error;
    std::filesystem::create_symlink(scene.outside() / "secret.txt", scene.work() / "link.txt",
                                    error);
    const auto outside =
        scene.call("fs/read_text_file", std::string(R"({"sessionId":$S,"path":")") + path + "\"}");
    scene.expect("C-FS-10", is_error(outside), std::string(path) + ": " + shown(outside));
  }
  std::filesystem::create_directory(scene.work() / "folder");
  const auto folder = scene.call("fs/read_text_file", R"({"sessionId":$S,"path":"$W/folder"})");
  scene.expect("C-FS-12", is_error(folder), "a directory: " + shown(folder));
  scene.finish();
}

void play_write(Scene& scene) {
  put(scene.work() / "old.txt", "something that is longer than what replaces it\n");
  put(scene.outside() / "kept.txt", "kept");
  if (!reach_files(scene, "writeTextFile")) return;
  const auto write = [&](const char* path, const std::string& content) {
    return scene.call("fs/write_text_file", std::string(R"({"sessionId":$S,"path":")") + path +
                                                "\",\"content\":" + Json(content).text() + "}");
  };
  const auto exact = [&](std::string_view id, const char* name, const std::string& content) {
    const auto answer = write((std::string("$W/") + name).c_str(), content);
    scene.expect(
        id, answer && !is_error(answer) && get(scene.work() / name) == content,
        std::string(name) + ": " + shown(answer) + "; the file is " +
            (get(scene.work() / name) ? Json(*get(scene.work() / name)).text() : "not there"));
  };
  exact("C-FS-8", "new.txt", "first\r\n\tsecond \xC3\xA4\xF0\x9F\x8E\xAD without end");
  exact("C-FS-8", "nothing.txt", "");
  exact("C-FS-9", "old.txt", "short\n\n");
  write("$W/../outside/kept.txt", "overwritten");
  scene.expect("C-FS-11", get(scene.outside() / "kept.txt") == "kept",
               "a file outside of the session's directory was overwritten");
  scene.finish();
}

}  // namespace

std::vector<ClientScene> client_file_scenes() {
  return {
      {"reading files", {"C-FS-1", "C-FS-2", "C-FS-3", "C-FS-4"}, play_read},
      {"files that cannot be read",
       {"C-FS-5", "C-FS-6", "C-FS-7", "C-FS-10", "C-FS-12"},
       play_read_refused},
      {"writing files", {"C-FS-8", "C-FS-9", "C-FS-11"}, play_write},
  };
}

}  // namespace acp::check
