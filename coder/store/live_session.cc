#include "coder/store/store_parts.h"

#include "acp/json/utf8.h"

namespace acp::coder {

namespace {

using Lock = std::lock_guard<std::mutex>;

constexpr std::size_t chunk_bytes = 256 * 1024;

[[noreturn]] void removed(const std::string& id) {
  throw UnknownSession("the session " + id + " has been removed");
}

struct Piece {
  EntryKind kind;
  std::string_view body;
};

// `piece(i)` gives the entries, `count` of them.
template <class PieceAt>
void append_all(LiveParts& parts, std::size_t count, const PieceAt& piece) {
  StoreParts& store = *parts.store;
  const Lock lock(store.mutex);
  const auto many = static_cast<std::int64_t>(count);
  if (many > most_entries - parts.next)
    throw StoreError("the session " + parts.id + " has no room for more entries");
  Transaction transaction(store.statements->transaction);
  Query(store.statements->touch, parts.number, store.now()).run();
  if (store.database->changes() == 0) removed(parts.id);
  for (std::size_t i = 0; i < count; ++i) {
    const Piece entry = piece(i);
    const std::int64_t key = entry_key(parts.number, parts.next + static_cast<std::int64_t>(i));
    Query(store.statements->add_entry, key, static_cast<std::int64_t>(entry.kind), entry.body)
        .run();
  }
  transaction.commit();
  parts.next += many;
}

}  // namespace

LiveParts::~LiveParts() {
  if (store == nullptr) return;
  const Lock lock(store->mutex);
  store->live.erase(id);
}

LiveSession::LiveSession(std::unique_ptr<LiveParts> parts) : parts_(std::move(parts)) {}
LiveSession::LiveSession(LiveSession&&) noexcept = default;
LiveSession& LiveSession::operator=(LiveSession&&) noexcept = default;
LiveSession::~LiveSession() = default;

const std::string& LiveSession::id() const { return parts_->id; }

void LiveSession::append(EntryKind kind, std::string_view body) {
  append_all(*parts_, 1, [&](std::size_t) { return Piece{kind, body}; });
}

void LiveSession::append(const std::vector<Entry>& entries) {
  if (entries.empty()) return;
  append_all(*parts_, entries.size(), [&](std::size_t i) {
    return Piece{entries[i].kind, entries[i].body};
  });
}

void LiveSession::set_title(const std::string& title) { set("title", title); }
void LiveSession::set_model(const std::string& model) { set("model", model); }

void LiveSession::set(const char* column, std::string_view value) {
  StoreParts& store = *parts_->store;
  const Lock lock(store.mutex);
  Statement update(*store.database,
                   std::string("UPDATE sessions SET ") + column + " = ?2 WHERE number = ?1");
  Query(update, parts_->number, json::utf8_repaired(value)).run();
  if (store.database->changes() == 0) removed(parts_->id);
}

void LiveSession::set_mode(const std::string& mode, const std::string& configured) {
  StoreParts& store = *parts_->store;
  const Lock lock(store.mutex);
  Statement update(*store.database,
                   "UPDATE sessions SET mode = ?2, configured_mode = ?3 WHERE number = ?1");
  Query(update, parts_->number, json::utf8_repaired(mode), json::utf8_repaired(configured)).run();
  if (store.database->changes() == 0) removed(parts_->id);
}

void LiveSession::set_directories(const std::string& cwd,
                                  const std::vector<std::string>& additional) {
  StoreParts& store = *parts_->store;
  const Lock lock(store.mutex);
  Statement update(*store.database,
                   "UPDATE sessions SET cwd = ?2, additional_directories = ?3 WHERE number = ?1");
  Query(update, parts_->number, json::utf8_repaired(cwd), directories_text(additional)).run();
  if (store.database->changes() == 0) removed(parts_->id);
}

void LiveSession::read(
    const std::function<void(EntryKind kind, std::string_view body)>& each) const {
  StoreParts& store = *parts_->store;
  std::int64_t at = entry_key(parts_->number, 0), end = 0;
  std::vector<Entry> chunk;
  do {
    chunk.clear();
    {
      const Lock lock(store.mutex);
      if (end == 0) end = at + parts_->next;
      Query query(store.statements->entries, at, end);
      for (std::size_t bytes = 0; bytes < chunk_bytes && query.next();) {
        chunk.push_back({static_cast<EntryKind>(query.integer(1)), std::string(query.text(2))});
        bytes += chunk.back().body.size() + sizeof(Entry);
        at = query.integer(0) + 1;
      }
    }
    for (const Entry& entry : chunk) each(entry.kind, entry.body);
  } while (at < end && !chunk.empty());
  if (at < end) removed(parts_->id);
}

}  // namespace acp::coder
