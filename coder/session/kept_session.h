// A live session whose store may fail for a while: entries then wait in memory, and are stored in
// order as soon as possible.
#pragma once

#include <cstddef>
#include <deque>
#include <functional>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "coder/store/store.h"

namespace acp::coder {

// May be used by several threads. Nothing here throws StoreError but read().
class KeptSession {
 public:
  using Entry = LiveSession::Entry;
  // Limit of updates that wait. Waiting entries of the conversation are not counted: it is in
  // memory anyway, and the session needs all of it.
  static constexpr std::size_t default_most_bytes = 16 * 1024 * 1024;

  explicit KeptSession(LiveSession live, std::size_t most_bytes = default_most_bytes)
      : live_(std::move(live)), most_bytes_(most_bytes) {}
  // Tries once more to store what waits.
  ~KeptSession();
  KeptSession(const KeptSession&) = delete;
  KeptSession& operator=(const KeptSession&) = delete;

  const std::string& id() const { return live_.id(); }
  // Stores all of them in one transaction, after earlier entries.
  void append(std::vector<Entry> entries);
  void set_title(const std::string& title);
  void set_model(const std::string& model);
  // Sets the mode; `configured` is the configuration's at this time.
  void set_mode(const std::string& mode, const std::string& configured);
  // Reads the stored entries.
  void read(const std::function<void(EntryKind kind, std::string_view body)>& each) const {
    live_.read(each);
  }

  // Tries to store what waits. Returns true if nothing waits any more.
  bool settle();

  // News for the user, in order; each once.
  struct News {
    enum class Kind {
      waits,    // `why` it cannot be stored now
      dropped,  // too much waits: updates are left out from now on
      stored,   // all that waited is stored
      removed,  // somebody removed the session: nothing is stored any more
    };
    Kind kind;
    std::string why;
  };
  std::vector<News> take_news();

 private:
  // A value that is replaced as a whole: only the last one counts.
  struct Value {
    std::string text, configured;
    bool waits = false;
  };

  void set(Value& value, const std::string& text, const std::string& configured = {});
  // These with the lock held.
  void wait_for_room(std::vector<Entry> entries);
  // Calls `action`; returns false if the store cannot do it now.
  bool attempt(const std::function<void()>& action);
  bool settle_locked();

  LiveSession live_;
  const std::size_t most_bytes_;
  std::mutex mutex_;  // of what follows
  std::deque<std::vector<Entry>> waiting_;
  std::size_t waiting_bytes_ = 0;
  Value title_, mode_, model_;
  bool waits_ = false, dropped_ = false, removed_ = false;
  std::vector<News> news_;
};

}  // namespace acp::coder
