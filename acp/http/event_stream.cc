#include "acp/http/event_stream.h"

#include <algorithm>
#include <charconv>
#include <utility>

namespace acp::http {

namespace {
constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";
// A server that asks for more is not worth waiting for.
constexpr std::int64_t longest_retry = 24 * 3600 * 1000;
}  // namespace

bool EventStream::room_for(std::size_t bytes) {
  if (!event_.too_large && partial_.size() + event_.data.size() + bytes > limit_) {
    event_.too_large = true;
    event_.data = {};
  }
  return !event_.too_large;
}

void EventStream::feed(std::string_view bytes, const OnEvent& on_event) {
  while (!bytes.empty()) {
    if (std::exchange(after_cr_, false) && bytes.front() == '\n') {
      bytes.remove_prefix(1);
      continue;
    }
    std::size_t end = bytes.find('\n');
    end = std::min(end, bytes.substr(0, end).find('\r'));
    const std::string_view piece = bytes.substr(0, end);
    // Of a line that is too long its beginning is kept: it is not taken for an empty one.
    const bool fits = room_for(piece.size());
    if (end == std::string_view::npos) {
      if (fits || partial_.empty()) partial_ += piece.substr(0, fits ? piece.size() : 1);
      return;
    }
    after_cr_ = bytes[end] == '\r';
    bytes.remove_prefix(end + 1);
    if (partial_.empty()) {
      line(piece, on_event);
    } else {
      if (fits) partial_ += piece;
      const std::string whole = std::exchange(partial_, {});
      line(whole, on_event);
    }
  }
}

void EventStream::line(std::string_view text, const OnEvent& on_event) {
  if (!std::exchange(began_, true) && text.starts_with(byte_order_mark))
    text.remove_prefix(byte_order_mark.size());
  if (text.empty()) return dispatch(on_event);
  const std::size_t colon = text.find(':');
  if (colon == 0) {
    ++comments_;
    return;
  }
  std::string_view value = colon == std::string_view::npos ? "" : text.substr(colon + 1);
  if (value.starts_with(' ')) value.remove_prefix(1);
  field(text.substr(0, colon), value);
}

void EventStream::field(std::string_view name, std::string_view value) {
  if (name == "data") {
    if (event_.too_large) return;
    if (std::exchange(has_data_, true)) event_.data += '\n';
    event_.data += value;
  } else if (name == "event") {
    event_.type = value;
  } else if (name == "id") {
    if (value.find('\0') == std::string_view::npos) id_ = value;
  } else if (name == "retry") {
    std::int64_t time = 0;
    const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), time);
    if (error == std::errc() && end == value.data() + value.size() && value.front() != '-')
      retry_ = std::chrono::milliseconds(std::min(time, longest_retry));
  }
}

void EventStream::dispatch(const OnEvent& on_event) {
  last_id_ = id_;
  Event event = std::exchange(event_, {});
  if (!std::exchange(has_data_, false) && !event.too_large) return;
  if (event.type.empty()) event.type = "message";
  on_event(std::move(event));
}

}  // namespace acp::http
