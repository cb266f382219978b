// The decisions that outlive a session, in one file that a person can read and edit.
//
//   [[rule]]
//   decision = "allow"
//   kind = "execute"
//   command = "npm *"
//   project = "/home/me/project"
#pragma once

#include <string>
#include <vector>

#include "acp/error.h"
#include "acp/workspace/policy.h"

namespace acp::workspace {

// The file cannot be used: then none of its rules is followed, and everything is asked.
class PolicyStoreError : public LocalFailure {
 public:
  using LocalFailure::LocalFailure;
};

// Several programs may use one file. All functions throw PolicyStoreError.
class PolicyStore {
 public:
  explicit PolicyStore(std::string path) : path_(std::move(path)) {}
  // $XDG_CONFIG_HOME/acp/policy.toml, or ~/.config/acp/policy.toml. Empty if there is neither.
  static std::string default_path();

  // The file's path.
  const std::string& path() const { return path_; }

  // The rules in the file's order, each with file and line. None if there is no file.
  std::vector<Policy::Placed> load() const;
  // Adds a rule at the file's end, unless it is there already.
  void add(const Rule& rule) const;
  // Removes and returns the rule with this number, counted from 1 in the order of load(). Comments
  // and the other rules stay as they are.
  Rule revoke(std::size_t number) const;

 private:
  std::string path_;
};

}  // namespace acp::workspace
