#include "acp/workspace/output_buffer.h"

#include <utility>

#include "acp/json/utf8.h"

namespace acp::workspace {

namespace {

// How many bytes at the end may be the beginning of a character.
std::size_t unfinished(std::string_view bytes) {
  for (std::size_t back = 1; back <= 3 && back <= bytes.size(); ++back) {
    const char byte = bytes[bytes.size() - back];
    if (json::utf8_continues(byte)) continue;
    if (static_cast<unsigned char>(byte) < 0xC2) return 0;
    // Would it be a character if the right bytes followed?
    std::string whole(bytes.substr(bytes.size() - back));
    const auto first = static_cast<unsigned char>(byte);
    const std::size_t length = first < 0xE0 ? 2 : first < 0xF0 ? 3 : first < 0xF5 ? 4 : 0;
    if (length <= back) return 0;
    if (back == 1 && length > 1) {
      const bool low = first == 0xED || first == 0xF4;  // the second byte is limited from above
      whole += low ? '\x80' : '\xBF';
    }
    while (whole.size() < length) whole += '\x80';
    return json::utf8_length(whole.data(), whole.data() + whole.size()) == length ? back : 0;
  }
  return 0;
}

// Where the text begins of which at most `size` bytes are kept.
std::size_t start_of_last(std::string_view text, std::size_t size) {
  if (text.size() <= size) return 0;
  std::size_t start = text.size() - size;
  while (start < text.size() && json::utf8_continues(text[start])) ++start;
  return start;
}

}  // namespace

std::string OutputBuffer::append(std::string_view bytes) {
  std::string joined = std::exchange(waiting_, {});
  joined += bytes;
  const std::size_t rest = unfinished(joined);
  waiting_ = joined.substr(joined.size() - rest);
  std::string text = json::utf8_repaired(std::string_view(joined).substr(0, joined.size() - rest));
  keep(text);
  return text;
}

std::string OutputBuffer::finish() {
  std::string text = json::utf8_repaired(std::exchange(waiting_, {}));
  keep(text);
  return text;
}

void OutputBuffer::keep(std::string_view valid) {
  text_ += valid;
  if (text_.size() <= 2 * limit_) return;
  const std::size_t start = start_of_last(text_, limit_);
  text_.erase(0, start);
  dropped_ += start;
}

std::string_view OutputBuffer::text() const {
  return std::string_view(text_).substr(start_of_last(text_, limit_));
}

}  // namespace acp::workspace
