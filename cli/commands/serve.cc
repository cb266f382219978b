// acp serve: an agent of this machine, for clients elsewhere.
#include "gateway/serve.h"

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "acp/io/printable.h"
#include "chat/agents.h"
#include "chat/program.h"
#include "cli/bad_usage.h"
#include "cli/client_options.h"
#include "cli/command.h"
#include "cli/interrupts.h"
#include "cli/seconds.h"
#include "gateway/token.h"

namespace acp::cli {
namespace {

// The agent's program cannot be started.
class NoProgram : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

struct Options {
  std::vector<std::string> command, roots, hosts, origins, proxies, token_files;
  std::string agent, listen = "127.0.0.1:8787", certificate, key, log = "text";
  std::string typed;  // the command line without the agent
  double drain = 10, silence = 60;
  std::size_t max_connections = 100, max_sessions = 100;
  bool client_mcp = false, plain_http = false;
};

constexpr const char* about =
    R"(Each client gets an agent of its own, which ends with it. Clients need the token: it is made at the
first start, kept in a file that only you can read, and shown once at a terminal.

Reach it with 'acp chat --url http://127.0.0.1:8787/acp', or give an editor that can only start programs
'acp connect http://127.0.0.1:8787/acp'. From another machine: over ssh ('acp chat --ssh HOST'), with a
tunnel, or with --tls-cert and --tls-key. docs/remote.md has the ways.

Agents may work in the directories of --root. An agent of another maker opens by itself what it likes:
give it a user or a container of its own if that matters.

Exit code: 0 ended by a signal; 1 it cannot listen; 2 usage error; 3 there is no such agent.)";

// "127.0.0.1:8787", "[::1]:8787", "8787"
void read_listen(const std::string& text, remote::ServerOptions& server) {
  const std::size_t colon = text.rfind(':');
  const std::string port = colon == std::string::npos ? text : text.substr(colon + 1);
  if (colon != std::string::npos) server.address = text.substr(0, colon);
  if (server.address.starts_with('[') && server.address.ends_with(']'))
    server.address = server.address.substr(1, server.address.size() - 2);
  if (server.address == "localhost") server.address = "127.0.0.1";
  char* end = nullptr;
  const unsigned long number = std::strtoul(port.c_str(), &end, 10);
  if (port.empty() || *end != 0 || number > 65535)
    throw BadUsage("--listen: expected ADDRESS:PORT or PORT, got '" + text + "'");
  server.port = static_cast<std::uint16_t>(number);
}

bool is_loopback(const std::string& address) {
  return address.starts_with("127.") || address == "::1";
}

// Why the agent's program could not be started; empty if there is one. A client would be told only
// when it comes.
std::string missing_program(const chat::KnownAgent& agent, const io::ProcessOptions& process,
                            const std::string& typed) {
  for (const io::EnvironmentEdit& edit : process.environment)
    if (edit.name == "PATH") return {};
  const std::string& command = process.argv.front();
  const bool is_path = command.find('/') != std::string::npos;
  // A relative path starts where the agent does.
  const std::string place =
      is_path ? (std::filesystem::path(process.cwd) / command).string() : command;
  if (chat::find_program(place)) return {};
  const std::string advice = agent.advice(typed);
  return "the agent cannot be started: " + io::one_line(place, io::whole) +
         (is_path ? ": no such program" : ": command not found") +
         (advice.empty() ? "" : "\n" + advice);
}

gateway::ServeOptions serve_options(const Options& options) {
  gateway::ServeOptions serve;
  read_listen(options.listen, serve.server);
  if (options.certificate.empty() != options.key.empty())
    throw BadUsage("--tls-cert and --tls-key go together");
  serve.server.certificate_file = options.certificate;
  serve.server.key_file = options.key;
  if (!is_loopback(serve.server.address) && options.certificate.empty() && !options.plain_http)
    throw BadUsage(serve.server.address +
                   " can be reached from elsewhere, where everybody could read along: give "
                   "--tls-cert and --tls-key, or --insecure-plain-http if something else encrypts");
  if (options.max_connections == 0) throw BadUsage("--max-connections: expected 1 or more, got 0");
  if (options.max_sessions == 0) throw BadUsage("--max-sessions: expected 1 or more, got 0");
  serve.server.hosts = options.hosts;
  serve.server.origins = options.origins;
  remote::ServerLimits& limits = serve.server.limits;
  limits.max_connections = options.max_connections;
  limits.vanish_time = milliseconds(options.silence);
  // A client must not miss them all.
  limits.keep_alive = std::clamp<std::chrono::milliseconds>(
      limits.vanish_time / 4, std::chrono::milliseconds(10), limits.keep_alive);
  serve.max_sessions = options.max_sessions;
  serve.logins.trusted_proxies = {options.proxies.begin(), options.proxies.end()};
  for (const std::string& root : options.roots) serve.roots.push_back(existing_directory(root));
  if (serve.roots.empty()) serve.roots.push_back(existing_directory("."));
  const chat::KnownAgent agent = chat::chosen_agent(options.agent, options.command);
  if (agent.elsewhere)
    throw BadUsage("the agent " + agent.name + " is on another machine (" + agent.place +
                   "): offer it there");
  serve.agent = agent.process();
  serve.agent.cwd = serve.roots.front();
  if (const std::string why = missing_program(agent, serve.agent, options.typed); !why.empty())
    throw NoProgram(why);
  serve.agent.environment.push_back({"ACP_TOKEN", {}});  // a client's
  serve.agent_name = agent.name;
  serve.client_mcp = options.client_mcp;
  serve.drain = milliseconds(options.drain);
  serve.json_log = options.log == "json";
  serve.quiet = options.log == "none";
  return serve;
}

int run(const Options& options) {
  return told("acp serve", [&] {
    gateway::ServeOptions serve;
    try {
      serve = serve_options(options);
    } catch (const NoProgram& failure) {
      std::cerr << "acp serve: " << failure.what() << "\n";
      return 3;
    }
    const Interrupts interrupts;
    try {
      serve.token_files = options.token_files;
      for (const std::string& file : options.token_files)
        serve.logins.tokens.push_back(gateway::read_token(file));
      if (serve.token_files.empty()) {
        const std::string file = gateway::usual_token_file();
        if (file.empty()) throw BadUsage("there is no home directory: give --token-file");
        const gateway::Token token = gateway::read_or_make_token(file);
        serve.logins.tokens = {token.value};
        serve.token_files = {token.file};
        serve.shows_token = token.is_new && isatty(STDERR_FILENO) != 0;
      }
      // No client reads them by the tools of our own agent.
      std::vector<std::string> own = serve.token_files;
      own.push_back(options.key);
      std::string forbidden;
      for (const std::string& file : own)
        if (!file.empty()) forbidden += std::filesystem::absolute(file).string() + "\n";
      serve.agent.environment.push_back({"ACP_FORBIDDEN", std::move(forbidden)});
      return gateway::serve(serve, interrupts.token());
    } catch (const BadUsage&) {
      throw;
    } catch (const std::exception& failure) {
      std::cerr << "acp serve: " << io::printable(failure.what()) << "\n";
      return 1;
    }
  });
}

}  // namespace

void add_serve_command(const Command& app, Action& action, std::vector<std::string> command) {
  const Command serve =
      app.add_subcommand("serve", "Offer an agent of this machine to clients elsewhere");
  serve->set_help_flag("-h,--help", "Show this help");
  serve->usage("[--agent NAME | -- COMMAND…]");
  serve->footer(about);
  const auto options = std::make_shared<Options>();
  options->command = std::move(command);
  const auto option = [&](const char* name, std::string& into, const char* what, const char* type) {
    return serve->add_option(name, into, what)->type_name(type);
  };
  const auto list = [&](const char* name, std::vector<std::string>& into, const char* what,
                        const char* type) {
    serve->add_option(name, into, what)->type_name(type)->repeated();
  };
  option("--agent", options->agent, "One of 'acp agents'; without it the built-in one", "NAME");
  option("--listen", options->listen, "Where clients come (127.0.0.1:8787)", "ADDRESS:PORT");
  list("--root", options->roots,
       "A directory that agents may be given to work in, with all below it; any number of them "
       "(default: the current directory)",
       "DIR");
  list(
      "--token-file", options->token_files,
      "The token that clients need; several files: any of them, one for each person (default: made "
      "once, in acp's state directory)",
      "FILE");
  option("--tls-cert", options->certificate, "Speak TLS, with this certificate chain", "FILE");
  option("--tls-key", options->key, "Its key", "FILE");
  serve->add_flag("--insecure-plain-http", options->plain_http,
                  "Listen on an address that others can reach, without TLS");
  list("--allow-host", options->hosts, "A name that clients may call this server by", "NAME");
  list("--allow-origin", options->origins, "Pages of this origin may use it", "URL");
  list("--trusted-proxy", options->proxies,
       "The address of a reverse proxy whose X-Forwarded-For counts", "ADDRESS");
  serve->add_flag("--client-mcp", options->client_mcp,
                  "Clients may name MCP servers that are programs: they run here");
  serve->add_option("--max-connections", options->max_connections, "Clients at a time (100)")
      ->type_name("N");
  serve->add_option("--max-sessions", options->max_sessions, "Sessions of one client (100)")
      ->type_name("N");
  add_seconds(serve, "--silence", options->silence,
              "A client that shows no sign of life for so long has gone (60)");
  add_seconds(serve, "--drain", options->drain, "How long running turns have after SIGTERM (10)",
              Zero::allowed);
  option("--log", options->log, "What is logged on standard error (text); none: no requests",
         "text|json|none")
      ->one_of({"text", "json", "none"});
  serve->callback([options, serve, &action] {
    options->typed = serve->typed_words();
    action = [options] { return run(*options); };
  });
}

}  // namespace acp::cli
