// Repairs a conversation that was not stored completely, so that providers accept it.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "coder/model/model.h"

namespace acp::coder {

struct Repaired {
  std::vector<Message> messages;
  std::size_t unchanged = 0;  // so many messages at the beginning are as they were
  // What was done.
  std::size_t results_added = 0;
  std::size_t results_dropped = 0;  // without a call, or given twice
  std::size_t calls_dropped = 0;    // with an id that an earlier call has, or with none
  bool beginning_added = false;

  // Describes the repairs for the user: "2 calls had no result; ...". Empty if nothing changed.
  std::string text() const;
};

// Every call has exactly one result, in the message after it and before anything else there; there
// are no other results; no id is used twice; the first message is the user's; none is empty.
Repaired repair(std::vector<Message> messages);

}  // namespace acp::coder
