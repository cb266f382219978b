#include "settings/settings_edit.h"

#include <algorithm>
#include <functional>
#include <string_view>

#include "settings/closest.h"
#include "settings/file.h"
#include "settings/secrets.h"
#include "settings/settings_file.h"
#include "settings/toml_edit.h"
#include "settings/toml_values.h"

namespace acp::settings {

namespace {

using Kind = KnownSetting::Kind;

bool is_users(const std::string& part) {
  return !part.empty() && part.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZ") == std::string::npos;
}

[[noreturn]] void refuse_key(const std::string& key) {
  throw SettingsError(written_path(toml_path(key)) +
                      ": a key does not belong in this file, which is shown and shared. "
                      "'acp agent --login PROVIDER' asks for a key and stores it; or set the "
                      "provider's variable, such as OPENAI_API_KEY, in the environment");
}

// By what the keys and tokens of many providers begin with.
bool looks_secret(std::string_view value) {
  constexpr std::string_view beginnings[] = {"sk-",  "sk_",         "gsk_", "xai-",  "AIza",
                                             "ghp_", "github_pat_", "hf_",  "xoxb-", "Bearer "};
  return std::any_of(std::begin(beginnings), std::end(beginnings),
                     [&](std::string_view begin) { return value.starts_with(begin); });
}

// The words of a list: as they are given, or one that is a list in JSON.
std::vector<std::string> elements(const KnownSetting& known, const std::string& key,
                                  const std::vector<std::string>& words) {
  if (known.kind != Kind::words || words.size() != 1 || !words.front().starts_with('['))
    return words;
  const auto refuse = [&] {
    throw SettingsError(key + ": expected a list of strings in JSON, such as [\"a\", \"b\"], got " +
                        words.front());
  };
  const auto list = Json::parse(words.front());
  if (!list || !list->is_array()) refuse();
  std::vector<std::string> given;
  for (const JsonView element : list->view().elements()) {
    if (!element.is_string()) refuse();
    given.push_back(*element.as_string());
  }
  return given;
}

std::string toml_value(const KnownSetting& known, const std::string& key,
                       const std::vector<std::string>& words) {
  if (known.kind == Kind::words) {
    std::string list;
    for (const std::string& word : words) list += (list.empty() ? "" : ", ") + quoted_toml(word);
    return "[" + list + "]";
  }
  if (words.size() != 1) throw SettingsError(key + ": expected one value");
  const std::string& word = words.front();
  switch (known.kind) {
    case Kind::number:
      if (word.empty() || word.size() > 18 ||
          word.find_first_not_of("0123456789") != std::string::npos)
        throw SettingsError(key + ": expected a whole number that is not negative, got \"" + word +
                            "\"");
      // No zeros before it: TOML has none.
      return word.substr(std::min(word.find_first_not_of('0'), word.size() - 1));
    case Kind::yes_or_no:
      if (word != "true" && word != "false")
        throw SettingsError(key + ": expected true or false, got \"" + word + "\"");
      return word;
    default:
      return quoted_toml(word);
  }
}

Settings built_in_settings() {
  SettingsSources sources;
  sources.environment = [](const std::string&) { return std::nullopt; };
  return load_settings(sources);
}

std::string read(const std::string& file) {
  try {
    return read_settings_file(file, Trust::owner).value_or("");
  } catch (const std::runtime_error& error) {
    throw SettingsError(error.what());
  }
}

// The line is one of a file that may not be written.
std::string without_place(const std::string& why, const std::string& file) {
  return why.starts_with(file + ":") ? why.substr(why.find(": ", file.size() + 1) + 2) : why;
}

// What is wrong with a file of this text; empty if it is right.
std::string problem_in(const std::string& text, const std::string& file) {
  Settings settings = built_in_settings();
  try {
    read_settings_text(text, file, Whose::user, settings);
    require_model(settings);
    return {};
  } catch (const SettingsError& error) {
    return without_place(error.what(), file);
  }
}

// Those of the file; of one that is wrong, what can be read of it. Throws WrongToml: only a person
// can repair that.
Settings settings_of(const std::string& text, const std::string& file) {
  Settings settings = built_in_settings();
  try {
    read_settings_text(text, file, Whose::user, settings);
  } catch (const WrongToml&) {
    throw;
  } catch (const SettingsError&) {
  }
  return settings;
}

// Throws unless the text may be written. A file with several errors is repaired one by one: then
// what was changed must be right in itself.
void check_change(const std::string& before, const std::string& after, const std::string& file,
                  const TomlPath& path) {
  const std::string problem = problem_in(after, file);
  if (problem.empty()) return;
  if (problem_in(before, file).empty()) throw SettingsError(problem);
  // A model is right or wrong by the providers of the file, which are read before it.
  const std::string own = path.front() == "model"
                              ? without_place(settings_of(after, file).model_problem, file)
                              : problem_in(toml_part(after, path), file);
  if (!own.empty()) throw SettingsError(own);
}

using Edit = std::function<std::string(const std::string& text)>;

// Throws what is wrong with the file, or with the change.
std::string edited(const std::string& text, const std::string& file, const TomlPath& path,
                   const Edit& edit) {
  settings_of(text, file);
  std::string result;
  try {
    result = edit(text);
  } catch (const TomlEditError& error) {
    throw SettingsError(file + ": " + error.what());
  }
  check_change(text, result, file, path);
  return result;
}

void edit_file(const std::string& file, const TomlPath& path, const Edit& edit) {
  // Once before anything is made or locked: what is wrong leaves no trace.
  edited(read(file), file, path, edit);
  try {
    const PrivateFileChange change(file);
    change.write(edited(read(file), file, path, edit));
  } catch (const SettingsError&) {
    throw;
  } catch (const std::runtime_error& error) {
    throw SettingsError(error.what());
  }
}

std::string checked_place(const std::string& file) {
  if (file.empty())
    throw SettingsError("neither XDG_CONFIG_HOME nor HOME is set: no place for settings");
  return file;
}

}  // namespace

const std::vector<KnownSetting>& known_settings() {
  static const std::vector<KnownSetting> all = [] {
    std::vector<KnownSetting> known = {{"model"}, {"mode"}, {"protocol", Kind::number}};
    for (const LimitSetting& limit : limit_settings())
      known.push_back({std::string("limits.") + limit.name, Kind::number});
    for (const char* const field : {"api", "base_url", "key_variable"})
      known.push_back({std::string("providers.NAME.") + field});
    known.push_back({"providers.NAME.needs_key", Kind::yes_or_no});
    known.push_back({"providers.NAME.models", Kind::words});
    for (const char* const of : {"providers.NAME.", "providers.NAME.model.MODEL."}) {
      for (const char* const field : {"context_tokens", "max_output_tokens"})
        known.push_back({std::string(of) + field, Kind::number});
      for (const char* const field : {"images", "audio", "documents", "tools"})
        known.push_back({std::string(of) + field, Kind::yes_or_no});
    }
    for (const char* const of : {"agents.NAME.", "mcp.NAME."}) {
      known.push_back({std::string(of) + "command"});
      known.push_back({std::string(of) + "args", Kind::words});
      known.push_back({std::string(of) + "env.VARIABLE"});
    }
    for (const char* const field : {"url", "token_file", "ca_file", "headers.HEADER"})
      known.push_back({std::string("agents.NAME.") + field});
    for (const char* const field : {"url", "type", "headers.HEADER"})
      known.push_back({std::string("mcp.NAME.") + field});
    known.push_back({"chat.notify"});
    return known;
  }();
  return all;
}

const KnownSetting* known_setting(const std::string& key) {
  const TomlPath path = toml_path(key);
  for (const KnownSetting& known : known_settings()) {
    const TomlPath parts = toml_path(known.name);
    if (std::equal(parts.begin(), parts.end(), path.begin(), path.end(),
                   [](const std::string& part, const std::string& given) {
                     return is_users(part) || part == given;
                   }))
      return &known;
  }
  return nullptr;
}

bool is_part(const std::string& key) {
  const TomlPath path = toml_path(key);
  return !path.empty() && std::ranges::any_of(known_settings(), [&](const KnownSetting& known) {
    const TomlPath parts = toml_path(known.name);
    return parts.size() > path.size() &&
           std::equal(path.begin(), path.end(), parts.begin(),
                      [](const std::string& given, const std::string& part) {
                        return is_users(part) || part == given;
                      });
  });
}

std::string no_setting(const std::string& key) {
  std::vector<std::string> names;
  for (const KnownSetting& one : known_settings()) names.push_back(one.name);
  const std::string meant = closest(key, names);
  return "there is no setting " + key + (meant.empty() ? "." : "; did you mean " + meant + "?");
}

std::string listed_settings() {
  std::string text;
  for (const KnownSetting& known : known_settings())
    text += (text.empty() ? "  " : "\n  ") + known.name;
  return text;
}

void change_setting(const std::string& file, const std::string& key,
                    const std::vector<std::string>& given) {
  checked_place(file);
  const TomlPath path = toml_path(key);
  if (!path.empty() && names_a_key(path.back()) && path[0] != "agents" && path[0] != "mcp")
    refuse_key(key);
  const KnownSetting* const known = known_setting(key);
  if (known == nullptr)
    throw SettingsError(no_setting(key) + " These can be set:\n" + listed_settings());
  const std::vector<std::string> words = elements(*known, key, given);
  const Secrets secrets(settings_of(read(file), file), Keys());
  for (const std::string& word : words)
    if (looks_secret(word) || secrets.in(word)) refuse_key(key);
  if (path.front() == "model" && words.size() == 1 && words.front() != "offline" &&
      words.front().find('/') == std::string::npos)
    throw SettingsError("model: expected PROVIDER/NAME or offline, got \"" + words.front() +
                        "\"; 'acp models' lists what can be used");
  const std::string value = toml_value(*known, key, words);
  edit_file(file, path,
            [&](const std::string& text) { return with_toml_value(text, path, value); });
}

bool remove_setting(const std::string& file, const std::string& key) {
  checked_place(file);
  const TomlPath path = toml_path(key);
  settings_of(read(file), file);
  try {
    if (!without_toml_value(read(file), path)) return false;
  } catch (const TomlEditError& error) {
    throw SettingsError(file + ": " + error.what());
  }
  try {
    edit_file(file, path, [&](const std::string& text) {
      return without_toml_value(text, path).value_or(text);
    });
  } catch (const SettingsError& error) {
    if (path.size() < 3) throw;
    throw SettingsError(std::string(error.what()) + "; 'acp config unset " +
                        written_path({path[0], path[1]}) + "' takes all of it back");
  }
  return true;
}

std::string first_settings_text() {
  std::string text =
      R"(# What acp does. 'acp config' shows what holds and where it is set; 'acp config set KEY VALUE'
# changes this file and keeps its comments. Keys do not belong here: 'acp agent --login PROVIDER'
# stores one.

# PROVIDER/NAME, or "offline". 'acp models' lists what can be used.
# model = "anthropic/claude-sonnet-4-5"

# What a session begins with: "ask" before each change, "code" before commands only, "architect"
# changes nothing.
# mode = "ask"

# The highest version of ACP that is spoken with editors and agents: 1, or 2, which is a draft.
# protocol = 1

[limits]
)";
  for (const LimitSetting& limit : limit_settings())
    text += std::string("# ") + limit.name + " = " + std::to_string(limit.built_in) + "\n";
  return text + R"(
[chat]
# When an agent waits and you are away: "bell", "osc9", "both" or "none".
# notify = "bell"

# A provider of your own, here a server in your network:
# [providers.box]
# base_url = "http://192.168.1.5:8080/v1"
# models = ["qwen3"]

# An agent of your own, for 'acp chat --agent mine':
# [agents.mine]
# command = "my-agent"
# args = ["--acp"]

# One on another machine, where 'acp serve' or any other server of ACP runs:
# [agents.far]
# url = "https://host.example/acp"
# token_file = "~/.config/acp/far.token"

# An MCP server for the agents of 'acp chat' and 'acp run':
# [mcp.files]
# command = "mcp-server-filesystem"
# args = ["/home/me/notes"]
)";
}

void make_settings_file(const std::string& file) {
  checked_place(file);
  const auto refuse_existing = [&] {
    if (!file_stamp(file).empty())
      throw SettingsError(file + " is there already; 'acp config set KEY VALUE' changes it");
  };
  refuse_existing();
  try {
    const PrivateFileChange change(file);
    refuse_existing();
    change.write(first_settings_text());
  } catch (const SettingsError&) {
    throw;
  } catch (const std::runtime_error& error) {
    throw SettingsError(error.what());
  }
}

}  // namespace acp::settings
