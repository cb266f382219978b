// The table: what was measured, and whether the goals are reached.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace bench::wire {

// By metric, then by contestant.
using Results = std::map<std::string, std::map<std::string, std::vector<double>>>;

// Of the samples the medians, or the best.
std::string table(const Results& results, bool best);
std::string json(const Results& results, bool best);

}  // namespace bench::wire
