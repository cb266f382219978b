#include "cli/help_format.h"

#include <algorithm>
#include <sstream>
#include <vector>

#include "acp/json/utf8.h"
#include "cli/docs_place.h"
#include "cli/table.h"

namespace acp::cli {
namespace {

// As wide as the terminal, and no wider than lines that are easy to read.
std::size_t line_width() {
  constexpr std::size_t widest = 96, narrowest = 40;
  const std::size_t columns = output_columns();
  return columns == 0 ? 80 : std::clamp(columns, narrowest, widest);
}

// Its words, filled into lines. The first begins after `indent` columns, which are there already.
std::string filled(const std::string& text, std::size_t indent) {
  std::string out, line;
  std::istringstream words(text);
  for (std::string word; words >> word;) {
    if (!line.empty() &&
        indent + json::utf8_count(line) + 1 + json::utf8_count(word) > line_width()) {
      out += line + '\n' + std::string(indent, ' ');
      line.clear();
    }
    line += (line.empty() ? "" : " ") + word;
  }
  return out + line;
}

// The lines as they are to be filled. One that does not end a sentence goes on in the next one: it
// was broken where the source is. Lines that are indented are examples, and stay as they are.
std::vector<std::string> paragraphs(const std::string& text) {
  std::vector<std::string> all;
  bool goes_on = false;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    const bool plain = !line.empty() && line[0] != ' ';
    if (goes_on && plain)
      all.back() += " " + line;
    else
      all.push_back(line);
    goes_on = plain && line.find_last_of(".:") != line.size() - 1;
  }
  return all;
}

std::string wrapped(const std::string& text, std::size_t indent) {
  std::string out;
  for (const std::string& paragraph : paragraphs(text))
    out += (out.empty() ? "" : '\n' + std::string(indent, ' ')) + filled(paragraph, indent);
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

std::string HelpFormatter::make_description(const CLI::App* app) const {
  const std::string text = app->get_description();
  return text.empty() ? "" : wrapped(text, 0) + "\n";
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
  return entry(name, description, column_width_);
}

std::string HelpFormatter::make_subcommand(const CLI::App* command) const {
  // Of several sentences the first: the command's own help has the rest.
  const std::string description = command->get_description();
  constexpr std::size_t column = 15;  // their names are short
  return entry(command->get_name(), description.substr(0, description.find('\n')), column);
}

std::string HelpFormatter::make_footer(const CLI::App* app) const {
  std::string out;
  for (const std::string& line :
       paragraphs(with_docs(Formatter::make_footer(app), docs_directory())))
    out += (line.starts_with(' ') ? line : filled(line, 0)) + "\n";
  return out;
}

std::string HelpFormatter::make_help(const CLI::App* app, std::string name,
                                     CLI::AppFormatMode mode) const {
  std::string text = Formatter::make_help(app, std::move(name), mode);
  for (std::size_t at = 0; (at = text.find("\n\n\n", at)) != std::string::npos;) text.erase(at, 1);
  while (text.ends_with("\n\n")) text.pop_back();
  return text;
}

std::string HelpFormatter::entry(const std::string& name, const std::string& description,
                                 std::size_t wanted) {
  // Beside the names if there is room for that, else below them.
  constexpr std::size_t room = 36;
  const bool beside = line_width() >= wanted + room;
  const std::size_t column = beside ? wanted : 6;
  std::string line = "  " + name;
  const std::size_t width = json::utf8_count(line);
  line +=
      beside && width < column ? std::string(column - width, ' ') : "\n" + std::string(column, ' ');
  return line + wrapped(with_docs(description, docs_directory()), column) + "\n";
}

}  // namespace acp::cli
