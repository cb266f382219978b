#include "settings/settings_file.h"

#include <toml++/toml.h>

#include <algorithm>
#include <limits>

#include "settings/closest.h"
#include "settings/settings_tables.h"
#include "settings/toml_depth.h"
#include "settings/toml_values.h"

namespace acp::settings {

namespace {

class Reader {
 public:
  Reader(const std::string& path, Whose whose, Settings& settings)
      : values_(path), whose_(whose), settings_(settings) {}

  void read(const toml::table& document) {
    // Providers first: the model is one of theirs.
    static const std::vector<std::string> known = {"model",     "mode",   "protocol", "limits",
                                                   "providers", "agents", "mcp",      "chat"};
    for (const auto& [key, node] : document) values_.must_be_known(key, node, "", known);
    if (const toml::node* node = document.get("providers")) providers(*node);
    if (const toml::node* node = document.get("model")) {
      const std::string name = values_.text(*node, "model");
      if (may_choose(name, *node)) choose_model(name, values_.at(*node), settings_);
    }
    if (const toml::node* node = document.get("mode")) mode(*node);
    if (const toml::node* node = document.get("protocol")) protocol(*node);
    if (const toml::node* node = document.get("limits")) limits(*node);
    if (const toml::node* node = document.get("agents")) agents(*node);
    if (const toml::node* node = document.get("mcp")) servers(*node);
    if (const toml::node* node = document.get("chat")) chat(*node);
  }

 private:
  // What a project asks for and may not have; said, and not followed.
  void not_followed(const toml::node& node, const std::string& what, const std::string& held) {
    settings_.notes.push_back(values_.at(node) + ": " + what +
                              " is not followed: a project may only be stricter than " + held);
  }

  // Who runs a server at a usual port is not known: another user of this machine may.
  bool may_choose(const std::string& model, const toml::node& node) {
    if (whose_ == Whose::user) return true;
    const std::string provider = model.substr(0, model.find('/'));
    const auto found = settings_.providers.find(provider);
    if (found == settings_.providers.end() || !found->second.is_usual_server()) return true;
    settings_.notes.push_back(
        values_.at(node) + ": model = \"" + model +
        "\" is not followed: a project may not choose a server on this machine that you have not "
        "configured. If you want it, write into " +
        user_settings_path() + ":\n[providers." + provider + "]\nbase_url = \"" +
        found->second.base_url.value + "\"");
    return false;
  }

  void mode(const toml::node& node) {
    const std::string name = values_.text(node, "mode");
    check_mode(name, values_.at(node));
    if (whose_ == Whose::project) {
      if (name == "code")
        values_.refuse(
            node,
            "mode: a project may not choose \"code\", which asks less; it comes with the "
            "repository, and only your own settings may allow actions without asking");
      const auto rank = [](const std::string& which) {
        return std::find(mode_names().begin(), mode_names().end(), which);
      };
      if (rank(name) > rank(settings_.mode.value))
        return not_followed(node, "mode = \"" + name + "\"",
                            "\"" + settings_.mode.value + "\" (" + settings_.mode.source + ")");
    }
    settings_.mode = {name, values_.at(node)};
  }

  void protocol(const toml::node& node) {
    if (whose_ == Whose::project)
      values_.refuse(node, "protocol: that is for you to say, not for a project");
    settings_.protocol = {values_.number(node, "protocol", 1, 2), values_.at(node)};
  }

  void limits(const toml::node& node) {
    std::vector<std::string> known;
    for (const LimitSetting& limit : limit_settings()) known.emplace_back(limit.name);
    const toml::table& given = values_.table(node, "limits");
    for (const auto& [key, value] : given) values_.must_be_known(key, value, "limits.", known);
    for (const LimitSetting& limit : limit_settings()) {
      const toml::node* const value = given.get(limit.name);
      if (value == nullptr) continue;
      const std::string name = std::string("limits.") + limit.name;
      const std::uint64_t wanted = values_.number(*value, name, limit.least, limit.most);
      Setting<std::uint64_t>& held = settings_.*limit.value;
      const auto size = [&](std::uint64_t of) {
        return limit.zero_is_none && of == 0 ? std::numeric_limits<std::uint64_t>::max() : of;
      };
      if (whose_ == Whose::project && size(wanted) > size(held.value))
        not_followed(*value, name + " = " + std::to_string(wanted),
                     std::to_string(held.value) + " (" + held.source + ")");
      else
        held = {wanted, values_.at(*value)};
    }
  }

  void providers(const toml::node& node) {
    if (whose_ == Whose::project)
      values_.refuse(
          node,
          "providers: a project may not say where models are, or which keys they get; it comes "
          "with the repository, and could have your keys sent anywhere. Say it in your own file, " +
              user_settings_path());
    read_providers(values_, node, settings_);
  }

  void agents(const toml::node& node) {
    if (whose_ == Whose::project)
      values_.refuse(node,
                     "agents: a project may not say what an agent's name starts; it comes with the "
                     "repository, and could have anything run. Say it in your own file, " +
                         user_settings_path());
    read_agents(values_, node, settings_);
  }

  void servers(const toml::node& node) {
    if (whose_ == Whose::project)
      values_.refuse(node,
                     "mcp: a project may not say which MCP servers there are; it comes with the "
                     "repository, and could have anything run. Say it in your own file, " +
                         user_settings_path());
    read_servers(values_, node, settings_);
  }

  void chat(const toml::node& node) {
    if (whose_ == Whose::project)
      values_.refuse(node, "chat: that is for you to say, not for a project");
    static const std::vector<std::string> known = {"notify"};
    static const std::vector<std::string> ways = {"bell", "osc9", "both", "none"};
    for (const auto& [key, value] : values_.table(node, "chat")) {
      values_.must_be_known(key, value, "chat.", known);
      const std::string way = values_.text(value, "chat.notify");
      if (std::find(ways.begin(), ways.end(), way) == ways.end())
        values_.refuse(value,
                       "chat.notify: expected one of " + joined(ways) + ", got \"" + way + "\"");
      settings_.notify = {way, values_.at(value)};
    }
  }

  TomlValues values_;
  Whose whose_;
  Settings& settings_;
};

// The usual mistake, which the parser describes in its own terms. The value is not repeated: it may
// be a key.
std::string hint_for(const toml::parse_error& error) {
  const std::string_view what = error.description();
  for (const char* const of : {"value", "boolean", "floating-point", "decimal integer"})
    if (what.starts_with("Error while parsing " + std::string(of) + ":"))
      return "; text needs quotes, as in model = \"offline\"";
  return {};
}

}  // namespace

const std::vector<LimitSetting>& limit_settings() {
  constexpr std::uint64_t day = 24 * 60 * 60;
  constexpr std::uint64_t mebibyte = 1024 * 1024;
  static const std::vector<LimitSetting> limits = {
      {"max_requests", &Settings::max_requests, 50, 1, 10'000},
      {"max_turn_tokens", &Settings::max_turn_tokens, 0, 0, 1'000'000'000'000, true},
      {"command_seconds", &Settings::command_seconds, 120, 1, day},
      {"output_bytes", &Settings::output_bytes, 64 * 1024, 1024, 16 * mebibyte},
      {"request_seconds", &Settings::request_seconds, 300, 1, day},
      {"content_seconds", &Settings::content_seconds, 1800, 1, day},
      {"retries", &Settings::retries, 4, 0, 20},
      {"error_bytes", &Settings::error_bytes, 64 * 1024, 1024, 16 * mebibyte},
      {"answer_bytes", &Settings::answer_bytes, 8 * mebibyte, 1024, 256 * mebibyte},
      {"argument_bytes", &Settings::argument_bytes, 16 * mebibyte, 1024, 256 * mebibyte},
      {"answer_calls", &Settings::answer_calls, 1000, 1, 100'000},
      {"edit_bytes", &Settings::edit_bytes, 16 * mebibyte, 1024, 256 * mebibyte},
      {"mcp_seconds", &Settings::mcp_seconds, 600, 1, day},
      {"command_file_bytes", &Settings::command_file_bytes, 64 * 1024, 1024, 16 * mebibyte},
      {"command_files_bytes", &Settings::command_files_bytes, mebibyte, 1024, 64 * mebibyte},
      {"command_files", &Settings::command_files, 200, 1, 10'000},
      {"compact_at_percent", &Settings::compact_at_percent, 80, 10, 95},
  };
  return limits;
}

const std::vector<std::string>& mode_names() {
  static const std::vector<std::string> names = {"architect", "ask", "code"};
  return names;
}

void read_settings_text(const std::string& text, const std::string& path, Whose whose,
                        Settings& settings) {
  if (const auto line = line_with_long_key(text))
    throw WrongToml(path + ":" + std::to_string(*line) + ": a key with too many parts");
  try {
    Reader(path, whose, settings).read(toml::parse(text, path));
  } catch (const toml::parse_error& error) {
    throw WrongToml(path + ":" + std::to_string(error.source().begin.line) + ": " +
                    std::string(error.description()) + hint_for(error));
  } catch (const SettingsError& error) {
    // Names are shown as they were written, and a project's are anybody's.
    std::string shown = error.what();
    std::replace_if(shown.begin(), shown.end(), is_control, '?');
    throw SettingsError(shown);
  }
}

void check_mode(const std::string& mode, const std::string& source) {
  const auto& names = mode_names();
  if (std::find(names.begin(), names.end(), mode) == names.end())
    throw SettingsError(source + ": there is no mode \"" + mode + "\", only " + joined(names) +
                        did_you_mean(mode, names));
}

void choose_model(const std::string& model, const std::string& source, Settings& settings) {
  settings.model = {model, source};
  settings.model_problem.clear();
  const auto no_such = [&](const std::string& why) {
    settings.model_problem = source + ": " + why;
  };
  if (model == "offline") return;
  const std::size_t slash = model.find('/');
  const std::string provider = model.substr(0, slash);
  std::vector<std::string> known;
  for (const auto& [name, one] : settings.providers) known.push_back(name);
  if (slash == std::string::npos)
    no_such("there is no model \"" + model + "\", only offline, PROVIDER/NAME");
  else if (settings.providers.count(provider) == 0)
    no_such("model \"" + model + "\": there is no provider \"" + provider + "\", only " +
            joined(known) + did_you_mean(provider, known));
  else if (slash + 1 == model.size())
    no_such("model \"" + model + "\": its name is missing");
}

void require_model(const Settings& settings) {
  if (settings.model_problem.empty()) return;
  const bool bare = settings.model.value.find('/') == std::string::npos;
  throw SettingsError(settings.model_problem +
                      (bare ? "; 'acp models' lists what can be used" : ""));
}

}  // namespace acp::settings
