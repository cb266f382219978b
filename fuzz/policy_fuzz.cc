// Random rules and random calls. What is allowed is never wider than the words of the rule that
// allowed it, read by a second matcher; and the rule that an answer makes matches only what the
// person saw.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <string>
#include <string_view>
#include <vector>

#include "acp/workspace/policy.h"
#include "acp/workspace/remembered_rule.h"

namespace {

using namespace acp::workspace;

// Short texts of few characters, so that they meet.
class Input {
 public:
  Input(const std::uint8_t* data, std::size_t size) : data_(data), size_(size) {}
  bool done() const { return at_ >= size_; }
  std::uint8_t byte() { return done() ? 0 : data_[at_++]; }
  bool flag() { return byte() % 2 == 1; }
  std::string text(std::string_view alphabet) {
    std::string result;
    for (std::size_t left = byte() % 9; left > 0; --left)
      result += alphabet[byte() % alphabet.size()];
    return result;
  }
  std::string one_of(const std::vector<std::string>& words) { return words[byte() % words.size()]; }

 private:
  const std::uint8_t* data_;
  std::size_t size_, at_ = 0;
};

const std::vector<std::string> kinds = {"read",        "edit",    "delete", "move",
                                        "search",      "execute", "fetch",  "other",
                                        "switch_mode", "think",   ""};
constexpr std::string_view words = "ab;* \\$";
constexpr std::string_view path_words = "/ab.*\\";

Touched path(Input& in) {
  Touched made("/" + in.text("/ab.*"));
  if (in.flag()) made.resolved.push_back("/" + in.text("/ab"));
  if (in.flag()) made.resolved.push_back("/" + in.text("/ab"));
  if (in.flag()) made.below = std::nullopt;
  if (in.flag()) made.below = {{in.text("ab/")}};
  return made;
}

Question question(Input& in) {
  Question made;
  made.agent = in.one_of({"", "one", "two"});
  made.project = in.one_of({"", "/a", "/a/b", "/a/../b"});
  if (in.flag()) made.more_directories = {"/b"};
  made.kind = in.one_of(kinds);
  made.tool = in.text(words);
  made.command = in.text(words);
  if (in.flag()) made.directory = path(in);
  made.origin = in.text("ab:/*");
  for (std::size_t left = in.byte() % 3; left > 0; --left) made.paths.push_back(path(in));
  if (in.byte() % 8 == 0) made.always_ask = "because";
  return made;
}

Rule rule(Input& in) {
  Rule made;
  made.decision = in.flag() ? Effect::allow : Effect::reject;
  made.agent = in.one_of({"", "one"});
  made.project = in.one_of({"", "/a", "/a/b"});
  made.answered = in.byte() % 4 == 1;
  made.kind = in.one_of(kinds);
  if (in.flag()) made.tool = in.text(words);
  if (in.flag()) made.command = in.text(words);
  if (in.flag()) made.origin = in.text("ab:/*");
  if (in.flag()) made.directory = "/" + in.text(path_words);
  for (std::size_t left = in.byte() % 3; left > 0; --left)
    made.paths.push_back("/" + in.text(path_words));
  return made;
}

// The second matcher: by going back, as the words of the rule are read by a person.
bool reads(std::string_view pattern, std::string_view text, bool is_path) {
  if (pattern.empty()) return text.empty();
  if (pattern[0] == '\\' && pattern.size() > 1)
    return !text.empty() && text[0] == pattern[1] &&
           reads(pattern.substr(2), text.substr(1), is_path);
  if (pattern[0] != '*')
    return !text.empty() && text[0] == pattern[0] &&
           reads(pattern.substr(1), text.substr(1), is_path);
  std::size_t stars = pattern.find_first_not_of('*');
  if (stars == std::string_view::npos) stars = pattern.size();
  const bool any = is_path && stars > 1;
  for (std::size_t taken = 0;; ++taken) {
    if (reads(pattern.substr(stars), text.substr(taken), is_path)) return true;
    if (taken == text.size()) return false;
    const char c = text[taken];
    if (is_path ? !any && c == '/'
                : std::string_view(";&|`$()<>\n\r\\\"'{}").find(c) != std::string_view::npos)
      return false;
  }
}

bool goes_up(const std::string& path) {
  return ("/" + path + "/").find("/../") != std::string::npos;
}

bool covers(const std::vector<std::string>& patterns, const Touched& touched) {
  return std::any_of(patterns.begin(), patterns.end(), [&](const std::string& pattern) {
    if (goes_up(touched.written) || !reads(pattern, touched.written, true)) return false;
    return touched.resolved.empty() ||
           std::any_of(touched.resolved.begin(), touched.resolved.end(),
                       [&](const std::string& path) { return reads(pattern, path, true); });
  });
}

void require(bool holds, const char* what, const Rule& rule) {
  if (holds) return;
  std::cerr << what << ": " << rule.describe() << "\n";
  std::abort();
}

void check_allowed(const Rule& rule, const Question& asked) {
  require(rule.decision == Effect::allow, "not a rule that allows", rule);
  require(asked.always_ask.empty(), "always asks", rule);
  require(rule.agent.empty() || rule.agent == asked.agent, "another agent", rule);
  require(rule.kind.empty() || rule.kind == asked.kind, "another kind", rule);
  require(rule.project.empty() || is_below(rule.project, asked.project), "another project", rule);
  require(rule.tool.empty() || reads(rule.tool, asked.tool, false), "another tool", rule);
  require(rule.command.empty() || reads(rule.command, asked.command, false), "another command",
          rule);
  require(rule.origin.empty() || reads(rule.origin, asked.origin, false), "another origin", rule);
  require(rule.directory.empty() || covers({rule.directory}, asked.directory), "another directory",
          rule);
  require(rule.paths.empty() ||
              (!asked.paths.empty() &&
               std::all_of(asked.paths.begin(), asked.paths.end(),
                           [&](const Touched& touched) { return covers(rule.paths, touched); })),
          "another path", rule);
}

// No answer that allows gets past a rule that rejects.
void check_precedence(const Judgement& judged, const Policy& policy, const Question& now) {
  if (judged.decision != Effect::allow) return;
  const bool answer = judged.rule->answered || judged.source == "this session";
  const auto stops = [&](const Rule& rule) {
    return rule.decision == Effect::reject && rule.matches(now);
  };
  for (const Rule& rule : policy.of_session())
    require(!stops(rule), "rejected in the session", rule);
  for (const Policy::Placed& placed : policy.given()) {
    if (!answer && placed.rule == *judged.rule) break;  // what is written holds in its order
    require(!stops(placed.rule), "rejected by a rule that comes first", placed.rule);
  }
}

// What the person saw when the rule was made, against what it allows now.
void check_remembered(const Question& seen, const Rule& made, const Question& now) {
  require(now.agent == seen.agent && now.kind == seen.kind, "another agent or kind", made);
  if (seen.kind == "execute" || (seen.kind == "other" && !seen.command.empty())) {
    require(now.command == seen.command && now.directory.written == seen.directory.written,
            "another command", made);
  } else if (seen.kind == "other") {
    require(now.tool == seen.tool, "another tool", made);
  } else if (seen.kind == "fetch") {
    require(now.origin == seen.origin, "another origin", made);
  } else if (seen.kind == "edit") {
    for (const Touched& touched : now.paths)
      require(std::any_of(made.paths.begin(), made.paths.end(),
                          [&](const std::string&) {
                            return is_below(seen.project, touched.written) ||
                                   is_below("/b", touched.written);
                          }),
              "an edit elsewhere", made);
  } else {
    for (const Touched& touched : now.paths)
      require(std::any_of(seen.paths.begin(), seen.paths.end(),
                          [&](const Touched& one) { return one.written == touched.written; }),
              "another path", made);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Input in(data, size);
  std::vector<Policy::Placed> placed;
  for (std::size_t left = in.byte() % 5; left > 0; --left) placed.push_back({rule(in), "file"});
  Policy policy(placed);
  if (in.byte() % 4 == 1) policy.remember_for_session(rule(in));
  const Question seen = question(in);
  const Scope scope = in.flag() ? Scope::session : Scope::project;
  const auto made = rule_for(seen, Effect::allow, scope);
  if (made && scope == Scope::session) policy.remember_for_session(*made);
  while (!in.done()) {
    const Question now = question(in);
    const Judgement judged = policy.judge(now);
    if (judged.decision == Effect::allow) check_allowed(*judged.rule, now);
    check_precedence(judged, policy, now);
    if (made && made->matches(now)) check_remembered(seen, *made, now);
  }
  return 0;
}
