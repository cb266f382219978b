// The table: what was measured, in medians, and whether the goals are reached.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace bench::wire {

// By metric, then by contestant.
using Results = std::map<std::string, std::map<std::string, std::vector<double>>>;

std::string table(const Results& results, int runs);
std::string json(const Results& results, int runs);

}  // namespace bench::wire
