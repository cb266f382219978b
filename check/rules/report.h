// The results of a run, and their output.
#pragma once

#include <cstddef>
#include <iosfwd>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "check/rules/requirement.h"

namespace acp::check {

enum class Status { pass, fail, skip };
std::string_view to_string(Status status);

struct Result {
  const Requirement* requirement;
  Status status = Status::skip;
  std::string message;  // of a failure: what was seen; of a skip: why it could not be tried
};

// Collects what scenarios find. A requirement may be tried many times: one failure fails it, and
// one success is enough where nothing failed.
class Report {
 public:
  // Reports these requirements, in their order; results of others are dropped.
  explicit Report(std::vector<const Requirement*> selected);

  bool selected(std::string_view id) const;
  bool any_selected(std::span<const std::string_view> ids) const;

  void pass(std::string_view id);
  void fail(std::string_view id, std::string message);
  void skip(std::string_view id, std::string reason);
  // Passes or fails a requirement.
  void expect(std::string_view id, bool ok, std::string message);

  // Gives up: the peer cannot be tested at all, for this reason (a sentence without its end).
  // Failures are kept; everything else counts as skipped.
  void give_up(std::string why);
  const std::string& gave_up() const { return gave_up_; }  // empty if it did not

  bool failed(std::string_view id) const;
  bool tried(std::string_view id) const;

  // All results; requirements without one are skipped, with "not reached".
  std::vector<Result> results() const;
  // 0 if no requirement at level must has failed, 1 otherwise.
  int exit_code() const;

 private:
  struct Entry {
    bool passed = false;
    std::vector<std::string> failures;
    std::size_t more_failures = 0;
    std::string reason;
  };
  Entry* find(std::string_view id);
  const Entry* find(std::string_view id) const;

  std::vector<const Requirement*> selected_;
  std::map<std::string_view, Entry> entries_;
  std::string gave_up_;
};

// The requirements of a side and a version of the protocol that `--only` names: ids, or the
// beginning of ids up to a hyphen ("A-INIT"). All if there are no names. An unknown name is put
// into `unknown`.
std::vector<const Requirement*> select(Side side, int protocol,
                                       const std::vector<std::string>& only, std::string& unknown);

// Writes one line for each requirement, by area; failures with details, and the specification's
// page. After give_up() skipped ones are left out unless `verbose`, and the summary says why.
void write_text(std::ostream& out, const Report& report, bool verbose);
// {"results":[{"id","level","status","message","text","page"}…],"summary":{…}}; "gave_up" in the
// summary says why nothing could be tried.
void write_json(std::ostream& out, const Report& report);
// Writes a test suite for each area. The failure's type is the level.
void write_junit(std::ostream& out, const Report& report, std::string_view name);
// `--list`
void write_list(std::ostream& out, const std::vector<const Requirement*>& requirements);

}  // namespace acp::check
