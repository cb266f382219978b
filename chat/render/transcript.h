// A session in a terminal that scrolls: what to print once, and what to draw again.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <set>
#include <unordered_map>
#include <vector>

#include "acp/session_state.h"
#include "chat/render/text/styled.h"
#include "chat/render/view.h"

namespace acp::chat {

// Print `finished` over what was open before, then `open` below it.
struct TranscriptFrame {
  Lines finished;
  Lines open;
};

// Follows one SessionState. A frame costs what has changed, and what is open: the last block of a
// message that is being written, calls that are not finished, and what waits after those. When
// that grows beyond `most_open` lines, calls are printed as they are, and once more when they
// have ended.
class Transcript {
 public:
  explicit Transcript(View view, std::size_t most_open = 60);
  ~Transcript();
  Transcript(Transcript&&) noexcept;
  Transcript& operator=(Transcript&&) noexcept;

  // Changes the view from now on; open entries are drawn anew.
  void set_view(View view);
  const View& view() const { return view_; }

  TranscriptFrame draw(const SessionState& state);
  // A last frame with nothing open; what changes later is shown by the next draw().
  TranscriptFrame finish(const SessionState& state);
  // Makes the next frame begin with the first entry again.
  void restart();

  // For SessionState::forget(): how many entries are printed for good.
  std::size_t printed() const { return first_; }
  void forgotten(std::size_t count, const std::vector<std::size_t>& kept);
  // For SessionState::forget_content(): how much of the last entry, a message, was printed.
  struct Spent {
    std::size_t blocks = 0, bytes = 0;
  };
  Spent spent(const SessionState& state) const;
  void spent_forgotten(const Spent& spent);

 private:
  class Open;
  struct Printed {
    std::size_t signature = 0;  // of it, in short
    bool cancelled = false;     // a call: nothing but its success is news then
  };

  void follow(const SessionState& state);
  // Prints the later changes of an entry that was printed before.
  void tell_late(const SessionState& state, std::size_t index, Lines& out);
  void tell_ends(const SessionState& state, Lines& out);
  bool is_final(const SessionState& state, std::size_t index) const;
  void give_out(const SessionState& state, Lines& out);
  void print_front(const SessionState& state, Lines& out);
  TranscriptFrame finish(const SessionState& state, TranscriptFrame frame);
  Printed printed_now(const SessionState& state, std::size_t index) const;

  View view_;
  std::size_t most_open_;
  std::uint64_t revision_ = 0;
  std::size_t first_ = 0;  // of those that are open, in the timeline
  std::deque<std::unique_ptr<Open>> open_;
  std::set<std::size_t> running_prompts_;  // whose end is still to be shown
  std::unordered_map<std::size_t, Printed> told_;
  std::vector<std::size_t> ended_;  // changed after they were printed
};

}  // namespace acp::chat
