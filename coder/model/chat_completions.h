// The chat completions of OpenAI, which llama-server, Ollama, vLLM, LM Studio and OpenRouter speak
// as well: requests written, streams read. No I/O.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "coder/model/model.h"

namespace acp::coder {

struct ChatCompletionsDialect {
  // The name of the limit: newer models of OpenAI take only this one.
  bool max_completion_tokens = false;
};

// The body of POST /chat/completions, with a stream asked for.
std::string chat_completions_request(const ModelRequest& request,
                                     const ChatCompletionsDialect& dialect = {});

// Reads the events of one answer.
class ChatCompletionsStream {
 public:
  explicit ChatCompletionsStream(OnModelEvent on_event) : on_event_(std::move(on_event)) {}

  // Reads the data of one event. Throws ModelError for an error in the stream, and for an invalid
  // event.
  void event(std::string_view data);
  // Ends the stream. Throws ModelError if it has broken off.
  void end();

 private:
  void choice(JsonView choice);
  void tool_call(JsonView call);
  void usage(JsonView usage);

  OnModelEvent on_event_;
  std::map<std::int64_t, std::size_t> calls_;  // ours, by the provider's index
  std::size_t next_call_ = 0;
  std::string refusal_;
  std::optional<Stop> stop_;
  bool done_ = false;
};

// The error that an HTTP status (0: one in the stream) and its body describe.
ModelError chat_completions_error(int status, std::string_view body,
                                  std::optional<double> retry_after);

}  // namespace acp::coder
