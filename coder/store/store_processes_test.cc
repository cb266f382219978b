// Several processes, one store; and processes that are killed.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <memory>
#include <random>

#include "acp/workspace/testing/scratch.h"
#include "coder/store/session_lock_posix.h"
#include "coder/store/testing/child.h"
#include "coder/store/testing/sessions.h"

namespace acp::coder {
namespace {

using namespace testing;
namespace fs = std::filesystem;
using workspace::testing::Scratch;

class StoreProcessesTest : public ::testing::Test {
 protected:
  Store open() { return Store(path, notices.taker()); }
  ~StoreProcessesTest() override { EXPECT_EQ(notices.texts, Texts()); }

  Scratch scratch;
  std::string path = scratch / "sessions.db";
  Notices notices;
};

TEST_F(StoreProcessesTest, TwoWriteAtTheSameTime) {
  constexpr int appends = 500;
  std::vector<std::unique_ptr<Child>> children;
  for (const char* const id : {"one", "two"})
    children.push_back(std::make_unique<Child>([&, id](const Child::Parent& parent) {
      Store store(path, nullptr);
      LiveSession live = store.create(session(id));
      parent.say('r');
      parent.hear();
      for (int i = 0; i < appends; ++i) {
        live.append(EntryKind::update, id + std::to_string(i));
        if (i % 50 == 0) store.list({}, "", 10);
      }
    }));
  char ready;
  for (const auto& child : children) ASSERT_TRUE(child->hear(ready));
  for (const auto& child : children) child->say();
  for (const auto& child : children) EXPECT_EQ(child->wait(), 0);
  Store store = open();
  for (const std::string id : {"one", "two"}) {
    const Entries entries = entries_of(store.open(id));
    ASSERT_EQ(entries.size(), std::size_t{appends});
    for (int i = 0; i < appends; ++i) EXPECT_EQ(entries[i].body, id + std::to_string(i));
  }
}

TEST_F(StoreProcessesTest, ALiveSessionIsBusyUntilItsProcessIsGone) {
  for (const bool killed : {true, false}) {
    Child child([&](const Child::Parent& parent) {
      Store store(path, nullptr);
      LiveSession live = killed ? store.create(session("one")) : store.open("one");
      live.append(EntryKind::update, "{}");
      parent.say('r');
      parent.hear();
    });
    char ready;
    ASSERT_TRUE(child.hear(ready));
    Store store = open();
    try {
      store.open("one");
      FAIL();
    } catch (const SessionBusy& error) {
      EXPECT_EQ(error.what(), "the session one is in use by another process (pid " +
                                  std::to_string(child.process()) + ")");
    }
    EXPECT_THROW(store.remove("one"), SessionBusy);
    EXPECT_TRUE(store.find("one"));
    const std::string copy = killed ? "copy" : "copy-2";
    EXPECT_EQ(entries_of(store.fork("one", session(copy))).size(), killed ? 1u : 3u);
    if (killed) {
      child.kill();
    } else {
      child.say();
      EXPECT_EQ(child.wait(), 0);
    }
    LiveSession live = store.open("one");
    live.append(EntryKind::update, "{}");
    EXPECT_EQ(entries_of(live).size(), killed ? 2u : 4u);
  }
  open().remove("one");
  EXPECT_FALSE(open().find("one"));
}

// The process that has the session makes a file that must not be there.
TEST_F(StoreProcessesTest, NoTwoHaveASessionHoweverOftenItIsClosed) {
  const std::string mark = scratch / "held";
  std::vector<std::unique_ptr<Child>> children;
  for (int i = 0; i < 4; ++i)
    children.push_back(std::make_unique<Child>([&](const Child::Parent& parent) {
      parent.say('r');
      parent.hear();
      for (int had = 0; had < 300;) try {
          const SessionLock lock(scratch.path(), "one");
          ++had;
          const io::Descriptor file(::open(mark.c_str(), O_CREAT | O_EXCL | O_CLOEXEC, 0600));
          if (!file) _exit(4);
          unlink(mark.c_str());
        } catch (const SessionBusy&) {
          sched_yield();
        }
    }));
  char ready;
  for (const auto& child : children) ASSERT_TRUE(child->hear(ready));
  for (const auto& child : children) child->say();
  for (const auto& child : children) EXPECT_EQ(child->wait(), 0);
  EXPECT_TRUE(fs::is_empty(scratch.path()));
}

TEST_F(StoreProcessesTest, WhatItStartsHasNoPartInIt) {
  Store store = open();
  LiveSession live = store.create(session("one"));
  live.append(EntryKind::update, "{}");
  std::FILE* const listing = popen("ls -l /proc/self/fd", "r");
  std::string text;
  for (int c; (c = std::fgetc(listing)) != EOF;) text += static_cast<char>(c);
  pclose(listing);
  EXPECT_NE(text, "");
  EXPECT_EQ(text.find(scratch.path().string()), std::string::npos) << text;
}

std::string body_of(int number) {
  return std::to_string(number) + ":" +
         std::string(static_cast<std::size_t>(number % 60) * 100, 'x');
}

// Single entries, and every fifth time three at once. Says how many there are after each.
void append_for_ever(const std::string& path, const std::string& id, const Child::Parent& parent) {
  Store store(path, nullptr);
  LiveSession live = store.create(session(id));
  for (int count = 0;;) {
    if (count % 7 == 4) {
      live.append({{EntryKind::message, body_of(count)},
                   {EntryKind::message, body_of(count + 1)},
                   {EntryKind::message, body_of(count + 2)}});
      count += 3;
    } else {
      live.append(EntryKind::message, body_of(count));
      count += 1;
    }
    parent.say(count);
  }
}

TEST_F(StoreProcessesTest, WhatWasAppendedOutlivesAKill) {
  std::mt19937 random(20240611);
  for (int round = 0; round < 100; ++round) {
    SCOPED_TRACE(round);
    const std::string id = "round-" + std::to_string(round);
    int acknowledged = 0;
    {
      Child child([&](const Child::Parent& parent) { append_for_ever(path, id, parent); });
      const auto words = random() % (round % 10 == 0 ? 1000 : 150);
      for (unsigned heard = 0; heard <= words; ++heard) ASSERT_TRUE(child.hear(acknowledged));
      child.kill();
      while (child.hear(acknowledged)) {
      }
    }
    Store store = open();
    const Entries entries = entries_of(store.open(id));
    const auto count = static_cast<int>(entries.size());
    ASSERT_GE(count, acknowledged);
    ASSERT_LE(count, acknowledged + 3);
    ASSERT_TRUE(count % 7 != 5 && count % 7 != 6) << count << ": three at once, or none";
    for (int i = 0; i < count; ++i) ASSERT_EQ(entries[i].body, body_of(i));
    ASSERT_EQ(store.list({}, "", 1000).sessions.size(), static_cast<std::size_t>(round) + 1);
  }
}

TEST_F(StoreProcessesTest, AKillWhileItIsMadeLeavesAStoreThatWorks) {
  std::mt19937 random(7);
  for (int round = 0; round < 40; ++round) {
    path = scratch / std::to_string(round) + "/sessions.db";
    Child child([&](const Child::Parent& parent) {
      parent.say('r');
      Store store(path, nullptr);
      store.create(session("one"));
      parent.hear();
    });
    char ready;
    ASSERT_TRUE(child.hear(ready));
    const auto until =
        std::chrono::steady_clock::now() + std::chrono::microseconds(random() % 4000);
    while (std::chrono::steady_clock::now() < until) {  // any moment will do
    }
    child.kill();
    Store store = open();
    EXPECT_TRUE(store.lasts());
    store.create(session("two"));
    EXPECT_GE(store.list({}, "", 9).sessions.size(), 1u);
  }
}

TEST_F(StoreProcessesTest, OneOfManySetsADamagedStoreAside) {
  for (int round = 0; round < 15; ++round) {
    path = scratch / std::to_string(round) + "/sessions.db";
    scratch.put(std::to_string(round) + "/sessions.db", "garbage" + std::string(5000, 'g'));
    std::vector<std::unique_ptr<Child>> children;
    for (int i = 0; i < 4; ++i)
      children.push_back(std::make_unique<Child>([&, i](const Child::Parent& parent) {
        parent.say('r');
        parent.hear();
        Store(path, nullptr).create(session("of-" + std::to_string(i)));
      }));
    char ready;
    for (const auto& child : children) ASSERT_TRUE(child->hear(ready));
    for (const auto& child : children) child->say();
    for (const auto& child : children) EXPECT_EQ(child->wait(), 0);
    EXPECT_EQ(open().list({}, "", 9).sessions.size(), 4u);
    int aside = 0;
    for (const auto& entry : fs::directory_iterator(fs::path(path).parent_path())) {
      const std::string name = entry.path().filename();
      if (name.find("corrupt") == std::string::npos) continue;
      EXPECT_FALSE(name.ends_with("-wal"));
      ++aside;
    }
    EXPECT_EQ(aside, 1);
  }
}

}  // namespace
}  // namespace acp::coder
