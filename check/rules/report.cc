#include "check/rules/report.h"

#include <algorithm>
#include <utility>

namespace acp::check {

namespace {
constexpr std::size_t failures_kept = 3;
}

std::string_view to_string(Status status) {
  switch (status) {
    case Status::pass:
      return "pass";
    case Status::fail:
      return "fail";
    case Status::skip:
      return "skip";
  }
  return "";
}

Report::Report(std::vector<const Requirement*> selected) : selected_(std::move(selected)) {
  for (const Requirement* requirement : selected_) entries_[requirement->id];
}

Report::Entry* Report::find(std::string_view id) {
  const auto found = entries_.find(id);
  return found == entries_.end() ? nullptr : &found->second;
}

const Report::Entry* Report::find(std::string_view id) const {
  const auto found = entries_.find(id);
  return found == entries_.end() ? nullptr : &found->second;
}

bool Report::selected(std::string_view id) const { return find(id) != nullptr; }

bool Report::any_selected(std::span<const std::string_view> ids) const {
  return std::ranges::any_of(ids, [&](std::string_view id) { return selected(id); });
}

void Report::pass(std::string_view id) {
  if (Entry* entry = find(id)) entry->passed = true;
}

void Report::fail(std::string_view id, std::string message) {
  Entry* entry = find(id);
  if (!entry) return;
  if (std::ranges::find(entry->failures, message) != entry->failures.end()) return;
  if (entry->failures.size() < failures_kept)
    entry->failures.push_back(std::move(message));
  else
    ++entry->more_failures;
}

void Report::skip(std::string_view id, std::string reason) {
  Entry* entry = find(id);
  if (entry && entry->reason.empty()) entry->reason = std::move(reason);
}

void Report::expect(std::string_view id, bool ok, std::string message) {
  if (ok)
    pass(id);
  else
    fail(id, std::move(message));
}

void Report::give_up(std::string why) { gave_up_ = std::move(why); }

bool Report::failed(std::string_view id) const {
  const Entry* entry = find(id);
  return entry && !entry->failures.empty();
}

bool Report::tried(std::string_view id) const {
  const Entry* entry = find(id);
  return entry && (entry->passed || !entry->failures.empty());
}

std::vector<Result> Report::results() const {
  std::vector<Result> results;
  for (const Requirement* requirement : selected_) {
    const Entry& entry = *find(requirement->id);
    Result result{requirement, Status::skip, {}};
    if (!entry.failures.empty()) {
      result.status = Status::fail;
      for (const std::string& failure : entry.failures)
        result.message += (result.message.empty() ? "" : "\n") + failure;
      if (entry.more_failures > 0)
        result.message += "\n… and " + std::to_string(entry.more_failures) + " more";
    } else if (!gave_up_.empty()) {
      result.message = gave_up_;
    } else if (entry.passed) {
      result.status = Status::pass;
    } else {
      result.message = entry.reason.empty() ? "not reached" : entry.reason;
    }
    results.push_back(std::move(result));
  }
  return results;
}

int Report::exit_code() const {
  const auto all = results();
  return std::ranges::any_of(all, [](const Result& result) {
    return result.status == Status::fail && result.requirement->level == Level::must;
  });
}

std::vector<const Requirement*> select(Side side, int protocol,
                                       const std::vector<std::string>& only, std::string& unknown) {
  std::vector<const Requirement*> result;
  std::vector<bool> used(only.size(), false);
  for (const Requirement& requirement : requirements()) {
    if (requirement.side != side || !holds_for(requirement, protocol)) continue;
    bool named = only.empty();
    for (std::size_t i = 0; i < only.size(); ++i) {
      const std::string_view name = only[i];
      if (requirement.id == name ||
          (requirement.id.starts_with(name) && requirement.id.substr(name.size()).starts_with('-')))
        named = used[i] = true;
    }
    if (named) result.push_back(&requirement);
  }
  for (std::size_t i = 0; i < only.size(); ++i)
    if (!used[i] && unknown.empty()) unknown = only[i];
  // Those of an area stand together, in the order of the areas' first appearance.
  std::vector<std::string_view> areas;
  const auto rank = [&](const Requirement* requirement) {
    const std::string_view id = requirement->id;
    const std::string_view area = id.substr(id.find('-'), id.rfind('-') - id.find('-'));
    const auto found = std::ranges::find(areas, area);
    if (found != areas.end()) return found - areas.begin();
    areas.push_back(area);
    return static_cast<std::ptrdiff_t>(areas.size()) - 1;
  };
  for (const Requirement* requirement : result) rank(requirement);
  std::ranges::stable_sort(result, {}, rank);
  return result;
}

}  // namespace acp::check
