// The messages of Anthropic: requests written, streams read. No I/O.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "coder/model/model.h"

namespace acp::coder {

// For the header `anthropic-version`.
inline constexpr const char* anthropic_version = "2023-06-01";

// The body of POST /v1/messages, with a stream asked for. The part that is the same in the next
// request is marked for the provider's cache.
std::string anthropic_request(const ModelRequest& request);

// Reads the events of one answer.
class AnthropicStream {
 public:
  explicit AnthropicStream(OnModelEvent on_event) : on_event_(std::move(on_event)) {}

  // Reads the data of one event, which names its type itself. Throws ModelError.
  void event(std::string_view data);
  // Ends the stream. Throws ModelError if it has broken off.
  void end();

 private:
  void block_begins(JsonView event);
  void block_goes_on(JsonView event);
  void usage(JsonView usage);

  OnModelEvent on_event_;
  std::map<std::int64_t, std::size_t> calls_;  // ours, by the block's index
  std::size_t next_call_ = 0;
  Usage usage_;
  std::optional<Stop> stop_;
  bool over_ = false;
};

// The error that an HTTP status (0: one in the stream) and its body describe.
ModelError anthropic_error(int status, std::string_view body, std::optional<double> retry_after);

}  // namespace acp::coder
