#include <filesystem>
#include <system_error>

#include "coder/store/schema.h"
#include "coder/store/store_file_posix.h"
#include "coder/store/store_parts.h"

namespace acp::coder {

namespace {

struct Opened {
  std::unique_ptr<Database> database;
  std::unique_ptr<StoreStatements> statements;
};

const std::string select_sessions =
    "SELECT number, id, cwd, additional_directories, title, mode, model, updated_at,"
    " configured_mode FROM sessions WHERE ";
const std::string after =
    "(updated_at < ?1 OR (updated_at = ?1 AND id > ?2)) ORDER BY updated_at DESC, id LIMIT ?3";

// What is there is no store.
class NotAStore : public StoreError {
 public:
  using StoreError::StoreError;
};

// Nobody else has the store open then: the process that opens it is alone, and one that has it open
// has a log.
bool log_is_empty(const std::string& path) {
  std::error_code error;
  return std::filesystem::file_size(path + "-wal", error) == 0 && !error;
}

Opened open_database(const std::string& path) {
  Opened opened;
  try {
    opened.database = std::make_unique<Database>(path);
    Database& database = *opened.database;
    // Before anything is written, or what is not ours would be made ours.
    const std::int64_t version = schema_version(database);
    // NORMAL: a process that dies loses nothing; a power cut may take the last moments. SQLite
    // syncs the head of its log since an old log could be read after it. Where there is none, or
    // no store at all, the disk is not waited for: that took longer than all the rest of a
    // session's start.
    const bool is_newest = version == static_cast<std::int64_t>(schema_steps().size());
    const bool begins = version == 0 || (is_newest && log_is_empty(path));
    if (begins) database.execute("PRAGMA synchronous = OFF");
    database.execute(
        "PRAGMA journal_mode = WAL; PRAGMA secure_delete = ON;"
        "PRAGMA journal_size_limit = 16777216");
    migrate(database);
    if (begins && is_newest)
      database.execute("PRAGMA user_version = " + std::to_string(version));  // writes the head
    database.execute("PRAGMA synchronous = NORMAL");
  } catch (const DatabaseError& error) {
    if (error.corrupt()) throw NotAStore(error.what());
    throw;
  }
  try {
    opened.statements = std::make_unique<StoreStatements>(*opened.database);
  } catch (const DatabaseError& error) {
    if (error.corrupt() || error.unknown_name()) throw NotAStore(error.what());
    throw;
  }
  opened.database->tidy_on_close(true);
  return opened;
}

Opened open_file(const StoreFile& file, std::vector<std::string>& notices) {
  try {
    if (!file.make()) throw NotAStore(file.path() + " is no database");
    return open_database(file.path());
  } catch (const NotAStore& error) {
    const std::string name = file.set_aside();
    notices.push_back("The session store is damaged (" + std::string(error.what()) +
                      "). It has been set aside as " + name + ", and a new one begun.");
  }
  file.make();
  return open_database(file.path());
}

}  // namespace

StoreStatements::StoreStatements(const Database& database)
    : transaction(database),
      find(database, select_sessions + "id = ?1"),
      list(database, select_sessions + after),
      list_of_cwd(database, select_sessions + "cwd = ?4 AND " + after),
      add(database,
          "INSERT INTO sessions (id, cwd, additional_directories, title, mode, model, updated_at,"
          " configured_mode) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)"),
      touch(database, "UPDATE sessions SET updated_at = ?2 WHERE number = ?1"),
      remove(database, "DELETE FROM sessions WHERE number = ?1"),
      last_key(database, "SELECT max(key) FROM entries WHERE key >= ?1 AND key < ?2"),
      entries(database,
              "SELECT key, kind, body FROM entries WHERE key >= ?1 AND key < ?2 ORDER BY key"),
      add_entry(database, "INSERT INTO entries (key, kind, body) VALUES (?1, ?2, ?3)"),
      copy_entries(database,
                   "INSERT INTO entries (key, kind, body) SELECT key - ?1 + ?3, kind, body"
                   " FROM entries WHERE key >= ?1 AND key < ?2 ORDER BY key"),
      remove_entries(database, "DELETE FROM entries WHERE key >= ?1 AND key < ?2") {}

StoreParts::StoreParts(const std::string& path, const Store::OnNotice& on_notice,
                       Store::Clock its_clock)
    : clock(std::move(its_clock)) {
  Opened opened;
  std::vector<std::string> notices;  // told when others may open it again
  const auto keep_in_memory = [&](const std::string& why) {
    opened = open_database(":memory:");
    notices.push_back("Sessions cannot be stored (" + why +
                      "). They are kept in memory, and gone when this program ends.");
  };
  if (path.empty()) {
    opened = open_database(":memory:");
  } else {
    try {
      const StoreFile file(path);
      opened = open_file(file, notices);
      lock_directory = file.lock_directory();
      SessionLock::remove_left(lock_directory);
    } catch (const NoPlace& error) {
      keep_in_memory(error.what());
    } catch (const DatabaseError& error) {
      if (!error.no_place()) throw;
      keep_in_memory(error.what());
    }
  }
  database = std::move(opened.database);
  statements = std::move(opened.statements);
  if (on_notice)
    for (const std::string& notice : notices) on_notice(notice);
}

std::int64_t StoreParts::now() const {
  const auto time = clock ? clock() : std::chrono::system_clock::now();
  return std::chrono::floor<std::chrono::milliseconds>(time.time_since_epoch()).count();
}

}  // namespace acp::coder
