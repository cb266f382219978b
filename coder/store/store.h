// Where the coding agent keeps its sessions: one SQLite file that several processes may share.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace acp::coder {

// All text is UTF-8; what is not becomes U+FFFD.
struct StoredSession {
  std::string id, cwd;
  std::vector<std::string> additional_directories;
  std::string title, mode, model;
  // What the configuration said when the mode was set; empty: not known.
  std::string configured_mode;
  std::string updated_at;  // RFC 3339, UTC, milliseconds. The store's to say: not read by create()

  friend bool operator==(const StoredSession&, const StoredSession&) = default;
};

// The kind of an entry. The numbers are stored in the file: they never change.
enum class EntryKind {
  update = 0,      // a session/update as it went over the wire (JSON): replayed by session/load
  message = 1,     // a message of the conversation with the model (JSON)
  compaction = 2,  // the messages before it are replaced by this (JSON)
  dropped = 3,     // the last messages are taken back (their number)
};

class StoreError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};
// The session is live in another process, or elsewhere in this one; what() names the process where
// known.
class SessionBusy : public StoreError {
 public:
  using StoreError::StoreError;
};
class UnknownSession : public StoreError {
 public:
  using StoreError::StoreError;
};

struct StoreParts;
struct LiveParts;

// A session that this process works on: nobody else can open it while this exists. May be used by
// several threads; not after it was moved from. May outlive its Store.
class LiveSession {
 public:
  struct Entry {
    EntryKind kind;
    std::string body;  // any bytes: given back as they are

    friend bool operator==(const Entry&, const Entry&) = default;
  };

  LiveSession(LiveSession&&) noexcept;
  LiveSession& operator=(LiveSession&&) noexcept;
  ~LiveSession();

  const std::string& id() const;
  // Appends an entry, committed when it returns: a process that is killed afterwards loses nothing.
  // Throws StoreError; then nothing was added. If the session was removed meanwhile:
  // UnknownSession.
  void append(EntryKind kind, std::string_view body);
  // Appends all or none.
  void append(const std::vector<Entry>& entries);
  // These do not count as a change: updated_at is when something was appended.
  void set_title(const std::string& title);
  void set_mode(const std::string& mode, const std::string& configured);
  void set_model(const std::string& model);
  void set_directories(const std::string& cwd, const std::vector<std::string>& additional);
  // Reads the entries that exist at the start, in order. Nothing is locked while `each` runs: it
  // may call anything here. The body is valid until it returns.
  void read(const std::function<void(EntryKind kind, std::string_view body)>& each) const;

 private:
  friend class Store;
  explicit LiveSession(std::unique_ptr<LiveParts> parts);
  void set(const char* column, std::string_view value);

  std::unique_ptr<LiveParts> parts_;
};

// May be used by several threads, but not by a child after fork(). Everything throws StoreError.
class Store {
 public:
  // Receives notices for the user.
  using OnNotice = std::function<void(const std::string& text)>;
  using Clock = std::function<std::chrono::system_clock::time_point()>;

  // Opens or makes it: directories 0700, file 0600. A store of an older version is migrated; one
  // that is corrupt is set aside, and a new one made; where nothing can be stored (a file system
  // that is read-only, or full), it is kept in memory: on_notice reports both. One of a newer
  // version, or of another program, is not touched: StoreError. `path` empty: in memory on purpose.
  Store(std::string path, OnNotice on_notice, Clock clock = {});
  ~Store();
  Store(Store&&) noexcept;
  Store& operator=(Store&&) noexcept;

  // $XDG_DATA_HOME/acp/sessions.db, or ~/.local/share/acp/sessions.db. Empty if there is neither:
  // the caller reports that.
  static std::string default_path();
  // Returns false if it is only in memory, and lost with this object and its sessions.
  bool lasts() const;

  struct Page {
    std::vector<StoredSession> sessions;
    std::string next_cursor;  // empty: that was all
  };
  // Lists sessions, the newest change first, ties by id; at most `limit`, and at least one if there
  // is one. Only those of `cwd`, if it is given. The cursor is "" or one that came from here. A
  // session that changes between two pages moves to the front, and is then not in the pages that
  // follow.
  Page list(const std::optional<std::string>& cwd, const std::string& cursor,
            std::size_t limit) const;
  std::optional<StoredSession> find(const std::string& id) const;

  // Creates a session. Its id: letters, digits, - _ . (not first), at most 128. Throws if it
  // exists.
  LiveSession create(const StoredSession& session);
  // Throws UnknownSession, SessionBusy.
  LiveSession open(const std::string& id);
  // Creates the session `copy` with all current entries of `from`, which may be live, here or
  // elsewhere.
  LiveSession fork(const std::string& from, const StoredSession& copy);
  // Removes a session, and overwrites the bytes of its entries in the file. Unknown ids are
  // ignored. If it is live in this store, its LiveSession throws from then on; if it is live
  // elsewhere: SessionBusy.
  void remove(const std::string& id);

 private:
  std::shared_ptr<StoreParts> parts_;
};

}  // namespace acp::coder
