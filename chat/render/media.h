// What agents send besides text, and how it is saved on request.
#pragma once

#include <string>
#include <vector>

#include "acp/session_state.h"

namespace acp::chat {

struct Media {
  const v1::ContentBlock* block;  // good until the state's next change
  std::string from;               // whose it is: "the agent", or a tool call's title
};

// Images, audio, links and resources, in order.
std::vector<Media> media_of(const SessionState& state);

// Suggests a file name, by address and kind; never a path.
std::string suggested_name(const v1::ContentBlock& block, std::size_t number);

// The bytes of a block. Throws std::runtime_error for a link, whose bytes are elsewhere.
std::string bytes_of(const v1::ContentBlock& block);

// Writes a new file, which only its owner can read. Throws std::runtime_error, also if it is there
// already.
void write_new_file(const std::string& path, const std::string& bytes);

}  // namespace acp::chat
