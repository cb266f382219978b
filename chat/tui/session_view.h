// The view of a session: its transcript, how long its calls took, and lines of our own. Independent
// of terminal and agent: it turns a state into lines.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "acp/session_state.h"
#include "chat/render/file_change.h"
#include "chat/render/long_session.h"
#include "chat/render/text/styled.h"
#include "chat/render/transcript.h"
#include "chat/render/view.h"
#include "chat/tui/input/completion.h"
#include "chat/tui/stopwatch.h"

namespace acp::chat {

class SessionView {
 public:
  using Clock = std::chrono::steady_clock;
  using Now = std::function<Clock::time_point()>;

  explicit SessionView(std::string cwd, std::size_t columns, Now now = &Clock::now);
  SessionView(const SessionView&) = delete;
  SessionView& operator=(const SessionView&) = delete;

  void resize(std::size_t columns);
  std::size_t columns() const { return columns_; }
  // Begins another session: the next frame begins with its first entry.
  void restart();

  // ---- lines of our own, printed by the next news()
  void say(const std::string& text);
  void say_error(const std::string& text);
  void note(Line line) { notes_.push_back(std::move(line)); }
  void note(Lines lines);
  bool has_notes() const { return !notes_.empty(); }
  Lines take_notes();

  // ---- frames
  // The new content of the session, and our own lines, the latest last. Between turns our lines
  // come last, below the answer, even if more of it may come; in a turn, new content. With
  // `in_full`, nothing stays open between turns.
  TranscriptFrame news(const SessionState& state, bool working, bool in_full = false);
  // The last frame: open entries are shown as they are.
  Lines finish(const SessionState& state);
  // Frees what was printed long ago.
  void tidy(SessionState& state, bool working);

  // ---- times, without those in which a person was asked
  void turn_begins();
  // The person has rejected this call.
  void rejected(const std::string& call) { rejected_.insert(call); }
  std::chrono::milliseconds turn_time() const { return turn_.elapsed(now_()); }
  // Notes whether a person is asked, and about which calls.
  void waits_for_person(bool waits, const std::vector<std::string>& calls);

  // The plan, in so many rows at most.
  Lines plan(const SessionState& state, std::size_t most) const;

  // ---- what commands show (session_shows.cc)
  // Shows a whole call that is still in memory: its output, diffs and content; a list if none is
  // named.
  void show_call(const SessionState& state, const std::string& wanted);
  void list_media(const SessionState& state);
  // Shows changes of files. `written` are those made through us. Without a state only these are
  // shown.
  void show_changes(const SessionState* state, const std::map<std::string, FileChange>& written);
  void show_log(const std::vector<std::string>& log);
  void list_commands(const std::string& head, std::span<const CommandHelp> commands);
  // Exports the whole conversation. Throws std::runtime_error.
  std::string exported(const SessionState& state, bool markdown) const;
  bool exports_all() const { return archive_.whole(); }

 private:
  View view() const;
  void follow_calls(const SessionState& state, bool working);

  const std::string cwd_;
  std::size_t columns_;
  const Now now_;
  Transcript transcript_;
  Lines notes_;
  struct Times {
    Stopwatch watch;
    bool over = false;
  };
  std::unordered_map<std::string, Times> calls_;
  std::set<std::string> rejected_;
  std::vector<std::string> asked_about_;  // calls
  Stopwatch turn_;
  std::uint64_t calls_revision_ = 0;
  Archive archive_;           // what is gone from the session's state
  std::size_t archived_ = 0;  // prompts at the timeline's beginning that it has already
  std::uint64_t tidied_ = 0;
  bool turn_tidied_ = true;
};

}  // namespace acp::chat
