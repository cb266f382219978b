#include "coder/store/store.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <mutex>
#include <set>
#include <thread>

#include "acp/workspace/testing/scratch.h"
#include "coder/store/testing/sessions.h"

namespace acp::coder {
namespace {

using namespace testing;
using workspace::testing::Scratch;

// What holds of a file holds of a store in memory.
class StoreTest : public ::testing::TestWithParam<bool> {
 protected:
  Store make() {
    return Store(path(), notices.taker(), [this] {
      return std::chrono::system_clock::time_point(std::chrono::milliseconds(now.load()));
    });
  }
  std::string path() const { return GetParam() ? scratch / "sessions.db" : ""; }
  ~StoreTest() override { EXPECT_EQ(notices.texts, Texts()); }

  Scratch scratch;
  Notices notices;
  std::atomic<std::int64_t> now = 1'700'000'000'123;
};

INSTANTIATE_TEST_SUITE_P(, StoreTest, ::testing::Bool(),
                         [](const auto& info) { return info.param ? "File" : "Memory"; });

Texts ids(const Store::Page& page) {
  Texts result;
  for (const StoredSession& session : page.sessions) result.push_back(session.id);
  return result;
}

TEST_P(StoreTest, GivesBackWhatItWasGiven) {
  Store store = make();
  EXPECT_EQ(store.lasts(), GetParam());
  StoredSession given = session("one", "/home/j\xC3\xB6rg");
  given.additional_directories = {"/a \"b\"", "/\xE2\x82\xAC"};
  given.title = "T\xC3\xAFtle \xF0\x9F\x98\x80";
  given.mode = "ask";
  given.configured_mode = "architect";
  given.model = "large";
  const LiveSession live = store.create(given);
  EXPECT_EQ(live.id(), "one");
  given.updated_at = "2023-11-14T22:13:20.123Z";
  EXPECT_EQ(store.find("one"), given);
  EXPECT_EQ(store.find("two"), std::nullopt);
}

TEST_P(StoreTest, TakesChangesAndReplacesWhatIsNotUtf8) {
  Store store = make();
  LiveSession live = store.create(session("one"));
  now += 1000;
  live.set_title("cut off: \xC3");
  live.set_mode("code", "ask");
  live.set_model("small");
  live.set_directories("/q", {"/r"});
  StoredSession expected = session("one", "/q");
  expected.additional_directories = {"/r"};
  expected.title = "cut off: \xEF\xBF\xBD";
  expected.mode = "code";
  expected.configured_mode = "ask";
  expected.model = "small";
  expected.updated_at = "2023-11-14T22:13:20.123Z";  // not a change
  EXPECT_EQ(store.find("one"), expected);
  live.append(EntryKind::update, "{}");
  EXPECT_EQ(store.find("one")->updated_at, "2023-11-14T22:13:21.123Z");
}

TEST_P(StoreTest, KeepsEntriesInOrderByteForByte) {
  Store store = make();
  const Entries expected = {{EntryKind::update, "{\"a\":1}"},
                            {EntryKind::message, ""},
                            {EntryKind::compaction, std::string("a\0b\xFF", 4)},
                            {EntryKind::dropped, "3"},
                            {EntryKind::message, std::string(3'000'000, 'x')},
                            {EntryKind::message, "last"}};
  {
    LiveSession other = store.create(session("other"));
    LiveSession live = store.create(session("one"));
    live.append(expected[0].kind, expected[0].body);
    other.append(EntryKind::update, "not ours");
    live.append({expected[1], expected[2], expected[3]});
    live.append(Entries());
    live.append(expected[4].kind, expected[4].body);
    EXPECT_EQ(entries_of(other), (Entries{{EntryKind::update, "not ours"}}));
  }
  LiveSession again = store.open("one");
  again.append(expected[5].kind, expected[5].body);
  EXPECT_EQ(entries_of(again), expected);
}

TEST_P(StoreTest, ListsTheNewestFirstAPageAtATime) {
  Store store = make();
  for (const char* const id : {"d", "a", "c", "b"}) store.create(session(id));
  now += 1;
  store.create(session("z"));
  store.create(session("elsewhere", "/q"));
  store.open("c").append(EntryKind::update, "{}");
  const Store::Page all = store.list({}, "", 100);
  EXPECT_EQ(ids(all), (Texts{"c", "elsewhere", "z", "a", "b", "d"}));
  EXPECT_EQ(all.next_cursor, "");
  EXPECT_EQ(ids(store.list("/p", "", 100)), (Texts{"c", "z", "a", "b", "d"}));
  EXPECT_EQ(ids(store.list("/none", "", 100)), Texts());
  EXPECT_EQ(store.list({}, "", 6).next_cursor, "");
  for (std::size_t limit : {0, 1, 2, 3, 4, 5}) {
    Texts seen;
    std::string cursor;
    do {
      const Store::Page page = store.list("/p", cursor, limit);
      ASSERT_LE(page.sessions.size(), std::max<std::size_t>(limit, 1));
      ASSERT_FALSE(page.sessions.empty());
      for (const std::string& id : ids(page)) seen.push_back(id);
      cursor = page.next_cursor;
    } while (!cursor.empty());
    EXPECT_EQ(seen, (Texts{"c", "z", "a", "b", "d"})) << limit;
  }
}

TEST_P(StoreTest, RefusesACursorThatIsNotItsOwn) {
  Store store = make();
  for (const char* const cursor : {"x", "1", "1.", ".a", "1.a/b", "99999999999999999999.a", "1 .a"})
    EXPECT_THROW(store.list({}, cursor, 1), StoreError) << cursor;
}

TEST_P(StoreTest, KnowsNoSessionOfAnOddId) {
  Store store = make();
  const Texts odd = {"",
                     ".",
                     "..",
                     "../one",
                     "a/b",
                     ".hidden",
                     "a\nb",
                     "a b",
                     std::string("a\0b", 3),
                     "\xC3\xB6",
                     std::string(129, 'a'),
                     "absent",
                     ".opening"};
  for (const std::string& id : odd) {
    EXPECT_THROW(store.open(id), UnknownSession) << id;
    EXPECT_EQ(store.find(id), std::nullopt);
    EXPECT_NO_THROW(store.remove(id));
    EXPECT_THROW(store.fork(id, session("copy")), UnknownSession);
    if (id != "absent") {
      EXPECT_THROW(store.create(session(id)), StoreError);
    }
  }
  EXPECT_EQ(ids(store.list({}, "", 9)), Texts());
  store.create(session("2f1c0a52-8d5e_4b.Z"));
  EXPECT_NO_THROW(store.open("2f1c0a52-8d5e_4b.Z"));
}

TEST_P(StoreTest, OneLiveSessionOfAnIdAtATime) {
  Store store = make();
  {
    LiveSession first = store.create(session("one"));
    LiveSession live = std::move(first);
    try {
      store.open("one");
      FAIL();
    } catch (const SessionBusy& error) {
      EXPECT_STREQ(error.what(), "the session one is open already in this process");
    }
    EXPECT_THROW(store.create(session("one")), SessionBusy);
  }
  EXPECT_THROW(store.create(session("one")), StoreError);  // exists
  EXPECT_NO_THROW(store.open("one"));
}

TEST_P(StoreTest, ForksWhatThereIsByNow) {
  Store store = make();
  LiveSession live = store.create(session("one"));
  live.append({{EntryKind::update, "1"}, {EntryKind::message, "2"}});
  StoredSession about = session("copy", "/q");
  about.title = "copy of it";
  LiveSession copy = store.fork("one", about);
  live.append(EntryKind::update, "3");
  copy.append(EntryKind::dropped, "4");
  EXPECT_EQ(
      entries_of(live),
      (Entries{{EntryKind::update, "1"}, {EntryKind::message, "2"}, {EntryKind::update, "3"}}));
  EXPECT_EQ(
      entries_of(copy),
      (Entries{{EntryKind::update, "1"}, {EntryKind::message, "2"}, {EntryKind::dropped, "4"}}));
  EXPECT_EQ(store.find("copy")->title, "copy of it");
  EXPECT_THROW(store.fork("one", session("copy")), StoreError);
  EXPECT_THROW(store.fork("copy", session("one")), StoreError);
  EXPECT_EQ(entries_of(store.fork("copy", session("third"))).size(), 3u);
}

TEST_P(StoreTest, RemovesASessionAlsoUnderItsOwnHands) {
  Store store = make();
  store.create(session("two")).append(EntryKind::update, "stays");
  LiveSession live = store.create(session("one"));
  live.append(EntryKind::update, "{}");
  store.remove("one");
  EXPECT_EQ(store.find("one"), std::nullopt);
  EXPECT_THROW(live.append(EntryKind::update, "{}"), UnknownSession);
  EXPECT_THROW(live.set_title("t"), UnknownSession);
  EXPECT_THROW(live.set_directories("/", {}), UnknownSession);
  EXPECT_THROW(entries_of(live), UnknownSession);
  store.remove("one");
  // Its number is not given to the next one, or this would write into that.
  LiveSession next = store.create(session("next"));
  EXPECT_THROW(live.append(EntryKind::update, "{}"), UnknownSession);
  EXPECT_EQ(entries_of(next), Entries());
  store.remove("next");
  store.remove("two");
  EXPECT_EQ(ids(store.list({}, "", 9)), Texts());
}

TEST_P(StoreTest, MayBeCalledWhileItReads) {
  Store store = make();
  LiveSession live = store.create(session("one"));
  const std::string large(100'000, 'x');
  for (int i = 0; i < 10; ++i) live.append(EntryKind::message, large + std::to_string(i));
  int count = 0;
  live.read([&](EntryKind kind, std::string_view body) {
    EXPECT_EQ(kind, EntryKind::message);
    EXPECT_EQ(body, large + std::to_string(count++));
    live.append(EntryKind::update, "new");
    EXPECT_TRUE(store.find("one"));
  });
  EXPECT_EQ(count, 10);
  EXPECT_EQ(entries_of(live).size(), 20u);
  EXPECT_THROW(live.read([&](EntryKind, std::string_view) { store.remove("one"); }),
               UnknownSession);
}

TEST_P(StoreTest, OutlivedByItsSessions) {
  std::optional<Store> store = make();
  LiveSession live = store->create(session("one"));
  store.reset();
  live.append(EntryKind::update, "{}");
  EXPECT_EQ(entries_of(live).size(), 1u);
}

TEST_P(StoreTest, ServesManyThreads) {
  Store store = make();
  constexpr int threads = 4, appends = 100;
  LiveSession shared = store.create(session("shared"));
  std::vector<std::thread> running;
  for (int t = 0; t < threads; ++t)
    running.emplace_back([&, t] {
      const std::string id = "of-" + std::to_string(t);
      LiveSession own = store.create(session(id));
      for (int i = 0; i < appends; ++i) {
        own.append(EntryKind::update, std::to_string(i));
        shared.append(EntryKind::message, id);
        if (i % 10 == 0) {
          own.set_title(std::to_string(i));
          store.list({}, "", 3);
          EXPECT_EQ(entries_of(own).size(), static_cast<std::size_t>(i) + 1);
        }
      }
      store.create(session(id + "-gone"));
      store.remove(id + "-gone");
    });
  for (std::thread& thread : running) thread.join();
  EXPECT_EQ(entries_of(shared).size(), std::size_t{threads * appends});
  EXPECT_EQ(store.list({}, "", 99).sessions.size(), std::size_t{threads + 1});
  const Entries own = entries_of(store.open("of-2"));
  for (int i = 0; i < appends; ++i) EXPECT_EQ(own.at(i).body, std::to_string(i));
}

}  // namespace
}  // namespace acp::coder
