#include "chat/render/text/text.h"

#include <unigbrk.h>
#include <unistr.h>
#include <uniwidth.h>

#include <algorithm>
#include <cstdint>
#include <utility>

#include "acp/io/printable.h"
#include "acp/json/utf8.h"

namespace acp::chat {
namespace {

constexpr std::size_t most_marks = 16;
constexpr std::size_t longest_cluster = 128;  // in bytes

bool printable_ascii(char c) { return c >= 0x20 && c < 0x7F; }

const std::uint8_t* bytes(std::string_view text) {
  return reinterpret_cast<const std::uint8_t*>(text.data());
}

// What is at the front of text that is UTF-8 and not empty.
ucs4_t code_point(std::string_view text, std::size_t& length) {
  ucs4_t code = 0;
  length = static_cast<std::size_t>(u8_mbtouc(&code, bytes(text), text.size()));
  return code;
}

// The next character's length, 0 if it is not UTF-8.
std::size_t length_at(std::string_view text, std::size_t at) {
  if (static_cast<unsigned char>(text[at]) < 0x80) return 1;
  return json::utf8_length(text.data() + at, text.data() + text.size());
}

std::size_t ascii_length(std::string_view text) {
  return static_cast<std::size_t>(std::find_if_not(text.begin(), text.end(), printable_ascii) -
                                  text.begin());
}

class Writer {
 public:
  explicit Writer(std::size_t tab) : tab_(tab) {}

  void plain(std::string_view text) {
    marks_ = 0;
    before_ = static_cast<unsigned char>(text.back());
    out_ += text;
  }
  void bad_byte() {
    plain(json::replacement_character);
    before_ = 0xFFFD;
  }
  void tab() {
    const std::size_t column = width(std::string_view(out_).substr(measured_)) + columns_;
    columns_ = column;
    measured_ = out_.size();
    plain(std::string(tab_ - column % tab_, ' '));
  }
  // The first of the text, which is UTF-8 and so long.
  void character(std::string_view text, std::size_t length) {
    std::size_t size = 0;
    const ucs4_t code = code_point(text.substr(0, length), size);
    const std::string_view rest = text.substr(length);
    const ucs4_t after = rest.empty() ? 0 : code_point(rest, size);
    const ucs4_t before = std::exchange(before_, code);
    if (io::is_unsafe(before, code, after)) {
      marks_ = 0;
      before_ = 0;
      return io::put_visible(out_, code);
    }
    if (uc_width(code, "UTF-8") != 0) {
      marks_ = 0;
      out_ += text.substr(0, length);
      return;
    }
    if (++marks_ <= most_marks) out_ += text.substr(0, length);
    if (marks_ == most_marks + 1) out_ += json::replacement_character;
  }
  std::string take() { return std::move(out_); }

 private:
  std::size_t tab_;
  std::string out_;
  ucs4_t before_ = 0;
  std::size_t marks_ = 0;     // in a row
  std::size_t measured_ = 0;  // of out_: it has so many columns
  std::size_t columns_ = 0;
};

bool ends_in_joiner(const std::uint8_t* begin, const std::uint8_t* end) {
  return end - begin > 3 && end[-3] == 0xE2 && end[-2] == 0x80 && end[-1] == 0x8D;
}

// An emoji, or the beginning of one: ♂ and ♀ come with a selector after them.
bool wide(const std::uint8_t* at, const std::uint8_t* end) {
  ucs4_t code = 0;
  const int length = u8_mbtouc(&code, at, static_cast<std::size_t>(end - at));
  if (uc_width(code, "UTF-8") == 2) return true;
  return end - at >= length + 3 && at[length] == 0xEF && at[length + 1] == 0xB8 &&
         at[length + 2] == 0x8F;
}

// After the colour that begins here, or where it was.
std::size_t skip_colour(std::string_view text, std::size_t at) {
  if (text.substr(at, 2) != "\x1b[") return at;
  const std::size_t end = text.find_first_not_of("0123456789;:", at + 2);
  return end != text.npos && text[end] == 'm' ? end + 1 : at;
}

}  // namespace

std::string safe(std::string_view text, std::size_t tab) {
  const std::size_t plain = ascii_length(text);
  if (plain == text.size()) return std::string(text);
  Writer out(std::max<std::size_t>(tab, 1));
  for (std::size_t at = 0; at < text.size();) {
    if (const std::size_t run = ascii_length(text.substr(at)); run > 0) {
      out.plain(text.substr(at, run));
      at += run;
    } else if (text[at] == '\t') {
      out.tab();
      ++at;
    } else if (const std::size_t length = length_at(text, at); length > 0) {
      out.character(text.substr(at), length);
      at += length;
    } else {
      out.bad_byte();
      ++at;
    }
  }
  return out.take();
}

bool is_safe(std::string_view text) {
  return ascii_length(text) == text.size() || safe(text) == text;
}

std::string safe_output(std::string_view line) {
  while (!line.empty() && line.back() == '\r') line.remove_suffix(1);
  if (const auto back = line.rfind('\r'); back != line.npos) line.remove_prefix(back + 1);
  if (line.find('\x1b') == line.npos) return safe(line, 8);
  std::string kept;
  for (std::size_t at = 0; at < line.size();) {
    const std::size_t next = skip_colour(line, at);
    if (next == at) kept += line[at++];
    at = std::max(at, next);
  }
  return safe(kept, 8);
}

Cluster first_cluster(std::string_view text) {
  // Most of what is ever shown: a letter that no mark follows.
  if (printable_ascii(text[0]) && (text.size() == 1 || static_cast<unsigned char>(text[1]) < 0x80))
    return {text.substr(0, 1), 1};
  // Joiners can make one of a whole megabyte.
  text = text.substr(0, character_start(text, longest_cluster));
  const std::uint8_t* begin = bytes(text);
  const std::uint8_t* last = begin + text.size();
  const std::uint8_t* end = u8_grapheme_next(begin, last);
  // A joiner binds the emoji after it, which libunistring 1.0 does not know.
  while (end != last && ends_in_joiner(begin, end) && wide(end, last))
    end = u8_grapheme_next(end, last);
  Cluster cluster{text.substr(0, static_cast<std::size_t>(end - begin)), 0};
  bool flag = false;
  for (std::size_t at = 0; at < cluster.text.size();) {
    std::size_t length = 0;
    const ucs4_t code = code_point(cluster.text.substr(at), length);
    const bool half_flag = code >= 0x1F1E6 && code <= 0x1F1FF;
    if (code == 0xFE0F || (flag && half_flag)) {
      cluster.width = 2;  // drawn as emoji
    } else {
      const int wide = uc_width(code, "UTF-8");
      cluster.width = std::max(cluster.width, static_cast<std::size_t>(std::max(wide, 0)));
    }
    flag = half_flag;
    at += length;
  }
  return cluster;
}

std::size_t plain_length(std::string_view text) {
  const std::size_t length = ascii_length(text);
  return length > 0 && length < text.size() ? length - 1 : length;  // a mark may follow the last
}

std::size_t width(std::string_view text) {
  std::size_t columns = 0;
  while (!text.empty()) {
    if (const std::size_t plain = plain_length(text); plain > 0) {
      columns += plain;
      text.remove_prefix(plain);
      continue;
    }
    const Cluster next = first_cluster(text);
    columns += next.width;
    text.remove_prefix(next.text.size());
  }
  return columns;
}

std::string_view cut(std::string_view text, std::size_t columns) {
  std::size_t size = 0;
  std::size_t used = 0;
  while (size < text.size()) {
    const Cluster next = first_cluster(text.substr(size));
    if (used + next.width > columns) break;
    used += next.width;
    size += next.text.size();
  }
  return text.substr(0, size);
}

std::string fit(std::string_view text, std::size_t columns) {
  if (cut(text, columns).size() == text.size()) return std::string(text);
  if (columns == 0) return {};
  return std::string(cut(text, columns - 1)) + "…";
}

std::string fit_end(std::string_view text, std::size_t columns) {
  std::size_t left = width(text);
  if (left <= columns) return std::string(text);
  if (columns == 0) return {};
  while (left > columns - 1) {
    const Cluster next = first_cluster(text);
    left -= next.width;
    text.remove_prefix(next.text.size());
  }
  return "…" + std::string(text);
}

std::size_t count_lines(std::string_view text) {
  const auto ends = std::count(text.begin(), text.end(), '\n');
  return static_cast<std::size_t>(ends) + (!text.empty() && text.back() != '\n' ? 1 : 0);
}

std::string counted(std::size_t count, std::string_view noun) {
  return std::to_string(count) + " " + std::string(noun) + (count == 1 ? "" : "s");
}

std::string_view take_line(std::string_view& text) {
  const std::size_t end = std::min(text.find('\n'), text.size());
  std::string_view line = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
  return line;
}

std::size_t character_start(std::string_view text, std::size_t at) {
  at = std::min(at, text.size());
  for (std::size_t back = 0; back < 4 && back < at && at < text.size(); ++back)
    if (!json::utf8_continues(text[at - back])) return at - back;
  return at;
}

}  // namespace acp::chat
