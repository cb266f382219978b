#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <toml++/toml.h>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "acp/io/descriptor.h"
#include "acp/json/writer.h"
#include "acp/workspace/files/files.h"
#include "acp/workspace/policy_store.h"

namespace acp::workspace {

namespace fs = std::filesystem;

namespace {

struct Located {
  Rule rule;
  std::size_t first_line;  // from 1
};

// The patterns of a rule, by the names that they have in the file.
struct Field {
  const char* name;
  std::string Rule::*value;
};
constexpr Field fields[] = {{"kind", &Rule::kind},           {"tool", &Rule::tool},
                            {"command", &Rule::command},     {"origin", &Rule::origin},
                            {"directory", &Rule::directory}, {"agent", &Rule::agent},
                            {"project", &Rule::project}};

[[noreturn]] void refuse(const std::string& path, std::size_t line, const std::string& why) {
  throw PolicyStoreError(path + (line == 0 ? "" : ":" + std::to_string(line)) + ": " + why);
}

std::size_t line_of(const toml::node& node) { return node.source().begin.line; }

std::string read_text_value(const toml::node& node, const std::string& name,
                            const std::string& path) {
  const auto text = node.value<std::string>();
  if (!text || !node.is_string()) refuse(path, line_of(node), name + ": expected a string");
  if (text->empty()) refuse(path, line_of(node), name + ": empty; leave it out to match anything");
  return *text;
}

// What could never hold: a rule that rejects would protect nothing.
void require_kind(const std::string& kind, std::size_t line, const std::string& path) {
  if (is_tool_kind(kind)) return;
  std::string names;
  for (const std::string& name : tool_kinds()) names += (names.empty() ? "" : ", ") + name;
  refuse(path, line, "kind: there is no \"" + kind + "\", only: " + names);
}

void require_absolute(const std::string& pattern, const std::string& name, std::size_t line,
                      const std::string& path) {
  if (!can_match_a_path(pattern))
    refuse(path, line,
           name + ": paths are absolute, and \"" + pattern + "\" matches none; \"**/" + pattern +
               "\" matches it in every directory");
}

// One pattern, or several in a list.
std::vector<std::string> read_patterns(const toml::node& node, const std::string& path) {
  const auto read = [&](const toml::node& one) {
    std::string pattern = read_text_value(one, "path", path);
    require_absolute(pattern, "path", line_of(one), path);
    return pattern;
  };
  const toml::array* const list = node.as_array();
  if (list == nullptr) return {read(node)};
  std::vector<std::string> patterns;
  for (const toml::node& element : *list) patterns.push_back(read(element));
  if (patterns.empty()) refuse(path, line_of(node), "path: an empty list matches nothing");
  return patterns;
}

Rule read_rule(const toml::table& table, const std::string& path) {
  Rule rule;
  bool decided = false;
  for (const auto& [key, node] : table) {
    const std::string name(key.str());
    const std::size_t line = line_of(node);
    if (name == "path") {
      rule.paths = read_patterns(node, path);
      continue;
    }
    if (name == "answered") {
      const auto answered = node.value<bool>();
      if (!answered || !node.is_boolean()) refuse(path, line, "answered: expected true or false");
      rule.answered = *answered;
      continue;
    }
    const std::string text = read_text_value(node, name, path);
    if (name == "decision") {
      if (text != "allow" && text != "reject")
        refuse(path, line, "decision: expected \"allow\" or \"reject\", got \"" + text + "\"");
      rule.decision = text == "allow" ? Effect::allow : Effect::reject;
      decided = true;
      continue;
    }
    bool known = false;
    for (const Field& field : fields)
      if (name == field.name) {
        rule.*field.value = text;
        known = true;
      }
    // A pattern that is misspelt would otherwise match everything.
    if (!known) refuse(path, line, "a rule has no \"" + name + "\"");
    if (name == "kind") require_kind(text, line, path);
    if (name == "directory") require_absolute(text, name, line, path);
    if (name == "project" && !text.starts_with('/'))
      refuse(path, line, "project: expected an absolute path, got \"" + text + "\"");
  }
  if (!decided) refuse(path, line_of(table), "a rule without a decision");
  return rule;
}

std::vector<Located> parse(const std::string& text, const std::string& path) {
  toml::table document;
  try {
    document = toml::parse(text, path);
  } catch (const toml::parse_error& error) {
    refuse(path, error.source().begin.line, std::string(error.description()));
  }
  std::vector<Located> rules;
  for (const auto& [key, node] : document) {
    if (key.str() != "rule" || !node.is_array_of_tables())
      refuse(path, line_of(node), "expected [[rule]], got \"" + std::string(key.str()) + "\"");
    for (const toml::node& element : *node.as_array())
      rules.push_back({read_rule(*element.as_table(), path), line_of(element)});
  }
  return rules;
}

std::string quoted(const std::string& text) {
  json::Writer out;
  out.string(text);
  std::string result = out.str();
  // What JSON takes as it is, and TOML does not.
  for (std::size_t at; (at = result.find('\x7F')) != std::string::npos;)
    result.replace(at, 1, "\\u007F");
  return result;
}

std::string written(const Rule& rule) {
  std::string text = "[[rule]]\ndecision = " + quoted(to_string(rule.decision)) + "\n";
  for (const Field& field : fields)
    if (const std::string& value = rule.*field.value; !value.empty())
      text += std::string(field.name) + " = " + quoted(value) + "\n";
  if (rule.paths.size() == 1) text += "path = " + quoted(rule.paths.front()) + "\n";
  if (rule.paths.size() > 1) {
    text += "path = [";
    for (std::size_t i = 0; i < rule.paths.size(); ++i)
      text += (i == 0 ? "" : ", ") + quoted(rule.paths[i]);
    text += "]\n";
  }
  if (rule.answered) text += "answered = true\n";
  return text;
}

// The file's text; empty if there is none. Another user who may write to it could decide for us.
std::string read_text(const std::string& path) {
  const io::Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!file && (errno == ENOENT || errno == ENOTDIR)) return {};
  struct stat about;
  if (!file || fstat(file.get(), &about) != 0) refuse(path, 0, std::strerror(errno));
  if (!S_ISREG(about.st_mode)) refuse(path, 0, "not a file");
  if ((about.st_mode & 022) != 0)
    refuse(path, 0, "others may write to it, and so decide for you (chmod go-w makes it yours)");
  if (about.st_uid != geteuid() && about.st_uid != 0)
    refuse(path, 0, "it belongs to somebody else");
  std::string text;
  char buffer[16 * 1024];
  ssize_t size;
  while ((size = ::read(file.get(), buffer, sizeof buffer)) > 0 || (size < 0 && errno == EINTR))
    if (size > 0) text.append(buffer, static_cast<std::size_t>(size));
  if (size < 0) refuse(path, 0, std::strerror(errno));
  return text;
}

// One program changes the file at a time.
class Change {
 public:
  explicit Change(const std::string& path) : path_(path) {
    std::error_code error;
    const fs::path directory = fs::path(path).parent_path();
    if (fs::create_directories(directory, error))
      fs::permissions(directory, fs::perms::owner_all, error);
    if (error) refuse(path, 0, error.message());
    const std::string lock = path + ".lock";
    lock_.reset(::open(lock.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
    if (!lock_) refuse(lock, 0, std::strerror(errno));
    while (flock(lock_.get(), LOCK_EX) != 0)
      if (errno != EINTR) refuse(lock, 0, std::strerror(errno));
  }
  std::string text() const { return read_text(path_); }
  void write(const std::string& text) const {
    // A new file is nobody else's from its beginning.
    io::Descriptor(::open(path_.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
    try {
      Files(Boundary({fs::path(path_).parent_path().string()})).write(path_, text);
    } catch (const FileError& error) {
      throw PolicyStoreError(error.what());
    }
  }

 private:
  const std::string& path_;
  io::Descriptor lock_;
};

}  // namespace

std::string PolicyStore::default_path() {
  if (const char* config = std::getenv("XDG_CONFIG_HOME"); config != nullptr && *config == '/')
    return std::string(config) + "/acp/policy.toml";
  if (const char* home = std::getenv("HOME"); home != nullptr && *home == '/')
    return std::string(home) + "/.config/acp/policy.toml";
  return {};
}

std::vector<Policy::Placed> PolicyStore::load() const {
  std::vector<Policy::Placed> rules;
  for (Located& located : parse(read_text(path_), path_))
    rules.push_back({std::move(located.rule), path_ + ":" + std::to_string(located.first_line)});
  return rules;
}

void PolicyStore::add(const Rule& rule) const {
  const Change change(path_);
  std::string text = change.text();
  for (const Located& located : parse(text, path_))
    if (located.rule == rule) return;
  if (text.empty())
    text =
        "# What acp may do without asking, and what it must not do. The first rule that matches "
        "decides.\n";
  else if (!text.ends_with('\n'))
    text += '\n';
  text += "\n" + written(rule);
  parse(text, path_);  // what could not be read again is not written
  change.write(text);
}

Rule PolicyStore::revoke(std::size_t number) const {
  const Change change(path_);
  const std::string text = change.text();
  const std::vector<Located> rules = parse(text, path_);
  if (number == 0 || number > rules.size())
    refuse(
        path_, 0,
        "there is no rule " + std::to_string(number) + "; it has " + std::to_string(rules.size()));
  std::vector<std::string> lines;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size() - 1) + 1;
    lines.push_back(text.substr(at, end - at));
    at = end;
  }
  // From its header to the next one, but for the comments that stand before that.
  const std::size_t first = rules[number - 1].first_line - 1;
  std::size_t last = number < rules.size() ? rules[number].first_line - 1 : lines.size();
  const auto is_remark = [](const std::string& line) {
    const std::size_t start = line.find_first_not_of(" \t\r\n");
    return start == std::string::npos || line[start] == '#';
  };
  while (last > first + 1 && is_remark(lines[last - 1])) --last;
  std::string left;
  for (std::size_t i = 0; i < lines.size(); ++i)
    if (i < first || i >= last) left += lines[i];
  std::vector<Rule> expected, after;
  for (std::size_t i = 0; i < rules.size(); ++i)
    if (i != number - 1) expected.push_back(rules[i].rule);
  for (Located& located : parse(left, path_)) after.push_back(std::move(located.rule));
  // Rules can be written in ways that lines do not part: better nothing than the wrong one.
  if (after != expected)
    refuse(path_, rules[number - 1].first_line, "this rule has to be removed by hand");
  change.write(left);
  return rules[number - 1].rule;
}

}  // namespace acp::workspace
