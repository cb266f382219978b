#include "acp/rpc/framing.h"

#include <algorithm>
#include <charconv>
#include <cstring>

namespace acp::rpc {
namespace {

constexpr std::string_view header_name = "content-length";

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; }

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }

std::string_view trim(std::string_view text) {
  // A byte order mark means nothing, wherever a careless writer put it.
  constexpr std::string_view bom = "\xEF\xBB\xBF";
  for (;;) {
    if (!text.empty() && is_blank(text.front()))
      text.remove_prefix(1);
    else if (text.starts_with(bom))
      text.remove_prefix(bom.size());
    else
      break;
  }
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

// The number in `Content-Length: N`, if the line is that header.
std::optional<std::size_t> content_length(std::string_view line) {
  const std::size_t colon = line.find(':');
  if (colon != header_name.size()) return std::nullopt;
  for (std::size_t i = 0; i < colon; ++i)
    if (lower(line[i]) != header_name[i]) return std::nullopt;
  const std::string_view value = trim(line.substr(colon + 1));
  std::size_t length = 0;
  const auto [end, code] = std::from_chars(value.data(), value.data() + value.size(), length);
  if (code != std::errc() || end != value.data() + value.size()) return std::nullopt;
  return length;
}

}  // namespace

std::optional<Framing> framing_from(std::string_view name) {
  for (const Framing framing : {Framing::newline, Framing::content_length, Framing::automatic})
    if (name == to_string(framing)) return framing;
  return std::nullopt;
}

void FrameReader::detect() {
  // Blank lines before the first message say nothing.
  while (partial_.empty() && !chunk_.empty() && is_blank(chunk_.front())) chunk_.remove_prefix(1);
  std::string start = partial_;
  start += chunk_.substr(0, header_name.size());
  const std::size_t count = std::min(start.size(), header_name.size());
  bool header = count != 0;
  for (std::size_t i = 0; i < count; ++i) header &= lower(start[i]) == header_name[i];
  if (count == 0) return;
  if (!header)
    framing_ = Framing::newline;
  else if (count == header_name.size())
    framing_ = Framing::content_length;
  else
    partial_ += chunk_, chunk_ = {};  // too little to tell
}

bool FrameReader::take_line(std::string_view& line, std::size_t& size) {
  if (partial_done_) {
    partial_.clear();
    partial_size_ = 0;
    partial_done_ = false;
  }
  // What was kept from before the framing was known may hold whole lines.
  const void* end = chunk_.empty() ? nullptr : std::memchr(chunk_.data(), '\n', chunk_.size());
  const std::size_t count =
      end != nullptr ? static_cast<std::size_t>(static_cast<const char*>(end) - chunk_.data())
                     : chunk_.size();
  const std::string_view piece = chunk_.substr(0, count);
  chunk_.remove_prefix(std::min(chunk_.size(), count + (end != nullptr ? 1 : 0)));
  if (partial_size_ == 0 && partial_.empty() && end != nullptr) {
    line = piece;
    size = piece.size();
    return true;
  }
  partial_size_ = std::max(partial_size_, partial_.size()) + piece.size();
  if (!piece.empty()) partial_cr_ = piece.back() == '\r';
  // Of what is too large only the beginning is kept. The last byte may belong to the line's end.
  const std::size_t most = std::max(limit_, limit_ + 1);
  const std::size_t room = partial_size_ > most ? kept_of_large : most;
  if (partial_.size() > room) partial_.resize(room), partial_.shrink_to_fit();
  partial_.append(piece.substr(0, room - partial_.size()));
  if (end == nullptr) return false;
  line = partial_;
  size = partial_size_;
  partial_done_ = true;
  return true;
}

std::optional<FrameReader::Framed> FrameReader::line_frame(std::string_view line,
                                                           std::size_t size) {
  // The line's end is not part of the message.
  const bool whole = size == line.size();
  if (whole ? line.ends_with('\r') : partial_cr_) --size;
  line = line.substr(0, size);
  if (size > limit_) return Framed{Framed::Kind::too_large, line.substr(0, kept_of_large), size};
  line = trim(line);
  if (line.empty()) return std::nullopt;
  return Framed{Framed::Kind::message, line, line.size()};
}

std::optional<FrameReader::Framed> FrameReader::next_line() {
  std::string_view line;
  std::size_t size = 0;
  while (take_line(line, size))
    if (auto frame = line_frame(line, size)) return frame;
  return std::nullopt;
}

std::optional<FrameReader::Framed> FrameReader::next_body() {
  for (;;) {
    if (body_) {
      if (partial_done_) {
        partial_.clear();
        partial_size_ = 0;
        partial_done_ = false;
      }
      const std::string_view piece =
          chunk_.substr(0, std::min(chunk_.size(), *body_ - partial_size_));
      const bool whole = partial_size_ == 0 && piece.size() == *body_;
      chunk_.remove_prefix(piece.size());
      const std::size_t room = *body_ > limit_ ? kept_of_large : *body_;
      if (!whole)
        partial_.append(
            piece.substr(0, std::min(piece.size(), room - std::min(room, partial_.size()))));
      partial_size_ += piece.size();
      if (partial_size_ < *body_) return std::nullopt;
      const std::size_t size = *body_;
      body_.reset();
      partial_done_ = true;
      const std::string_view text = whole ? piece : std::string_view(partial_);
      if (size > limit_)
        return Framed{Framed::Kind::too_large, text.substr(0, kept_of_large), size};
      const std::string_view message = trim(text);
      if (!message.empty()) return Framed{Framed::Kind::message, message, message.size()};
      continue;
    }
    std::string_view line;
    std::size_t size = 0;
    if (!take_line(line, size)) return std::nullopt;
    // Of one that is too large only the beginning counts, in however many pieces it came.
    if (size > limit_) line = line.substr(0, kept_of_large);
    if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
    if (trim(line).empty()) {
      // The blank line after the headers; before them it means nothing.
      if (!headers_begun_) continue;
      headers_begun_ = false;
      body_ = announced_;
      announced_.reset();
      if (!body_) return Framed{Framed::Kind::no_header, {}, 0};
      // What the line was kept in is free for the body.
      partial_.clear();
      partial_size_ = 0;
      partial_done_ = false;
      continue;
    }
    if (const auto length = content_length(line)) {
      announced_ = length;
      headers_begun_ = true;
      continue;
    }
    // Other headers are passed over. What has no colon is none.
    if (line.find(':') != line.npos && line.front() != '{' && line.front() != '[') {
      headers_begun_ = true;
      continue;
    }
    return Framed{Framed::Kind::no_header, line.substr(0, kept_of_large), size};
  }
}

std::optional<FrameReader::Framed> FrameReader::next() {
  if (framing_ == Framing::automatic) detect();
  switch (framing_) {
    case Framing::newline:
      return next_line();
    case Framing::content_length:
      return next_body();
    case Framing::automatic:
      break;
  }
  return std::nullopt;
}

std::optional<FrameReader::Framed> FrameReader::end() {
  if (framing_ == Framing::content_length) return std::nullopt;
  if (partial_done_ || (partial_.empty() && partial_size_ == 0)) return std::nullopt;
  const std::size_t size = std::max(partial_size_, partial_.size());
  partial_done_ = true;
  return line_frame(partial_, size);
}

}  // namespace acp::rpc
