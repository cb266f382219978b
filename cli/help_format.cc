#include "cli/help_format.h"

#include <algorithm>
#include <sstream>

#include "cli/docs_place.h"

namespace acp::cli {
namespace {

constexpr std::size_t line_width = 96;

std::size_t columns(const std::string& text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xC0) != 0x80; }));
}

// Its lines end where they did, and where the next word would not fit.
std::string wrapped(const std::string& text, std::size_t indent) {
  std::string out;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string filled;
    for (std::string word; words >> word;) {
      if (!filled.empty() && indent + columns(filled) + 1 + columns(word) > line_width) {
        out += filled + '\n' + std::string(indent, ' ');
        filled.clear();
      }
      filled += (filled.empty() ? "" : " ") + word;
    }
    out += filled + '\n' + std::string(indent, ' ');
  }
  out.erase(out.find_last_not_of(" \n") + 1);
  return out;
}

}  // namespace

std::string value_text(const CLI::Option& option) {
  if (!option.get_option_text().empty()) return option.get_option_text();
  if (option.get_items_expected_max() == 0) return {};
  // NAME:{one,other}, or NAME:WHAT IS CHECKED
  std::string text = option.get_type_name();
  const std::size_t colon = text.find(':');
  if (colon == std::string::npos) return text;
  if (text.compare(colon + 1, 1, "{") != 0) return text.substr(0, colon);
  text = text.substr(colon + 2, text.find('}') - colon - 2);
  std::replace(text.begin(), text.end(), ',', '|');
  return text;
}

std::string HelpFormatter::make_usage(const CLI::App* app, std::string name) const {
  if (arguments_.empty()) return Formatter::make_usage(app, std::move(name));
  return get_label("Usage") + ": " + name + " [OPTIONS] " + arguments_ + "\n";
}

std::string HelpFormatter::make_option_opts(const CLI::Option* option) const {
  const std::string text = value_text(*option);
  return text.empty() ? "" : " " + text;
}

std::string HelpFormatter::make_option(const CLI::Option* option, bool is_positional) const {
  std::string name = make_option_name(option, is_positional);
  if (!is_positional) name += make_option_opts(option);
  std::string description = make_option_desc(option);
  if (!option->get_default_str().empty()) description += " (" + option->get_default_str() + ")";
  return entry(name, description);
}

std::string HelpFormatter::make_subcommand(const CLI::App* command) const {
  // Of several sentences the first: the command's own help has the rest.
  const std::string description = command->get_description();
  return entry(command->get_name(), description.substr(0, description.find('\n')));
}

std::string HelpFormatter::make_footer(const CLI::App* app) const {
  // Its lines stay as they are written, examples among them, unless they are too long.
  std::string out;
  std::istringstream lines(with_docs(Formatter::make_footer(app), docs_directory()));
  for (std::string line; std::getline(lines, line);)
    out += (columns(line) <= line_width + 4 ? line : wrapped(line, 0)) + "\n";
  return out;
}

std::string HelpFormatter::make_help(const CLI::App* app, std::string name,
                                     CLI::AppFormatMode mode) const {
  std::string text = Formatter::make_help(app, std::move(name), mode);
  for (std::size_t at = 0; (at = text.find("\n\n\n", at)) != std::string::npos;) text.erase(at, 1);
  while (text.ends_with("\n\n")) text.pop_back();
  return text;
}

std::string HelpFormatter::entry(const std::string& name, const std::string& description) const {
  std::string line = "  " + name;
  const std::size_t width = columns(line);
  line += width < column_width_ ? std::string(column_width_ - width, ' ')
                                : "\n" + std::string(column_width_, ' ');
  return line + wrapped(with_docs(description, docs_directory()), column_width_) + "\n";
}

}  // namespace acp::cli
