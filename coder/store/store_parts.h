// State that a Store and its LiveSessions share.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "coder/store/database.h"
#include "coder/store/session_lock_posix.h"
#include "coder/store/store.h"

namespace acp::coder {

struct StoreStatements {
  explicit StoreStatements(const Database& database);

  Transaction::Statements transaction;
  Statement find, list, list_of_cwd, add, touch, remove;
  Statement last_key, entries, add_entry, copy_entries, remove_entries;
};

// The key of an entry.
inline std::int64_t entry_key(std::int64_t session, std::int64_t place) {
  return session << 32 | place;
}
inline constexpr std::int64_t most_entries = std::int64_t{1} << 32;

struct LiveParts {
  LiveParts(std::string its_id, SessionLock its_lock)
      : id(std::move(its_id)), lock(std::move(its_lock)) {}
  ~LiveParts();

  std::shared_ptr<StoreParts> store;  // set when the store knows of it
  const std::string id;
  SessionLock lock;
  std::int64_t number = 0;
  std::int64_t next = 0;  // the place of the next entry
};

std::string directories_text(const std::vector<std::string>& directories);

struct StoreParts {
  // Opens the store as described in Store.
  StoreParts(const std::string& path, const Store::OnNotice& on_notice, Store::Clock its_clock);

  std::int64_t now() const;

  std::mutex mutex;  // of all that follows
  std::unique_ptr<Database> database;
  std::unique_ptr<StoreStatements> statements;
  std::string lock_directory;  // empty: in memory
  std::map<std::string, const LiveParts*> live;
  const Store::Clock clock;
};

}  // namespace acp::coder
