#include "settings/toml_edit.h"

#include <toml++/toml.h>

#include <algorithm>
#include <cstdio>
#include <optional>
#include <set>
#include <sstream>
#include <string_view>

#include "acp/json/utf8.h"
#include "settings/toml_depth.h"

namespace acp::settings {

namespace {

bool is_bare(const std::string& part) {
  return !part.empty() && part.find_first_not_of(
                              "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_") ==
                              std::string::npos;
}

std::string written_part(const std::string& part) {
  return is_bare(part) ? part : quoted_toml(part);
}

// The only path in a table that has nothing else: "[a.b]" or "a.b = 0".
TomlPath only_path(const toml::table& table) {
  TomlPath path;
  const toml::table* at = &table;
  while (at != nullptr && at->size() == 1) {
    path.emplace_back(at->begin()->first.str());
    at = at->begin()->second.as_table();
  }
  return at == nullptr || at->empty() ? path : TomlPath();
}

// The text, and where things stand in it. Lines count from 1, as the parser's do.
class Text {
 public:
  explicit Text(const std::string& text) : text_(text), document_(toml::parse(text)) {
    starts_.push_back(0);
    for (std::size_t i = 0; i < text.size(); ++i)
      if (text[i] == '\n') starts_.push_back(i + 1);
    if (starts_.back() == text.size()) starts_.pop_back();  // no line follows the last end
    look_at(document_, {});
    std::sort(headers_.begin(), headers_.end());
  }

  const toml::table& document() const { return document_; }
  std::size_t lines() const { return starts_.size(); }

  const toml::node* find(const TomlPath& path) const {
    const toml::node* at = &document_;
    for (const std::string& part : path) {
      const toml::table* const table = at->as_table();
      at = table == nullptr ? nullptr : table->get(part);
      if (at == nullptr) return nullptr;
    }
    return at;
  }

  std::string replaced(const toml::node& node, const std::string& value) const {
    const std::size_t begin = offset(node.source().begin), end = offset(node.source().end);
    return text_.substr(0, begin) + value + text_.substr(end);
  }

  // Without the lines of this node, which has this key in its table.
  std::string without(const toml::table& parent, const std::string& key) const {
    std::set<std::size_t> gone;
    const auto take = [&](std::size_t first, std::size_t last) {
      for (std::size_t line = first; line <= last; ++line) gone.insert(line);
    };
    const auto take_all = [&](const auto& self, const toml::table& table,
                              const std::string& only) -> void {
      for (const auto& [name, value] : table) {
        if (!only.empty() && name.str() != only) continue;
        if (const toml::table* const inner = value.as_table();
            inner != nullptr && !inner->is_inline()) {
          if (const std::size_t line = inner->source().begin.line; is_header(line))
            take(line, line);
          self(self, *inner, "");
        } else {
          take(name.source().begin.line, value.source().end.line);
        }
      }
    };
    take_all(take_all, parent, key);
    std::string out;
    bool empty_before = true, cut = false;
    for (std::size_t line = 1; line <= lines(); ++line) {
      if (gone.count(line) != 0) {
        cut = true;
        continue;
      }
      // Two empty lines do not remain where one was on each side.
      const bool empty = trimmed(line).find_first_not_of("\r\n") == std::string_view::npos;
      if (!(cut && empty && empty_before)) out += line_text(line);
      empty_before = empty;
      cut = cut && empty;
    }
    // Nor does one at the end.
    for (const std::string_view end : {"\n\n", "\n\r\n"})
      while (cut && out.ends_with(end)) out.erase(out.size() - end.size() + 1);
    return out;
  }

  // After this line; 0 is before the first.
  std::string inserted(std::size_t after, const std::string& line) const {
    const std::string end = text_.find("\r\n") == std::string::npos ? "\n" : "\r\n";
    const std::size_t at = after >= lines() ? text_.size() : starts_[after];
    std::string before = text_.substr(0, at);
    if (!before.empty() && !before.ends_with('\n')) before += end;
    return before + line + end + text_.substr(at);
  }
  std::string appended(const std::string& header, const std::string& line) const {
    const std::string end = text_.find("\r\n") == std::string::npos ? "\n" : "\r\n";
    std::string text = text_;
    if (!text.empty() && !text.ends_with('\n')) text += end;
    if (!text.empty()) text += end;
    return text + header + end + line + end;
  }

  // The line of "[path]". Nothing if there is none.
  std::optional<std::size_t> header_of(const TomlPath& path) const {
    const toml::node* const node = find(path);
    if (node == nullptr || !node->is_table() || node->as_table()->is_inline()) return std::nullopt;
    const std::size_t line = node->source().begin.line;
    if (!std::binary_search(headers_.begin(), headers_.end(), line)) return std::nullopt;
    // A table that a longer header made has that one's line.
    return only_path(toml::parse(line_text(line))) == path ? std::optional(line) : std::nullopt;
  }

  // Where a new value of the table that begins at this line belongs: the line to write it after. 0
  // is the top of the file.
  std::size_t place_for(const std::string& name, std::size_t header) const {
    const auto next = std::upper_bound(headers_.begin(), headers_.end(), header);
    const std::size_t end = next == headers_.end() ? lines() + 1 : *next;
    for (std::size_t line = header + 1; line < end; ++line)
      if (shows(line, name)) return line;
    std::size_t last = header;
    for (const auto& [first, to] : values_)
      if (first > header && first < end) last = std::max(last, to);
    if (last != header || header != 0) return last;
    if (next == headers_.end()) return lines();
    // What stands directly above a table is about that table.
    std::size_t line = end - 1;
    while (line > 0 && trimmed(line).starts_with('#')) --line;
    return line;
  }

 private:
  void look_at(const toml::table& table, const TomlPath& path) {
    for (const auto& [key, value] : table) {
      if (const toml::table* const inner = value.as_table();
          inner != nullptr && !inner->is_inline()) {
        add_header(*inner);
        TomlPath below = path;
        below.emplace_back(key.str());
        look_at(*inner, below);
        continue;
      }
      values_.emplace_back(key.source().begin.line, value.source().end.line);
      if (const toml::array* const array = value.as_array(); array && array->is_array_of_tables())
        for (const toml::node& one : *array) {
          add_header(*one.as_table());
          look_at(*one.as_table(), path);
        }
    }
  }
  bool is_header(std::size_t line) const {
    return line > 0 && line <= lines() && trimmed(line).starts_with('[');
  }
  void add_header(const toml::table& table) {
    const std::size_t line = table.source().begin.line;
    if (is_header(line)) headers_.push_back(line);
  }

  // "# name = …"
  bool shows(std::size_t line, const std::string& name) const {
    for (const auto& [first, last] : values_)
      if (line >= first && line <= last) return false;
    std::string_view text = trimmed(line);
    if (!text.starts_with('#')) return false;
    text.remove_prefix(std::min(text.find_first_not_of("# \t"), text.size()));
    if (!text.starts_with(name)) return false;
    text.remove_prefix(name.size());
    return text.substr(std::min(text.find_first_not_of(" \t"), text.size())).starts_with('=');
  }

  std::string line_text(std::size_t line) const {
    const std::size_t begin = starts_[line - 1];
    return text_.substr(begin, (line < lines() ? starts_[line] : text_.size()) - begin);
  }
  std::string_view trimmed(std::size_t line) const {
    const std::size_t begin = starts_[line - 1];
    std::string_view text = std::string_view(text_).substr(
        begin, (line < lines() ? starts_[line] : text_.size()) - begin);
    text.remove_prefix(std::min(text.find_first_not_of(" \t"), text.size()));
    return text;
  }

  // Columns are characters, not bytes.
  std::size_t offset(const toml::source_position& at) const {
    if (at.line == 0 || at.line > lines()) return text_.size();
    std::size_t offset = starts_[at.line - 1];
    for (std::size_t column = 1; column < at.column && offset < text_.size(); ++column) do {
        ++offset;
      } while (offset < text_.size() && json::utf8_continues(text_[offset]));
    return offset;
  }

  const std::string& text_;
  const toml::table document_;
  std::vector<std::size_t> starts_;                          // of lines
  std::vector<std::size_t> headers_;                         // lines of tables
  std::vector<std::pair<std::size_t, std::size_t>> values_;  // first and last line of each
};

// What the file shall mean afterwards. False if it cannot: a part of the path is no table.
bool put(toml::table& document, const TomlPath& path, const std::string& value) {
  toml::table* table = &document;
  for (std::size_t i = 0; i + 1 < path.size(); ++i) {
    if (table->get(path[i]) == nullptr) table->insert(path[i], toml::table());
    table = table->get(path[i])->as_table();
    if (table == nullptr) return false;
  }
  const toml::table parsed = toml::parse("value = " + value);
  table->insert_or_assign(path.back(), *parsed.get("value"));
  return true;
}

}  // namespace

std::string quoted_toml(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (byte < 0x20 || byte == 0x7F) {
      char code[8];
      std::snprintf(code, sizeof code, "\\u%04X", byte);
      out += code;
    } else {
      out += c;
    }
  }
  return out + "\"";
}

TomlPath toml_path(const std::string& written) {
  if (line_with_long_key(written + " = 0") || written.find_first_of("\n#=") != std::string::npos)
    return {};
  try {
    return only_path(toml::parse(written + " = 0"));
  } catch (const toml::parse_error&) {
    return {};
  }
}

std::string written_path(const TomlPath& path) {
  std::string text;
  for (const std::string& part : path) text += (text.empty() ? "" : ".") + written_part(part);
  return text;
}

std::string plain_value(const std::string& value) {
  try {
    const toml::table parsed = toml::parse("value = " + value);
    const toml::node& node = *parsed.get("value");
    if (const auto text = node.value<std::string>(); node.is_string() && text) return *text;
    if (!node.is_array()) return value;
    std::string lines;
    for (const toml::node& one : *node.as_array()) {
      const auto text = one.value<std::string>();
      if (!one.is_string() || !text) return value;
      lines += (&one == &node.as_array()->front() ? "" : "\n") + *text;
    }
    return lines;
  } catch (const toml::parse_error&) {
    return value;  // a word of ours: "set", "missing"
  }
}

Json json_of_toml(const std::string& value) {
  const auto convert = [](const auto& self, const toml::node& node) -> Json {
    if (const auto text = node.as_string()) return Json(text->get());
    if (const auto number = node.as_integer()) return Json(number->get());
    if (const auto number = node.as_floating_point()) return Json(number->get());
    if (const auto yes = node.as_boolean()) return Json(yes->get());
    Json list = Json::array();
    if (const toml::array* const array = node.as_array())
      for (const toml::node& one : *array) list.append(self(self, one));
    return list;
  };
  try {
    const toml::table parsed = toml::parse("value = " + value);
    return convert(convert, *parsed.get("value"));
  } catch (const toml::parse_error&) {
    return Json(value);  // a word of ours: "set", "missing"
  }
}

std::optional<std::string> without_toml_value(const std::string& text, const TomlPath& path) {
  const Text before(text);
  if (path.empty() || before.find(path) == nullptr) return std::nullopt;
  toml::table wanted = before.document();
  toml::table* parent = &wanted;
  for (std::size_t i = 0; i + 1 < path.size(); ++i) parent = parent->get(path[i])->as_table();
  parent->erase(path.back());

  const TomlPath above(path.begin(), path.end() - 1);
  const toml::node* const there = before.find(above);
  std::string candidate = before.without(*there->as_table(), path.back());
  if (there->as_table()->is_inline()) {
    std::ostringstream rest;
    rest << *parent;
    candidate = before.replaced(*there, rest.str());
  }
  // A table that has only longer headers ([a.b] of a) goes with the last of them.
  const auto pruned = [](toml::table table) {
    const auto prune = [](const auto& self, toml::table& in) -> void {
      for (auto at = in.begin(); at != in.end();) {
        toml::table* const inner = at->second.as_table();
        if (inner != nullptr) self(self, *inner);
        at = inner != nullptr && inner->empty() ? in.erase(at) : std::next(at);
      }
    };
    prune(prune, table);
    return table;
  };
  try {
    if (pruned(toml::parse(candidate)) == pruned(wanted)) return candidate;
  } catch (const toml::parse_error&) {
  }
  throw TomlEditError(written_path(path) +
                      ": the file is written in a way that only you can change; edit it there");
}

std::string toml_part(const std::string& text, const TomlPath& path) {
  const toml::table document = toml::parse(text);
  toml::table part;
  if (const toml::node* const top = path.empty() ? nullptr : document.get(path[0])) {
    const toml::node* const named =
        path.size() > 2 && top->is_table() ? top->as_table()->get(path[1]) : nullptr;
    if (named != nullptr)
      part.insert(path[0], toml::table{{path[1], *named}});
    else if (path.size() == 1)
      part.insert(path[0], *top);
    else if (const toml::node* const value =
                 top->is_table() ? top->as_table()->get(path[1]) : nullptr)
      part.insert(path[0], toml::table{{path[1], *value}});
  }
  std::ostringstream out;
  out << part;
  return out.str();
}

std::string with_toml_value(const std::string& text, const TomlPath& path,
                            const std::string& value) {
  const Text before(text);
  toml::table wanted = before.document();
  if (path.empty() || !put(wanted, path, value))
    throw TomlEditError(written_path(path) + ": there is a value where a table should be");
  const auto means_that = [&](const std::string& candidate) {
    try {
      return toml::parse(candidate) == wanted;
    } catch (const toml::parse_error&) {
      return false;
    }
  };

  std::vector<std::string> candidates;
  const TomlPath parent(path.begin(), path.end() - 1);
  const std::string line = written_part(path.back()) + " = " + value;
  if (const toml::node* const there = before.find(path)) {
    candidates.push_back(before.replaced(*there, value));
  } else {
    const auto header = parent.empty() ? std::optional<std::size_t>(0) : before.header_of(parent);
    if (header) candidates.push_back(before.inserted(before.place_for(path.back(), *header), line));
    if (!parent.empty()) {
      candidates.push_back(before.appended("[" + written_path(parent) + "]", line));
      const std::string dotted = written_path(path);
      candidates.push_back(before.inserted(before.place_for(dotted, 0), dotted + " = " + value));
    }
  }
  for (std::string& candidate : candidates)
    if (means_that(candidate)) return std::move(candidate);
  throw TomlEditError(written_path(path) +
                      ": the file is written in a way that only you can change; edit it there");
}

}  // namespace acp::settings
