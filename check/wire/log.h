// Shows a recording to people.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <optional>
#include <string>
#include <vector>

#include "check/wire/recording.h"

namespace acp::check {

// One thing that happened: a request with its answer, a run of chunks, a tool call with its
// updates.
struct TimelineEntry {
  enum class Kind { request, notification, message, tool, stray, violation, fault, end };

  Kind kind = Kind::notification;
  Side from = Side::client;
  std::int64_t time = 0;  // of the first frame
  // Of a request; of a prompt of version 2: the end of its turn.
  std::optional<std::int64_t> answered;
  std::optional<std::int64_t> inserted;  // of a prompt of version 2: its answer
  bool failed = false;                   // the answer is an error
  std::string method;                    // or the kind of update, the requirement, the fault
  std::string id;                        // of a request: JSON text
  std::string session;
  std::string what;     // in words
  std::string outcome;  // of a request; of a tool call its statuses; of a terminal its end
  std::vector<std::size_t> frames;  // their numbers
  std::optional<std::size_t> turn;  // the entry of the prompt it belongs to
};

struct LogStatistics {
  std::string method;
  Side from = Side::client;
  std::size_t count = 0, failed = 0, bytes = 0;  // with the answers
  std::vector<std::int64_t> times;               // of the answers, ascending
  // A percentile, p from 0 to 100. Nothing without answers.
  std::optional<std::int64_t> percentile(double p) const;
};

std::vector<TimelineEntry> tell(const Recording& recording);
std::vector<LogStatistics> statistics_of(const Recording& recording);

struct LogFilter {
  std::string method;   // with * at its end, a beginning; empty for all
  std::string session;  // its beginning
  std::optional<Side> from;
  bool violations = false;  // only these, and what they are about

  bool takes(const TimelineEntry& entry, const std::vector<TimelineEntry>& all) const;
};

// The version of the protocol that was chosen; nothing if none was.
std::optional<std::int64_t> version_of(const Recording& recording);

// Prints a recording. Its content cannot control the terminal.
void print_log(std::ostream& out, const Recording& recording, const LogFilter& filter);
void print_statistics(std::ostream& out, const Recording& recording);
// Writes one self-contained page: a sequence diagram with folding and search. The recording's
// content is text there, never markup.
void write_html(std::ostream& out, const Recording& recording, const LogFilter& filter,
                const std::string& title);

// The time of the first entry.
std::int64_t start_of(const std::vector<TimelineEntry>& entries);
// "1.25 s", "3.4 ms", "870 µs"
std::string duration(std::int64_t nanoseconds);

}  // namespace acp::check
