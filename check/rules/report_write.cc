// A report as text, JSON and JUnit's XML.
#include <array>
#include <ostream>

#include "acp/io/printable.h"
#include "acp/json/json.h"
#include "check/rules/report.h"

namespace acp::check {

namespace {

// "A-INIT-3" → "INIT"
std::string_view area_of(const Requirement& requirement) {
  const std::size_t begin = requirement.id.find('-');
  const std::size_t end = requirement.id.rfind('-');
  return begin == end ? "" : requirement.id.substr(begin + 1, end - begin - 1);
}

std::string_view title_of(std::string_view area) {
  static constexpr std::pair<std::string_view, std::string_view> titles[] = {
      {"WIRE", "Messages"},
      {"SCHEMA", "Schema"},
      {"ORDER", "Order"},
      {"PATH", "Paths"},
      {"CAP", "Capabilities"},
      {"INIT", "Initialization"},
      {"AUTH", "Authentication"},
      {"SESSION", "Sessions"},
      {"LOAD", "Loading sessions"},
      {"RESUME", "Resuming sessions"},
      {"LIST", "Listing sessions"},
      {"CLOSE", "Closing sessions"},
      {"DELETE", "Deleting sessions"},
      {"TURN", "Prompt turns"},
      {"STOP", "Ends of turns"},
      {"STATE", "States of a session"},
      {"MESSAGE", "What is said"},
      {"TOOL", "Tool calls"},
      {"DIFF", "Diffs"},
      {"GONE", "What version 2 does not have"},
      {"CANCEL", "Cancellation"},
      {"MODE", "Modes"},
      {"CONFIG", "Config options"},
      {"COMMAND", "Slash commands"},
      {"PLAN", "Plans"},
      {"PERM", "Permissions"},
      {"FS", "Files"},
      {"TERM", "Terminals"},
      {"MCP", "MCP servers"},
      {"EXT", "Extensions"},
      {"META", "_meta"},
      {"INPUT", "Odd and broken input"},
      {"ID", "Ids"},
      {"EXIT", "The end"},
      {"HTTP", "Streamable HTTP"},
      {"WS", "WebSocket"},
      {"SESS", "Sessions"},
      {"UPD", "Updates"},
      {"RPC", "JSON-RPC"},
      {"HONEST", "What is not advertised"},
      {"TTY", "Running commands"},
      {"ASK", "Permission questions"},
      {"ELICIT", "Elicitation"},
      {"LIFE", "Start and end"},
  };
  for (const auto& [name, title] : titles)
    if (name == area) return title;
  return area;
}

struct Counts {
  std::array<std::array<std::size_t, 3>, 3> of{};  // by level and status

  explicit Counts(const std::vector<Result>& results) {
    for (const Result& result : results)
      ++of[static_cast<std::size_t>(result.requirement->level)]
          [static_cast<std::size_t>(result.status)];
  }
  std::size_t sum(Status status) const {
    std::size_t sum = 0;
    for (const auto& level : of) sum += level[static_cast<std::size_t>(status)];
    return sum;
  }
  std::size_t get(Level level, Status status) const {
    return of[static_cast<std::size_t>(level)][static_cast<std::size_t>(status)];
  }
};

constexpr std::array levels = {Level::must, Level::should, Level::may};
constexpr std::array statuses = {Status::pass, Status::fail, Status::skip};

std::string padded(std::string_view text, std::size_t width) {
  std::string result(text);
  if (result.size() < width) result.append(width - result.size(), ' ');
  return result;
}

std::string indented(std::string_view message, std::string_view by) {
  const std::string shown = io::printable(message);
  std::string_view text = shown;
  std::string result;
  while (true) {
    const std::size_t end = text.find('\n');
    result += std::string(by) + std::string(text.substr(0, end)) + "\n";
    if (end == std::string_view::npos) return result;
    text.remove_prefix(end + 1);
  }
}

// XML 1.0 cannot hold control characters at all.
std::string xml(std::string_view text) {
  std::string result;
  for (const char c : io::printable(text)) {
    switch (c) {
      case '&':
        result += "&amp;";
        break;
      case '<':
        result += "&lt;";
        break;
      case '>':
        result += "&gt;";
        break;
      case '"':
        result += "&quot;";
        break;
      case '\n':
        result += "&#10;";
        break;
      default:
        result += c;
    }
  }
  return result;
}

}  // namespace

void write_text(std::ostream& out, const Report& report, bool verbose) {
  const auto results = report.results();
  std::string_view area;
  for (const Result& result : results) {
    const Requirement& requirement = *result.requirement;
    if (result.status == Status::skip && !report.gave_up().empty() && !verbose) continue;
    if (area_of(requirement) != area) {
      out << (area.empty() ? "" : "\n") << title_of(area_of(requirement)) << '\n';
      area = area_of(requirement);
    }
    out << "  " << to_string(result.status) << "  " << padded(requirement.id, 13) << ' '
        << padded(to_string(requirement.level), 6) << "  " << requirement.sentence << '\n';
    if (result.status == Status::fail)
      out << indented(result.message, "        ") << "        see " << requirement.page << '\n';
    else if (result.status == Status::skip && verbose)
      out << indented(result.message, "        ");
  }
  const Counts counts(results);
  out << (area.empty() ? "" : "\n");
  if (!report.gave_up().empty())
    out << "Nothing could be checked: " << io::printable(report.gave_up()) << '\n';
  out << counts.sum(Status::pass) << " passed, " << counts.sum(Status::fail) << " failed";
  std::string_view between = " (";
  for (const Level level : levels) {
    if (const auto count = counts.get(level, Status::fail)) {
      out << between << count << " at " << to_string(level);
      between = ", ";
    }
  }
  out << (between == ", " ? ")" : "") << ", " << counts.sum(Status::skip) << " skipped\n";
  const auto late = std::ranges::count_if(results, [](const Result& result) {
    return result.status == Status::fail &&
           (result.message.find("nothing in time") != std::string::npos ||
            result.message.find("when the time was over") != std::string::npos);
  });
  if (late > 0 && report.gave_up().empty())
    out << late << (late == 1 ? " finding is a time-out" : " findings are time-outs")
        << ": try a longer --timeout\n";
}

void write_json(std::ostream& out, const Report& report) {
  const auto results = report.results();
  Json list = Json::array();
  for (const Result& result : results)
    list.append(Json::object({{"id", result.requirement->id},
                              {"level", to_string(result.requirement->level)},
                              {"status", to_string(result.status)},
                              {"message", result.message},
                              {"text", result.requirement->sentence},
                              {"page", result.requirement->page}}));
  const Counts counts(results);
  Json summary = Json::object();
  if (!report.gave_up().empty()) summary.set("gave_up", report.gave_up());
  for (const Status status : statuses) summary.set(to_string(status), counts.sum(status));
  for (const Level level : levels) {
    Json each = Json::object();
    for (const Status status : statuses) each.set(to_string(status), counts.get(level, status));
    summary.set(to_string(level), each);
  }
  out << io::printable_json(Json::object({{"results", list}, {"summary", summary}}).text()) << '\n';
}

void write_junit(std::ostream& out, const Report& report, std::string_view name) {
  const auto results = report.results();
  const Counts counts(results);
  out << "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"" << xml(name)
      << "\" tests=\"" << results.size() << "\" failures=\"" << counts.sum(Status::fail)
      << "\" skipped=\"" << counts.sum(Status::skip) << "\">\n";
  for (std::size_t i = 0; i < results.size();) {
    const std::string_view area = area_of(*results[i].requirement);
    std::vector<Result> suite;
    for (; i < results.size() && area_of(*results[i].requirement) == area; ++i)
      suite.push_back(results[i]);
    const Counts in(suite);
    out << "  <testsuite name=\"" << xml(title_of(area)) << "\" tests=\"" << suite.size()
        << "\" failures=\"" << in.sum(Status::fail) << "\" skipped=\"" << in.sum(Status::skip)
        << "\">\n";
    for (const Result& result : suite) {
      const Requirement& requirement = *result.requirement;
      out << "    <testcase classname=\"" << xml(name) << '.' << xml(area) << "\" name=\""
          << xml(requirement.id) << ": " << xml(requirement.sentence) << "\"";
      if (result.status == Status::pass)
        out << "/>\n";
      else if (result.status == Status::skip)
        out << "><skipped message=\"" << xml(result.message) << "\"/></testcase>\n";
      else
        out << "><failure type=\"" << to_string(requirement.level) << "\" message=\""
            << xml(result.message) << "\">" << xml(requirement.page) << "</failure></testcase>\n";
    }
    out << "  </testsuite>\n";
  }
  out << "</testsuites>\n";
}

void write_list(std::ostream& out, const std::vector<const Requirement*>& requirements) {
  std::string_view area;
  for (const Requirement* requirement : requirements) {
    if (area_of(*requirement) != area) {
      out << (area.empty() ? "" : "\n") << title_of(area_of(*requirement)) << '\n';
      area = area_of(*requirement);
    }
    out << "  " << padded(requirement->id, 13) << ' ' << padded(to_string(requirement->level), 6)
        << "  " << requirement->sentence << '\n';
  }
}

}  // namespace acp::check
