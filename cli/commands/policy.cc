// acp policy: what was decided before, and why.
#include <algorithm>
#include <filesystem>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "acp/io/printable.h"
#include "acp/json/json.h"
#include "acp/workspace/policy_store.h"
#include "cli/command.h"
#include "cli/did_you_mean.h"

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

std::string listed_kinds() {
  std::string names;
  for (const std::string& kind : workspace::tool_kinds())
    names += (names.empty() ? "" : ", ") + kind;
  return names;
}

// What is wrong with a kind; empty if nothing is.
std::string mistake_in_kind(const std::string& kind) {
  if (kind.empty() || workspace::is_tool_kind(kind)) return {};
  return "there is no kind \"" + kind + "\", only: " + listed_kinds() +
         did_you_mean(kind, workspace::tool_kinds());
}

// What is wrong with patterns of paths, which are absolute; empty if nothing is.
std::string mistake_in_patterns(const std::string& option,
                                const std::vector<std::string>& patterns) {
  for (const std::string& pattern : patterns)
    if (!pattern.empty() && !workspace::can_match_a_path(pattern))
      return option + ": paths are absolute, and '" + pattern + "' matches none; '**/" + pattern +
             "' matches it in every directory";
  return {};
}

int wrong_usage(const std::string& command, const std::string& what) {
  return complain(what + "\nTry 'acp policy " + command + " --help'.", 2);
}

// As an agent would name it.
std::string absolute_in(const std::string& directory, const std::string& path) {
  if (path.empty() || path.starts_with('/')) return path;
  const std::filesystem::path whole = std::filesystem::path(directory) / path;
  // Where `..` leads is not to be seen from the path.
  const bool goes_up = std::ranges::find(whole, "..") != whole.end();
  std::string text = (goes_up ? whole : whole.lexically_normal()).string();
  if (text.size() > 1 && text.ends_with('/')) text.pop_back();
  return text;
}

int explain(const PolicyStore& store, const Options& options) {
  Question question = options.question;
  if (const std::string wrong = mistake_in_kind(question.kind); !wrong.empty())
    return wrong_usage("explain", wrong);
  const std::string here = std::filesystem::current_path().string();
  question.project = absolute_in(here, question.project);
  const std::string& base = question.project.empty() ? here : question.project;
  question.directory = Touched(absolute_in(base, options.directory));
  for (const std::string& path : options.paths)
    question.paths.emplace_back(absolute_in(base, path));
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
  for (const std::string& wrong :
       {mistake_in_kind(rule.kind), mistake_in_patterns("--path", rule.paths),
        mistake_in_patterns("--directory", {rule.directory})})
    if (!wrong.empty()) return wrong_usage(to_string(rule.decision), wrong);
  const bool says_what = !rule.kind.empty() || !rule.tool.empty() || !rule.command.empty() ||
                         !rule.origin.empty() || !rule.paths.empty();
  if (rule.decision == Effect::allow && !says_what)
    return wrong_usage(
        "allow",
        "a rule that allows needs at least one of --kind, --tool, --command, --origin, --path");
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

// A file that is named is meant to be there; a rule may make it, and no directory.
std::string mistake_in_file(const std::string& file, bool adds) {
  std::error_code error;
  const std::filesystem::path path = std::filesystem::absolute(file);
  if (!adds && !std::filesystem::exists(path, error))
    return "--file: there is no file " + io::one_line(file, io::whole);
  if (!std::filesystem::is_directory(path.parent_path(), error))
    return "--file: there is no directory " + io::one_line(path.parent_path().string(), io::whole);
  return {};
}

int run(const Options& options, Run what, bool adds) {
  const std::string path = options.file.empty() ? PolicyStore::default_path() : options.file;
  if (path.empty()) return complain("neither XDG_CONFIG_HOME nor HOME is set: use --file");
  if (!options.file.empty())
    if (const std::string wrong = mistake_in_file(options.file, adds); !wrong.empty())
      return complain(wrong, 2);
  try {
    return what(PolicyStore(std::filesystem::absolute(path).string()), options);
  } catch (const workspace::PolicyStoreError& error) {
    return complain(error.what());
  }
}

std::string help_of_kind() {
  return "The kind of tool: " + listed_kinds() + "; or an agent's own, which begins with _";
}

void add_patterns(const Command& command, Rule& rule) {
  command.add_option("--kind", rule.kind, help_of_kind());
  command.add_option("--tool", rule.tool, "The tool's name, with * for any text");
  command.add_option("--command", rule.command,
                     "The command, with * for any text; when allowing, for none with shell "
                     "operators");
  command.add_option("--directory", rule.directory,
                     "Where the command runs, with * and ** as in --path");
  command.add_option("--origin", rule.origin, "What is fetched from: https://example.org:443");
  command.add_option("--path", rule.paths,
                     "The absolute path, with * for any name and ** for any path; again for more");
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
  const auto command = [&](const char* name, const char* what, Run function,
                           bool adds = false) -> Command {
    const Command made = policy.add_subcommand(name, what);
    add_file(made);
    made.callback([options, function, adds, &action] {
      action = [options, function, adds] { return run(*options, function, adds); };
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
  explaining.add_option("--kind", question.kind, help_of_kind());
  explaining.add_option("--tool", question.tool, "The tool's name");
  explaining.add_option("--command", question.command, "The command that is to run");
  explaining.add_option("--directory", options->directory,
                        "Where the command runs; a relative one is of --project, or of the current "
                        "directory");
  explaining.add_option("--origin", question.origin, "What is fetched from");
  explaining.add_option("--path", options->paths,
                        "A path that is touched, as --directory; again for more");
  explaining.add_option("--agent", question.agent, "The agent");
  explaining.add_option("--project", question.project, "The session's directory");
  const Command allowing = command("allow", "Add a rule that allows", add, true);
  add_patterns(allowing, options->rule);
  allowing.footer(
      "All that is given must fit. Commands that begin with npm, in one project:\n"
      "  acp policy allow --kind execute --command 'npm *' --project ~/work");
  const Command rejecting = command(
      "reject", "Add a rule that rejects",
      [](const PolicyStore& store, const Options& given) {
        Options rejects = given;
        rejects.reject = true;
        return add(store, rejects);
      },
      true);
  add_patterns(rejecting, options->rule);
  rejecting.footer(
      "All that is given must fit. Of all rules, the first that fits decides; what an answer\n"
      "to a question allowed yields to every rule that rejects:\n"
      "  acp policy reject --path '**/.env'");
  command(
      "revoke", "Take a rule away",
      [](const PolicyStore& store, const Options& given) { return revoke(store, given.number); })
      .add_option("NUMBER", options->number, "As `acp policy list` counts them")
      ->check(
          [](const std::string& word) {
            const bool counts = !word.empty() && word.size() < 10 &&
                                word.find_first_not_of("0123456789") == std::string::npos;
            return counts ? ""
                          : "expected a number, as 'acp policy list' shows it, got '" + word + "'";
          },
          "")
      ->required();
}

}  // namespace acp::cli
