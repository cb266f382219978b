#include "bench/wire/report.h"

#include <algorithm>
#include <cstdio>
#include <optional>

namespace bench::wire {
namespace {

constexpr Metric wire_metrics[] = {
    {"agent", "round_trip_p50_us", "round trip, p50 µs", false, 1, 4},
    {"agent", "round_trip_p99_us", "round trip, p99 µs", false, 1, 86.0 / 15, 15.0 / 8},
    {"agent", "in_flight_us", "64 requests in flight, CPU µs each", false, 2, 14},
    {"agent", "emitted_per_s", "updates emitted, each s", true, 0, 45, 0.6, "batched"},
    {"agent", "flushed_per_s", "the same, each flushed alone", true, 0, 15},
    {"agent", "emitted_cpu_ms", "CPU ms for 100k updates emitted", false, 1, 1596.0 / 33, 33.0 / 15,
     "batched"},
    {"agent", "first_us", "time to the first of them, µs", false, 0, 612.0 / 150, 150.0 / 75,
     "batched"},
    {"agent", "diffs_emitted_mb_s", "1 MiB diffs emitted, MB/s", true, 0, 5, 0.9},
    {"agent", "diffs_emitted_cpu_us", "the same, CPU µs each", false, 0},
    {"agent", "files_received_mb_s", "1 MiB file contents received, MB/s", true, 0, 5, 0.9},
    {"agent", "files_received_cpu_us", "the same, CPU µs each", false, 0},
    {"agent", "start_ms", "start to initialize answered, ms", false, 1, 100},
    {"agent", "idle_mb", "memory idle, MB", false, 1, 0, 0, "floor", 4},
    {"agent", "sessions_mb", "memory with 1,000 sessions, MB", false, 1, 0, 0, "floor", 4.5},
    {"agent", "peak_mb", "memory at the peak of 100k updates, MB", false, 1, 0, 0, "floor", 8},
    {"client", "received_per_s", "typed updates received, each s", true, 0, 26, 0.6},
    {"client", "received_cpu_ms", "CPU ms for 100k", false, 1, 1877.0 / 65, 65.0 / 42},
    {"client", "diffs_received_mb_s", "1 MiB diffs received, MB/s", true, 0, 6.5},
    {"client", "diffs_received_cpu_us", "the same, CPU µs each", false, 0},
    {"client", "requests_per_s", "requests one after another, awaited, each s", true, 0, 90.0 / 30,
     90.0 / 163},
    {"client", "pipe_per_s", "requests, 64 in flight, each s", true, 0},
    {"client", "pipe_cpu_us", "the same, CPU µs each", false, 2},
};

constexpr const char* wire_columns[] = {"acp", "npm", "floor", "batched"};
constexpr const char* versions_columns[] = {"acp", "npm", "acp2", "npm2"};
constexpr double versions_goal = 0.85;  // of version 1's ratio

std::string format(const char* pattern, auto... values) {
  char text[256];
  std::snprintf(text, sizeof text, pattern, values...);
  return text;
}

// As wide as it looks: µ and ≥ are one column.
std::string padded(const std::string& text, int width, bool right) {
  const auto shown = std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0) != 0x80;
  });
  const std::string space(static_cast<std::size_t>(std::max<long>(0, width - shown)), ' ');
  return right ? space + text : text + space;
}

// What stands for all samples of a contestant.
class Figures {
 public:
  Figures(const Results& results, bool best) : results_(results), best_(best) {}

  std::optional<double> of(const Metric& metric, const std::string& column) const {
    const auto row = results_.find(metric.key);
    if (row == results_.end()) return {};
    const auto samples = row->second.find(column);
    if (samples == row->second.end() || samples->second.empty()) return {};
    std::vector<double> sorted = samples->second;
    std::sort(sorted.begin(), sorted.end());
    if (best_) return metric.more_is_better ? sorted.back() : sorted.front();
    const std::size_t half = sorted.size() / 2;
    return sorted.size() % 2 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2;
  }

 private:
  const Results& results_;
  const bool best_;
};

std::string number(std::optional<double> value, int decimals) {
  if (!value) return "-";
  if (decimals == 0 && *value >= 1e6) return format("%.2fM", *value / 1e6);
  if (decimals == 0 && *value >= 1e4) return format("%.0fk", *value / 1e3);
  return format("%.*f", decimals, *value);
}

struct Row {
  std::optional<double> times_npm;  // how many times better than npm
  std::optional<double> of_floor;   // our figure over the floor's
  std::string goal;
  std::optional<bool> reached;  // unknown as long as one of them is missing
};

// One figure serves both: the fewer decimals the more there are before the point.
std::string ratio(double value) { return format(value < 10 ? "%.2f" : "%.0f", value); }

Row judge(const Figures& figures, const Metric& metric) {
  const auto ours = figures.of(metric, "acp");
  const auto npm = figures.of(metric, "npm");
  const auto floor = figures.of(metric, metric.floor);
  Row row;
  if (ours && npm) row.times_npm = metric.more_is_better ? *ours / *npm : *npm / *ours;
  if (ours && floor) row.of_floor = *ours / *floor;
  bool known = true, reached = true, any = false;
  const auto demand = [&](const std::string& text, std::optional<bool> met) {
    row.goal += (any ? ", " : "") + text;
    any = true;
    known = known && met.has_value();
    reached = reached && met.value_or(true);
  };
  if (metric.times_npm > 0)
    demand("≥ " + format("%.3g", metric.times_npm) + "x npm",
           row.times_npm ? std::optional(*row.times_npm >= metric.times_npm) : std::nullopt);
  if (metric.of_floor > 0) {
    const bool more = metric.more_is_better;
    std::optional<bool> met;
    if (row.of_floor)
      met = more ? *row.of_floor >= metric.of_floor : *row.of_floor <= metric.of_floor;
    demand((more ? "≥ " : "≤ ") + format("%.2g", metric.of_floor) + "x " + metric.floor, met);
  }
  if (metric.limit > 0)
    demand("≤ " + format("%g ", metric.limit) + metric.unit,
           ours ? std::optional(*ours <= metric.limit) : std::nullopt);
  if (any && known) row.reached = reached;
  return row;
}

bool measured(const Results& results, const Metric& metric) {
  return results.contains(metric.key) && !results.at(metric.key).empty();
}

}  // namespace

const Plan wire_plan = {wire_metrics, wire_columns};
const Plan versions_plan = {wire_metrics, versions_columns, false};

std::string versions_table(const Results& results, bool best) {
  const Figures figures(results, best);
  std::string text, side;
  int reached = 0, goals = 0;
  for (const Metric& metric : wire_metrics) {
    if (!measured(results, metric)) continue;
    if (side != metric.side) {
      side = metric.side;
      text += "\n" + padded("an " + side + "'s side", 44, false);
      if (side == "client") text.replace(text.rfind("an c"), 2, "a");
      for (const char* column : {"acp v1", "npm v1", "x npm", "acp v2", "npm v2", "x npm", "v2/v1"})
        text += padded(column, 9, true);
      text += '\n';
    }
    text += padded(metric.title, 44, false);
    std::optional<double> times[2];
    for (int version = 0; version < 2; ++version) {
      const auto ours = figures.of(metric, versions_columns[2 * version]);
      const auto npm = figures.of(metric, versions_columns[2 * version + 1]);
      if (ours && npm) times[version] = metric.more_is_better ? *ours / *npm : *npm / *ours;
      text += padded(number(ours, metric.decimals), 9, true);
      text += padded(number(npm, metric.decimals), 9, true);
      text += padded(times[version] ? ratio(*times[version]) : "-", 9, true);
    }
    if (times[0] && times[1]) {
      const bool met = *times[1] / *times[0] >= versions_goal;
      text += padded(ratio(*times[1] / *times[0]), 9, true) + (met ? ": yes" : ": NO");
      ++goals;
      reached += met;
    }
    text += '\n';
  }
  if (goals > 0)
    text += "\n" + std::to_string(reached) + " of " + std::to_string(goals) +
            " ratios are at least " + format("%g", versions_goal) + " of version 1's\n";
  return text + "x npm: how many times better than npm on the same version of the protocol.\n";
}

std::string table(const Plan& plan, const Results& results, bool best) {
  const Figures figures(results, best);
  std::string text, side;
  int reached = 0, goals = 0;
  for (const Metric& metric : plan.metrics) {
    if (!measured(results, metric)) continue;
    if (side != metric.side) {
      side = metric.side;
      const std::string title = side == "agent"    ? "an agent's side"
                                : side == "client" ? "a client's side"
                                                   : side;
      text += "\n" + padded(title, 44, false);
      for (const char* column : plan.columns)
        text += padded(side == "client" && std::string(column) == "batched" ? "" : column, 9, true);
      text += padded("x npm", 9, true) + (plan.with_floor ? padded("x floor", 9, true) : "") +
              "   goal\n";
    }
    text += padded(metric.title, 44, false);
    for (const char* column : plan.columns) {
      const bool shown = side == "agent" || std::string(column) != "batched";
      text += padded(shown ? number(figures.of(metric, column), metric.decimals) : "", 9, true);
    }
    const Row row = judge(figures, metric);
    text += padded(row.times_npm ? ratio(*row.times_npm) : "-", 9, true);
    if (plan.with_floor) text += padded(row.of_floor ? ratio(*row.of_floor) : "-", 9, true);
    if (!row.goal.empty()) text += "   " + row.goal;
    if (row.reached) {
      text += *row.reached ? ": yes" : ": NO";
      ++goals;
      reached += *row.reached;
    }
    text += '\n';
  }
  if (goals > 0)
    text += "\n" + std::to_string(reached) + " of " + std::to_string(goals) + " goals reached\n";
  text += "x npm: how many times better than npm.";
  if (plan.with_floor)
    text += " x floor: our figure over the floor's, the batched one's where the goal names it.";
  text += '\n';
  return text;
}

std::string json(const Plan& plan, const Results& results, bool best) {
  const Figures figures(results, best);
  std::string text =
      std::string("{\"figure\":\"") + (best ? "best" : "median") + "\",\"metrics\":[";
  bool first = true;
  for (const Metric& metric : plan.metrics) {
    if (!measured(results, metric)) continue;
    text += first ? "\n" : ",\n";
    first = false;
    text += format(R"({"side":"%s","key":"%s","title":"%s","better":"%s","contestants":{)",
                   metric.side, metric.key, metric.title, metric.more_is_better ? "more" : "less");
    bool first_column = true;
    for (const char* column : plan.columns) {
      const auto middle = figures.of(metric, column);
      if (!middle) continue;
      text +=
          format(R"(%s"%s":{"figure":%.6g,"samples":[)", first_column ? "" : ",", column, *middle);
      first_column = false;
      const auto& samples = results.at(metric.key).at(column);
      for (std::size_t i = 0; i < samples.size(); ++i)
        text += format("%s%.6g", i ? "," : "", samples[i]);
      text += "]}";
    }
    const Row row = judge(figures, metric);
    text += "}";
    if (row.times_npm) text += format(",\"times_npm\":%.4g", *row.times_npm);
    if (row.of_floor) text += format(",\"of_floor\":%.4g", *row.of_floor);
    if (!row.goal.empty()) text += ",\"goal\":\"" + row.goal + "\"";
    if (row.reached) text += *row.reached ? ",\"reached\":true" : ",\"reached\":false";
    text += "}";
  }
  return text + "\n]}\n";
}

}  // namespace bench::wire
