// The effective settings and their sources: built in < user's file < project's file < environment <
// command line.
//
//   model = "local/qwen3"
//   [limits]
//   max_requests = 100
//   [providers.local]
//   base_url = "http://127.0.0.1:8080/v1"
//   models = ["qwen3"]
//   [agents.mine]
//   command = "my-agent"
//   args = ["--acp"]
//   [mcp.files]
//   command = "mcp-server-filesystem"
//   args = ["/home/me"]
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace acp::settings {

// The source of default values.
inline constexpr const char* built_in = "built in";

template <class T>
struct Setting {
  T value;
  std::string source;  // "built in", "OPENAI_BASE_URL", "/…/config.toml:3", "--model"
};

// A model's facts in the configuration. Missing ones are asked of the server, or known by the
// model's name.
struct ModelFacts {
  std::optional<std::uint64_t> context_tokens = {};
  std::optional<std::uint64_t> max_output_tokens = {};
  std::optional<bool> images = {}, audio = {}, documents = {}, tools = {};
};

// A server that people run on this machine, and the port where it usually listens. Each is a
// built-in provider; none is asked unless the user names it, or says yes when one is found.
struct UsualServer {
  const char* name;
  std::uint16_t port;
};
const std::vector<UsualServer>& usual_servers();

struct ProviderSettings {
  enum class Api { chat_completions, anthropic };
  std::string name;  // "openai", "anthropic", "ollama", …, or the user's own
  Api api = Api::chat_completions;
  Setting<std::string> base_url = {};    // without a slash at its end
  std::string key_variable = {};         // environment variable with its key, e.g. OPENAI_API_KEY
  bool needs_key = true;                 // unless on this machine, or told otherwise
  std::vector<std::string> models = {};  // offered for choice
  ModelFacts facts = {};                 // of all its models
  std::map<std::string, ModelFacts> model_facts = {};  // of one
  // The sources of values, by the names in describe(), also "model.NAME.images". Others are built
  // in.
  std::map<std::string, std::string> sources = {};
  bool local_server = false;  // built in, at the usual port of a server on this machine

  // Whether it is a local server that is not configured: only the user may choose it.
  bool is_usual_server() const;
  // The facts of a model: its own before those of all models.
  ModelFacts facts_of(const std::string& model) const;
};

// An agent that the user can start by its name.
struct AgentSettings {
  std::string name;
  std::string command;  // or a url
  std::vector<std::string> args = {};
  std::map<std::string, std::string> env = {};      // added to ours. Not shown: they may be secret
  std::string url = {};                             // of an agent on another machine
  std::string token_file = {}, ca_file = {};        // absolute; empty: none
  std::map<std::string, std::string> headers = {};  // not shown. ${NAME} is the environment's
  std::string source = {};                          // where its table begins
  std::map<std::string, std::string> sources = {};  // of each field
};

// An MCP server of the user's, for every session of `acp chat` and `acp run`.
struct McpServerSettings {
  enum class Transport { stdio, http, sse };
  std::string name;
  Transport transport = Transport::stdio;
  std::string command = {};  // stdio: in PATH, or a path
  std::vector<std::string> args = {};
  std::map<std::string, std::string> env = {};      // not shown: they may be secret
  std::string url = {};                             // http and sse
  std::map<std::string, std::string> headers = {};  // not shown. ${NAME} is the environment's
  std::string source = {};                          // where its table begins
  std::map<std::string, std::string> sources = {};  // of each field
};

struct Settings {
  Setting<std::string> model;  // "PROVIDER/NAME" or "offline"; empty: none chosen
  // Why there is no such model, with where it is set; empty if there may be one. See `any_model`.
  std::string model_problem = {};
  Setting<std::string> mode;  // ask, code or architect
  // The highest version of ACP to speak, 1 or 2, and all that are spoken.
  Setting<std::uint64_t> protocol;
  std::vector<int> versions() const;
  // Limits of a turn.
  Setting<std::uint64_t> max_requests;
  Setting<std::uint64_t> max_turn_tokens;  // 0: none
  // Limit of a command.
  Setting<std::uint64_t> command_seconds;
  Setting<std::uint64_t> output_bytes;
  // Limits of a request to the model: time without a byte, and without content; retries; bytes read
  // of an error.
  Setting<std::uint64_t> request_seconds;
  Setting<std::uint64_t> content_seconds;
  Setting<std::uint64_t> retries;
  Setting<std::uint64_t> error_bytes;
  // Limits of one answer of the model: its text and thoughts, the arguments of its calls, its
  // calls.
  Setting<std::uint64_t> answer_bytes;
  Setting<std::uint64_t> argument_bytes;
  Setting<std::uint64_t> answer_calls;
  // Limits of a file after an edit, and of a call to an MCP server.
  Setting<std::uint64_t> edit_bytes;
  Setting<std::uint64_t> mcp_seconds;
  // Limits of .acp/commands: one file, all of them, and how many.
  Setting<std::uint64_t> command_file_bytes;
  Setting<std::uint64_t> command_files_bytes;
  Setting<std::uint64_t> command_files;
  // How full a context may be before it is compacted.
  Setting<std::uint64_t> compact_at_percent;
  std::map<std::string, ProviderSettings> providers;  // the built-in ones always there
  std::map<std::string, AgentSettings> agents;        // the user's own, from the user's file alone
  std::map<std::string, McpServerSettings> mcp;       // likewise
  // How `acp chat` notifies a person who is away: bell, osc9, both or none.
  Setting<std::string> notify;
  // Settings that are not followed, and why: to be shown to the user.
  std::vector<std::string> notes;
};

// "FILE:LINE: what is wrong"; instead of a file, the variable or the option that says it.
class SettingsError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// The file is not TOML.
class WrongToml : public SettingsError {
 public:
  using SettingsError::SettingsError;
};

// Reads an environment variable; nothing if it is not set, or empty.
using Environment = std::function<std::optional<std::string>(const std::string&)>;
std::optional<std::string> process_environment(const std::string& name);

struct SettingsSources {
  std::string user_file = {};          // empty: none
  std::string project_directory = {};  // the session's: its .acp/config.toml is read; empty: none
  Environment environment = process_environment;
  std::string model_override = {}, mode_override = {},
              protocol_override = {};  // the command line's
  // Keeps a model that does not exist, with a `model_problem`: for callers that use no model, or
  // that show the settings. Otherwise it is an error.
  bool any_model = false;
};

// Loads all settings. Files that do not exist are skipped. Throws SettingsError.
//
// A project's file comes with a repository, and is not trusted: it may only choose a model that the
// user has, and make limits and the mode stricter.
Settings load_settings(const SettingsSources& sources);

// $XDG_CONFIG_HOME/acp/config.toml, or ~/.config/acp/config.toml. Empty if there is neither.
std::string user_settings_path();
// <directory>/.acp/config.toml
std::string project_settings_path(const std::string& directory);

struct DescribedSetting {
  std::string name;   // as it is written in the file: "limits.max_requests"
  std::string value;  // for people
  std::string source;
};
// All values, without keys.
std::vector<DescribedSetting> describe(const Settings& settings);

}  // namespace acp::settings
