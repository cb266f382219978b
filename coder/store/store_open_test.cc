// What lies where the store should be, and what becomes of it.
#include <gtest/gtest.h>
#include <sqlite3.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <cstdlib>

#include "acp/workspace/testing/scratch.h"
#include "coder/store/schema.h"
#include "coder/store/testing/child.h"
#include "coder/store/testing/sessions.h"

namespace acp::coder {
namespace {

using namespace testing;
namespace fs = std::filesystem;
using workspace::testing::Scratch;

class StoreOpenTest : public ::testing::Test {
 protected:
  Store open() { return Store(path, notices.taker()); }
  void sql(const std::string& text) const {
    sqlite3* database = nullptr;
    ASSERT_EQ(sqlite3_open(path.c_str(), &database), SQLITE_OK);
    EXPECT_EQ(sqlite3_exec(database, text.c_str(), nullptr, nullptr, nullptr), SQLITE_OK)
        << sqlite3_errmsg(database);
    sqlite3_close(database);
  }
  Texts names(const std::string& directory = "") const {
    Texts result;
    for (const auto& entry : fs::directory_iterator(scratch.path() / directory))
      result.push_back(entry.path().filename());
    std::sort(result.begin(), result.end());
    return result;
  }
  // One was set aside, and that was reported; the name.
  std::string expect_set_aside() {
    std::string found;
    for (const std::string& name : names())
      if (name.starts_with("sessions.db.corrupt-") && !name.ends_with("-wal") &&
          !name.ends_with("-shm")) {
        EXPECT_EQ(found, "");
        found = name;
      }
    EXPECT_NE(found, "");
    EXPECT_EQ(notices.texts.size(), 1u);
    if (!notices.texts.empty()) {
      EXPECT_NE(notices.texts[0].find(scratch / found), std::string::npos) << notices.texts[0];
    }
    return found;
  }
  void expect_works() {
    Store store = open();
    store.create(session("new")).append(EntryKind::update, "{}");
    EXPECT_EQ(store.list({}, "", 9).sessions.size(), 1u);
    EXPECT_TRUE(store.lasts());
  }

  Scratch scratch;
  std::string path = scratch / "sessions.db";
  Notices notices;
};

unsigned mode_of(const std::string& path) {
  return static_cast<unsigned>(fs::status(path).permissions());
}

TEST_F(StoreOpenTest, IsNobodyElsesToRead) {
  path = scratch / "new/acp/sessions.db";
  const mode_t before = umask(0);
  Store store = open();
  const LiveSession live = store.create(session("one"));
  umask(before);
  EXPECT_EQ(mode_of(scratch / "new"), 0700u);
  EXPECT_EQ(mode_of(scratch / "new/acp"), 0700u);
  EXPECT_EQ(mode_of(path), 0600u);
  EXPECT_EQ(mode_of(path + "-wal"), 0600u);
  EXPECT_EQ(mode_of(path + "-shm"), 0600u);
  EXPECT_EQ(mode_of(path + ".d"), 0700u);
  EXPECT_EQ(mode_of(path + ".d/one.lock"), 0600u);
  EXPECT_EQ(notices.texts, Texts());
}

TEST_F(StoreOpenTest, TakesBackWhatOthersMayRead) {
  open();
  fs::permissions(path, fs::perms(0644));
  open();
  EXPECT_EQ(mode_of(path), 0600u);
}

TEST_F(StoreOpenTest, HasAWriteAheadLogAndLeavesNothingElse) {
  {
    Store store = open();
    store.create(session("one"));
    EXPECT_EQ(names("sessions.db.d"), (Texts{".opening"}));
    LiveSession live = store.open("one");
    EXPECT_EQ(names("sessions.db.d"), (Texts{".opening", "one.lock"}));
    EXPECT_TRUE(fs::exists(path + "-wal"));
    EXPECT_THROW(store.create(session("one")), SessionBusy);
    EXPECT_THROW(store.fork("none", session("two")), UnknownSession);
  }
  EXPECT_EQ(scratch.get("sessions.db").substr(18, 2), "\2\2");
  EXPECT_EQ(names(), (Texts{"sessions.db", "sessions.db.d"}));
  EXPECT_EQ(names("sessions.db.d"), (Texts{".opening"}));
}

TEST_F(StoreOpenTest, RemovesTheBytesToo) {
  Store store = open();
  {
    LiveSession live = store.create(session("one"));
    for (int i = 0; i < 500; ++i) live.append(EntryKind::message, "my-secret " + std::to_string(i));
    live.append(EntryKind::message, "my-secret" + std::string(100'000, 'x'));
    live.set_title("my-secret");
  }
  const auto seen = [&] {
    return (scratch.get("sessions.db") + scratch.get("sessions.db-wal")).find("my-secret") !=
           std::string::npos;
  };
  EXPECT_TRUE(seen());
  store.remove("one");
  EXPECT_FALSE(seen());
}

TEST_F(StoreOpenTest, AllEntriesOrNone) {
  Store store = open();
  LiveSession live = store.create(session("one"));
  sql("CREATE TRIGGER refusing BEFORE INSERT ON entries WHEN new.body = 'bad'"
      " BEGIN SELECT raise(ABORT, 'refused'); END");
  live.append(EntryKind::update, "1");
  EXPECT_THROW(live.append({{EntryKind::update, "2"}, {EntryKind::update, "bad"}}), StoreError);
  EXPECT_THROW(live.append(EntryKind::update, "bad"), StoreError);
  live.append(EntryKind::update, "3");
  EXPECT_EQ(entries_of(live), (Entries{{EntryKind::update, "1"}, {EntryKind::update, "3"}}));
}

// As version 1 was made. Never to be changed.
const char* const version_1 = R"(
  PRAGMA journal_mode = WAL;
  PRAGMA application_id = 1633906803;
  PRAGMA user_version = 1;
  CREATE TABLE sessions (number INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE,
    cwd TEXT NOT NULL, additional_directories TEXT NOT NULL, title TEXT NOT NULL,
    mode TEXT NOT NULL, model TEXT NOT NULL, updated_at INTEGER NOT NULL) STRICT;
  CREATE TABLE entries (key INTEGER PRIMARY KEY, kind INTEGER NOT NULL, body TEXT NOT NULL) STRICT;
  INSERT INTO sessions VALUES (7, 'old', '/p', '["/a","/b"]', 'Title', 'ask', 'large', 86400000);
  INSERT INTO entries VALUES (7 << 32 | 0, 0, 'u'), (7 << 32 | 1, 1, 'm'), (7 << 32 | 2, 2, 'c'),
    (7 << 32 | 3, 3, '1'), (8 << 32, 0, 'of another'), (6 << 32, 0, 'of another');
)";

TEST_F(StoreOpenTest, ReadsVersion1) {
  sql(version_1);
  Store store = open();
  StoredSession expected = session("old");
  expected.additional_directories = {"/a", "/b"};
  expected.title = "Title";
  expected.mode = "ask";
  expected.model = "large";
  expected.updated_at = "1970-01-02T00:00:00.000Z";
  EXPECT_EQ(store.find("old"), expected);
  LiveSession live = store.open("old");
  live.append(EntryKind::update, "new");
  EXPECT_EQ(entries_of(live), (Entries{{EntryKind::update, "u"},
                                       {EntryKind::message, "m"},
                                       {EntryKind::compaction, "c"},
                                       {EntryKind::dropped, "1"},
                                       {EntryKind::update, "new"}}));
  EXPECT_EQ(notices.texts, Texts());
}

TEST_F(StoreOpenTest, MigratesStepByStepOrNotAtAll) {
  const std::vector<const char*> old = {"CREATE TABLE sessions (id TEXT)"};
  const std::vector<const char*> bad = {old[0], "ALTER TABLE sessions ADD COLUMN model TEXT",
                                        "ALTER TABLE no_such ADD COLUMN mode TEXT"};
  const std::vector<const char*> now = {
      old[0], "ALTER TABLE sessions ADD COLUMN model TEXT NOT NULL DEFAULT 'unknown'",
      "CREATE TABLE more (a); INSERT INTO more VALUES (1), (2)"};
  scratch.put("sessions.db", "");
  Database database(path);
  migrate(database, old);
  EXPECT_EQ(database.number("PRAGMA user_version"), 1);
  database.execute("INSERT INTO sessions VALUES ('one')");
  EXPECT_THROW(migrate(database, bad), DatabaseError);
  EXPECT_EQ(database.number("PRAGMA user_version"), 1);
  EXPECT_EQ(database.number("SELECT count(*) FROM pragma_table_info('sessions')"), 1);
  for (int again = 0; again < 2; ++again) {
    migrate(database, now);
    EXPECT_EQ(database.number("PRAGMA user_version"), 3);
    EXPECT_EQ(database.number("SELECT model = 'unknown' FROM sessions WHERE id = 'one'"), 1);
    EXPECT_EQ(database.number("SELECT count(*) FROM more"), 2);
  }
  EXPECT_THROW(migrate(database, old), StoreError);  // which is now of a newer version
}

TEST_F(StoreOpenTest, DoesNotTouchANewerOne) {
  sql(version_1);
  sql("PRAGMA user_version = 99; CREATE TABLE of_the_future (a)");
  const std::string before = scratch.get("sessions.db");
  try {
    open();
    FAIL();
  } catch (const StoreError& error) {
    EXPECT_EQ(std::string(error.what()),
              "the session store (" + path +
                  ") is of version 99, written by a newer acp; this one knows versions up to " +
                  std::to_string(schema_steps().size()));
  }
  EXPECT_EQ(scratch.get("sessions.db"), before);
  EXPECT_EQ(notices.texts, Texts());
}

TEST_F(StoreOpenTest, DoesNotTouchADatabaseOfAnotherProgram) {
  sql("CREATE TABLE theirs (a)");
  const std::string before = scratch.get("sessions.db");
  EXPECT_THROW(open(), StoreError);
  EXPECT_EQ(scratch.get("sessions.db"), before);
  EXPECT_EQ(notices.texts, Texts());
}

TEST_F(StoreOpenTest, SetsGarbageAside) {
  scratch.put("sessions.db",
              "garbage, and long enough to look like something" + std::string(9999, 'g'));
  scratch.put("sessions.db-wal", "its log");
  expect_works();
  const std::string name = expect_set_aside();
  EXPECT_TRUE(scratch.get(name).starts_with("garbage"));
  EXPECT_EQ(scratch.get(name + "-wal"), "its log");
  EXPECT_EQ(open().list({}, "", 9).sessions.size(), 1u);
  expect_set_aside();  // that one, and no other
}

TEST_F(StoreOpenTest, SetsATruncatedOneAside) {
  {
    LiveSession live = open().create(session("one"));
    for (int i = 0; i < 100; ++i) live.append(EntryKind::update, std::string(1000, 'x'));
  }
  const std::string whole = scratch.get("sessions.db");
  ASSERT_GT(whole.size(), 100'000u);
  for (const std::size_t size : {2, 20, 99, 100, 511, 512, 4096, 8192, 65'536}) {
    SCOPED_TRACE(size);
    for (const std::string& name : names()) fs::remove_all(scratch / name);
    notices.texts.clear();
    scratch.put("sessions.db", whole.substr(0, size));
    expect_works();
    EXPECT_EQ(scratch.get(expect_set_aside()), whole.substr(0, size));
  }
}

TEST_F(StoreOpenTest, SetsADirectoryAside) {
  fs::create_directory(path);
  scratch.put("sessions.db/file", "theirs");
  expect_works();
  EXPECT_EQ(scratch.get(expect_set_aside() + "/file"), "theirs");
}

TEST_F(StoreOpenTest, SetsAsideALogWithoutItsFile) {
  {
    LiveSession live = open().create(session("one"));
    live.append(EntryKind::update, "in the log");
    fs::copy_file(path + "-wal", scratch / "kept");
  }
  const std::string log = scratch.get("kept");
  EXPECT_NE(log.find("in the log"), std::string::npos);
  for (const char* const rest : {"", "S"}) {
    for (const std::string& name : names()) fs::remove_all(scratch / name);
    notices.texts.clear();
    scratch.put("sessions.db", rest);
    scratch.put("sessions.db-wal", log);
    expect_works();
    EXPECT_EQ(scratch.get(expect_set_aside() + "-wal"), log);
  }
}

TEST_F(StoreOpenTest, SetsAsideOneWithoutItsTables) {
  sql(version_1);
  sql("DROP TABLE entries");
  expect_works();
  expect_set_aside();
}

TEST_F(StoreOpenTest, TakesAnEmptyFileForANewOne) {
  scratch.put("sessions.db", "");
  expect_works();
  EXPECT_EQ(notices.texts, Texts());
}

TEST_F(StoreOpenTest, IsOneUnderTwoNames) {
  open();
  scratch.link("other.db", "sessions.db");
  Store store = open(), other(scratch / "other.db", notices.taker());
  const LiveSession live = store.create(session("one"));
  EXPECT_TRUE(other.find("one"));
  EXPECT_THROW(other.open("one"), SessionBusy);
  EXPECT_THROW(other.remove("one"), SessionBusy);
  EXPECT_EQ(notices.texts, Texts());
}

TEST_F(StoreOpenTest, KeepsSessionsInMemoryWhereThereIsNoPlace) {
  scratch.put("file", "");
  scratch.link("dangling", "nowhere/sessions.db");
  for (const std::string& place : {scratch / "file/acp/sessions.db",
                                   std::string("/proc/acp/sessions.db"), scratch / "dangling"}) {
    SCOPED_TRACE(place);
    notices.texts.clear();
    Store store(place, notices.taker());
    EXPECT_FALSE(store.lasts());
    LiveSession live = store.create(session("one"));
    live.append(EntryKind::update, "{}");
    EXPECT_EQ(entries_of(live).size(), 1u);
    ASSERT_EQ(notices.texts.size(), 1u);
    EXPECT_TRUE(notices.texts[0].starts_with("Sessions cannot be stored (")) << notices.texts[0];
    EXPECT_TRUE(
        notices.texts[0].ends_with("They are kept in memory, and gone when this program ends."));
  }
}

// In a process of its own, since it gives up being root if it is that.
TEST_F(StoreOpenTest, KeepsSessionsInMemoryWhereItMayNotWrite) {
  open().create(session("one"));
  fs::create_directory(scratch / "empty");
  fs::permissions(scratch / "empty", fs::perms(0555));
  fs::permissions(scratch / "sessions.db.d", fs::perms(0755));
  fs::permissions(scratch / "sessions.db.d/.opening", fs::perms(0666));
  fs::permissions(path, fs::perms(0444));
  const std::pair<std::string, unsigned> cases[] = {
      {scratch / "empty/acp/sessions.db", 0555}, {path, 0555}, {path, 0777}};
  for (const auto& [place, mode] : cases) {
    fs::permissions(scratch.path(), fs::perms(mode));
    Child child([&](const Child::Parent&) {
      if (geteuid() == 0 && (setegid(65534) != 0 || seteuid(65534) != 0)) _exit(9);
      Store store(place, notices.taker());
      if (store.lasts() || notices.texts.size() != 1) _exit(4);
      store.create(session("two"));
      if (store.find("one")) _exit(5);
    });
    EXPECT_EQ(child.wait(), 0) << place << std::oct << " 0" << mode;
  }
  fs::permissions(scratch.path(), fs::perms(0700));
  fs::permissions(scratch / "empty", fs::perms(0700));
  fs::permissions(path, fs::perms(0600));
  EXPECT_TRUE(open().find("one"));
}

// In a process of its own, whose files may not grow.
TEST_F(StoreOpenTest, AFullDiskCostsOnlyWhatIsNew) {
  const auto room = [](rlim_t bytes) {
    const rlimit limit = {bytes, RLIM_INFINITY};
    std::signal(SIGXFSZ, SIG_IGN);
    if (setrlimit(RLIMIT_FSIZE, &limit) != 0) _exit(9);
  };
  Child child([&](const Child::Parent&) {
    Store store = open();
    LiveSession live = store.create(session("one"));
    live.append(EntryKind::update, "1");
    room(128 * 1024);
    const std::string large(200'000, 'x');
    for (int i = 0; i < 3; ++i) try {
        live.append({{EntryKind::update, "not this"}, {EntryKind::update, large}});
        _exit(4);
      } catch (const StoreError&) {
      }
    if (entries_of(live).size() != 1) _exit(5);
    room(RLIM_INFINITY);
    live.append(EntryKind::update, "2");
    live.append(EntryKind::update, large);
    room(0);
    path = scratch / "full/sessions.db";
    if (open().lasts() || notices.texts.size() != 1) _exit(6);
  });
  EXPECT_EQ(child.wait(), 0);
  const Entries entries = entries_of(open().open("one"));
  ASSERT_EQ(entries.size(), 3u);
  EXPECT_EQ(entries[0].body, "1");
  EXPECT_EQ(entries[1].body, "2");
  EXPECT_EQ(entries[2].body.size(), 200'000u);
}

TEST_F(StoreOpenTest, LiesWhereDataBelongs) {
  const char* const home = std::getenv("HOME");
  const std::string kept = home == nullptr ? "" : home;
  setenv("XDG_DATA_HOME", "/data", 1);
  EXPECT_EQ(Store::default_path(), "/data/acp/sessions.db");
  setenv("XDG_DATA_HOME", "relative", 1);
  setenv("HOME", "/home/me", 1);
  EXPECT_EQ(Store::default_path(), "/home/me/.local/share/acp/sessions.db");
  unsetenv("XDG_DATA_HOME");
  EXPECT_EQ(Store::default_path(), "/home/me/.local/share/acp/sessions.db");
  unsetenv("HOME");
  EXPECT_EQ(Store::default_path(), "");
  if (home != nullptr) setenv("HOME", kept.c_str(), 1);
}

// What a link leads to is somebody else's, and a device is nobody's to rename.
TEST_F(StoreOpenTest, WhatALinkLeadsToIsLeftAlone) {
  scratch.put("precious", "not a database, and not ours");
  scratch.link("sessions.db", "precious");
  EXPECT_FALSE(open().lasts()) << "in memory only";
  ASSERT_EQ(notices.texts.size(), 1u);
  EXPECT_NE(notices.texts[0].find("left alone"), std::string::npos) << notices.texts[0];
  EXPECT_EQ(scratch.get("precious"), "not a database, and not ours");
  for (const std::string& name : names())
    EXPECT_EQ(name.find("corrupt"), std::string::npos) << name;
}

}  // namespace
}  // namespace acp::coder
