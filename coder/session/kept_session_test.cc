// A store that fails for a while loses nothing, and says so.
#include "coder/session/kept_session.h"

#include <gtest/gtest.h>

#include "acp/workspace/testing/scratch.h"
#include "coder/testing/full_disk.h"

namespace acp::coder {
namespace {

using testing::FullDisk;
using Kind = KeptSession::News::Kind;

class KeptSessionTest : public ::testing::Test {
 protected:
  KeptSessionTest()
      : store(scratch / "sessions.db", [](const auto& text) { ADD_FAILURE() << text; }) {}

  LiveSession create(const std::string& id = "one") {
    StoredSession session;
    session.id = id;
    session.cwd = "/";
    session.mode = "ask";
    return store.create(session);
  }
  static std::vector<LiveSession::Entry> update(const std::string& text) {
    return {{EntryKind::update, text}};
  }
  // What is stored, all in one line.
  static std::string stored(const KeptSession& kept) {
    std::string text;
    kept.read([&](EntryKind, std::string_view body) { text += std::string(body) + " "; });
    return text;
  }
  static std::vector<Kind> news(KeptSession& kept) {
    std::vector<Kind> kinds;
    for (const KeptSession::News& one : kept.take_news()) kinds.push_back(one.kind);
    return kinds;
  }

  workspace::testing::Scratch scratch;
  Store store;
};

TEST_F(KeptSessionTest, StoresInOrderWhatCouldNotBeStored) {
  KeptSession kept(create());
  kept.append(update("a"));
  EXPECT_EQ(news(kept), std::vector<Kind>());
  {
    const FullDisk full;
    kept.append(update("b"));
    kept.append({{EntryKind::message, "c"}, {EntryKind::message, "d"}});
    kept.set_mode("code", "ask");
    kept.set_model("large");
    kept.set_title("first");
    kept.set_title("last");
    EXPECT_FALSE(kept.settle());
  }
  const auto told = kept.take_news();
  ASSERT_EQ(told.size(), 1u) << "it is said once";
  EXPECT_EQ(told[0].kind, Kind::waits);
  EXPECT_NE(told[0].why.find("sessions.db"), std::string::npos) << told[0].why;
  EXPECT_EQ(stored(kept), "a ");

  kept.append(update("e"));
  EXPECT_EQ(stored(kept), "a b c d e ");
  EXPECT_EQ(news(kept), std::vector<Kind>{Kind::stored});
  EXPECT_EQ(store.find("one")->mode, "code");
  EXPECT_EQ(store.find("one")->configured_mode, "ask");
  EXPECT_EQ(store.find("one")->model, "large");
  EXPECT_EQ(store.find("one")->title, "last");
  kept.append(update("f"));
  EXPECT_EQ(news(kept), std::vector<Kind>());
}

TEST_F(KeptSessionTest, TriesOnceMoreAtItsEnd) {
  {
    KeptSession kept(create());
    const FullDisk full;
    kept.append(update("a"));
  }  // the disk has room again before the session ends
  const KeptSession again(store.open("one"));
  EXPECT_EQ(stored(again), "a ");
}

TEST_F(KeptSessionTest, OnlyUpdatesAreLeftOutWhereTooMuchWaits) {
  KeptSession kept(create(), 1000);
  {
    const FullDisk full;
    kept.append(update("a"));
    kept.append(update(std::string(2000, 'x')));
    kept.append({{EntryKind::update, std::string(2000, 'x')}, {EntryKind::message, "b"}});
    kept.append({{EntryKind::message, std::string(3000, 'c')}});
  }
  EXPECT_EQ(news(kept), (std::vector<Kind>{Kind::waits, Kind::dropped}));
  EXPECT_TRUE(kept.settle());
  EXPECT_EQ(stored(kept), "a b " + std::string(3000, 'c') + " ");
  const auto told = kept.take_news();
  ASSERT_EQ(told.size(), 1u);
  EXPECT_EQ(told[0].kind, Kind::stored);
  EXPECT_NE(told[0].why, "") << "something is missing";
}

TEST_F(KeptSessionTest, ASessionThatWasRemovedIsNotStoredAnyMore) {
  KeptSession kept(create());
  store.remove("one");
  kept.append(update("a"));
  kept.append(update("b"));
  kept.set_title("c");
  EXPECT_TRUE(kept.settle());
  EXPECT_EQ(news(kept), std::vector<Kind>{Kind::removed});
}

}  // namespace
}  // namespace acp::coder
