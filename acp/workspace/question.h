// What an agent wants to do, as rules see it.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace acp::workspace {

// A path that a question is about: as the agent wrote it, and where it leads.
struct Touched {
  Touched() = default;
  // Not `explicit`: where only the written path is known, that is all there is to say.
  Touched(std::string path) : written(std::move(path)) {}
  Touched(const char* path) : written(path) {}

  std::string written = {};  // absolute
  // Where links and `..` lead, in each spelling that a rule may use. Empty: not known.
  std::vector<std::string> resolved = {};
  // What moves or goes with it: the paths below it, relative to it. Nothing: not known.
  std::optional<std::vector<std::string>> below = std::vector<std::string>();

  friend bool operator==(const Touched&, const Touched&) = default;
};

// A text before and after, to show it to people. Nothing before: a new file.
struct TextChange {
  std::optional<std::string> before;
  std::string after;
  bool over_other = false;  // no new file: what is there is no text, or cannot be read
};

// The change of one path that a question showed: of all its text, or of a part of it.
struct ShownChange {
  Touched path;
  std::shared_ptr<const TextChange> change;
};

// What an agent is about to do.
struct Question {
  std::string agent = {};
  std::string project = {};  // the session's working directory
  // The other directories of the session.
  std::vector<std::string> more_directories = {};
  std::string kind = {};  // of the tool call, as the protocol spells it
  // Of a call that does several things: a rule that allows must allow each, one that rejects needs
  // to match one.
  std::vector<std::string> other_kinds = {};
  std::string tool = {};     // its name, if it has one: "github/create_issue"
  std::string command = {};  // if it runs one
  Touched directory = {};    // where the command runs
  std::string origin = {};   // of what it fetches: "https://example.org:443"
  std::vector<Touched> paths = {};
  // Of a call that writes: all of the text. Rules do not see it, nor what follows.
  std::shared_ptr<const TextChange> change = {};
  std::vector<ShownChange> shown = {};  // what the person saw of it
  // Why no rule may allow this, whatever it says. Empty: a rule may.
  std::string always_ask = {};
};

}  // namespace acp::workspace
