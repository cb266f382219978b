// The recording as a page. The data stands in it as JSON, and the page's script makes text nodes of
// it: nothing that came over the wire is ever markup.
#include <ostream>

#include "acp/json/writer.h"
#include "check/wire/log.h"
#include "check/wire/log_page.h"

namespace acp::check {
namespace {

const char* name_of(TimelineEntry::Kind kind) {
  switch (kind) {
    case TimelineEntry::Kind::request:
      return "request";
    case TimelineEntry::Kind::notification:
      return "notification";
    case TimelineEntry::Kind::message:
      return "message";
    case TimelineEntry::Kind::tool:
      return "tool";
    case TimelineEntry::Kind::stray:
      return "stray";
    case TimelineEntry::Kind::violation:
      return "violation";
    case TimelineEntry::Kind::fault:
      return "fault";
    case TimelineEntry::Kind::end:
      return "end";
  }
  return "";
}

// JSON that stands inside <script>: no tag, no comment and no other end of it can begin there.
std::string for_script(std::string_view json) {
  std::string out;
  out.reserve(json.size());
  for (std::size_t i = 0; i < json.size(); ++i) {
    const char c = json[i];
    if (c == '<')
      out += "\\u003c";
    else if (c == '>')
      out += "\\u003e";
    else if (c == '&')
      out += "\\u0026";
    else
      out += c;
  }
  return out;
}

std::string for_text(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '<')
      out += "&lt;";
    else if (c == '&')
      out += "&amp;";
    else
      out += c;
  }
  return out;
}

class Page {
 public:
  void member(const char* name, std::string_view text) {
    begin(name);
    out_.string(text);
  }
  void member(const char* name, std::int64_t value) {
    begin(name);
    out_.integer(value);
  }
  void begin(const char* name) {
    if (!first_) out_.put(',');
    first_ = false;
    out_.put('"');
    out_.put(name);
    out_.put("\":");
  }
  void open(char c) {
    out_.put(c);
    first_ = true;
  }
  void close(char c) {
    out_.put(c);
    first_ = false;
  }
  void element() {
    if (!first_) out_.put(',');
    first_ = false;
  }
  json::Writer& out() { return out_; }

 private:
  json::Writer out_;
  bool first_ = true;
};

void put_entry(Page& page, const TimelineEntry& entry, std::int64_t start) {
  page.open('{');
  page.member("kind", name_of(entry.kind));
  page.member("from", side_name(entry.from));
  // Microseconds: what a script's numbers hold exactly.
  page.member("at", (entry.time - start) / 1000);
  if (entry.answered) page.member("took", duration(*entry.answered - entry.time));
  if (entry.inserted) page.member("inserted", duration(*entry.inserted - entry.time));
  if (entry.failed) page.member("failed", std::int64_t{1});
  page.member("method", entry.method);
  if (!entry.id.empty()) page.member("id", entry.id);
  if (!entry.session.empty()) page.member("session", entry.session);
  page.member("what", entry.what);
  page.member("outcome", entry.outcome);
  if (entry.turn) page.member("turn", static_cast<std::int64_t>(*entry.turn));
  page.begin("frames");
  page.open('[');
  for (const std::size_t each : entry.frames) {
    page.element();
    page.out().integer(static_cast<std::uint64_t>(each));
  }
  page.close(']');
  page.close('}');
}

}  // namespace

void write_html(std::ostream& out, const Recording& recording, const LogFilter& filter,
                const std::string& title) {
  const std::vector<TimelineEntry> all = tell(recording);
  const std::int64_t start = start_of(all);
  Page page;
  page.open('{');
  page.member("program", recording.header.program);
  if (const auto version = version_of(recording)) page.member("version", *version);
  page.begin("command");
  page.open('[');
  for (const std::string& word : recording.header.command) page.element(), page.out().string(word);
  page.close(']');
  page.begin("frames");
  page.open('[');
  for (const RecordedEntry& each : recording.entries)
    if (const auto* const frame = std::get_if<RecordedFrame>(&each))
      page.element(), page.out().string(frame->text);
  page.close(']');
  page.begin("entries");
  page.open('{');
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (!filter.takes(all[i], all)) continue;
    page.begin(std::to_string(i).c_str());
    put_entry(page, all[i], start);
  }
  page.close('}');
  page.begin("statistics");
  page.open('[');
  for (const LogStatistics& row : statistics_of(recording)) {
    const auto p50 = row.percentile(50), p99 = row.percentile(99);
    page.element();
    page.open('[');
    const std::string cells[] = {row.method,
                                 std::string(side_name(row.from)),
                                 std::to_string(row.count),
                                 std::to_string(row.failed),
                                 p50 ? duration(*p50) : "",
                                 p99 ? duration(*p99) : "",
                                 std::to_string(row.bytes)};
    for (const std::string& cell : cells) page.element(), page.out().string(cell);
    page.close(']');
  }
  page.close(']');
  page.close('}');
  out << log_page_head << for_text(title) << log_page_style
      << R"(<script type="application/json" id="data">)" << for_script(page.out().view())
      << "</script>\n"
      << log_page_script;
}

}  // namespace acp::check
