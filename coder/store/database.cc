#include "coder/store/database.h"

#include <sqlite3.h>

namespace acp::coder {

namespace {

constexpr int busy_milliseconds = 10'000;

std::string name_of(sqlite3* database) {
  const char* const path = database == nullptr ? nullptr : sqlite3_db_filename(database, "main");
  return std::string("the session store (") +
         (path == nullptr || *path == '\0' ? "in memory" : path) + ")";
}

void check(sqlite3* database, int code) {
  if (code == SQLITE_OK || code == SQLITE_ROW || code == SQLITE_DONE) return;
  throw DatabaseError(code & 0xFF,
                      name_of(database) + ": " +
                          (database == nullptr ? sqlite3_errstr(code) : sqlite3_errmsg(database)));
}

}  // namespace

bool DatabaseError::corrupt() const { return code_ == SQLITE_CORRUPT || code_ == SQLITE_NOTADB; }

bool DatabaseError::unknown_name() const { return code_ == SQLITE_ERROR; }

bool DatabaseError::no_place() const {
  return code_ == SQLITE_CANTOPEN || code_ == SQLITE_READONLY || code_ == SQLITE_IOERR ||
         code_ == SQLITE_FULL || code_ == SQLITE_PERM || code_ == SQLITE_AUTH ||
         code_ == SQLITE_NOLFS;
}

Statement::Statement(const Database& database, const std::string& sql) {
  check(database.native_, sqlite3_prepare_v3(database.native_, sql.c_str(), -1,
                                             SQLITE_PREPARE_PERSISTENT, &native_, nullptr));
}

Statement::~Statement() { sqlite3_finalize(native_); }

Query::~Query() { sqlite3_reset(native_); }

bool Query::next() {
  const int code = sqlite3_step(native_);
  check(sqlite3_db_handle(native_), code);
  return code == SQLITE_ROW;
}

std::int64_t Query::integer(int column) const { return sqlite3_column_int64(native_, column); }

std::string_view Query::text(int column) const {
  const auto* const bytes = reinterpret_cast<const char*>(sqlite3_column_text(native_, column));
  const int size = sqlite3_column_bytes(native_, column);
  return bytes == nullptr ? std::string_view()
                          : std::string_view(bytes, static_cast<std::size_t>(size));
}

void Query::bind(int index, std::int64_t value) {
  check(sqlite3_db_handle(native_), sqlite3_bind_int64(native_, index, value));
}

void Query::bind(int index, std::string_view value) {
  // A null pointer would be bound as NULL.
  const char* const bytes = value.data() == nullptr ? "" : value.data();
  check(sqlite3_db_handle(native_),
        sqlite3_bind_text64(native_, index, bytes, value.size(), SQLITE_STATIC, SQLITE_UTF8));
}

Database::Database(const std::string& path) {
  const int code =
      sqlite3_open_v2(path.c_str(), &native_, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, nullptr);
  try {
    check(native_, code);
    check(native_, sqlite3_busy_timeout(native_, busy_milliseconds));
    // SQLite opens a file that may not be written for reading only, and says nothing.
    if (sqlite3_db_readonly(native_, "main") == 1)
      throw DatabaseError(SQLITE_READONLY, path + " may not be written");
    tidy_on_close(false);
  } catch (...) {
    sqlite3_close(native_);
    throw;
  }
}

Database::~Database() { sqlite3_close(native_); }

std::string Database::name() const { return name_of(native_); }

void Database::execute(const std::string& sql) {
  check(native_, sqlite3_exec(native_, sql.c_str(), nullptr, nullptr, nullptr));
}

std::int64_t Database::number(const char* sql) {
  Statement statement(*this, sql);
  Query query(statement);
  return query.next() ? query.integer(0) : 0;
}

std::int64_t Database::changes() const { return sqlite3_changes64(native_); }

std::int64_t Database::last_row() const { return sqlite3_last_insert_rowid(native_); }

void Database::tidy_on_close(bool yes) {
  check(native_, sqlite3_db_config(native_, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, yes ? 0 : 1,
                                   static_cast<int*>(nullptr)));
}

Transaction::~Transaction() {
  if (over_) return;
  try {
    Query(statements_.rollback).run();
  } catch (const DatabaseError&) {
    // SQLite has taken it back by itself, as it does when the disk is full.
  }
}

}  // namespace acp::coder
