// A wrapper of the parts of SQLite that the store needs. Not locked: the store does that.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "coder/store/store.h"

struct sqlite3;
struct sqlite3_stmt;

namespace acp::coder {

class DatabaseError : public StoreError {
 public:
  DatabaseError(int code, const std::string& text) : StoreError(text), code_(code) {}
  // Whether the file is not a database, or a broken one.
  bool corrupt() const;
  // Whether the statement does not match the tables, or is wrong.
  bool unknown_name() const;
  // Whether nothing can be written there.
  bool no_place() const;

 private:
  int code_;
};

class Database;

// A statement, prepared once and run often, each time by a Query.
class Statement {
 public:
  Statement(const Database& database, const std::string& sql);
  Statement(const Statement&) = delete;
  Statement& operator=(const Statement&) = delete;
  ~Statement();

 private:
  friend class Query;
  sqlite3_stmt* native_ = nullptr;
};

// One run of a statement. Bound and returned text is valid as long as it lives.
class Query {
 public:
  template <class... Values>
  explicit Query(Statement& statement, const Values&... values) : native_(statement.native_) {
    int index = 0;
    (bind(++index, values), ...);
  }
  Query(const Query&) = delete;
  Query& operator=(const Query&) = delete;
  ~Query();

  bool next();  // there is a row
  void run() {
    while (next()) {
    }
  }
  std::int64_t integer(int column) const;
  std::string_view text(int column) const;

 private:
  void bind(int index, std::int64_t value);
  void bind(int index, std::string_view value);

  sqlite3_stmt* native_;
};

class Database {
 public:
  // An existing file, or ":memory:".
  explicit Database(const std::string& path);
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;
  ~Database();

  std::string name() const;  // for errors: "the session store (PATH)"
  void execute(const std::string& sql);
  std::int64_t number(const char* sql);  // the first column of its only row
  std::int64_t changes() const;          // rows that the last statement changed
  std::int64_t last_row() const;         // the last one inserted
  // Whether the write-ahead log may be taken into the file when this is closed; not at first.
  void tidy_on_close(bool yes);

 private:
  friend class Statement;
  sqlite3* native_ = nullptr;
};

// A transaction of one writer at a time; rolled back unless committed.
class Transaction {
 public:
  struct Statements {
    explicit Statements(const Database& database)
        : begin(database, "BEGIN IMMEDIATE"),
          commit(database, "COMMIT"),
          rollback(database, "ROLLBACK") {}
    Statement begin, commit, rollback;
  };
  explicit Transaction(Statements& statements) : statements_(statements) {
    Query(statements_.begin).run();
  }
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;
  ~Transaction();
  void commit() {
    Query(statements_.commit).run();
    over_ = true;
  }

 private:
  Statements& statements_;
  bool over_ = false;
};

}  // namespace acp::coder
