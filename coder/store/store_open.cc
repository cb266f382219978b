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
    "SELECT number, id, cwd, additional_directories, title, mode, model, updated_at"
    " FROM sessions WHERE ";
const std::string after =
    "(updated_at < ?1 OR (updated_at = ?1 AND id > ?2)) ORDER BY updated_at DESC, id LIMIT ?3";

// What is there is no store.
class NotAStore : public StoreError {
 public:
  using StoreError::StoreError;
};

Opened open_database(const std::string& path) {
  Opened opened;
  try {
    opened.database = std::make_unique<Database>(path);
    Database& database = *opened.database;
    migrate(database);
    // NORMAL: a process that dies loses nothing; a power cut may take the last moments.
    database.execute(
        "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA secure_delete = ON;"
        "PRAGMA journal_size_limit = 16777216");
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

Opened open_file(const StoreFile& file, const Store::OnNotice& on_notice) {
  try {
    if (!file.make()) throw NotAStore(file.path() + " is no database");
    return open_database(file.path());
  } catch (const NotAStore& error) {
    const std::string name = file.set_aside();
    if (on_notice)
      on_notice("The session store is damaged (" + std::string(error.what()) +
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
          "INSERT INTO sessions (id, cwd, additional_directories, title, mode, model, updated_at)"
          " VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)"),
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
  std::string why;
  if (!path.empty()) try {
      const StoreFile file(path);
      opened = open_file(file, on_notice);
      lock_directory = file.lock_directory();
    } catch (const NoPlace& error) {
      why = error.what();
    } catch (const DatabaseError& error) {
      if (!error.no_place()) throw;
      why = error.what();
    }
  if (opened.statements == nullptr) {
    opened = open_database(":memory:");
    if (!why.empty() && on_notice)
      on_notice("Sessions cannot be stored (" + why +
                "). They are kept in memory, and gone when this program ends.");
  }
  database = std::move(opened.database);
  statements = std::move(opened.statements);
}

std::int64_t StoreParts::now() const {
  const auto time = clock ? clock() : std::chrono::system_clock::now();
  return std::chrono::floor<std::chrono::milliseconds>(time.time_since_epoch()).count();
}

}  // namespace acp::coder
