#include "settings/closest.h"

#include <algorithm>

namespace acp::settings {

std::string closest(const std::string& written, const std::vector<std::string>& known) {
  std::string best;
  std::size_t best_distance = std::min<std::size_t>(3, written.size() / 2 + 1);
  for (const std::string& candidate : known) {
    // How many letters are changed, added, left out, or swapped with the next.
    const std::size_t rows = written.size() + 1, columns = candidate.size() + 1;
    std::vector<std::vector<std::size_t>> distance(rows, std::vector<std::size_t>(columns));
    for (std::size_t i = 0; i < rows; ++i)
      for (std::size_t j = 0; j < columns; ++j) {
        std::size_t& here = distance[i][j];
        here = i + j;
        if (i == 0 || j == 0) continue;
        const bool same = written[i - 1] == candidate[j - 1];
        here = std::min({distance[i - 1][j] + 1, distance[i][j - 1] + 1,
                         distance[i - 1][j - 1] + (same ? 0 : 1)});
        if (i > 1 && j > 1 && written[i - 1] == candidate[j - 2] &&
            written[i - 2] == candidate[j - 1])
          here = std::min(here, distance[i - 2][j - 2] + 1);
      }
    // Of two that are as near, the one of the same length: letters are swapped more often than
    // lost.
    const std::size_t here = distance.back().back();
    if (here < best_distance ||
        (here == best_distance && !best.empty() && best.size() != written.size() &&
         candidate.size() == written.size())) {
      best_distance = here;
      best = candidate;
    }
  }
  return best;
}

std::string did_you_mean(const std::string& written, const std::vector<std::string>& known) {
  const std::string meant = closest(written, known);
  return meant.empty() ? "" : "; did you mean " + meant + "?";
}

}  // namespace acp::settings
