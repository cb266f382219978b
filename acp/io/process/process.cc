#include "acp/io/process/process.h"

#include <string_view>

#include "acp/io/printable.h"

namespace acp::io {
namespace {

bool is_plain(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
         std::string_view("_-+=,./:@%").find(c) != std::string_view::npos;
}

std::string escaped(std::string_view word) {
  static constexpr char digits[] = "01234567";
  std::string text = "$'";
  for (const char c : word) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '\n') {
      text += "\\n";
    } else if (c == '\t') {
      text += "\\t";
    } else if (c == '\'' || c == '\\') {
      text += '\\';
      text += c;
    } else if (byte >= 0x20 && byte < 0x7F) {
      text += c;
    } else {
      // Three octal digits at most belong to it, unlike with hexadecimal ones.
      text += '\\';
      text += digits[byte >> 6];
      text += digits[byte >> 3 & 7];
      text += digits[byte & 7];
    }
  }
  return text + '\'';
}

std::string quoted(std::string_view word, bool first) {
  bool plain = !word.empty();
  for (const char c : word) plain = plain && is_plain(c);
  // `a=b` in front of a command sets a variable.
  if (plain && !(first && word.find('=') != word.npos)) return std::string(word);
  if (!is_printable_line(word)) return escaped(word);
  std::string text = "'";
  for (const char c : word) {
    if (c == '\'')
      text += "'\\''";
    else
      text += c;
  }
  return text + '\'';
}

}  // namespace

std::string command_line(const std::vector<std::string>& argv) {
  std::string line;
  for (const std::string& word : argv) {
    if (!line.empty()) line += ' ';
    line += quoted(word, &word == argv.data());
  }
  return line;
}

std::string StartError::message() const {
  return std::string(to_string(phase)) + ": " + reason + "; the command was: " + command;
}

std::string ExitStatus::describe(std::string_view subject) const {
  return "the " + std::string(subject) + (kind == Kind::killed ? " was " : " ") + describe();
}

}  // namespace acp::io
