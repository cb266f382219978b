// What belongs to acp itself is out of reach, whatever the session's directories are.
#include "acp/workspace/files/forbidden.h"

#include <gtest/gtest.h>

#include <functional>

#include "acp/workspace/files/files.h"
#include "acp/workspace/testing/scratch.h"

namespace acp::workspace {
namespace {

namespace fs = std::filesystem;
using testing::Scratch;

// A home directory in which the agent works.
class ForbiddenTest : public ::testing::TestWithParam<Boundary::Walk> {
 protected:
  Files files(const std::vector<std::string>& names,
              const std::vector<std::string>& forbidden = {"home/.config/acp"}) const {
    std::vector<std::string> directories, places;
    for (const std::string& name : names) directories.push_back(scratch / name);
    for (const std::string& name : forbidden) places.push_back(scratch / name);
    return Files(Boundary(directories, Forbidden(places), GetParam()));
  }
  void refuse(const std::string& what, const std::function<void()>& attempt) const {
    try {
      attempt();
      ADD_FAILURE() << "not refused: " << what;
    } catch (const FileError& error) {
      EXPECT_NE(std::string(error.what()).find("belongs to acp itself"), std::string::npos)
          << what << ": " << error.what();
      EXPECT_EQ(error.kind(), FileError::Kind::denied) << what;
    }
  }
  void put_configuration() const {
    scratch.put("home/.config/acp/keys.toml", "key");
    scratch.put("home/.config/acp/policy.toml", "rules");
    scratch.put("home/.config/acp/deep/file", "deep");
    scratch.put("home/.config/other/file", "other");
  }

  const Scratch scratch{"home/project"};
};

INSTANTIATE_TEST_SUITE_P(, ForbiddenTest,
                         ::testing::Values(Boundary::Walk::by_system,
                                           Boundary::Walk::by_components),
                         [](const auto& info) {
                           return info.param == Boundary::Walk::by_system ? "BySystem"
                                                                          : "ByComponents";
                         });

TEST_P(ForbiddenTest, EveryWayToItIsRefused) {
  put_configuration();
  scratch.link("home/to_keys", ".config/acp/keys.toml");
  scratch.link("home/to_acp", scratch / "home/.config/acp");
  scratch.link("home/to_config", ".config");
  scratch.link("home/to_new", ".config/acp/new.toml");
  const Files home = files({"home"}),
              all(Boundary({"/"}, Forbidden({scratch / "home/.config/acp"}), GetParam())),
              nested = files({"home/project", "home/.config"}),
              within = files({"home/.config/acp"}), deep = files({"home/.config/acp/deep"});
  for (const Files* files : {&home, &all, &nested, &within, &deep})
    for (const char* name :
         {"home/.config/acp/keys.toml", "home/.config/../.config/acp/./keys.toml",
          "home/.config/acp/deep/file", "home/.config/acp/deep/../keys.toml"}) {
      const std::string path = scratch / name;
      const bool outside = (files == &within || files == &deep) && path.find("..") != path.npos;
      if (outside || (files == &deep && path.find("deep") == path.npos)) continue;
      refuse("read " + path, [&] { files->read_text(path); });
      refuse("write " + path, [&] { files->write(path, "x"); });
      refuse("kind " + path, [&] { files->kind(path); });
      refuse("remove " + path, [&] { files->remove(path); });
      refuse("resolve " + path, [&] { files->boundary().resolved(path); });
    }
  for (const char* name : {"to_keys", "to_acp/keys.toml", "to_config/acp/policy.toml"}) {
    const std::string path = scratch / ("home/" + std::string(name));
    refuse("read " + path, [&] { home.read_text(path); });
    refuse("bytes of " + path, [&] { home.read_bytes(path); });
    refuse("write " + path, [&] { home.write(path, "x"); });
  }
  refuse("list", [&] { home.list(scratch / "home/.config/acp"); });
  refuse("list", [&] { home.list(scratch / "home/to_acp"); });
  for (const char* name : {"to_new", ".config/acp/new", ".config/acp/new/deep"}) {
    const std::string path = scratch / ("home/" + std::string(name));
    refuse("write " + path, [&] { home.write(path, "x"); });
    refuse("make " + path, [&] { home.make_directory(path); });
  }
  scratch.put("home/mine", "mine");
  const auto in_home = [&](const std::string& name) { return scratch / ("home/" + name); };
  refuse("move in", [&] { home.move(in_home("mine"), in_home(".config/acp/mine")); });
  refuse("move out", [&] { home.move(in_home(".config/acp/keys.toml"), in_home("stolen")); });
  refuse("move it", [&] { home.move(in_home(".config/acp"), in_home("stolen")); });
  refuse("move its parent", [&] { home.move(in_home(".config"), in_home("stolen")); });
  refuse("move by a link", [&] { home.move(in_home("to_config/acp"), in_home("stolen")); });
  refuse("delete it", [&] { home.remove(in_home(".config/acp")); });
  refuse("delete its parent", [&] { home.remove(in_home(".config")); });
  EXPECT_EQ(scratch.get("home/.config/acp/keys.toml"), "key");
  EXPECT_EQ(scratch.get("home/.config/acp/policy.toml"), "rules");
  EXPECT_FALSE(fs::exists(in_home(".config/acp/new")));

  // All else is as it was.
  EXPECT_EQ(home.list(in_home(".config")).size(), 2u);
  EXPECT_EQ(home.read_text(in_home(".config/other/file")), "other");
  home.write(in_home(".config/other/new/file"), "x");
  home.write(in_home("to_config/other/file"), "changed");
  home.move(in_home(".config/other"), in_home("moved"));
  home.remove(in_home("to_acp"));
  EXPECT_EQ(scratch.get("home/moved/file"), "changed");
}

TEST_P(ForbiddenTest, AHardLinkIsTheSameFile) {
  put_configuration();
  fs::create_hard_link(scratch / "home/.config/acp/keys.toml", scratch / "home/project/innocent");
  fs::create_hard_link(scratch / "home/.config/other/file", scratch / "home/project/harmless");
  const Files project = files({"home/project"});
  refuse("read", [&] { project.read_text("innocent"); });
  refuse("kind", [&] { project.kind("innocent"); });
  refuse("place", [&] { project.boundary().place(scratch / "home/project/innocent", false); });
  EXPECT_EQ(project.read_text("harmless"), "other");
}

TEST_P(ForbiddenTest, WhatIsNotThereYetCannotBeMade) {
  fs::create_directories(scratch.path() / "home/.config");
  const Files home = files({"home"});
  scratch.put("home/project/policy.toml", "hostile");
  const auto in_home = [&](const std::string& name) { return scratch / ("home/" + name); };
  for (const char* name : {".config/acp", ".config/acp/policy.toml", ".config/acp/a/b"}) {
    refuse(name, [&] { home.write(in_home(name), "x"); });
    refuse(name, [&] { home.make_directory(in_home(name)); });
    refuse(name, [&] { home.move(in_home("project"), in_home(name)); });
  }
  refuse("move", [&] { home.move(in_home(".config"), in_home("elsewhere")); });
  refuse("delete", [&] { home.remove(in_home(".config")); });
  EXPECT_TRUE(fs::is_empty(in_home(".config")));
}

// What is on the way there decides where acp will look.
TEST_P(ForbiddenTest, NothingCanBePutOnTheWayThere) {
  scratch.put("home/project/acp/policy.toml", "hostile");
  scratch.link("home/link", "project");
  const Files home = files({"home"});
  const auto in_home = [&](const std::string& name) { return scratch / ("home/" + name); };
  refuse("move", [&] { home.move(in_home("project"), in_home(".config")); });
  refuse("move a link", [&] { home.move(in_home("link"), in_home(".config")); });
  refuse("write", [&] { home.write(in_home(".config"), "x"); });
  // A new directory is empty, and then what belongs to acp is known in it.
  home.write(in_home(".config/other/file"), "x");
  refuse("write", [&] { home.write(in_home(".config/acp/policy.toml"), "x"); });
  refuse("all at once",
         [&] { files({"home"}, {"home/a/b/c"}).write(in_home("a/b/c/d/file"), "x"); });
  EXPECT_FALSE(fs::exists(in_home("a/b/c")));
}

TEST_P(ForbiddenTest, ALinkOnTheWayThereStays) {
  scratch.put("home/dots/config/acp/keys.toml", "key");
  scratch.link("home/.config", "dots/config");
  scratch.put("home/mine/acp/keys.toml", "hostile");
  const Files home = files({"home"});
  const auto in_home = [&](const std::string& name) { return scratch / ("home/" + name); };
  refuse("read", [&] { home.read_text(in_home("dots/config/acp/keys.toml")); });
  refuse("delete the link", [&] { home.remove(in_home(".config")); });
  refuse("move the link", [&] { home.move(in_home(".config"), in_home("x")); });
  refuse("move what it leads to", [&] { home.move(in_home("dots"), in_home("x")); });
  EXPECT_EQ(home.list(in_home(".config")).size(), 1u);
}

TEST_P(ForbiddenTest, AFileAlone) {
  scratch.put("home/project/keys.toml", "key");
  scratch.put("home/project/other.toml", "other");
  scratch.link("home/project/link", "keys.toml");
  scratch.link("home/project/dangling", "../later.toml");
  const Files home = files({"home"}, {"home/project/keys.toml", "home/project/dangling"});
  const auto in_project = [&](const std::string& name) {
    return scratch / ("home/project/" + name);
  };
  refuse("read", [&] { home.read_text(in_project("keys.toml")); });
  refuse("read", [&] { home.read_text(in_project("link")); });
  refuse("write", [&] { home.write(in_project("keys.toml"), "x"); });
  refuse("remove", [&] { home.remove(in_project("keys.toml")); });
  refuse("where its link leads", [&] { home.write(scratch / "home/later.toml", "x"); });
  refuse("move its directory", [&] { home.move(scratch / "home/project", scratch / "home/x"); });
  // A new file under the old name.
  fs::remove(in_project("keys.toml"));
  refuse("write", [&] { home.write(in_project("keys.toml"), "x"); });
  scratch.put("home/project/keys.toml", "new key");
  refuse("read", [&] { home.read_text(in_project("keys.toml")); });
  EXPECT_EQ(home.read_text(in_project("other.toml")), "other");
}

}  // namespace
}  // namespace acp::workspace
