// acp policy: what was decided before, and why.
#include <filesystem>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "acp/io/printable.h"
#include "acp/json/json.h"
#include "acp/workspace/policy_store.h"
#include "cli/command.h"

namespace acp::cli {
namespace {

using workspace::Effect;
using workspace::Judgement;
using workspace::Policy;
using workspace::PolicyStore;
using workspace::Question;
using workspace::Rule;
using workspace::Touched;

struct Options {
  std::string file;
  bool json = false;
  std::size_t number = 0;
  Question question;
  std::string directory;
  std::vector<std::string> paths;
  Rule rule;
  bool reject = false;
};

int complain(const std::string& what, int code = 1) {
  std::cerr << "acp policy: " << what << "\n";
  return code;
}

// The file may hold anything.
std::string shown(const Rule& rule) { return io::one_line(rule.describe(), io::whole); }

Json as_json(const Rule& rule) {
  Json out = Json::object({{"decision", to_string(rule.decision)}});
  const auto set = [&](const char* name, const std::string& value) {
    if (!value.empty()) out.set(name, value);
  };
  set("kind", rule.kind);
  set("tool", rule.tool);
  set("command", rule.command);
  set("directory", rule.directory);
  set("origin", rule.origin);
  if (rule.paths.size() == 1) set("path", rule.paths.front());
  if (rule.paths.size() > 1) {
    Json patterns = Json::array();
    for (const std::string& pattern : rule.paths) patterns.append(pattern);
    out.set("path", patterns);
  }
  set("agent", rule.agent);
  set("project", rule.project);
  if (rule.answered) out.set("answered", true);
  return out;
}

int list(const PolicyStore& store, bool json) {
  std::size_t number = 0;
  for (const Policy::Placed& placed : store.load()) {
    ++number;
    if (json) {
      Json line = as_json(placed.rule);
      line.set("number", number);
      line.set("source", placed.source);
      std::cout << io::printable_json(line.text()) << "\n";
    } else {
      std::cout << number << "  " << shown(placed.rule) << "\n";
    }
  }
  if (number == 0 && !json)
    std::cout << "No rules in " << io::one_line(store.path(), io::whole)
              << ": everything is asked.\n";
  return 0;
}

int explain(const PolicyStore& store, const Options& options) {
  Question question = options.question;
  question.directory = Touched(options.directory);
  for (const std::string& path : options.paths) question.paths.emplace_back(path);
  const Judgement judged = Policy(store.load()).judge(question);
  if (options.json) {
    Json out = Json::object({{"decision", judged.decision ? to_string(*judged.decision) : "ask"}});
    if (judged.rule) out.set("rule", as_json(*judged.rule));
    if (judged.rule) out.set("source", judged.source);
    std::cout << io::printable_json(out.text()) << "\n";
  } else if (judged.decision) {
    std::cout << to_string(*judged.decision) << ", by the rule at "
              << io::one_line(judged.source, io::whole) << ":\n  " << shown(*judged.rule) << "\n";
  } else {
    std::cout << "ask: no rule matches\n";
  }
  return 0;
}

int add(const PolicyStore& store, const Options& options) {
  Rule rule = options.rule;
  rule.decision = options.reject ? Effect::reject : Effect::allow;
  const bool says_what = !rule.kind.empty() || !rule.tool.empty() || !rule.command.empty() ||
                         !rule.origin.empty() || !rule.paths.empty();
  if (rule.decision == Effect::allow && !says_what)
    return complain(
        "a rule that allows needs at least one of --kind, --tool, --command, --origin, --path\n"
        "Try 'acp policy allow --help'.",
        2);
  store.add(rule);
  std::cout << shown(rule) << "\n";
  return 0;
}

int revoke(const PolicyStore& store, std::size_t number) {
  const Rule revoked = store.revoke(number);
  std::cout << "Revoked: " << shown(revoked) << "\n";
  return 0;
}

using Run = int (*)(const PolicyStore&, const Options&);

int run(const Options& options, Run what) {
  const std::string path = options.file.empty() ? PolicyStore::default_path() : options.file;
  if (path.empty()) return complain("neither XDG_CONFIG_HOME nor HOME is set: use --file");
  try {
    return what(PolicyStore(std::filesystem::absolute(path).string()), options);
  } catch (const workspace::PolicyStoreError& error) {
    return complain(error.what());
  }
}

void add_patterns(const Command& command, Rule& rule) {
  command.add_option("--kind", rule.kind, "The kind of tool: edit, delete, execute, …");
  command.add_option("--tool", rule.tool, "The tool's name, with * for any text");
  command.add_option("--command", rule.command,
                     "The command, with * for any text; when allowing, for none with shell "
                     "operators");
  command.add_option("--directory", rule.directory,
                     "Where the command runs, with * and ** as in --path");
  command.add_option("--origin", rule.origin, "What is fetched from: https://example.org:443");
  command.add_option("--path", rule.paths,
                     "The path, with * for any name and ** for any path; again for more");
  command.add_option("--agent", rule.agent, "The agent");
  command.add_option("--project", rule.project, "The session's directory, or one above it");
}

}  // namespace

void add_policy_command(const Command& app, Action& action) {
  const auto options = std::make_shared<Options>();
  const Command policy = app.add_subcommand("policy", "What agents may do without asking");
  policy.require_subcommand(1);
  const auto add_file = [&](const Command& to) {
    to.add_option("--file", options->file, "The rules (~/.config/acp/policy.toml)");
  };
  add_file(policy);
  policy.footer(
      "  acp policy allow --kind execute --command 'npm *' --project ~/work\n"
      "  acp policy reject --path '**/.env'\n"
      "  acp policy explain --kind execute --command 'npm test' --project ~/work");
  const auto command = [&](const char* name, const char* what, Run function) -> Command {
    const Command made = policy.add_subcommand(name, what);
    add_file(made);
    made.callback([options, function, &action] {
      action = [options, function] { return run(*options, function); };
    });
    return made;
  };
  const Command listing = command(
      "list", "All rules, in the order in which they are tried",
      [](const PolicyStore& store, const Options& given) { return list(store, given.json); });
  listing.add_flag("--json", options->json, "One JSON object a line");
  const Command explaining =
      command("explain", "What would be decided, and by which rule", explain);
  explaining.add_flag("--json", options->json, "A JSON object");
  Question& question = options->question;
  explaining.add_option("--kind", question.kind, "The kind of tool: edit, delete, execute, …");
  explaining.add_option("--tool", question.tool, "The tool's name");
  explaining.add_option("--command", question.command, "The command that is to run");
  explaining.add_option("--directory", options->directory, "Where the command runs");
  explaining.add_option("--origin", question.origin, "What is fetched from");
  explaining.add_option("--path", options->paths, "A path that is touched; again for more");
  explaining.add_option("--agent", question.agent, "The agent");
  explaining.add_option("--project", question.project, "The session's directory");
  const Command allowing = command("allow", "Add a rule that allows", add);
  add_patterns(allowing, options->rule);
  allowing.footer(
      "All that is given must fit. Commands that begin with npm, in one project:\n"
      "  acp policy allow --kind execute --command 'npm *' --project ~/work");
  const Command rejecting = command("reject", "Add a rule that rejects",
                                    [](const PolicyStore& store, const Options& given) {
                                      Options rejects = given;
                                      rejects.reject = true;
                                      return add(store, rejects);
                                    });
  add_patterns(rejecting, options->rule);
  rejecting.footer(
      "All that is given must fit. Of all rules, the first that fits decides; what an answer\n"
      "to a question allowed yields to every rule that rejects:\n"
      "  acp policy reject --path '**/.env'");
  command(
      "revoke", "Take a rule away",
      [](const PolicyStore& store, const Options& given) { return revoke(store, given.number); })
      .add_option("NUMBER", options->number, "As `acp policy list` counts them")
      ->required();
}

}  // namespace acp::cli
