// What a child starts with, and why it does not.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "acp/io/process/process.h"
#include "acp/io/process/testing/observe.h"

namespace acp::io {
namespace {

namespace fs = std::filesystem;
using namespace testing;  // NOLINT(google-build-using-namespace)
using Phase = StartError::Phase;

// A folder that goes away with it.
class Folder {
 public:
  Folder() {
    char name[] = "/tmp/acp_process_test.XXXXXX";
    path_ = mkdtemp(name);
  }
  ~Folder() { fs::remove_all(path_); }
  fs::path path() const { return path_; }
  fs::path file(const std::string& name, const std::string& text, mode_t mode) const {
    const fs::path path = path_ / name;
    std::ofstream(path) << text;
    chmod(path.c_str(), mode);
    return path;
  }

 private:
  fs::path path_;
};

TEST(ProcessStart, SaysWhichCommandWasNotFound) {
  const StartError error = failure({"acp-no-such-command", "--flag", "two words"});
  EXPECT_EQ(error.phase, Phase::resolve);
  EXPECT_EQ(error.code, ENOENT);
  EXPECT_EQ(error.message(),
            "resolve: acp-no-such-command: command not found (No such file or directory); "
            "the command was: acp-no-such-command --flag 'two words'");
  EXPECT_EQ(failure({"./nothing"}).reason, "./nothing: no such file (No such file or directory)");
}

TEST(ProcessStart, SaysWhatCannotBeExecuted) {
  const Folder folder;
  const std::string plain = folder.file("plain", "text", 0644);
  const StartError error = failure({plain});
  EXPECT_EQ(error.phase, Phase::resolve);
  EXPECT_EQ(error.reason, plain + ": not executable (Permission denied)");
  EXPECT_EQ(failure({"/tmp"}).reason, "/tmp: is a directory (Permission denied)");

  const std::string script = folder.file("script", "#!/no/such/interpreter\n", 0755);
  EXPECT_EQ(failure({script}).reason,
            script + ": its interpreter was not found (No such file or directory)");
}

TEST(ProcessStart, SaysThatTheDirectoryIsWrong) {
  const Folder folder;
  const std::string missing = folder.path() / "missing";
  const StartError error = failure({"cat"}, {.cwd = missing});
  EXPECT_EQ(error.phase, Phase::cwd);
  EXPECT_EQ(error.code, ENOENT);
  EXPECT_EQ(error.reason, missing + ": cannot be entered (No such file or directory)");
  EXPECT_EQ(failure({"cat"}, {.cwd = folder.file("file", "", 0644)}).code, ENOTDIR);
}

TEST(ProcessStart, RefusesWhatTheSystemWouldMisread) {
  using namespace std::string_literals;
  EXPECT_EQ(failure({}).phase, Phase::resolve);
  EXPECT_EQ(failure({""}).phase, Phase::resolve);
  EXPECT_EQ(failure({"echo", "a\0b"s}).code, EINVAL);
  EXPECT_EQ(failure({"cat"}, {.cwd = "/\0tmp"s}).phase, Phase::cwd);
  for (const std::string& name : {""s, "A=B"s, "A\0B"s})
    EXPECT_EQ(failure({"cat"}, {.environment = {{name, "x"}}}).code, EINVAL);
}

TEST(ProcessStart, TooLargeAnArgumentIsTheSystemsRefusal) {
  const StartError error = failure({"echo", std::string(32 << 20, 'x')});
  EXPECT_EQ(error.phase, Phase::spawn);
  EXPECT_EQ(error.code, E2BIG);
}

TEST(ProcessStart, FindsTheCommandInTheChildsPath) {
  const Folder folder;
  folder.file("acp-greet", "#!/bin/sh\necho first\n", 0755);
  const Folder other;
  other.file("acp-greet", "#!/bin/sh\necho second\n", 0755);
  const Folder unusable;
  unusable.file("acp-greet", "", 0644);
  const auto path = [](const std::string& value) {
    return ProcessOptions{.environment = {{"PATH", value}}};
  };
  EXPECT_EQ(output({"acp-greet"}, path(folder.path().string() + ":" + other.path().string())),
            "first\n");
  // Like a shell, it goes on after a file that cannot be executed.
  EXPECT_EQ(output({"acp-greet"}, path(unusable.path().string() + ":" + other.path().string())),
            "second\n");
  EXPECT_EQ(failure({"acp-greet"}, path(unusable.path())).code, EACCES);
  EXPECT_EQ(failure({"acp-greet"}, path("/nowhere")).code, ENOENT);
  // What is relative starts at the child's directory; an empty place in PATH is that directory.
  ProcessOptions here = path("/nowhere::");
  here.cwd = folder.path();
  EXPECT_EQ(output({"acp-greet"}, here), "first\n");
  EXPECT_EQ(output({"./acp-greet"}, {.cwd = other.path()}), "second\n");
  EXPECT_EQ(output({"echo", "found"}, {.environment = {{"PATH", std::nullopt}}}), "found\n");
}

TEST(ProcessStart, GivesAScriptWithoutInterpreterToTheShell) {
  const Folder folder;
  const std::string script = folder.file("script", "echo \"$0 $1\"\n", 0755);
  EXPECT_EQ(output({script, "word"}), script + " word\n");
}

TEST(ProcessStart, EditsTheEnvironmentInOrder) {
  setenv("ACP_TEST_KEPT", "kept", 1);
  setenv("ACP_TEST_CHANGED", "old", 1);
  setenv("ACP_TEST_REMOVED", "there", 1);
  const std::vector<EnvironmentEdit> edits = {{"ACP_TEST_CHANGED", "new"},
                                              {"ACP_TEST_REMOVED", std::nullopt},
                                              {"ACP_TEST_ADDED", "one"},
                                              {"ACP_TEST_ADDED", "a=b c"},
                                              {"ACP_TEST_EMPTY", ""}};
  EXPECT_EQ(
      output({"sh", "-c",
              "echo $ACP_TEST_KEPT,$ACP_TEST_CHANGED,${ACP_TEST_REMOVED-gone},$ACP_TEST_ADDED,"
              "${ACP_TEST_EMPTY-gone}; env | grep -c ^ACP_TEST_ADDED="},
             {.environment = edits}),
      "kept,new,gone,a=b c,\n1\n");
  EXPECT_STREQ(getenv("ACP_TEST_CHANGED"), "old");
}

TEST(ProcessStart, EntersTheDirectory) {
  const Folder folder;
  EXPECT_EQ(output({"pwd"}, {.cwd = folder.path()}), folder.path().string() + "\n");
}

TEST(CommandLine, IsQuotedForAShell) {
  const std::vector<std::string> words = {"a=b",      "--x=y",     "two words", "it's",
                                          "",         "$HOME `x`", "é",         "a\nb\t",
                                          "\x1b[0m7", "\xff'8",    "-n/:",      "~"};
  EXPECT_EQ(command_line(words),
            "'a=b' --x=y 'two words' 'it'\\''s' '' '$HOME `x`' 'é' $'a\\nb\\t' $'\\033[0m7' "
            "$'\\377\\'8' -n/: '~'");
  std::string expected;
  for (const std::string& word : words) expected += '<' + word + '>';
  EXPECT_EQ(output({"bash", "-c", "printf '<%s>' " + command_line(words)}), expected);
}

}  // namespace
}  // namespace acp::io
