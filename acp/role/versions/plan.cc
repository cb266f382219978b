#include "acp/role/versions/plan.h"

#include "acp/role/versions/content.h"
#include "acp/role/versions/kept.h"
#include "acp/role/versions/recode.h"

namespace acp::detail::versions {

namespace {

// Both are in the order of version 1's list.
static_assert(static_cast<int>(v2::PlanEntryStatus::completed) ==
              static_cast<int>(v1::PlanEntryStatus::completed));
static_assert(static_cast<int>(v2::PlanEntryPriority::low) ==
              static_cast<int>(v1::PlanEntryPriority::low));

v2::PlanEntry entry_to_v2(v1::PlanEntry&& from) {
  v2::PlanEntry to;
  to.content = std::move(from.content);
  to.priority = static_cast<v2::PlanEntryPriority::Value>(from.priority);
  to.status = static_cast<v2::PlanEntryStatus::Value>(from.status);
  const Json kept = take_kept(from._meta);
  if (auto status = recode<v2::PlanEntryStatus>(Json(kept["status"]))) to.status = *status;
  if (auto priority = recode<v2::PlanEntryPriority>(Json(kept["priority"])))
    to.priority = *priority;
  to._meta = std::move(from._meta);
  return to;
}

v1::PlanEntry entry_to_v1(v2::PlanEntry&& from) {
  v1::PlanEntry to;
  to.content = std::move(from.content);
  to._meta = std::move(from._meta);
  if (from.priority == v2::PlanEntryPriority::unknown_) {
    to.priority = v1::PlanEntryPriority::medium;
    keep(to._meta, "priority", from.priority.unlisted);
  } else {
    to.priority = static_cast<v1::PlanEntryPriority>(from.priority.index);
  }
  if (from.status == v2::PlanEntryStatus::cancelled) {
    to.status = v1::PlanEntryStatus::completed;
    keep(to._meta, "status", "cancelled");
  } else if (from.status == v2::PlanEntryStatus::unknown_) {
    to.status = v1::PlanEntryStatus::pending;
    keep(to._meta, "status", from.status.unlisted);
  } else {
    to.status = static_cast<v1::PlanEntryStatus>(from.status.index);
  }
  return to;
}

// A file and a text are the same in both versions, but for what a URI is.
template <class To, class From>
To other_plan(From& from) {
  To to;
  to.planId = std::move(from.planId);
  if constexpr (requires { from.uri; }) {
    to.uri = std::move(from.uri);
    if (std::is_same_v<To, v2::PlanFile>) to.uri = as_uri(std::move(to.uri));
  } else {
    to.content = std::move(from.content);
  }
  to._meta = std::move(from._meta);
  return to;
}

}  // namespace

v2::PlanUpdate to_v2(v1::Plan plan) {
  v2::PlanItems items;
  items.planId = only_plan;
  items.entries = mapped_list<v2::PlanEntry>(std::move(plan.entries), entry_to_v2);
  v2::PlanUpdate update;
  update.plan = std::move(items);
  update._meta = std::move(plan._meta);
  return update;
}

std::optional<v2::PlanUpdate> to_v2(v1::PlanUpdate update) {
  v2::PlanUpdate to;
  to._meta = std::move(update._meta);
  const bool fits = std::visit(Overloaded{[&](v1::PlanItems& from) {
                                            v2::PlanItems items;
                                            items.planId = std::move(from.planId);
                                            items.entries = mapped_list<v2::PlanEntry>(
                                                std::move(from.entries), entry_to_v2);
                                            items._meta = std::move(from._meta);
                                            to.plan = std::move(items);
                                            return true;
                                          },
                                          [&](v1::PlanFile& from) {
                                            to.plan = other_plan<v2::PlanFile>(from);
                                            return true;
                                          },
                                          [&](v1::PlanMarkdown& from) {
                                            to.plan = other_plan<v2::PlanMarkdown>(from);
                                            return true;
                                          },
                                          [&](Unknown&) {
                                            auto plan = recode<v2::PlanUpdateContent>(update.plan);
                                            if (plan) to.plan = std::move(*plan);
                                            return plan.has_value();
                                          }},
                               update.plan);
  if (!fits) return std::nullopt;
  return to;
}

v2::PlanRemoved to_v2(v1::PlanRemoved removed) {
  v2::PlanRemoved to;
  to.planId = std::move(removed.planId);
  to._meta = std::move(removed._meta);
  return to;
}

std::optional<std::variant<v1::Plan, v1::PlanUpdate>> to_v1(v2::PlanUpdate update) {
  v1::PlanUpdate to;
  to._meta = std::move(update._meta);
  if (auto* from = std::get_if<v2::PlanItems>(&update.plan)) {
    std::vector<v1::PlanEntry> entries =
        mapped_list<v1::PlanEntry>(std::move(from->entries), entry_to_v1);
    if (from->planId == only_plan && (from->_meta.absent() || from->_meta.is_null())) {
      v1::Plan plan;
      plan.entries = std::move(entries);
      plan._meta = std::move(to._meta);
      return plan;
    }
    v1::PlanItems items;
    items.planId = std::move(from->planId);
    items.entries = std::move(entries);
    items._meta = std::move(from->_meta);
    to.plan = std::move(items);
  } else if (auto* file = std::get_if<v2::PlanFile>(&update.plan)) {
    to.plan = other_plan<v1::PlanFile>(*file);
  } else if (auto* text = std::get_if<v2::PlanMarkdown>(&update.plan)) {
    to.plan = other_plan<v1::PlanMarkdown>(*text);
  } else {
    auto plan = recode<v1::PlanUpdateContent>(update.plan);
    if (!plan) return std::nullopt;
    to.plan = std::move(*plan);
  }
  return to;
}

std::variant<v1::Plan, v1::PlanRemoved> to_v1(v2::PlanRemoved removed) {
  if (removed.planId == only_plan) {
    v1::Plan plan;
    plan._meta = std::move(removed._meta);
    return plan;
  }
  v1::PlanRemoved to;
  to.planId = std::move(removed.planId);
  to._meta = std::move(removed._meta);
  return to;
}

}  // namespace acp::detail::versions
