#include "coder/store/schema.h"

namespace acp::coder {

namespace {

constexpr std::int64_t application_id = 0x61637073;  // "acps", for file(1) and for us

// The key of an entry is session << 32 | place: the entries of a session lie side by side and in
// order without an index, so that to append writes one page and to remove is one range. A number is
// never used again (AUTOINCREMENT), so that a stale one meets nothing.
constexpr const char* steps_to_now[] = {
    R"(CREATE TABLE sessions (
         number INTEGER PRIMARY KEY AUTOINCREMENT,
         id TEXT NOT NULL UNIQUE,
         cwd TEXT NOT NULL,
         additional_directories TEXT NOT NULL, -- a JSON array
         title TEXT NOT NULL,
         mode TEXT NOT NULL,
         model TEXT NOT NULL,
         updated_at INTEGER NOT NULL -- milliseconds since 1970
       ) STRICT;
       CREATE TABLE entries (
         key INTEGER PRIMARY KEY,
         kind INTEGER NOT NULL,
         body TEXT NOT NULL
       ) STRICT)",
    // What the configuration said when the mode was set.
    "ALTER TABLE sessions ADD COLUMN configured_mode TEXT NOT NULL DEFAULT ''",
};

}  // namespace

std::span<const char* const> schema_steps() { return steps_to_now; }

std::int64_t schema_version(Database& database, std::span<const char* const> steps) {
  const std::int64_t newest = static_cast<std::int64_t>(steps.size());
  const std::int64_t version = database.number("PRAGMA user_version");
  const std::int64_t program = database.number("PRAGMA application_id");
  const bool empty = database.number("SELECT count(*) FROM sqlite_schema") == 0;
  if (version < 0 || (program != application_id && !(empty && program == 0 && version == 0)))
    throw StoreError(database.name() + ": the file belongs to another program");
  if (version > newest)
    throw StoreError(database.name() + " is of version " + std::to_string(version) +
                     ", written by a newer acp; this one knows versions up to " +
                     std::to_string(newest));
  return version;
}

void migrate(Database& database, std::span<const char* const> steps) {
  const std::int64_t newest = static_cast<std::int64_t>(steps.size());
  const std::int64_t version = schema_version(database, steps);
  if (version == newest) return;
  Transaction::Statements statements(database);
  Transaction transaction(statements);
  database.execute("PRAGMA application_id = " + std::to_string(application_id));
  for (std::int64_t step = version; step < newest; ++step)
    database.execute(steps[static_cast<std::size_t>(step)]);
  database.execute("PRAGMA user_version = " + std::to_string(newest));
  transaction.commit();
}

}  // namespace acp::coder
