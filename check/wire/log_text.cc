// The recording as text.
#include <algorithm>
#include <iomanip>
#include <ostream>

#include "acp/io/printable.h"
#include "check/wire/log.h"

namespace acp::check {
namespace {

constexpr std::size_t longest_text = 100;

std::string subject(const TimelineEntry& entry) {
  switch (entry.kind) {
    case TimelineEntry::Kind::request:
      return io::one_line(entry.method) + " #" + io::one_line(entry.id, 40);
    case TimelineEntry::Kind::notification:
      return io::one_line(entry.method);
    case TimelineEntry::Kind::message:
      if (entry.method.starts_with("agent_message")) return "says";
      if (entry.method.starts_with("agent_thought")) return "thinks";
      return entry.method.starts_with("user_message") ? "user said" : io::one_line(entry.method);
    case TimelineEntry::Kind::tool:
      return (entry.method == "terminal" ? "terminal " : "tool call ") + io::one_line(entry.id, 40);
    case TimelineEntry::Kind::stray:
      return "NO MESSAGE";
    case TimelineEntry::Kind::violation:
      return io::one_line(entry.outcome) + " " + io::one_line(entry.method);
    case TimelineEntry::Kind::fault:
      return "fault " + io::one_line(entry.method);
    case TimelineEntry::Kind::end:
      return "end";
  }
  return "";
}

std::string arrow(const TimelineEntry& entry) {
  if (entry.kind == TimelineEntry::Kind::violation) return "!";
  if (entry.kind == TimelineEntry::Kind::fault) return "~";
  if (entry.kind == TimelineEntry::Kind::end) return ".";
  return entry.from == Side::client ? ">" : "<";
}

void print(std::ostream& out, const TimelineEntry& entry, std::int64_t start) {
  out << std::fixed << std::setprecision(3) << std::setw(9)
      << static_cast<double>(entry.time - start) / 1e9 << "  ";
  if (entry.turn) out << "  | ";
  out << arrow(entry) << ' ' << subject(entry);
  if (!entry.what.empty()) out << "  " << io::one_line(entry.what, longest_text);
  if (entry.kind == TimelineEntry::Kind::message && entry.frames.size() > 1)
    out << "  (" << entry.frames.size() << " chunks)";
  if (entry.kind == TimelineEntry::Kind::tool && !entry.outcome.empty())
    out << "  " << io::one_line(entry.outcome, longest_text);
  if (entry.kind == TimelineEntry::Kind::request) {
    if (entry.answered)
      out << "  = " << io::one_line(entry.outcome, longest_text) << "  ("
          << duration(*entry.answered - entry.time)
          << (entry.inserted ? ", inserted after " + duration(*entry.inserted - entry.time) : "")
          << ")";
    else if (entry.inserted)
      out << "  = inserted  (" << duration(*entry.inserted - entry.time) << ")  NOT OVER";
    else
      out << "  = NOT ANSWERED";
  }
  if (entry.kind == TimelineEntry::Kind::violation || entry.kind == TimelineEntry::Kind::fault)
    out << "  (" << side_name(entry.from) << ", frame " << entry.frames.front() << ")";
  out << '\n';
}

}  // namespace

void print_log(std::ostream& out, const Recording& recording, const LogFilter& filter) {
  const std::vector<TimelineEntry> all = tell(recording);
  const std::int64_t start = start_of(all);
  for (const TimelineEntry& each : all)
    if (filter.takes(each, all)) print(out, each, start);
}

void print_statistics(std::ostream& out, const Recording& recording) {
  const auto rows = statistics_of(recording);
  std::size_t width = 6;
  for (const LogStatistics& row : rows)
    width = std::max(width, io::one_line(row.method, 60).size());
  const auto line = [&](const std::string& method, const std::string& from,
                        const std::string& count, const std::string& failed, const std::string& p50,
                        const std::string& p99, const std::string& bytes) {
    // µ is one column, but two bytes.
    const auto right = [](const std::string& text, std::size_t columns) {
      const std::size_t size = text.size() - (text.find("µ") != text.npos ? 1 : 0);
      return std::string(columns > size ? columns - size : 0, ' ') + text;
    };
    out << method << std::string(width - std::min(width, method.size()) + 2, ' ') << from
        << std::string(8 - from.size(), ' ') << right(count, 7) << right(failed, 8)
        << right(p50, 10) << right(p99, 10) << right(bytes, 12) << '\n';
  };
  line("method", "from", "count", "failed", "p50", "p99", "bytes");
  for (const LogStatistics& row : rows) {
    const auto p50 = row.percentile(50), p99 = row.percentile(99);
    line(io::one_line(row.method, 60), std::string(side_name(row.from)), std::to_string(row.count),
         row.failed == 0 ? "" : std::to_string(row.failed), p50 ? duration(*p50) : "",
         p99 ? duration(*p99) : "", std::to_string(row.bytes));
  }
}

}  // namespace acp::check
