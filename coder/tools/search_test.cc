// Compared with ripgrep: the same lines in the same files.
#include "coder/tools/search.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <fstream>
#include <map>
#include <random>
#include <set>
#include <thread>

#include "acp/workspace/command.h"
#include "acp/workspace/testing/scratch.h"

namespace acp::coder {
namespace {

using workspace::testing::Scratch;
using Found = std::vector<std::string>;

class SearchTest : public ::testing::Test {
 protected:
  io::Descriptor root() const {
    return io::Descriptor(open(scratch.path().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  }
  std::string shell(const std::string& line) const {
    workspace::CommandLine command;
    command.command = line;
    command.cwd = scratch.path();
    command.environment = {{"HOME", scratch / ".git"}, {"XDG_CONFIG_HOME", scratch / ".git"}};
    workspace::CommandLimits limits;
    limits.output_bytes = 64 * 1024 * 1024;
    return workspace::run_command(command, limits).output;
  }
  // "path:line:text"
  Found ours(SearchOptions options) const {
    options.max_matches = 100'000;
    options.max_line_bytes = 10'000;
    Found found;
    for (const SearchMatch& match : search_tree(root(), options).matches)
      found.push_back(match.path + ":" + std::to_string(match.line) + ":" + match.text);
    std::sort(found.begin(), found.end());
    return found;
  }
  Found ripgrep(const std::string& arguments) const {
    std::istringstream lines(shell(
        "rg --hidden --glob '!.git' --no-heading --line-number --no-messages " + arguments + " ."));
    Found found;
    for (std::string line; std::getline(lines, line);) {
      if (line.ends_with('\r')) line.pop_back();
      found.push_back(line.substr(line.starts_with("./") ? 2 : 0));
    }
    std::sort(found.begin(), found.end());
    return found;
  }
  static void expect_same(const Found& ours, const Found& theirs, const std::string& what) {
    Found only_ours, only_theirs;
    std::set_difference(ours.begin(), ours.end(), theirs.begin(), theirs.end(),
                        std::back_inserter(only_ours));
    std::set_difference(theirs.begin(), theirs.end(), ours.begin(), ours.end(),
                        std::back_inserter(only_theirs));
    EXPECT_EQ(only_ours, Found()) << what;
    EXPECT_EQ(only_theirs, Found()) << what;
  }
  static SearchOptions pattern(const std::string& text) {
    SearchOptions options;
    options.pattern = text;
    return options;
  }

  Scratch scratch;
};

TEST_F(SearchTest, AgreesWithRipgrep) {
  shell("git init -q");
  std::mt19937 random(5);
  const std::vector<std::string> words = {"alpha", "beta",         "Gamma",        "delta(x)",
                                          "a.b",   "x = 1;",       "\xC3\xA4rger", "TODO: this",
                                          "",      "    return 0;"};
  for (int i = 0; i < 400; ++i) {
    std::string path;
    for (std::size_t depth = random() % 4; depth > 0; --depth)
      path += std::string(1, static_cast<char>('a' + random() % 4)) + "/";
    path += "file" + std::to_string(i) + (i % 3 == 0 ? ".cc" : i % 3 == 1 ? ".txt" : ".log");
    std::string text;
    for (std::size_t lines = random() % 50; lines > 0; --lines) {
      for (std::size_t n = random() % 4; n > 0; --n) text += words[random() % words.size()] + " ";
      text += random() % 20 == 0 ? "\r\n" : "\n";
    }
    if (i % 7 == 0) text += "alpha without an end";
    if (i % 41 == 0) text.insert(0, 1, '\0');
    scratch.put(path, text);
  }
  scratch.put(".gitignore", "*.log\n!file5.log\n/b/a/\n");
  scratch.put("a/.gitignore", "!*.log\nfile1*.txt\n");
  scratch.put(".hidden/file", "alpha\n");
  scratch.link("linked", "a");
  for (const char* text :
       {"alpha", "beta", "TODO: this", "\xC3\xA4rger", "nowhere", "a", "Gamma "}) {
    const Found expected = ripgrep("--fixed-strings -- '" + std::string(text) + "'");
    SearchOptions options = pattern(text);
    options.literal = true;
    expect_same(ours(options), expected, text);
  }
  for (const char* text :
       {"^alpha", "beta $", "al.ha", "(alpha|Gamma)", "x = [0-9]+;", "^$", "^\\s+return",
        "delta\\(x\\)", "\\bbeta\\b", "a\\.b", "[^a-z ]+rger", "alpha without an end$"}) {
    const Found expected = ripgrep("--regexp '" + std::string(text) + "'");
    expect_same(ours(pattern(text)), expected, text);
  }
  SearchOptions any_case = pattern("gamma");
  any_case.ignore_case = true;
  expect_same(ours(any_case), ripgrep("--ignore-case gamma"), "--ignore-case gamma");
  // To ripgrep a glob also takes back in what is ignored: of these nothing is.
  SearchOptions only = pattern("alpha");
  only.glob = "*.cc";
  expect_same(ours(only), ripgrep("--glob '*.cc' alpha"), "--glob '*.cc' alpha");
  only.glob = "a/**/*.cc";
  expect_same(ours(only), ripgrep("--glob '/a/**/*.cc' alpha"), "--glob '/a/**/*.cc' alpha");
  SearchOptions all = pattern("alpha");
  all.with_ignored = true;
  expect_same(ours(all), ripgrep("--no-ignore alpha"), "--no-ignore alpha");
  EXPECT_FALSE(ours(all).empty());
}

TEST_F(SearchTest, SaysWhatItLeavesOut) {
  scratch.put("b.txt", "x\nx\nx\n");
  scratch.put("a.txt", "x " + std::string(5000, '\xC3') + "\n");
  SearchOptions options = pattern("x");
  options.max_matches = 2;
  options.max_line_bytes = 10;
  options.max_file_bytes = 10'000;
  scratch.put("large", std::string(20'000, 'x'));
  const SearchResult result = search_tree(root(), options);
  ASSERT_EQ(result.matches.size(), 2u);
  EXPECT_TRUE(result.truncated);
  EXPECT_EQ(result.matches[0].path, "a.txt");
  EXPECT_TRUE(result.matches[0].text.ends_with("…"));
  EXPECT_EQ(result.matches[1], (SearchMatch{"b.txt", 1, "x"}));
  EXPECT_EQ(result.passed_over, Found{"large"});
  EXPECT_EQ(result.files, 2u);
}

TEST_F(SearchTest, RefusesPatternsThatMeanNothing) {
  for (const char* bad : {"", "(", "[a", "a**", "(?<=a)b"})
    EXPECT_THROW(search_tree(root(), pattern(bad)), BadPattern) << bad;
}

// A pattern that others take for ever for.
TEST_F(SearchTest, TakesNoPatternTooLong) {
  scratch.put("a.txt", std::string(50'000, 'a') + "\n");
  EXPECT_TRUE(search_tree(root(), pattern("(a*)*(a|aa)+b$")).matches.empty());
}

TEST_F(SearchTest, Stops) {
  scratch.put("a.txt", "x\n");
  std::stop_source stop;
  stop.request_stop();
  SearchOptions options = pattern("x");
  options.stop = stop.get_token();
  (void)search_tree(root(), options);
}

// Large files are looked at in pieces: nothing is lost where they meet, and no line begins or ends
// there.
TEST_F(SearchTest, PiecesOfAFileAreOneText) {
  const std::size_t piece = 64 * 1024;
  std::string lines;
  while (lines.size() < 3 * piece) lines += "abc def\n";
  scratch.put("lines.txt", lines);
  SearchOptions options = pattern("^abc d.f$");
  options.max_matches = lines.size();
  EXPECT_EQ(search_tree(root(), options).matches.size(), lines.size() / 8);
  std::filesystem::remove(scratch / "lines.txt");
  for (const std::size_t at : {piece - 3, piece - 1, piece, 2 * piece - 4096, 2 * piece - 4099}) {
    scratch.put("long.txt", std::string(at, 'x') + "need1e" + std::string(2 * piece, 'x') + "\n");
    EXPECT_EQ(search_tree(root(), pattern("need[0-9]e")).matches.size(), 1u) << at;
    EXPECT_EQ(search_tree(root(), pattern("^need[0-9]e")).matches.size(), 0u) << at;
    EXPECT_EQ(search_tree(root(), pattern("need[0-9]e$")).matches.size(), 0u) << at;
  }
  scratch.put("long.txt", std::string(2 * piece, 'x') + "\n");
  EXPECT_EQ(search_tree(root(), pattern("^x|y")).matches.size(), 1u);
  EXPECT_EQ(search_tree(root(), pattern("(^|y)xx*z|^y")).matches.size(), 0u);
}

// "Nothing found" would be wrong.
TEST_F(SearchTest, SaysWhatCouldNotBeOpened) {
  scratch.put("a.txt", "x\n");
  scratch.put("below/b.txt", "x\n");
  io::Descriptor opened = root(), again = root();
  std::vector<io::Descriptor> taken;
  rlimit before = {};
  getrlimit(RLIMIT_NOFILE, &before);
  rlimit few = before;
  few.rlim_cur = 128;
  setrlimit(RLIMIT_NOFILE, &few);
  while (taken.empty() || taken.back()) taken.emplace_back(open("/dev/null", O_RDONLY | O_CLOEXEC));
  const SearchResult result = search_tree(std::move(opened), pattern("x"));
  const std::string unopened = find_files(std::move(again), "*", 10).unopened;
  taken.clear();
  setrlimit(RLIMIT_NOFILE, &before);
  EXPECT_NE(result.unopened.find("could not be opened"), std::string::npos) << result.unopened;
  EXPECT_NE(result.unopened.find("Too many open files"), std::string::npos) << result.unopened;
  EXPECT_NE(unopened.find("Too many open files"), std::string::npos) << unopened;
  EXPECT_EQ(search_tree(root(), pattern("x")).unopened, "");
}

TEST_F(SearchTest, RefusesAPatternThatIsTooLarge) {
  EXPECT_THROW(search_tree(root(), pattern("((a|b){100}c){100}")), BadPattern);
}

// What this process has read so far.
std::uint64_t bytes_read() {
  std::ifstream in("/proc/self/io");
  std::string name;
  std::uint64_t bytes = 0;
  in >> name >> bytes;
  return bytes;
}

// Minutes of work in one line, and the stop comes when the file has been read.
TEST_F(SearchTest, StopsInsideALine) {
  scratch.put("a.txt", [] {
    std::string text;
    for (std::uint32_t i = 1; text.size() < (32u << 20); i = i * 1664525 + 1013904223)
      text += (i & 0x10000) != 0 ? 'a' : 'b';
    return text;
  }());
  SearchOptions options = pattern("(a[ab]{0,300}b){3}c");
  options.threads = 1;
  std::stop_source stop;
  options.stop = stop.get_token();
  const std::jthread user([&, before = bytes_read()] {
    while (bytes_read() < before + (32u << 20)) std::this_thread::yield();
    stop.request_stop();
  });
  EXPECT_TRUE(search_tree(root(), options).matches.empty());
}

TEST_F(SearchTest, FindsFiles) {
  for (const char* path : {"a.cc", "src/b.cc", "src/deep/c.cc", "src/c.h", "out/d.cc", ".x/e.cc"})
    scratch.put(path, "");
  scratch.put(".gitignore", "/out/\n");
  const FoundFiles all = find_files(root(), "*.cc", 100);
  EXPECT_EQ(all.paths, (Found{".x/e.cc", "a.cc", "src/b.cc", "src/deep/c.cc"}));
  EXPECT_FALSE(all.truncated);
  EXPECT_EQ(find_files(root(), "src/*.cc", 100).paths, Found{"src/b.cc"});
  EXPECT_EQ(find_files(root(), "src/**/*.cc", 100).paths, (Found{"src/b.cc", "src/deep/c.cc"}));
  const FoundFiles two = find_files(root(), "*.cc", 2);
  EXPECT_EQ(two.paths, (Found{".x/e.cc", "a.cc"}));
  EXPECT_TRUE(two.truncated);
  EXPECT_EQ(find_files(root(), "*.cc", 100, true).paths.size(), 5u);
}

// Half of a key would not be known as one.
TEST_F(SearchTest, MasksBeforeItCuts) {
  const std::string key = "sk-0123456789";
  scratch.put("a.txt",
              "x" + std::string(94, '-') + key + std::string(500, '-') + "\n" + key + "\n");
  SearchOptions options = pattern("x|sk");
  options.max_line_bytes = 100;
  options.mask = [&](std::string& text) {
    for (std::size_t at; (at = text.find(key)) != std::string::npos;)
      text.replace(at, key.size(), "[key]");
  };
  const SearchResult result = search_tree(root(), options);
  ASSERT_EQ(result.matches.size(), 2u);
  EXPECT_EQ(result.matches[0].text, "x" + std::string(94, '-') + "[key]…");
  EXPECT_EQ(result.matches[1].text, "[key]");
}

TEST_F(SearchTest, LeavesOutWhatItIsToldTo) {
  scratch.put("a.txt", "token\n");
  scratch.put("b/.env", "token\n");
  const LeaveOut secrets = [](const std::string& path) { return path.ends_with(".env"); };
  SearchOptions options = pattern("token");
  options.leave_out = secrets;
  const SearchResult result = search_tree(root(), options);
  ASSERT_EQ(result.matches.size(), 1u);
  EXPECT_EQ(result.matches[0].path, "a.txt");
  EXPECT_EQ(result.left_out, 1u);
  const FoundFiles found = find_files(root(), "*", 100, false, {}, secrets);
  EXPECT_EQ(found.paths, Found{"a.txt"});
  EXPECT_EQ(found.left_out, 1u);
}

}  // namespace
}  // namespace acp::coder
