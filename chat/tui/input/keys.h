// What is typed, from the bytes that a terminal sends.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace acp::chat {

struct Key {
  enum class Kind { text, named, paste, focus_in, focus_out };
  Kind kind = Kind::text;
  std::string text = {};  // what was typed or pasted; of others their name: "Enter", "C-c", "M-b"

  bool is(std::string_view name) const { return kind == Kind::named && text == name; }
};

// libtickit decodes the keys, fed with bytes and without its screen: that one wants the alternate
// screen. Pastes and focus it does not know; they are taken out before it sees them.
class KeyDecoder {
 public:
  explicit KeyDecoder(const std::string& terminal_type);
  ~KeyDecoder();

  std::vector<Key> feed(std::string_view bytes);
  // After this many milliseconds without more, call timed_out(); -1: nothing waits.
  int waits() const;
  // What could have been the beginning of something is what it is: an Esc, say.
  std::vector<Key> timed_out();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace acp::chat
