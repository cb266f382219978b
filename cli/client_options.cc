#include "cli/client_options.h"

#include <filesystem>
#include <iostream>

#include "acp/io/printable.h"
#include "acp/workspace/policy_store.h"
#include "cli/bad_usage.h"
#include "settings/file.h"

namespace acp::cli {

void ClientOptions::add_to(const Command& app) {
  const auto option = [&](const char* name, std::string& into, const char* what, const char* type) {
    return app.add_option(name, into, what)->type_name(type);
  };
  option("--agent", agent, "One of 'acp agents'; without it the built-in one", "NAME");
  remote.add_to(app);
  app.add_option("--map", maps,
                 "A directory here, and what it is called on the agent's machine; any number of "
                 "them. Then --cwd is a directory here")
      ->type_name("LOCAL=REMOTE")
      ->repeated();
  option("--cwd", cwd,
         "The directory to work in (default: the current directory). Of an agent on another "
         "machine, a directory there (default: with --url the path of the current one, with --ssh "
         "the home directory)",
         "DIR");
  option("--session", session,
         "Go on with a session: its id, or 'last' for the agent's last one in this directory",
         "ID|last");
  option("--mode", mode, "The agent's mode", "MODE");
  option("--model", model, "The agent's model; for the built-in one see 'acp models'", "MODEL");
  app.add_option("--mcp", servers,
                 "Only this MCP server for the agent, instead of all that are configured: its "
                 "name there, or NAME=URL, or NAME=COMMAND; 'none' for none; any number of them")
      ->type_name("NAME[=URL|COMMAND]")
      ->repeated();
  option("--protocol", protocol,
         "The highest version of ACP to speak: 2 is a draft, which counts where the agent speaks "
         "it, too (default: protocol in your file, or 1)",
         "VERSION")
      ->one_of({"1", "2"});
  option("--framing", framing, "How messages are framed", "FRAMING")
      ->one_of({"newline", "content-length", "auto"})
      ->capture_default_str();
}

std::string existing_directory(const std::string& given) {
  namespace fs = std::filesystem;
  std::error_code error;
  const fs::path path = fs::absolute(given, error).lexically_normal();
  const fs::file_status status = error ? fs::file_status() : fs::status(path, error);
  const std::string shown = path.empty() ? given : path.string();
  // "Not there" is no error of status().
  if (status.type() == fs::file_type::none)
    throw BadUsage("the directory " + shown + " cannot be read: " + error.message());
  if (!fs::is_directory(status)) throw BadUsage("there is no directory " + shown);
  return path.string();
}

namespace {

std::string canonical_directory(const std::string& given) {
  std::error_code error;
  std::string path = std::filesystem::canonical(existing_directory(given), error).string();
  if (error) throw BadUsage("the directory " + given + " cannot be read: " + error.message());
  return path;
}

// The session's directory is canonical, so this one is, too.
std::string canonical_map(const std::string& map) {
  const std::size_t equals = map.find('=');
  if (equals == std::string::npos || equals == 0 || !map.substr(equals + 1).starts_with('/'))
    throw BadUsage("--map: expected LOCAL=REMOTE, and REMOTE an absolute path, got '" + map + "'");
  return canonical_directory(settings::with_home(map.substr(0, equals))) + map.substr(equals);
}

}  // namespace

std::string ClientOptions::directory(const chat::KnownAgent& chosen) const {
  const bool is_there = chosen.elsewhere && !chosen.maps;
  return canonical_directory(is_there || cwd.empty() ? "." : cwd);
}

chat::KnownAgent ClientOptions::chosen() const {
  remote.check(agent, command);
  chat::KnownAgent chosen =
      remote.given() ? remote.agent(command) : chat::chosen_agent(agent, command);
  if (!chosen.elsewhere) {
    if (!maps.empty()) throw BadUsage("--map is for an agent on another machine");
    return chosen;
  }
  if (framing != "newline") throw BadUsage("--framing is for an agent on this machine");
  const auto add = [&](const char* option, const std::string& value) {
    chosen.chosen.insert(chosen.chosen.end(), {option, value});
  };
  for (const std::string& map : maps) {
    chosen.argv.insert(chosen.argv.end(), {"--map", canonical_map(map)});
    add("--map", map);
  }
  chosen.maps = !maps.empty();
  if (!cwd.empty()) add("--cwd", cwd);
  if (!chosen.maps && !cwd.empty()) {
    if (remote.host.empty() && !cwd.starts_with('/'))
      throw BadUsage("--cwd: expected an absolute path of the agent's machine, got '" + cwd + "'");
    chosen.there = cwd;
    if (!remote.host.empty()) chosen.argv.insert(chosen.argv.end(), {"--cwd", cwd});
  }
  if (!remote.host.empty() && !command.empty()) {
    chosen.chosen.push_back("--");
    chosen.chosen.insert(chosen.chosen.end(), command.begin(), command.end());
  }
  return chosen;
}

void ClientOptions::require_model(const std::string& directory) const {
  settings::SettingsSources sources;
  sources.user_file = settings::user_settings_path();
  sources.project_directory = directory;
  sources.model_override = model;
  settings::load_settings(sources);
}

settings::Settings user_settings(const std::string& protocol) {
  settings::SettingsSources sources;
  sources.protocol_override = protocol;
  sources.user_file = settings::user_settings_path();
  sources.any_model = true;
  return settings::load_settings(sources);
}

int wrong_settings(const std::string& name, const std::string& what) {
  std::cerr << name << ": " << io::printable(what) << "\n";
  return 2;
}

int told(const std::string& name, const std::function<int()>& body) {
  std::string mistake;
  try {
    return body();
  } catch (const BadUsage& bad) {
    mistake = bad.what();
  } catch (const chat::UnknownAgent& unknown) {
    mistake = unknown.what();
  } catch (const chat::NoSuchServer& unknown) {
    mistake = unknown.what();
  } catch (const settings::SettingsError& error) {
    return wrong_settings(name, error.what());
  } catch (const settings::KeysError& error) {
    return wrong_settings(name, error.what());
  } catch (const workspace::PolicyStoreError& error) {
    mistake = std::string("--policy: ") + error.what();
  }
  std::cerr << name << ": " << io::printable(mistake) << "\nTry '" << name << " --help'.\n";
  return 2;
}

}  // namespace acp::cli
