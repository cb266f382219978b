// The table: what was measured, and whether the goals are reached.
#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

namespace bench::wire {

// By metric, then by contestant.
using Results = std::map<std::string, std::map<std::string, std::vector<double>>>;

// A goal is a ratio to npm's and the floor's figure of the same run. Where the plan gives only a
// figure, it is the ratio in which this figure stands to theirs there.
struct Metric {
  const char* side;
  const char* key;
  const char* title;
  bool more_is_better;
  int decimals;
  double times_npm = 0;         // so many times better than npm; 0: no such goal
  double of_floor = 0;          // at least (at most) this part of the floor's
  const char* floor = "floor";  // which of them
  double limit = 0;             // at most; does not depend on the machine's speed
  const char* unit = "MB";      // of the limit
};

// What is measured, and who is.
struct Plan {
  std::span<const Metric> metrics;
  std::span<const char* const> columns;
  bool with_floor = true;
};
extern const Plan wire_plan;
// Both versions of the protocol, ours and npm's.
extern const Plan versions_plan;

// Of the samples the medians, or the best.
std::string table(const Plan& plan, const Results& results, bool best);
std::string json(const Plan& plan, const Results& results, bool best);
// What our ratio to npm is on version 2 of the protocol, over that on version 1.
std::string versions_table(const Results& results, bool best);

}  // namespace bench::wire
