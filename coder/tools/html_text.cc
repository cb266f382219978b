// By hand: a page of 500 kB that nests 100,000 elements keeps libgumbo busy for more than a minute.
#include "coder/tools/html_text.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <utility>

#include "acp/json/utf8.h"

namespace acp::coder {

namespace {

constexpr std::size_t most_entity = 10;  // with its semicolon

std::string lower(std::string_view text) {
  std::string result(text);
  std::transform(result.begin(), result.end(), result.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return result;
}

bool among(std::string_view name, std::initializer_list<std::string_view> names) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

bool begins_line(std::string_view name) {
  return among(name,
               {"p",       "div",     "br",     "li",     "ul",    "ol",    "tr",         "table",
                "section", "article", "header", "footer", "main",  "nav",   "aside",      "h1",
                "h2",      "h3",      "h4",     "h5",     "h6",    "pre",   "blockquote", "dt",
                "dd",      "hr",      "form",   "figure", "title", "option"});
}

// What follows a "<" that is no tag, as in "a < b", is text.
bool begins_tag(std::string_view rest) {
  if (rest.empty()) return false;
  const char c = rest.front();
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '/' || c == '!' || c == '?';
}

void put_character(std::string& out, std::uint32_t code) {
  if (!json::is_code_point(code)) code = 0xFFFD;
  char character[4];
  out.append(character, json::utf8_put(character, code));
}

// The character that an entity means; false if it is none that is known.
bool put_entity(std::string& out, std::string_view name) {
  static constexpr std::array<std::pair<std::string_view, std::string_view>, 12> known = {{
      {"amp", "&"},
      {"lt", "<"},
      {"gt", ">"},
      {"quot", "\""},
      {"apos", "'"},
      {"nbsp", " "},
      {"mdash", "—"},
      {"ndash", "–"},
      {"hellip", "…"},
      {"copy", "©"},
      {"rsquo", "’"},
      {"lsquo", "‘"},
  }};
  for (const auto& [entity, text] : known)
    if (entity == name) {
      out += text;
      return true;
    }
  if (!name.starts_with('#')) return false;
  name.remove_prefix(1);
  const int base = name.starts_with('x') || name.starts_with('X') ? 16 : 10;
  if (base == 16) name.remove_prefix(1);
  std::uint32_t code = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), code, base);
  if (error != std::errc() || end != name.data() + name.size()) return false;
  put_character(out, code);
  return true;
}

class Text {
 public:
  void character(char c) {
    if (std::isspace(static_cast<unsigned char>(c)) != 0) {
      space_ = true;
      return;
    }
    begin_word();
    out_ += c;
  }
  void entity(std::string_view name) {
    begin_word();
    if (!put_entity(out_, name)) out_ += "&" + std::string(name) + ";";
  }
  void new_line() { line_ = true; }
  std::string take() { return std::move(out_); }

 private:
  void begin_word() {
    if (!out_.empty()) {
      if (line_)
        out_ += '\n';
      else if (space_)
        out_ += ' ';
    }
    space_ = line_ = false;
  }
  std::string out_;
  bool space_ = false, line_ = false;
};

}  // namespace

std::string html_text(std::string_view html) {
  Text text;
  std::size_t at = 0;
  while (at < html.size()) {
    const char c = html[at];
    if (c == '&') {
      // A name is short: looking further would take the square of a page of ampersands.
      const std::size_t length = html.substr(at + 1, most_entity).find(';');
      if (length != std::string_view::npos && length > 0) {
        text.entity(html.substr(at + 1, length));
        at += length + 2;
        continue;
      }
    }
    if (c != '<' || !begins_tag(html.substr(at + 1))) {
      text.character(c);
      ++at;
      continue;
    }
    if (html.substr(at).starts_with("<!--")) {
      const std::size_t end = html.find("-->", at + 4);
      at = end == std::string_view::npos ? html.size() : end + 3;
      continue;
    }
    const std::size_t end = html.find('>', at);
    if (end == std::string_view::npos) break;
    std::string_view tag = html.substr(at + 1, end - at - 1);
    const bool closes = tag.starts_with('/');
    if (closes) tag.remove_prefix(1);
    const std::size_t length = std::min(tag.find_first_of(" \t\r\n/"), tag.size());
    const std::string name = lower(tag.substr(0, length));
    at = end + 1;
    if (begins_line(name)) text.new_line();
    // A picture may end where it begins; the others do not, whatever they say.
    const bool whole = name == "svg" && tag.ends_with('/');
    if (!closes && !whole && among(name, {"script", "style", "noscript", "template", "svg"})) {
      // Its end, in whichever case it is written.
      std::size_t close = at;
      while (true) {
        close = html.find("</", close);
        if (close == std::string_view::npos) return text.take();
        if (lower(html.substr(close + 2, name.size())) == name) break;
        close += 2;
      }
      at = close;
    }
  }
  return text.take();
}

}  // namespace acp::coder
