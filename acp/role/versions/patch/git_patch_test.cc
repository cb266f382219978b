// Patches, checked with git itself.
#include "acp/role/versions/patch/git_patch.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>

namespace acp::detail::versions {
namespace {

namespace fs = std::filesystem;
using Operation = PatchedFile::Operation;

// A directory in which `git apply` works.
class Scratch {
 public:
  Scratch() {
    std::string name = (fs::temp_directory_path() / "acp_patch_XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("no directory");
    path_ = name;
    fs::create_directory(path_ / "tree");
  }
  ~Scratch() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  fs::path file(std::string_view name) const { return path_ / "tree" / name; }
  static void write(const fs::path& path, std::string_view text) {
    fs::create_directories(path.parent_path());
    std::ofstream(path, std::ios::binary) << text;
  }
  static std::string read(const fs::path& path) {
    std::ostringstream text;
    text << std::ifstream(path, std::ios::binary).rdbuf();
    return text.str();
  }
  // The output of git, empty if it was content.
  std::string apply(std::string_view patch) const {
    write(path_ / "patch", patch);
    const std::string command = "cd '" + (path_ / "tree").string() +
                                "' && GIT_CEILING_DIRECTORIES='" + path_.string() +
                                "' GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_NOSYSTEM=1 "
                                "git apply --whitespace=nowarn ../patch > ../out 2>&1";
    const int status = std::system(command.c_str());
    return status == 0 ? "" : "git apply failed: " + read(path_ / "out");
  }

 private:
  fs::path path_;
};

TEST(GitPatch, NamesFilesByTheirAbsolutePaths) {
  EXPECT_EQ(
      write_git_patch("/src/a.cc", "1\n2\n3\n4\n5\n6\n7\n8\n9\n", "1\n2\n3\n4\nfive\n6\n7\n8\n9\n"),
      "diff --git /src/a.cc /src/a.cc\n--- /src/a.cc\n+++ /src/a.cc\n"
      "@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+five\n 6\n 7\n 8\n");
  EXPECT_EQ(write_git_patch("/new", std::nullopt, "a"),
            "diff --git /new /new\nnew file mode 100644\n--- /dev/null\n+++ /new\n"
            "@@ -0,0 +1 @@\n+a\n\\ No newline at end of file\n");
  EXPECT_EQ(write_git_patch("/new", std::nullopt, ""),
            "diff --git /new /new\nnew file mode 100644\n");
  EXPECT_EQ(write_git_patch("/x", "a\n", ""),
            "diff --git /x /x\n--- /x\n+++ /x\n@@ -1 +0,0 @@\n-a\n");
  EXPECT_EQ(write_git_patch("/x", "a", "a"), "");
  EXPECT_EQ(write_git_patch("/x", "", ""), "");
  EXPECT_EQ(write_git_patch("/a b", "x\n", "y\n"),
            "diff --git /a b /a b\n--- /a b\t\n+++ /a b\t\n@@ -1 +1 @@\n-x\n+y\n");
  EXPECT_EQ(write_git_patch("/\xC3\xA4\"\\\t", "x\n", "y\n"),
            R"(diff --git "/\303\244\"\\\t" "/\303\244\"\\\t")"
            "\n"
            R"(--- "/\303\244\"\\\t")"
            "\n"
            R"(+++ "/\303\244\"\\\t")"
            "\n@@ -1 +1 @@\n-x\n+y\n");
}

std::string random_text(std::mt19937& random) {
  static const std::string lines[] = {"a",     "b",   "",     "  indented",  "\xC3\xBC\xE2\x82\xAC",
                                      "-x",    "+y",  "\\ z", "@@ -1 +1 @@", "diff --git a/q b/q",
                                      "tab\t", "cr\r"};
  std::string text;
  for (std::size_t count = random() % 14; count > 0; --count)
    (text += lines[random() % std::size(lines)]) += '\n';
  if (!text.empty() && random() % 3 == 0) text.pop_back();
  return text;
}

// Some lines are changed, taken out or added.
std::string changed(const std::string& text, std::mt19937& random) {
  std::istringstream in(text);
  std::string out, line;
  while (std::getline(in, line)) {
    if (random() % 6 == 0) continue;
    if (random() % 6 == 0) line += "!";
    if (random() % 6 == 0) out += "added\n";
    out += line + "\n";
  }
  if (!out.empty() && random() % 3 == 0) out.pop_back();
  return out;
}

TEST(GitPatch, GitAppliesIt) {
  const Scratch scratch;
  std::mt19937 random(20261119);
  const std::string names[] = {"plain.txt",   "dir/with space.txt", "\xC3\xA4\xC3\xB6.txt",
                               "quote\".txt", "back\\slash",        "tab\tname",
                               "a b",         "x/y z/b/w"};
  int applied = 0;
  for (int i = 0; i < 200; ++i) {
    const std::string name = std::to_string(i) + "/" + names[random() % std::size(names)];
    const bool is_new = random() % 5 == 0;
    const std::string old_text = is_new ? "" : random_text(random);
    const std::string new_text =
        random() % 3 == 0 ? random_text(random) : changed(old_text, random);
    const std::string patch = is_new ? write_git_patch("/" + name, std::nullopt, new_text)
                                     : write_git_patch("/" + name, old_text, new_text);
    SCOPED_TRACE(patch);
    // An empty new file is named by one line alone, and there git wants a/ and b/.
    if (is_new && new_text.empty()) continue;
    if (!is_new) Scratch::write(scratch.file(name), old_text);
    if (patch.empty()) {
      EXPECT_EQ(old_text, new_text);
      continue;
    }
    ASSERT_EQ(scratch.apply(patch), "");
    ++applied;
    EXPECT_EQ(Scratch::read(scratch.file(name)), new_text);
    EXPECT_TRUE(fs::exists(scratch.file(name)));

    const auto read = read_git_patch(std::string(patch));
    ASSERT_TRUE(read.has_value());
    ASSERT_EQ(read->size(), 1u);
    const PatchedFile& file = read->front();
    EXPECT_EQ(file.path, "/" + name);
    EXPECT_EQ(file.old_path, "/" + name);
    EXPECT_EQ(file.operation, is_new ? Operation::add : Operation::modify);
    // The hunk's texts stand in the files' texts, and the rest is the same.
    const std::size_t at = old_text.find(file.old_text), to = new_text.find(file.new_text);
    ASSERT_NE(at, std::string::npos);
    ASSERT_NE(to, std::string::npos);
    EXPECT_EQ(old_text.size() - file.old_text.size(), new_text.size() - file.new_text.size());
  }
  EXPECT_GT(applied, 150);
}

TEST(GitPatch, ReadsWhatGitWrites) {
  const auto files = read_git_patch(
      "From: somebody\n\nA message.\n\n"
      "diff --git a/one.txt b/one.txt\nindex 123..456 100644\n--- a/one.txt\n+++ b/one.txt\n"
      "@@ -1,2 +1,3 @@ heading\n a\n+b\n c\n@@ -9 +10 @@\n-x\n+y\n"
      "\\ No newline at end of file\n"
      "diff --git a/old name b/new name\nsimilarity index 90%\nrename from old name\n"
      "rename to new name\n--- a/old name\t\n+++ b/new name\t\n@@ -3 +3 @@\n-q\n+r\n"
      "diff --git a/from b/to\nsimilarity index 100%\ncopy from from\ncopy to to\n"
      "diff --git a/gone b/gone\ndeleted file mode 100644\nindex 1..0\n--- a/gone\n"
      "+++ /dev/null\n@@ -1 +0,0 @@\n-bye\n"
      "diff --git \"a/\\303\\244\" \"b/\\303\\244\"\nnew file mode 100644\n"
      "diff --git a/mode b/mode\nold mode 100644\nnew mode 100755\n"
      "diff --git a/pic.png b/pic.png\nindex 1..2 100644\nBinary files a/pic.png and b/pic.png "
      "differ\n"
      "diff --git a/blob b/blob\nindex 1..2 100644\nGIT binary patch\nliteral 3\nKcmZ\n\n"
      "-- \n2.39.5\n");
  ASSERT_TRUE(files.has_value());
  ASSERT_EQ(files->size(), 8u);
  const auto& all = *files;
  EXPECT_EQ(all[0].old_text, "a\nc\nx\n");
  EXPECT_EQ(all[0].new_text, "a\nb\nc\ny");
  EXPECT_EQ(all[0].hunks, 2u);
  EXPECT_EQ(all[0].first_line, 1u);
  EXPECT_EQ(all[1].operation, Operation::move);
  EXPECT_EQ(all[1].old_path, "old name");
  EXPECT_EQ(all[1].path, "new name");
  EXPECT_EQ(all[1].first_line, 3u);
  EXPECT_EQ(all[2].operation, Operation::copy);
  EXPECT_EQ(all[2].path, "to");
  EXPECT_EQ(all[3].operation, Operation::delete_);
  EXPECT_EQ(all[3].old_text, "bye\n");
  EXPECT_EQ(all[4].operation, Operation::add);
  EXPECT_EQ(all[4].path, "\xC3\xA4");
  EXPECT_EQ(all[5].operation, Operation::modify);
  EXPECT_EQ(all[5].hunks, 0u);
  EXPECT_TRUE(all[6].binary);
  EXPECT_TRUE(all[7].binary);
}

TEST(GitPatch, RefusesWhatIsMalformed) {
  const std::string head = "diff --git a/x b/x\n--- a/x\n+++ b/x\n";
  for (const std::string& text : std::vector<std::string>{
           "",
           "nothing",
           "diff --git",
           "diff --git \n",
           "diff --git a/x\n",
           "diff --git \"a/x b/x\n",
           "diff --git \"a/\\9\" b/x\n",
           "diff --git \"a/\\",
           head,
           "diff --git a/x b/x\n--- a/x\n",
           head + "@@ -1 +1 @@\n",
           head + "@@ -1 +1 @@\n-a\n",
           head + "@@ -1,2 +1 @@\n-a\n+b\n",
           head + "@@ -1 +1 @@\n-a\n-b\n+c\n",
           head + "@@ -a +1 @@\n-a\n+b\n",
           head + "@@ -1 +1\n-a\n+b\n",
           head + "@@ -1 +1 @@\n?a\n+b\n",
           head + "@@ -1 +1 @@\n\\ No newline\n-a\n+b\n",
           head + "@@ -1 +1 @@\n-a\n+b\nmore\n",
           head + "@@ -1,99999999999999999999 +1 @@\n-a\n+b\n",
           head + "@@ -1,18446744073709551615 +1 @@\n-a\n+b\n",
           head + "@@ -1 +1 @@\n-a\n\\ x\n\\ x\n+b\n",
           std::string("diff --git a/x b/x\n--- /dev/null\n+++ /dev/null\n@@ -1 +1 @@\n-a\n+b\n"),
           std::string("diff --git a/x b/y\nrename from x\n"),
           std::string("diff --git a/x b/y\nrename from \"x\nrename to y\n")}) {
    EXPECT_FALSE(read_git_patch(std::string(text)).has_value()) << text;
  }
  EXPECT_TRUE(read_git_patch(head + "@@ -1 +1 @@\n-a\n+b").has_value());
}

TEST(GitPatch, HasLimits) {
  const std::string one = "diff --git a/x b/x\nnew file mode 100644\n";
  EXPECT_FALSE(read_git_patch(std::string(one), {.bytes = one.size() - 1}).has_value());
  EXPECT_TRUE(read_git_patch(std::string(one), {.bytes = one.size()}).has_value());
  EXPECT_FALSE(read_git_patch(one + one, {.files = 1}).has_value());
  EXPECT_TRUE(read_git_patch(one + one, {.files = 2}).has_value());
}

// A good patch with bytes changed, cut out or doubled: whatever it gives, it must come to an end.
TEST(GitPatch, SurvivesDamage) {
  std::mt19937 random(7);
  for (int i = 0; i < 20000; ++i) {
    const std::string old_text = random_text(random);
    std::string patch =
        "diff --git \"a/\\303\\244 x\" b/y\nrename from \"\\303\\244 x\"\n"
        "rename to y\n" +
        write_git_patch("/a b", old_text, random_text(random));
    for (std::size_t damage = 1 + random() % 3; damage > 0 && !patch.empty(); --damage) {
      const std::size_t at = random() % patch.size();
      if (random() % 3 == 0)
        patch[at] = static_cast<char>(random());
      else if (random() % 2 == 0)
        patch.erase(at, random() % 9);
      else
        patch.insert(at, patch.substr(random() % patch.size(), random() % 9));
    }
    const auto files = read_git_patch(std::string(patch));
    if (!files) continue;
    std::size_t bytes = 0;
    for (const PatchedFile& file : *files) bytes += file.old_text.size() + file.new_text.size();
    EXPECT_LE(bytes, 2 * patch.size());
  }
}

// Lines of every length around the steps in which they are copied, with odd ends.
TEST(GitPatch, NewFilesComeBackAsTheyWere) {
  std::mt19937 random(5);
  for (int round = 0; round < 300; ++round) {
    std::string text;
    const std::size_t lines = random() % 40;
    for (std::size_t i = 0; i < lines; ++i) {
      const std::size_t size = round % 20 == 0 ? random() % 20'000 : random() % 100;
      for (std::size_t n = 0; n < size; ++n) text += "ab+-\\ "[random() % 6];
      text += '\n';
    }
    if (round % 3 == 0) text += "the last";
    if (round % 7 == 0 && text.ends_with('\n')) text.pop_back();
    if (text.empty()) continue;
    std::string patch = write_git_patch("/a b", std::nullopt, text);
    for (const bool whole : {true, false}) {
      std::string read = patch;
      // Without its last end it is read in another way.
      if (!whole) read.pop_back();
      const auto files = read_git_patch(std::move(read));
      ASSERT_TRUE(files && files->size() == 1) << patch;
      EXPECT_EQ(files->front().new_text, text);
      EXPECT_EQ(files->front().old_text, "");
      EXPECT_EQ(files->front().path, "/a b");
    }
  }
}

TEST(GitPatch, WhatCannotBeReadStaysWhatItWas) {
  const std::string patch = write_git_patch("/a", std::nullopt, "one\ntwo\nthree\n");
  const auto altered = [&](std::string_view what, std::string_view with) {
    std::string text = patch;
    return text.replace(text.find(what), what.size(), with);
  };
  for (const std::string& wrong :
       {altered("1,3", "1,4"), altered("1,3", "1,2"), altered("+two", "*two"),
        altered("+three\n", "+three\n\n\\ No newline"), patch + "x\n", patch.substr(20)}) {
    std::string text = wrong;
    EXPECT_FALSE(read_git_patch(std::move(text)).has_value()) << wrong;
    EXPECT_EQ(text, wrong);
  }
  // The shortest head that there can be.
  EXPECT_EQ(read_git_patch(std::string("diff --git a b\n@@ -0,0 +1 @@\n+\n"))->front().new_text,
            "\n");
}

}  // namespace
}  // namespace acp::detail::versions
