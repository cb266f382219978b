// Decodes keys from the bytes that a terminal sends.
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

// Uses libtickit to decode keys, without its screen, which needs the alternate screen. It does not
// know pastes and focus: these are decoded before.
class KeyDecoder {
 public:
  explicit KeyDecoder(const std::string& terminal_type);
  ~KeyDecoder();

  std::vector<Key> feed(std::string_view bytes);
  // After this many milliseconds without more, call timed_out(); -1: nothing waits.
  int waits() const;
  // Returns the keys of an incomplete sequence: an Esc, for example.
  std::vector<Key> timed_out();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace acp::chat
