// A recording made readable.
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
struct LogEntry {
  enum class Kind { request, notification, message, tool, stray, violation, fault, end };

  Kind kind = Kind::notification;
  Side from = Side::client;
  std::int64_t time = 0;                 // of the first frame
  std::optional<std::int64_t> answered;  // of a request
  bool failed = false;                   // the answer is an error
  std::string method;                    // or the kind of update, the requirement, the fault
  std::string id;                        // of a request: JSON text
  std::string session;
  std::string what;                 // in words
  std::string outcome;              // of a request; of a tool call its statuses
  std::vector<std::size_t> frames;  // their numbers
  std::optional<std::size_t> turn;  // the entry of the prompt it belongs to
};

struct LogStatistics {
  std::string method;
  Side from = Side::client;
  std::size_t count = 0, failed = 0, bytes = 0;  // with the answers
  std::vector<std::int64_t> times;               // of the answers, ascending
  // p from 0 to 100. Nothing without answers.
  std::optional<std::int64_t> percentile(double p) const;
};

std::vector<LogEntry> tell(const Recording& recording);
std::vector<LogStatistics> statistics_of(const Recording& recording);

struct LogFilter {
  std::string method;   // with * at its end, a beginning; empty for all
  std::string session;  // its beginning
  std::optional<Side> from;
  bool violations = false;  // only these, and what they are about

  bool takes(const LogEntry& entry, const std::vector<LogEntry>& all) const;
};

// Nothing that others have written steers the terminal.
void print_log(std::ostream& out, const Recording& recording, const LogFilter& filter);
void print_statistics(std::ostream& out, const Recording& recording);
// One page that needs nothing else: a sequence diagram with folding and search. What others have
// written is text there, never markup.
void write_html(std::ostream& out, const Recording& recording, const LogFilter& filter,
                const std::string& title);

// When the first of them happened.
std::int64_t start_of(const std::vector<LogEntry>& entries);
// "1.25 s", "3.4 ms", "870 µs"
std::string duration(std::int64_t nanoseconds);

}  // namespace acp::check
