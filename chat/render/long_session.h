// Limits the memory of a long session: entries that were shown are moved to disk, for an export.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "acp/session_state.h"

namespace acp::chat {

// The approximate size of an entry in bytes, with the terminals that it shows.
std::size_t memory_of(const SessionState& state, const SessionState::Entry& entry);

// An entry as /export writes it: Markdown, or one JSON object and a line end. Empty for entries
// that are not exported.
std::string exported(const SessionState::Entry& entry, bool markdown);

// The entries that are gone from memory, in order, in temporary files that have no name.
class Archive {
 public:
  Archive() = default;
  Archive(Archive&&) noexcept = default;
  Archive& operator=(Archive&&) noexcept = default;

  void add(const SessionState::Entry& entry);
  std::size_t entries() const { return entries_; }
  // The number of its tool calls: later ones are counted from there.
  std::size_t calls() const { return calls_; }
  // Whether nothing is missing.
  bool whole() const { return whole_; }
  // The archived entries. Throws std::runtime_error.
  std::string text(bool markdown) const;

 private:
  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  using File = std::unique_ptr<std::FILE, Close>;
  void write(File& file, const std::string& text);

  File markdown_, json_;
  std::size_t entries_ = 0, calls_ = 0;
  bool whole_ = true;
};

// Limits of what is kept: above them, entries are dropped down to half of it.
struct Bounds {
  std::size_t entries = 1000;
  std::size_t bytes = 4 * 1024 * 1024;
  std::size_t message_bytes = 256 * 1024;  // of a message that is being written
};

// How many of the first `printed` entries to drop.
std::size_t too_many(const SessionState& state, std::size_t printed, const Bounds& bounds);

// Drops everything that was shown: for `acp run`.
void keep_short(SessionState& state);

}  // namespace acp::chat
