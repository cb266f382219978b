// acp mcp: what an MCP server offers, and its tools, resources and prompts put to use.
#include <unistd.h>

#include <algorithm>
#include <iostream>
#include <memory>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "acp/io/printable.h"
#include "acp/io/process/process.h"
#include "chat/mcp_servers.h"
#include "cli/client_options.h"
#include "cli/command.h"
#include "cli/commands/mcp_arguments.h"
#include "cli/commands/mcp_connect.h"
#include "cli/commands/mcp_print.h"
#include "cli/interrupts.h"
#include "cli/seconds.h"
#include "cli/table.h"

namespace acp::cli {
namespace {

using io::printable;

constexpr int tool_failed = 1;
constexpr int bad_usage = 2;
constexpr int no_connection = 3;

struct Options : ServerChoice {
  bool json = false;
  std::string name;                // of a tool, a resource, a prompt
  std::vector<std::string> words;  // its arguments
};

// {"tools":[…]}: all pages as one.
template <class T>
Json listed(const char* member, const std::vector<T>& items, Json result = Json::object()) {
  std::string list = "[";
  for (const T& item : items) list += (list.size() > 1 ? "," : "") + item.raw.text();
  return result.set(member, Json::from_valid(list + "]"));
}

std::string title_of(const std::optional<std::string>& title,
                     const std::optional<std::string>& description) {
  return first_line(description ? *description : title.value_or(""));
}

// Those of the configuration: neither variables nor headers.
int servers(const Options& options) {
  const settings::Settings settings = user_settings();
  Table table({"SERVER", "TRANSPORT", "COMMAND OR URL", "SET IN"});
  for (const auto& [name, server] : settings.mcp) {
    using Transport = settings::McpServerSettings::Transport;
    const char* const transport = server.transport == Transport::stdio  ? "stdio"
                                  : server.transport == Transport::http ? "http"
                                                                        : "sse";
    std::vector<std::string> argv = {server.command};
    argv.insert(argv.end(), server.args.begin(), server.args.end());
    const std::string place = server.url.empty() ? io::command_line(argv) : server.url;
    if (options.json) {
      Json object = Json::object({{"name", name}, {"transport", transport}});
      Json words = Json::array();
      for (const std::string& word : argv) words.append(word);
      if (server.url.empty())
        object.set("command", words);
      else
        object.set("url", server.url);
      object.set("source", server.source);
      std::cout << io::printable_json(object.text()) << "\n";
    }
    table.add({name, transport, place, server.source});
  }
  if (options.json) return 0;
  table.print();
  if (table.empty())
    say("your configuration has no MCP servers; 'acp config set mcp.NAME.command COMMAND' or "
        "'acp config set mcp.NAME.url URL' adds one");
  return 0;
}

int info(const Options& options) {
  const mcp::Server server = connect(options);
  if (options.json)
    std::cout << io::printable_json(server.info().raw.text()) << "\n";
  else
    print_info(std::cout, server.info());
  return 0;
}

int tools(const Options& options) {
  const auto list = connect(options).list_tools().wait();
  if (options.json) {
    std::cout << io::printable_json(listed("tools", list).text()) << "\n";
    return 0;
  }
  Table table({"TOOL", "ARGUMENTS", "DESCRIPTION"});
  for (const mcp::Tool& tool : list)
    table.add(
        {tool.name, describe_arguments(tool.inputSchema), title_of(tool.title, tool.description)});
  table.print();
  return 0;
}

// `acp mcp call SERVER TOOL …`, as the commands that list take it: if no server is given otherwise,
// the first word is one of the configuration, and the second can be no argument.
Options with_server_first(Options options) {
  if (!options.server.empty() || !options.url.empty() || !options.command.empty() ||
      options.words.empty())
    return options;
  const std::string name = options.words.front();
  if (name.find('=') != std::string::npos || name.starts_with('{') ||
      user_settings().mcp.count(options.name) == 0)
    return options;
  options.server = std::exchange(options.name, name);
  options.words.erase(options.words.begin());
  return options;
}

int call(const Options& given) {
  const Options options = with_server_first(given);
  const Interrupts interrupts;
  const mcp::Server server = connect(options);
  const auto list = server.list_tools().wait();
  const auto tool = std::find_if(list.begin(), list.end(),
                                 [&](const mcp::Tool& each) { return each.name == options.name; });
  if (tool == list.end()) {
    std::string names;
    for (const mcp::Tool& each : list) names += (names.empty() ? "" : ", ") + each.name;
    throw BadUsage("there is no tool '" + options.name + "', only: " + printable(names));
  }
  mcp::CallOptions how;
  how.stop = interrupts.token();
  if (options.timeout > 0) how.time = milliseconds(options.timeout);
  how.on_progress = [](mcp::ServerContext, mcp::Progress progress) {
    std::ostringstream line;
    line << "progress " << progress.progress;
    if (progress.total) line << "/" << *progress.total;
    if (progress.message) line << " " << first_line(*progress.message);
    std::cerr << line.str() + "\n";
  };
  const mcp::CallToolResult result =
      server.call_tool(options.name, tool_arguments(tool->inputSchema, options.words), how).wait();
  if (options.json) {
    std::cout << io::printable_json(result.raw.text()) << "\n";
  } else {
    const bool terminal = isatty(STDOUT_FILENO) != 0;
    std::ostringstream text;
    for (const v1::ContentBlock& content : result.content) print(text, content);
    if (result.content.empty() && !result.structuredContent.absent())
      text << result.structuredContent.text() << "\n";
    std::cout << (terminal ? printable(text.str()) : text.str());
  }
  if (result.isError) say("the tool failed");
  return result.isError ? tool_failed : 0;
}

int resources(const Options& options) {
  const mcp::Server server = connect(options);
  const auto list = server.list_resources().wait();
  std::vector<mcp::ResourceTemplate> templates;
  try {
    templates = server.list_resource_templates().wait();
  } catch (const CallFailed& failed) {
    if (failed.code() != rpc::method_not_found) throw;  // not every server has them
  }
  if (options.json) {
    std::cout << io::printable_json(
                     listed("resourceTemplates", templates, listed("resources", list)).text())
              << "\n";
    return 0;
  }
  Table table({"URI", "TYPE", "NAME", "DESCRIPTION"});
  for (const mcp::Resource& each : list)
    table.add({each.uri, first_line(each.mimeType.value_or("")), first_line(each.name),
               title_of(each.title, each.description)});
  for (const mcp::ResourceTemplate& each : templates)
    table.add({each.uriTemplate, first_line(each.mimeType.value_or("")), first_line(each.name),
               title_of(each.title, each.description)});
  table.print();
  return 0;
}

int read(const Options& options) {
  const mcp::ReadResourceResult result = connect(options).read_resource(options.name).wait();
  if (options.json)
    std::cout << io::printable_json(result.raw.text()) << "\n";
  else
    for (const mcp::ResourceContents& contents : result.contents)
      print(std::cout, contents, isatty(STDOUT_FILENO) != 0);
  return 0;
}

int prompts(const Options& options) {
  const auto list = connect(options).list_prompts().wait();
  if (options.json) {
    std::cout << io::printable_json(listed("prompts", list).text()) << "\n";
    return 0;
  }
  Table table({"PROMPT", "ARGUMENTS", "DESCRIPTION"});
  for (const mcp::Prompt& prompt : list) {
    std::string arguments;
    for (const mcp::PromptArgument& argument : prompt.arguments)
      arguments += (arguments.empty() ? "" : " ") + argument.name + (argument.required ? "" : "?");
    table.add({prompt.name, arguments, title_of(prompt.title, prompt.description)});
  }
  table.print();
  return 0;
}

int prompt(const Options& given) {
  const Options options = with_server_first(given);
  const Json arguments = prompt_arguments(options.words);
  const mcp::GetPromptResult result = connect(options).get_prompt(options.name, arguments).wait();
  if (options.json) {
    std::cout << io::printable_json(result.raw.text()) << "\n";
    return 0;
  }
  std::ostringstream text;
  for (const mcp::PromptMessage& message : result.messages) {
    text << message.role << ": ";
    print(text, message.content);
  }
  std::cout << (isatty(STDOUT_FILENO) != 0 ? printable(text.str()) : text.str());
  return 0;
}

// What each way to fail is to the user.
int run(const char* name, int (*command)(const Options&), const Options& options) {
  try {
    return command(options);
  } catch (const BadUsage& mistake) {
    std::cerr << "acp mcp " << name << ": " << mistake.what() << "\nTry 'acp mcp " << name
              << " --help'.\n";
    return bad_usage;
  } catch (const settings::SettingsError& error) {
    say(error.what());
    return bad_usage;
  } catch (const chat::NoSuchServer& error) {
    say(error.what());
    return bad_usage;
  } catch (const StartFailed& failed) {
    say("no connection: " + printable(failed.what()));
    return no_connection;
  } catch (const ConnectionClosed& closed) {
    say("the connection was lost: " + printable(closed.what()));
    return no_connection;
  } catch (const Cancelled&) {
    say("cancelled");
    return Interrupts::exit_code;
  } catch (const Error& error) {
    say(printable(error.what()) + " (" + std::to_string(error.code()) + ")");
    return tool_failed;
  }
}

}  // namespace

void add_mcp_command(const Command& app, Action& action, std::vector<std::string> command) {
  const Command mcp = app.add_subcommand(
      "mcp", "Look into an MCP server, and use its tools, resources and prompts");
  mcp->require_subcommand(1);
  auto options = std::make_shared<Options>();
  options->command = std::move(command);

  const auto answers = [&](const Command& sub, const char* name, int (*function)(const Options&)) {
    sub->callback([&action, options, name, function] {
      action = [options, name, function] { return run(name, function, *options); };
    });
  };
  const Command list = mcp->add_subcommand("servers", "List the servers of your configuration");
  list->add_flag("--json", options->json, "One JSON object a line");
  answers(list, "servers", servers);

  // A command that lists things takes the name of a server as its only word.
  const auto add = [&](const char* name, const char* description, int (*function)(const Options&),
                       bool lists = false) {
    const Command sub = mcp->add_subcommand(name, description);
    sub->footer(
        "The server is one of 'acp mcp servers', --url URL, or its command after --, as in\n"
        "  acp mcp " +
        std::string(name) + (lists ? " NAME\n" : " … --server NAME\n") + "  acp mcp " +
        std::string(name) + (lists ? "" : " …") +
        " -- npx -y @modelcontextprotocol/server-everything\n"
        "Exit code: 0, or 1 if the tool or the server's answer is an error, 2 for usage\n"
        "errors, 3 if there is no connection, 130 if it was interrupted.");
    Option named =
        sub->add_option("--server", options->server,
                        lists ? "The same, as an option" : "A server of 'acp mcp servers'")
            ->type_name("NAME");
    if (lists)
      sub->add_option("SERVER", options->server, "A server of 'acp mcp servers'")->excludes(named);
    sub->add_option("--url", options->url, "The address of a server that speaks Streamable HTTP");
    sub->add_flag("--sse", options->sse, "It speaks HTTP+SSE, as in revision 2024-11-05");
    sub->add_option("--header", options->headers,
                    "A header for it, NAME: VALUE; any number of them")
        ->repeated();
    sub->add_option("--root", options->roots,
                    "A directory that the server may know of, absolute; any number of them")
        ->repeated();
    add_seconds(sub, "--timeout", options->timeout, "How long the start may take, and each call");
    sub->add_flag("--json", options->json, "The protocol's own result, as JSON");
    sub->add_flag("--verbose", options->verbose, "Also what the server logs and writes to stderr");
    answers(sub, name, function);
    return sub;
  };
  add("info", "Show what the server is and what it offers", info, true);
  add("tools", "List its tools", tools, true);
  const Command call_command = add("call", "Call a tool", call);
  call_command->add_option("TOOL", options->name, "Its name; SERVER TOOL does for --server, too")
      ->required();
  call_command->add_option("ARGUMENTS", options->words,
                           "One JSON object, or name=value for each argument");
  add("resources", "List its resources, and the templates of such", resources, true);
  add("read", "Read a resource", read)->add_option("URI", options->name, "Its address")->required();
  add("prompts", "List its prompts", prompts, true);
  const Command prompt_command = add("prompt", "Show a prompt, filled in", prompt);
  prompt_command->add_option("NAME", options->name, "Its name")->required();
  prompt_command->add_option("ARGUMENTS", options->words,
                             "One JSON object, or name=value for each argument");
}

}  // namespace acp::cli
