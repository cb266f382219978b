#include "settings/settings_file.h"

#include <toml++/toml.h>

#include <algorithm>
#include <limits>

#include "http/url.h"

namespace acp::settings {

namespace {

using Api = ProviderSettings::Api;

// What people would call a key, if they wrote one here.
bool names_a_key(std::string name) {
  std::erase_if(name, [](char c) { return c == '_' || c == '-'; });
  std::transform(name.begin(), name.end(), name.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
  static const std::vector<std::string> names = {"key",    "apikey",   "token",     "apitoken",
                                                 "secret", "password", "authtoken", "bearer"};
  return std::find(names.begin(), names.end(), name) != names.end() || name.ends_with("apikey");
}

bool names_a_login(std::string header) {
  std::transform(header.begin(), header.end(), header.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
  return header == "authorization" || header == "cookie" || header == "proxy-authorization";
}

// They could write anything to a terminal that shows them.
bool is_control(char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; }
bool has_control(const std::string& text) {
  return std::any_of(text.begin(), text.end(), is_control);
}

bool is_variable(const std::string& name) {
  return !name.empty() && !(name[0] >= '0' && name[0] <= '9') &&
         name.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789") == std::string::npos;
}

bool is_provider_name(const std::string& name) {
  return !name.empty() && name != "offline" &&
         name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-_.") == std::string::npos;
}

bool is_agent_name(const std::string& name) {
  return !name.empty() && name != "acp" &&
         name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-_.") == std::string::npos;
}

bool is_server_name(const std::string& name) {
  return !name.empty() && name != "none" &&
         name.find_first_not_of(
             "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.") ==
             std::string::npos;
}

std::string default_variable(std::string provider) {
  for (char& c : provider)
    c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c >= '0' && c <= '9' ? c : '_';
  return (provider[0] >= '0' && provider[0] <= '9' ? "_" : "") + provider + "_API_KEY";
}

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : ", ") + word;
  return text;
}

class Reader {
 public:
  Reader(const std::string& path, Whose whose, Settings& settings)
      : path_(path), whose_(whose), settings_(settings) {}

  void read(const toml::table& document) {
    // Providers first: the model is one of theirs.
    static const std::vector<std::string> known = {"model",  "mode", "limits", "providers",
                                                   "agents", "mcp",  "chat"};
    for (const auto& [key, node] : document) must_be_known(key, node, "", known);
    if (const toml::node* node = document.get("providers")) providers(*node);
    if (const toml::node* node = document.get("model")) {
      const std::string name = text(*node, "model");
      check_model(name, at(*node), settings_);
      settings_.model = {name, at(*node)};
    }
    if (const toml::node* node = document.get("mode")) mode(*node);
    if (const toml::node* node = document.get("limits")) limits(*node);
    if (const toml::node* node = document.get("agents")) agents(*node);
    if (const toml::node* node = document.get("mcp")) servers(*node);
    if (const toml::node* node = document.get("chat")) chat(*node);
  }

 private:
  std::string at(const toml::node& node) const { return at(node.source()); }
  std::string at(const toml::source_region& source) const {
    return path_ + ":" + std::to_string(source.begin.line);
  }
  [[noreturn]] void refuse(const toml::node& node, const std::string& why) const {
    throw SettingsError(at(node) + ": " + why);
  }

  void must_be_known(const toml::key& key, const toml::node& node, const std::string& where,
                     const std::vector<std::string>& known) const {
    const std::string name(key.str());
    if (std::find(known.begin(), known.end(), name) != known.end()) return;
    if (names_a_key(name))
      refuse(node, where + name +
                       ": a key does not belong in this file, which is shown and shared; set it "
                       "in the environment, or keep it in keys.toml");
    throw SettingsError(at(key.source()) + ": there is no setting " + where + name +
                        did_you_mean(name, known));
  }

  const toml::table& table(const toml::node& node, const std::string& name) const {
    if (!node.is_table()) refuse(node, name + ": expected a table");
    return *node.as_table();
  }
  std::string text(const toml::node& node, const std::string& name) const {
    if (!node.is_string()) refuse(node, name + ": expected a string");
    std::string value = *node.value<std::string>();
    if (value.empty()) refuse(node, name + ": empty");
    if (has_control(value)) refuse(node, name + ": there are control characters in it");
    return value;
  }
  bool yes_or_no(const toml::node& node, const std::string& name) const {
    if (!node.is_boolean()) refuse(node, name + ": expected true or false");
    return *node.value<bool>();
  }
  std::uint64_t number(const toml::node& node, const std::string& name, std::uint64_t least,
                       std::uint64_t most) const {
    if (!node.is_integer()) refuse(node, name + ": expected a whole number");
    const std::int64_t value = *node.value<std::int64_t>();
    if (value < 0 || static_cast<std::uint64_t>(value) < least ||
        static_cast<std::uint64_t>(value) > most)
      refuse(node, name + ": expected " + std::to_string(least) + " to " + std::to_string(most) +
                       ", got " + std::to_string(value));
    return static_cast<std::uint64_t>(value);
  }

  // What a project asks for and may not have; said, and not followed.
  void not_followed(const toml::node& node, const std::string& what, const std::string& held) {
    settings_.notes.push_back(at(node) + ": " + what +
                              " is not followed: a project may only be stricter than " + held);
  }

  void mode(const toml::node& node) {
    const std::string name = text(node, "mode");
    check_mode(name, at(node));
    if (whose_ == Whose::project) {
      if (name == "code")
        refuse(node,
               "mode: a project may not choose \"code\", which asks less; it comes with the "
               "repository, and what may be done without asking is for you to say");
      const auto rank = [](const std::string& which) {
        return std::find(mode_names().begin(), mode_names().end(), which);
      };
      if (rank(name) > rank(settings_.mode.value))
        return not_followed(node, "mode = \"" + name + "\"",
                            "\"" + settings_.mode.value + "\" (" + settings_.mode.source + ")");
    }
    settings_.mode = {name, at(node)};
  }

  void limits(const toml::node& node) {
    std::vector<std::string> known;
    for (const LimitSetting& limit : limit_settings()) known.emplace_back(limit.name);
    const toml::table& given = table(node, "limits");
    for (const auto& [key, value] : given) must_be_known(key, value, "limits.", known);
    for (const LimitSetting& limit : limit_settings()) {
      const toml::node* const value = given.get(limit.name);
      if (value == nullptr) continue;
      const std::string name = std::string("limits.") + limit.name;
      const std::uint64_t wanted = number(*value, name, limit.least, limit.most);
      Setting<std::uint64_t>& held = settings_.*limit.value;
      const auto size = [&](std::uint64_t of) {
        return limit.zero_is_none && of == 0 ? std::numeric_limits<std::uint64_t>::max() : of;
      };
      if (whose_ == Whose::project && size(wanted) > size(held.value))
        not_followed(*value, name + " = " + std::to_string(wanted),
                     std::to_string(held.value) + " (" + held.source + ")");
      else
        held = {wanted, at(*value)};
    }
  }

  void providers(const toml::node& node) {
    if (whose_ == Whose::project)
      refuse(
          node,
          "providers: a project may not say where models are, or which keys they get; it comes "
          "with the repository, and could have your keys sent anywhere. Say it in your own file, " +
              user_settings_path());
    for (const auto& [key, value] : table(node, "providers")) {
      const std::string name(key.str());
      if (names_a_key(name)) must_be_known(key, value, "providers.", {});
      if (!is_provider_name(name))
        refuse(value,
               "providers: a name has small letters, digits, '-', '_' and '.', and is not "
               "\"offline\"; got \"" +
                   name + "\"");
      provider(name, table(value, "providers." + name));
    }
  }

  void provider(const std::string& name, const toml::table& given) {
    const std::string prefix = "providers." + name + ".";
    const auto [found, added] = settings_.providers.try_emplace(name);
    ProviderSettings& provider = found->second;
    if (added) {
      provider.name = name;
      provider.key_variable = default_variable(name);
    }
    static const std::vector<std::string> known = {
        "api",    "base_url", "key_variable",   "needs_key",
        "models", "model",    "context_tokens", "max_output_tokens",
        "images", "audio",    "documents",      "tools"};
    for (const auto& [key, value] : given) {
      must_be_known(key, value, prefix, known);
      const std::string field(key.str());
      const std::string full = prefix + field;
      provider.sources[field] = at(value);
      if (field == "api") {
        const std::string api = text(value, full);
        if (!added) refuse(value, full + ": it is known already; use a provider of your own name");
        if (api != "openai" && api != "anthropic")
          refuse(value, full + ": expected \"openai\" or \"anthropic\", got \"" + api + "\"");
        provider.api = api == "openai" ? Api::chat_completions : Api::anthropic;
      } else if (field == "base_url") {
        provider.base_url = {checked_base_url(text(value, full), at(value) + ": " + full),
                             at(value)};
      } else if (field == "key_variable") {
        // Not repeated: it may be the key itself.
        provider.key_variable = text(value, full);
        if (!is_variable(provider.key_variable))
          refuse(value, full + ": expected the name of an environment variable, such as " +
                            default_variable(name) + ", not the key itself");
      } else if (field == "needs_key") {
        provider.needs_key = yes_or_no(value, full);
      } else if (field == "models") {
        models(value, full, provider);
      } else if (field == "model") {
        provider.sources.erase(field);
        for (const auto& [model, facts] : table(value, full)) {
          const std::string one(model.str());
          this->facts(table(facts, full + "." + one), full + "." + one + ".",
                      provider.model_facts[one], "model." + one + ".", provider);
        }
      } else {
        fact(field, value, full, provider.facts);
      }
    }
    if (provider.base_url.value.empty())
      refuse(given, "providers." + name + ": base_url is missing");
  }

  void models(const toml::node& node, const std::string& full, ProviderSettings& provider) {
    if (!node.is_array()) refuse(node, full + ": expected an array of strings");
    provider.models.clear();
    for (const toml::node& element : *node.as_array())
      provider.models.push_back(text(element, full));
  }

  void agents(const toml::node& node) {
    if (whose_ == Whose::project)
      refuse(node,
             "agents: a project may not say what an agent's name starts; it comes with the "
             "repository, and could have anything run. Say it in your own file, " +
                 user_settings_path());
    for (const auto& [key, value] : table(node, "agents")) {
      const std::string name(key.str());
      if (!is_agent_name(name))
        refuse(value,
               "agents: a name has small letters, digits, '-', '_' and '.', and is not \"acp\", "
               "the built-in one; got \"" +
                   name + "\"");
      agent(name, table(value, "agents." + name));
    }
  }

  void agent(const std::string& name, const toml::table& given) {
    const std::string prefix = "agents." + name + ".";
    AgentSettings agent{.name = name, .command = {}, .source = at(given)};
    static const std::vector<std::string> known = {"command", "args", "env"};
    for (const auto& [key, value] : given) {
      must_be_known(key, value, prefix, known);
      const std::string field(key.str());
      agent.sources[field] = at(value);
      if (field == "command") agent.command = text(value, prefix + field);
      if (field == "args") agent.args = words(value, prefix + field);
      if (field == "env") {
        agent.sources.erase(field);
        agent.env = variables(value, prefix + "env", agent.sources);
      }
    }
    if (agent.command.empty()) refuse(given, "agents." + name + ": command is missing");
    settings_.agents[name] = std::move(agent);
  }

  void servers(const toml::node& node) {
    if (whose_ == Whose::project)
      refuse(node,
             "mcp: a project may not say which MCP servers there are; it comes with the "
             "repository, and could have anything run. Say it in your own file, " +
                 user_settings_path());
    for (const auto& [key, value] : table(node, "mcp")) {
      const std::string name(key.str());
      if (!is_server_name(name))
        refuse(value,
               "mcp: a name has letters, digits, '-', '_' and '.', and is not \"none\"; got \"" +
                   name + "\"");
      server(name, table(value, "mcp." + name));
    }
  }

  void server(const std::string& name, const toml::table& given) {
    using Transport = McpServerSettings::Transport;
    const std::string prefix = "mcp." + name + ".";
    McpServerSettings server{.name = name, .source = at(given)};
    static const std::vector<std::string> known = {"command", "args", "env",
                                                   "url",     "type", "headers"};
    for (const auto& [key, value] : given) {
      must_be_known(key, value, prefix, known);
      const std::string field(key.str());
      server.sources[field] = at(value);
      if (field == "command") server.command = text(value, prefix + field);
      if (field == "args") server.args = words(value, prefix + field);
      if (field == "url") {
        server.url = text(value, prefix + field);
        // Not repeated: who knows what it holds.
        if (http::origin_of(server.url).empty())
          refuse(value, prefix + "url: expected a URL that begins with http:// or https://");
        if (server.transport == Transport::stdio) server.transport = Transport::http;
      }
      if (field == "type") {
        const std::string type = text(value, prefix + field);
        if (type != "http" && type != "sse")
          refuse(value, prefix + "type: expected \"http\" or \"sse\", got \"" + type + "\"");
        server.transport = type == "sse" ? Transport::sse : Transport::http;
      }
      if (field == "env" || field == "headers") {
        server.sources.erase(field);
        (field == "env" ? server.env : server.headers) =
            variables(value, prefix + field, server.sources);
      }
    }
    if (server.command.empty() == server.url.empty())
      refuse(given, "mcp." + name + ": either a command or a url is wanted");
    if (server.url.empty() && (!server.headers.empty() || server.transport != Transport::stdio))
      refuse(given, "mcp." + name + ": type and headers are for a server with a url");
    if (server.command.empty() && (!server.args.empty() || !server.env.empty()))
      refuse(given, "mcp." + name + ": args and env are for a server with a command");
    settings_.mcp[name] = std::move(server);
  }

  void chat(const toml::node& node) {
    if (whose_ == Whose::project) refuse(node, "chat: that is for you to say, not for a project");
    static const std::vector<std::string> known = {"notify"};
    static const std::vector<std::string> ways = {"bell", "osc9", "both", "none"};
    for (const auto& [key, value] : table(node, "chat")) {
      must_be_known(key, value, "chat.", known);
      const std::string way = text(value, "chat.notify");
      if (std::find(ways.begin(), ways.end(), way) == ways.end())
        refuse(value, "chat.notify: expected one of " + joined(ways) + ", got \"" + way + "\"");
      settings_.notify = {way, at(value)};
    }
  }

  std::vector<std::string> words(const toml::node& node, const std::string& name) const {
    if (!node.is_array()) refuse(node, name + ": expected an array of strings");
    std::vector<std::string> given;
    for (const toml::node& element : *node.as_array()) given.push_back(word(element, name));
    return given;
  }

  // Names and values: of the environment, or headers.
  std::map<std::string, std::string> variables(const toml::node& node, const std::string& full,
                                               std::map<std::string, std::string>& sources) const {
    std::map<std::string, std::string> given;
    const std::string field = full.substr(full.rfind('.') + 1);
    for (const auto& [variable, content] : table(node, full)) {
      const std::string called(variable.str());
      const bool header = field == "headers";
      const bool secret = names_a_key(called) || (header && names_a_login(called));
      if (secret && !(header && word(content, full).find("${") != std::string::npos))
        refuse(content, full + "." + called +
                            ": a key does not belong in this file, which is shown and shared; " +
                            (header ? "set it in the environment, and write ${NAME} here"
                                    : "set it in the environment, which the program inherits"));
      if (called.empty() || called.find('=') != std::string::npos || has_control(called))
        refuse(content, full + ": expected the name of " +
                            (field == "env" ? "an environment variable" : "a header"));
      given[called] = word(content, full + "." + called);
      sources[field + "." + called] = at(content);
    }
    return given;
  }

  // It may be empty.
  std::string word(const toml::node& node, const std::string& name) const {
    if (!node.is_string()) refuse(node, name + ": expected a string");
    std::string value = *node.value<std::string>();
    if (has_control(value)) refuse(node, name + ": there are control characters in it");
    return value;
  }

  void facts(const toml::table& given, const std::string& prefix, ModelFacts& facts,
             const std::string& source_prefix, ProviderSettings& provider) {
    static const std::vector<std::string> known = {"context_tokens", "max_output_tokens", "images",
                                                   "audio",          "documents",         "tools"};
    for (const auto& [key, value] : given) {
      must_be_known(key, value, prefix, known);
      const std::string field(key.str());
      provider.sources[source_prefix + field] = at(value);
      fact(field, value, prefix + field, facts);
    }
  }

  void fact(const std::string& field, const toml::node& node, const std::string& full,
            ModelFacts& facts) const {
    constexpr std::uint64_t most = 1'000'000'000;
    if (field == "context_tokens") facts.context_tokens = number(node, full, 1'000, most);
    if (field == "max_output_tokens") facts.max_output_tokens = number(node, full, 1, most);
    if (field == "images") facts.images = yes_or_no(node, full);
    if (field == "audio") facts.audio = yes_or_no(node, full);
    if (field == "documents") facts.documents = yes_or_no(node, full);
    if (field == "tools") facts.tools = yes_or_no(node, full);
  }

  const std::string& path_;
  Whose whose_;
  Settings& settings_;
};

}  // namespace

const std::vector<LimitSetting>& limit_settings() {
  constexpr std::uint64_t day = 24 * 60 * 60;
  static const std::vector<LimitSetting> limits = {
      {"max_requests", &Settings::max_requests, 50, 1, 10'000},
      {"max_turn_tokens", &Settings::max_turn_tokens, 0, 0, 1'000'000'000'000, true},
      {"command_seconds", &Settings::command_seconds, 120, 1, day},
      {"output_bytes", &Settings::output_bytes, 64 * 1024, 1024, 16 * 1024 * 1024},
      {"request_seconds", &Settings::request_seconds, 300, 1, day},
      {"retries", &Settings::retries, 4, 0, 20},
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
  try {
    Reader(path, whose, settings).read(toml::parse(text, path));
  } catch (const toml::parse_error& error) {
    throw SettingsError(path + ":" + std::to_string(error.source().begin.line) + ": " +
                        std::string(error.description()));
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

void check_model(const std::string& model, const std::string& source, const Settings& settings) {
  const std::size_t slash = model.find('/');
  if (slash == std::string::npos) return;  // whoever makes models knows those
  const std::string provider = model.substr(0, slash);
  std::vector<std::string> known;
  for (const auto& [name, one] : settings.providers) known.push_back(name);
  if (settings.providers.count(provider) == 0)
    throw SettingsError(source + ": model \"" + model + "\": there is no provider \"" + provider +
                        "\", only " + joined(known) + did_you_mean(provider, known));
  if (slash + 1 == model.size())
    throw SettingsError(source + ": model \"" + model + "\": its name is missing");
}

std::string checked_base_url(const std::string& url, const std::string& source) {
  // Not repeated: who knows what it holds.
  if (http::origin_of(url).empty())
    throw SettingsError(source + ": expected a URL that begins with http:// or https://");
  if (url.find_first_of("?#@ ") != std::string::npos)
    throw SettingsError(source + ": a base URL has no query, no fragment and no credentials");
  std::string trimmed = url;
  while (trimmed.ends_with('/')) trimmed.pop_back();
  return trimmed;
}

}  // namespace acp::settings
