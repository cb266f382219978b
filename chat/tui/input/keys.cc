#include "chat/tui/input/keys.h"

#include <tickit.h>

#include <algorithm>
#include <array>
#include <stdexcept>
#include <utility>

namespace acp::chat {

namespace {

constexpr std::string_view paste_begins = "\x1b[200~", paste_ends = "\x1b[201~";
constexpr std::string_view focus_in = "\x1b[I", focus_out = "\x1b[O";
constexpr std::size_t most_pasted = 16 * 1024 * 1024;

// How many bytes at the end could be the beginning of `of`.
std::size_t beginning_of(std::string_view of, std::string_view text) {
  for (std::size_t size = std::min(of.size() - 1, text.size()); size > 0; --size)
    if (text.ends_with(of.substr(0, size))) return size;
  return 0;
}

// tmux, screen and the console of Linux send what a VT220 had on its Find and Select for Home and
// End.
std::string usual_name(std::string name) {
  constexpr std::pair<std::string_view, std::string_view> names[] = {{"Find", "Home"},
                                                                     {"Select", "End"}};
  for (const auto& [other, usual] : names)
    if (name == other || name.ends_with("-" + std::string(other)))
      return name.replace(name.size() - other.size(), other.size(), usual);
  return name;
}

}  // namespace

struct KeyDecoder::State {
  TickitTerm* term = nullptr;
  std::vector<Key> keys;
  std::string terminal_type;
  std::size_t unfinished = 0;  // bytes that the decoder has, at most, and that are no key yet
  std::string held;            // may be the beginning of a paste or of a focus event
  std::string pasted;
  bool pasting = false;

  static int on_key(TickitTerm*, TickitEventFlags flags, void* event, void* self) {
    if ((flags & TICKIT_EV_FIRE) == 0) return 0;
    const auto* info = static_cast<const TickitKeyEventInfo*>(event);
    const auto kind =
        info->type == TICKIT_KEYEV_TEXT && info->mod == 0 ? Key::Kind::text : Key::Kind::named;
    static_cast<State*>(self)->keys.push_back({kind, usual_name(info->str)});
    return 1;
  }
  void begin() {
    if (term != nullptr) tickit_term_unref(term);
    term = tickit_term_new_for_termtype(terminal_type.c_str());
    if (term == nullptr) term = tickit_term_new_for_termtype("xterm");
    if (term == nullptr)
      throw std::runtime_error("the terminal type " + terminal_type + " is not known");
    tickit_term_set_utf8(term, true);
    tickit_term_bind_event(term, TICKIT_TERM_ON_KEY, static_cast<TickitBindFlags>(0),
                           &State::on_key, this);
    unfinished = 0;
  }
  // libtickit has room for 256 bytes and drops what does not fit without a word.
  void push(std::string_view bytes) {
    constexpr std::size_t piece = 64, longest_key = 128;
    while (!bytes.empty()) {
      const std::size_t size = std::min(piece, bytes.size()), before = keys.size();
      tickit_term_input_push_bytes(term, bytes.data(), size);
      bytes.remove_prefix(size);
      unfinished = keys.size() > before ? size : unfinished + size;
      // No key is as long as that: what has begun is none, and would keep all others out.
      if (unfinished > longest_key) begin();
    }
  }
};

KeyDecoder::KeyDecoder(const std::string& terminal_type) : state_(std::make_unique<State>()) {
  state_->terminal_type = terminal_type;
  state_->begin();
}

KeyDecoder::~KeyDecoder() { tickit_term_unref(state_->term); }

std::vector<Key> KeyDecoder::feed(std::string_view more) {
  State& state = *state_;
  std::string bytes = std::exchange(state.held, {});
  bytes += more;
  std::string_view rest = bytes;
  while (!rest.empty()) {
    if (state.pasting) {
      const std::size_t end = rest.find(paste_ends);
      const std::size_t keep = end == std::string_view::npos ? beginning_of(paste_ends, rest) : 0;
      const std::string_view text =
          end == std::string_view::npos ? rest.substr(0, rest.size() - keep) : rest.substr(0, end);
      state.pasted += text.substr(0, most_pasted - std::min(most_pasted, state.pasted.size()));
      if (end == std::string_view::npos) {
        state.held = rest.substr(rest.size() - keep);
        break;
      }
      state.keys.push_back({Key::Kind::paste, std::exchange(state.pasted, {})});
      state.pasting = false;
      rest.remove_prefix(end + paste_ends.size());
      continue;
    }
    constexpr std::array<std::string_view, 3> known = {paste_begins, focus_in, focus_out};
    std::size_t first = std::string_view::npos;
    std::string_view found;
    for (const std::string_view one : known) {
      const std::size_t at = rest.find(one);
      if (at < first) {
        first = at;
        found = one;
      }
    }
    if (!found.empty()) {
      state.push(rest.substr(0, first));
      rest.remove_prefix(first + found.size());
      if (found == paste_begins)
        state.pasting = true;
      else
        state.keys.push_back({found == focus_in ? Key::Kind::focus_in : Key::Kind::focus_out, ""});
      continue;
    }
    std::size_t keep = 0;
    for (const std::string_view one : known) keep = std::max(keep, beginning_of(one, rest));
    state.push(rest.substr(0, rest.size() - keep));
    state.held = rest.substr(rest.size() - keep);
    break;
  }
  return std::exchange(state.keys, {});
}

int KeyDecoder::waits() const {
  if (state_->pasting) return -1;
  if (!state_->held.empty()) return 40;
  return tickit_term_input_check_timeout_msec(state_->term);
}

std::vector<Key> KeyDecoder::timed_out() {
  if (!state_->pasting) {
    state_->push(std::exchange(state_->held, {}));
    if (tickit_term_input_check_timeout_msec(state_->term) < 0) state_->unfinished = 0;
  }
  return std::exchange(state_->keys, {});
}

}  // namespace acp::chat
