// The directories of a session are those that were opened when it began.
#include "acp/workspace/files/boundary.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "acp/workspace/files/files.h"
#include "acp/workspace/testing/scratch.h"

namespace acp::workspace {
namespace {

namespace fs = std::filesystem;
using Kind = FileError::Kind;
using testing::Scratch;

class BoundaryTest : public ::testing::TestWithParam<Boundary::Walk> {
 protected:
  BoundaryTest() { scratch.put("outside/passwd", "secret"); }

  Boundary boundary(const std::vector<std::string>& names) const {
    std::vector<std::string> directories;
    for (const std::string& name : names) directories.push_back(scratch / name);
    return Boundary(std::move(directories), GetParam());
  }
  template <class F>
  Kind fails(F action) {
    try {
      action();
    } catch (const FileError& error) {
      message = error.what();
      return error.kind();
    }
    ADD_FAILURE() << "did not fail";
    return Kind::failed;
  }
  void rename(const std::string& from, const std::string& to) const {
    fs::rename(scratch.path() / from, scratch.path() / to);
  }

  const Scratch scratch{"p/sub", "q"};
  std::string message;
};

INSTANTIATE_TEST_SUITE_P(, BoundaryTest,
                         ::testing::Values(Boundary::Walk::by_system,
                                           Boundary::Walk::by_components),
                         [](const auto& info) {
                           return info.param == Boundary::Walk::by_system ? "BySystem"
                                                                          : "ByComponents";
                         });

// ---- a link in the place of a root

TEST_P(BoundaryTest, ALinkCannotTakeThePlaceOfANestedDirectory) {
  scratch.link("p/link", scratch / "outside");
  const Files files(boundary({"p", "p/sub"}));
  EXPECT_EQ(fails([&] { files.remove(scratch / "p/sub"); }), Kind::denied);
  EXPECT_EQ(message,
            (scratch / "p/sub") + ": a directory of this session: it cannot be moved or deleted");
  EXPECT_EQ(fails([&] { files.move(scratch / "p/link", scratch / "p/sub"); }), Kind::exists);
  EXPECT_EQ(fails([&] { files.read_text(scratch / "p/sub/passwd"); }), Kind::not_found);
  EXPECT_EQ(fails([&] { files.read_text(scratch / "outside/passwd"); }), Kind::outside);
}

TEST_P(BoundaryTest, WhatACommandPutsInThePlaceOfADirectoryIsNotFollowed) {
  const Files nested(boundary({"p", "p/sub"})), alone(boundary({"p/sub"}));
  scratch.put("p/sub/file", "inside");
  rename("p/sub", "p/old");
  scratch.link("p/sub", scratch / "outside");
  for (const Files* files : {&nested, &alone}) {
    EXPECT_NE(fails([&] { files->read_text(scratch / "p/sub/passwd"); }), Kind::failed);
    EXPECT_EQ(fails([&] { files->read_text(scratch / "outside/passwd"); }), Kind::outside);
    EXPECT_EQ(fails([&] { files->write(scratch / "outside/new", "x"); }), Kind::outside);
  }
  // The directory that was opened is still the session's.
  EXPECT_EQ(alone.read_text(scratch / "p/sub/file"), "inside");
  alone.write(scratch / "p/sub/file", "changed");
  EXPECT_EQ(scratch.get("p/old/file"), "changed");
  EXPECT_EQ(scratch.get("outside/passwd"), "secret");
}

TEST_P(BoundaryTest, ANameThatLeadsElsewhereIsNotGivenAway) {
  scratch.link("p/link", "sub");
  const Boundary inside = boundary({"p", "q"});
  const auto check = [&](const std::string& name) { inside.require_same_by_name(scratch / name); };
  for (const char* name : {"p", "p/sub", "p/new", "p/link/new", "q/file"}) check(name);
  rename("q", "old");
  EXPECT_EQ(fails([&] { check("q/file"); }), Kind::outside);
  scratch.link("q", "outside");
  EXPECT_EQ(fails([&] { check("q/passwd"); }), Kind::outside);
  EXPECT_TRUE(
      message.ends_with("has been moved or replaced since the session began; begin a new "
                        "session there"))
      << message;
  check("p/sub");
}

TEST_P(BoundaryTest, CopiesShareTheDirectories) {
  const Boundary first = boundary({"p"});
  scratch.put("p/file", "inside");
  rename("p", "moved");
  fs::create_directory(scratch.path() / "p");
  const Files copy(first);
  EXPECT_EQ(copy.read_text(scratch / "p/file"), "inside");
}

TEST_P(BoundaryTest, ADirectoryThatIsGoneSaysSo) {
  const Files files(boundary({"p/sub"}));
  fs::remove(scratch.path() / "p/sub");
  fs::create_directory(scratch.path() / "p/sub");
  scratch.put("p/sub/file", "new");
  EXPECT_EQ(fails([&] { files.read_text(scratch / "p/sub/file"); }), Kind::not_found);
  EXPECT_EQ(message, (scratch / "p/sub/file") + ": the session's directory " + (scratch / "p/sub") +
                         " has been removed since the session began; begin a new session there");
  EXPECT_EQ(fails([&] { files.write(scratch / "p/sub/file", "x"); }), Kind::not_found);
  EXPECT_EQ(scratch.get("p/sub/file"), "new");
}

TEST_P(BoundaryTest, ADirectoryThatWasNotThereStaysOut) {
  const Files files(boundary({"p", "later"}));
  scratch.link("later", scratch / "outside");
  EXPECT_EQ(fails([&] { files.read_text(scratch / "later/passwd"); }), Kind::not_found);
  EXPECT_EQ(message, (scratch / "later") +
                         ": no such directory when this session began; begin a new session to use "
                         "it");
}

// ---- moving and deleting what holds a root

TEST_P(BoundaryTest, WhatIsOrContainsADirectoryOfTheSessionStays) {
  fs::create_directories(scratch.path() / "p/a/b/root");
  scratch.link("p/alias", "a/b");
  scratch.link("p/root_alias", "a/b/root");
  const Files files(boundary({"p", "p/root_alias"}));
  for (const char* name : {"p/a", "p/a/b", "p/alias/root", "p/a/b/root", "p/sub/../a/b/root"}) {
    EXPECT_EQ(fails([&] { files.move(scratch / name, scratch / "p/new"); }), Kind::denied) << name;
    EXPECT_EQ(fails([&] { files.remove(scratch / name); }), Kind::denied) << name;
  }
  EXPECT_TRUE(message.ends_with("it cannot be moved or deleted")) << message;
  // A command has renamed it: it is known by what it is, not by its name.
  rename("p/a/b/root", "p/other");
  EXPECT_EQ(fails([&] { files.move(scratch / "p/other", scratch / "p/new"); }), Kind::denied);
  EXPECT_EQ(fails([&] { files.remove(scratch / "p/other"); }), Kind::denied);
  // The links to it, and what no longer contains it, may go.
  files.remove(scratch / "p/root_alias");
  files.remove(scratch / "p/alias");
  files.move(scratch / "p/a", scratch / "p/new");
  files.remove(scratch / "p/new/b");
}

TEST_P(BoundaryTest, FromOneDirectoryToAnotherAndBack) {
  scratch.put("p/a", "in p");
  scratch.put("q/b", "in q");
  scratch.link("p/sub/to_q", scratch / "q/b");
  scratch.link("q/to_p", "../p/a");
  scratch.link("alias", "q");
  const Files files(boundary({"p/sub", "p", "alias"}));
  EXPECT_EQ(files.read_text(scratch / "p/sub/to_q"), "in q");
  EXPECT_EQ(files.read_text(scratch / "p/sub/../a"), "in p");
  EXPECT_EQ(files.read_text(scratch / "alias/to_p"), "in p");
  EXPECT_EQ(files.read_text(scratch / "q/../p/sub/../../q/b"), "in q");
  EXPECT_EQ(fails([&] { files.read_text(scratch / "q/../outside/passwd"); }), Kind::outside);
}

// ---- resolved

TEST_P(BoundaryTest, ResolvedIsWhereAPathLeads) {
  scratch.put("p/src/a.txt", "text");
  scratch.link("p/link", "src/a.txt");
  scratch.link("p/directory", "src");
  scratch.link("p/absolute", scratch / "p/src");
  scratch.link("p/dangling", "new/file");
  scratch.link("p/to_q", "../q");
  scratch.link("p/loop", "loop");
  scratch.link("p/out", "../outside");
  scratch.link("alias", "p");
  const Boundary inside = boundary({"alias", "q"});
  const std::pair<const char*, const char*> expected[] = {
      {"p", "p"},
      {"alias", "p"},
      {"alias/link", "p/src/a.txt"},
      {"p/directory/a.txt", "p/src/a.txt"},
      {"p/absolute/../link", "p/src/a.txt"},
      {"p//./src/", "p/src"},
      {"p/none", "p/none"},
      {"p/none/deeper/file", "p/none/deeper/file"},
      {"p/none/../link", "p/src/a.txt"},
      {"p/directory/none/../../none", "p/none"},
      {"p/dangling", "p/new/file"},
      {"p/dangling/below", "p/new/file/below"},
      {"p/to_q/x", "q/x"},
      {"p/../q/x", "q/x"},
      {"p/src/../../alias/src/..", "p"},
  };
  for (const auto& [path, leads] : expected)
    EXPECT_EQ(inside.resolved(scratch / path), scratch / leads) << path;
  EXPECT_EQ(inside.resolved("link"), scratch / "p/src/a.txt");
  EXPECT_EQ(inside.resolved(scratch / "p/link", false), scratch / "p/link");
  EXPECT_EQ(inside.resolved(scratch / "alias/directory/../link", false), scratch / "p/link");
  for (const char* path : {"p/out/x", "p/out", "p/..", "outside/passwd", "p/none/../../outside"})
    EXPECT_EQ(fails([&] { inside.resolved(scratch / path); }), Kind::outside) << path;
  EXPECT_EQ(fails([&] { inside.resolved(scratch / "p/loop"); }), Kind::failed);
  EXPECT_EQ(fails([&] { inside.resolved(scratch / "p/link/x"); }), Kind::not_found);
}

TEST(BoundaryOfAll, TheRootOfTheFileSystem) {
  const Boundary all({"/"});
  EXPECT_EQ(all.resolved("/"), "/");
  EXPECT_EQ(all.resolved("/../../none/x"), "/none/x");
  EXPECT_TRUE(all.open("/..", O_RDONLY | O_DIRECTORY));
}

}  // namespace
}  // namespace acp::workspace
