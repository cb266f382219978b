// The rule that an answer makes: what the person saw, and nothing beyond it.
#pragma once

#include <optional>
#include <string>

#include "acp/workspace/policy.h"

namespace acp::workspace {

// How long an answer is valid.
enum class Scope {
  session,
  project,  // for this agent and its project, from now on
};
// "session", "project"
constexpr const char* to_string(Scope value) {
  switch (value) {
    case Scope::session:
      return "session";
    case Scope::project:
      return "project";
  }
  return "";
}

// By the kind of the call: a command in its directory, a fetch by its origin, a tool by its name,
// edits below the session's directory that holds the paths, anything else by its paths. Nothing if
// the question does not say enough for that: such an answer cannot be remembered.
std::optional<Rule> rule_for(const Question& question, Effect decision, Scope scope);

// How far such a rule reaches, in words for the person who is asked: "all edits in
// /home/me/project", "this command in /home/me/project". Paths are shown relative to the project
// where they can be.
std::string reach_of(const Rule& rule, const Question& question);

}  // namespace acp::workspace
