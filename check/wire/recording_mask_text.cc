// Secrets in text that nobody has parsed: by what stands before them.
#include <algorithm>
#include <cstring>

#include "check/wire/recording_mask.h"

namespace acp::check {
namespace {

constexpr std::string_view spaces = " \t\r\n";

bool is_letter(char c) { return (lower(c) >= 'a' && lower(c) <= 'z'); }
bool is_name(char c) { return is_letter(c) || (c >= '0' && c <= '9') || c == '_' || c == '-'; }
bool is_space(char c) { return spaces.find(c) != std::string_view::npos; }

bool is_word(std::string_view text, std::string_view word) {
  return std::equal(text.begin(), text.end(), word.begin(), word.end(),
                    [](char one, char other) { return lower(one) == other; });
}

// In a query, where names are short.
bool names_secret_in_query(std::string_view name) {
  return names_secret(name) || is_word(name, "key") || is_word(name, "token") ||
         is_word(name, "auth") || is_word(name, "sig") || is_word(name, "signature");
}

class TextMasker {
 public:
  TextMasker(std::string_view text, bool settings) : text_(text), settings_(settings) {}

  std::string run() {
    while (at_ < text_.size()) {
      if (text_.substr(at_).starts_with("://")) {
        url();
      } else if (is_name(text_[at_]) && (at_ == 0 || !is_name(text_[at_ - 1]))) {
        word();
      } else {
        brackets(text_[at_]);
        copy(1);
      }
    }
    return std::move(out_);
  }

 private:
  void copy(std::size_t size) {
    out_.append(text_.substr(at_, size));
    at_ = std::min(at_ + size, text_.size());
  }
  void mask_until(std::size_t end) {
    if (end > at_) out_.append(mask_text);
    at_ = std::max(at_, end);
  }
  std::size_t end_of(std::string_view stops, std::size_t from) const {
    return std::min(text_.find_first_of(stops, from), text_.size());
  }

  // Between the first bracket after "env" or "headers" and its other end every value is a secret.
  void brackets(char c) {
    if (!pairs_) return;
    if (c == '[' || c == '{') ++depth_;
    if ((c == ']' || c == '}') && --depth_ <= 0) pairs_ = false;
  }

  // After "://".
  void url() {
    copy(3);
    const std::size_t end = end_of(" \t\r\n\"'<>\\`", at_);
    const std::string_view rest = text_.substr(at_, end - at_);
    const std::size_t host = std::min(rest.find_first_of("/?#"), rest.size());
    // A password may have a slash in it that nobody has escaped.
    std::size_t login = rest.substr(0, host).rfind('@');
    if (const std::size_t colon = rest.substr(0, host).find(':');
        login == std::string_view::npos && colon != std::string_view::npos &&
        rest.find_first_not_of("0123456789", colon + 1) < host)
      login = rest.find('@');
    if (login != std::string_view::npos) mask_until(at_ + login);
    const std::size_t query = std::min(text_.find_first_of("?#", at_), end);
    copy(query - at_);
    while (at_ < end) {
      copy(1);  // ? & #
      const std::size_t next = std::min(text_.find_first_of("&#", at_), end);
      const std::size_t equals = text_.substr(at_, next - at_).find('=');
      if (equals != std::string_view::npos && names_secret_in_query(text_.substr(at_, equals))) {
        copy(equals + 1);
        mask_until(next);
      } else {
        copy(next - at_);
      }
    }
  }

  void word() {
    std::size_t end = at_;
    while (end < text_.size() && is_name(text_[end])) ++end;
    const std::string_view name = text_.substr(at_, end - at_);
    copy(name.size());
    if (is_word(name, "bearer") || is_word(name, "basic")) return scheme();
    if (settings_) value_of(name);
  }

  // `Bearer X`: X is what looks like a token, no word of a sentence.
  void scheme() {
    std::size_t begin = at_;
    while (begin < text_.size() && is_space(text_[begin])) ++begin;
    if (begin == at_ || begin == text_.size()) return;
    const std::size_t end = end_of(" \t\r\n\"'<>\\`,;)}]", begin);
    const std::string_view token = text_.substr(begin, end - begin);
    const bool prose = !settings_ && token.size() < 12 &&
                       token.find_first_of("0123456789._-~+/=") == std::string_view::npos;
    if (prose) return;
    copy(begin - at_);
    mask_until(end);
  }

  // `name: X`, `name=X`, `"name": "X"`, and the same inside of a string.
  void value_of(std::string_view name) {
    std::size_t at = at_;
    const auto skip = [&](std::string_view what) {
      while (at < text_.size() && what.find(text_[at]) != std::string_view::npos) ++at;
    };
    skip("\\\"'");
    skip(" \t");
    if (at >= text_.size() || (text_[at] != ':' && text_[at] != '=')) return;
    if (text_.substr(at).starts_with("://")) return;
    ++at;
    skip(spaces);
    const bool pairs = is_word(name, "env") || is_word(name, "headers");
    if (pairs && at < text_.size() && (text_[at] == '{' || text_[at] == '[')) {
      pairs_ = true;
      depth_ = 0;
      return copy(at - at_);
    }
    const bool secret = names_secret(name) || (pairs_ && !is_word(name, "name"));
    if (!secret) return;
    // Past what opens the value. A list or an object of secrets is masked whole.
    std::string quote;
    while (at < text_.size() && (text_[at] == '\\' || text_[at] == '"' || text_[at] == '\''))
      quote += text_[at++];
    copy(at - at_);
    std::size_t end;
    if (!quote.empty())
      end = end_of_quoted(quote);
    else if (at < text_.size() && (text_[at] == '{' || text_[at] == '['))
      end = std::min(text_.find(text_[at] == '{' ? '}' : ']', at), text_.size());
    else
      end = end_of(" \t\r\n,;&\"'}])", at);
    // `Authorization: Bearer X`
    const std::size_t space = text_.substr(at, end - at).find_first_of(spaces);
    const std::string_view first = text_.substr(at, std::min(space, end - at));
    if (is_word(first, "bearer") || is_word(first, "basic")) {
      copy(first.size());
      return scheme();
    }
    mask_until(end);
  }

  std::size_t end_of_quoted(const std::string& quote) const {
    // Inside of a string the quotes have backslashes before them, as many at both ends.
    for (std::size_t at = text_.find(quote, at_); at != std::string_view::npos;
         at = text_.find(quote, at + 1)) {
      const bool escaped = at > 0 && text_[at - 1] == '\\';
      if (!escaped) return at;
    }
    return text_.size();
  }

  const std::string_view text_;
  const bool settings_;
  std::size_t at_ = 0;
  bool pairs_ = false;
  int depth_ = 0;
  std::string out_;
};

}  // namespace

bool has_marks(std::string_view text) {
  // A URL with a login or a query, or the name of a scheme, in any case but for its first letter.
  for (std::size_t at = text.find("://"); at != std::string_view::npos;
       at = text.find("://", at + 3)) {
    const std::size_t end = std::min(text.find_first_of(" \"\\", at), text.size());
    if (text.substr(at, end - at).find_first_of("@?") != std::string_view::npos) return true;
  }
  for (const std::string_view word : {"earer", "EARER", "asic ", "ASIC "})
    if (memmem(text.data(), text.size(), word.data(), word.size()) != nullptr) return true;
  return false;
}

std::string masked_words(std::string_view text) { return TextMasker(text, false).run(); }
std::string masked_text(std::string_view text) { return TextMasker(text, true).run(); }

}  // namespace acp::check
