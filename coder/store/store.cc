#include "coder/store/store.h"

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <limits>

#include "acp/json/json.h"
#include "acp/json/utf8.h"
#include "acp/json/writer.h"
#include "coder/store/store_parts.h"

namespace acp::coder {

namespace {

using Lock = std::lock_guard<std::mutex>;

std::vector<std::string> directories_of(std::string_view text) {
  std::vector<std::string> directories;
  // One session whose directories cannot be read must not hide the others.
  const json::Result<Json> parsed = Json::parse(text);
  if (!parsed) return directories;
  for (const JsonView element : parsed->view().elements())
    directories.push_back(element.as_string().value_or(""));
  return directories;
}

std::string rfc3339(std::int64_t milliseconds) {
  using namespace std::chrono;
  const sys_time<std::chrono::milliseconds> time{std::chrono::milliseconds(milliseconds)};
  const auto day = floor<days>(time);
  const year_month_day date(day);
  const hh_mm_ss clock(time - day);
  char text[64];
  std::snprintf(text, sizeof text, "%04d-%02u-%02uT%02d:%02d:%02d.%03dZ", int(date.year()),
                unsigned(date.month()), unsigned(date.day()), int(clock.hours().count()),
                int(clock.minutes().count()), int(clock.seconds().count()),
                int(clock.subseconds().count()));
  return text;
}

StoredSession session_of(const Query& row) {
  StoredSession session;
  session.id = row.text(1);
  session.cwd = row.text(2);
  session.additional_directories = directories_of(row.text(3));
  session.title = row.text(4);
  session.mode = row.text(5);
  session.model = row.text(6);
  session.updated_at = rfc3339(row.integer(7));
  session.configured_mode = row.text(8);
  return session;
}

// A cursor is the place of the last session that was given: "1700000000000.ID".
struct Place {
  std::int64_t updated_at = std::numeric_limits<std::int64_t>::max();
  std::string id;
};

Place place_of(const std::string& cursor) {
  Place place;
  if (cursor.empty()) return place;
  const char* const end = cursor.data() + cursor.size();
  const auto [rest, error] = std::from_chars(cursor.data(), end, place.updated_at);
  if (error == std::errc() && rest != end && *rest == '.') place.id.assign(rest + 1, end);
  if (!is_session_id(place.id)) throw StoreError("this cursor did not come from the session store");
  return place;
}

[[noreturn]] void unknown(const std::string& id) {
  throw UnknownSession("there is no session " + (is_session_id(id) ? id : "of this id"));
}

// 0: there is none.
std::int64_t number_of(StoreParts& store, const std::string& id) {
  if (!is_session_id(id)) return 0;
  Query query(store.statements->find, id);
  return query.next() ? query.integer(0) : 0;
}

// Locked for us; not in the store perhaps.
std::unique_ptr<LiveParts> take(const StoreParts& store, const std::string& id) {
  if (!is_session_id(id)) throw StoreError("not the id of a session: letters, digits, - _ .");
  if (store.live.contains(id))
    throw SessionBusy("the session " + id + " is open already in this process");
  const std::string& directory = store.lock_directory;
  return std::make_unique<LiveParts>(
      id, directory.empty() ? SessionLock() : SessionLock(directory, id));
}

// From here on the LiveParts are known; to let them go takes the store's mutex.
void enter(LiveParts& parts, const std::shared_ptr<StoreParts>& store) {
  store->live.emplace(parts.id, &parts);
  parts.store = store;
}

void add(StoreParts& store, LiveParts& parts, const StoredSession& session) {
  if (number_of(store, session.id) != 0)
    throw StoreError("the session " + session.id + " exists already");
  Query(store.statements->add, session.id, json::utf8_repaired(session.cwd),
        directories_text(session.additional_directories), json::utf8_repaired(session.title),
        json::utf8_repaired(session.mode), json::utf8_repaired(session.model), store.now(),
        json::utf8_repaired(session.configured_mode))
      .run();
  parts.number = store.database->last_row();
}

void find_next(StoreParts& store, LiveParts& parts) {
  const std::int64_t begin = entry_key(parts.number, 0);
  Query query(store.statements->last_key, begin, begin + most_entries);
  query.next();
  const std::int64_t last = query.integer(0);  // 0 if there is none
  parts.next = last < begin ? 0 : last - begin + 1;
}

}  // namespace

std::string directories_text(const std::vector<std::string>& directories) {
  json::Writer out;
  out.put('[');
  for (std::size_t i = 0; i < directories.size(); ++i) {
    if (i != 0) out.put(',');
    out.string(directories[i]);
  }
  out.put(']');
  return out.str();
}

Store::Store(std::string path, OnNotice on_notice, Clock clock)
    : parts_(std::make_shared<StoreParts>(path, on_notice, std::move(clock))) {}

Store::~Store() = default;
Store::Store(Store&&) noexcept = default;
Store& Store::operator=(Store&&) noexcept = default;

bool Store::lasts() const { return !parts_->lock_directory.empty(); }

Store::Page Store::list(const std::optional<std::string>& cwd, const std::string& cursor,
                        std::size_t limit) const {
  const Place place = place_of(cursor);
  const auto count = static_cast<std::int64_t>(
      std::clamp<std::size_t>(limit, 1, std::numeric_limits<std::int32_t>::max()));
  const std::string directory = json::utf8_repaired(cwd.value_or(""));
  Page page;
  const Lock lock(parts_->mutex);
  StoreStatements& statements = *parts_->statements;
  const auto read = [&](Query& query) {
    std::int64_t last = 0;
    while (query.next()) {
      if (static_cast<std::int64_t>(page.sessions.size()) == count) {  // there is one more
        page.next_cursor = std::to_string(last) + "." + page.sessions.back().id;
        return;
      }
      page.sessions.push_back(session_of(query));
      last = query.integer(7);
    }
  };
  if (cwd) {
    Query query(statements.list_of_cwd, place.updated_at, place.id, count + 1, directory);
    read(query);
  } else {
    Query query(statements.list, place.updated_at, place.id, count + 1);
    read(query);
  }
  return page;
}

std::optional<StoredSession> Store::find(const std::string& id) const {
  if (!is_session_id(id)) return std::nullopt;
  const Lock lock(parts_->mutex);
  Query query(parts_->statements->find, id);
  if (!query.next()) return std::nullopt;
  return session_of(query);
}

LiveSession Store::create(const StoredSession& session) {
  const Lock lock(parts_->mutex);
  std::unique_ptr<LiveParts> live = take(*parts_, session.id);
  Transaction transaction(parts_->statements->transaction);
  add(*parts_, *live, session);
  transaction.commit();
  enter(*live, parts_);
  return LiveSession(std::move(live));
}

LiveSession Store::open(const std::string& id) {
  const Lock lock(parts_->mutex);
  if (number_of(*parts_, id) == 0) unknown(id);  // which needs no lock, and leaves no file
  std::unique_ptr<LiveParts> live = take(*parts_, id);
  live->number = number_of(*parts_, id);
  if (live->number == 0) unknown(id);
  find_next(*parts_, *live);
  enter(*live, parts_);
  return LiveSession(std::move(live));
}

LiveSession Store::fork(const std::string& from, const StoredSession& copy) {
  const Lock lock(parts_->mutex);
  std::unique_ptr<LiveParts> live = take(*parts_, copy.id);
  Transaction transaction(parts_->statements->transaction);
  const std::int64_t source = number_of(*parts_, from);
  if (source == 0) unknown(from);
  add(*parts_, *live, copy);
  const std::int64_t begin = entry_key(source, 0);
  Query(parts_->statements->copy_entries, begin, begin + most_entries, entry_key(live->number, 0))
      .run();
  transaction.commit();
  find_next(*parts_, *live);
  enter(*live, parts_);
  return LiveSession(std::move(live));
}

void Store::remove(const std::string& id) {
  const Lock lock(parts_->mutex);
  if (number_of(*parts_, id) == 0) return;
  std::unique_ptr<LiveParts> held;
  if (!parts_->live.contains(id)) held = take(*parts_, id);
  {
    Transaction transaction(parts_->statements->transaction);
    const std::int64_t number = number_of(*parts_, id);
    const std::int64_t begin = entry_key(number, 0);
    Query(parts_->statements->remove_entries, begin, begin + most_entries).run();
    Query(parts_->statements->remove, number).run();
    transaction.commit();
  }
  // The log still has the old pages. If somebody reads them now, it keeps them a while longer.
  parts_->database->number("PRAGMA wal_checkpoint(TRUNCATE)");
}

}  // namespace acp::coder
