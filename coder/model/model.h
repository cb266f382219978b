// A language model of any provider: a conversation goes in, a stream of what it says comes out.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "acp/json/json.h"

namespace acp::coder {

// ---- what goes in

struct TextPart {
  std::string text;
};
// A thought of the model, to be sent back to it unchanged.
struct ThoughtPart {
  std::string text;
  std::string signature = {};  // the provider's signature; without one the thought is not sent back
};
struct MediaPart {
  std::string mime_type;
  std::string data;       // base64
  std::string name = {};  // of a document
};
struct ToolCallPart {
  std::string id;
  std::string name;
  std::string arguments;  // JSON, as the model wrote it; perhaps none
};
struct ToolResultPart {
  std::string id;  // of the call
  std::string text;
  bool failed = false;
  std::vector<MediaPart> media = {};
};
using Part = std::variant<TextPart, ThoughtPart, MediaPart, ToolCallPart, ToolResultPart>;

struct Message {
  enum class Role { user, assistant };
  Role role;
  std::vector<Part> parts;
};

struct ToolSpec {
  std::string name;
  std::string description;
  Json input_schema;  // an object's
};

struct ModelRequest {
  std::string model;
  std::string system;
  std::vector<Message> messages;
  std::vector<ToolSpec> tools;
  std::optional<std::uint64_t> max_tokens;
};

// ---- what comes out, in order

struct TextDelta {
  std::string text;
};
struct ThoughtDelta {
  std::string text;
  std::string signature = {};
};
// A tool call: its name first, then its arguments in pieces.
struct ToolCallBegins {
  std::size_t index;
  std::string id;
  std::string name;
};
struct ToolCallDelta {
  std::size_t index;
  std::string arguments;
};
struct Usage {
  std::optional<std::uint64_t> input_tokens;   // all of them, cached or not
  std::optional<std::uint64_t> output_tokens;  // thoughts included
  std::optional<std::uint64_t> cached_tokens;  // of the input: read from a cache
  std::optional<std::uint64_t> cache_written_tokens;
  std::optional<std::uint64_t> thought_tokens;
};
struct Stop {
  enum class Reason { end, tool_calls, max_tokens, refusal, unknown };
  Reason reason;
  std::string told = {};  // the provider's own word, or why it refused
};
// Show what has come: no more is available, or enough has come.
struct Pause {};
using ModelEvent =
    std::variant<TextDelta, ThoughtDelta, ToolCallBegins, ToolCallDelta, Usage, Stop, Pause>;
using OnModelEvent = std::function<void(ModelEvent)>;

// The provider's answer is invalid, or an error.
class ModelError : public std::runtime_error {
 public:
  enum class Kind {
    unreachable,   // nobody there, or gone in mid-answer
    unauthorized,  // no key, or a wrong one
    rate_limited,  // come back later
    overloaded,    // the same, and not our doing
    too_long,      // more than the model's context holds
    refused,       // anything else that is wrong with the request
    broken,        // an answer that cannot be understood
  };
  // `what` is for people; `details`, such as the provider's own message, are for the log.
  ModelError(Kind kind, const std::string& what, std::optional<double> retry_after = {},
             std::string details = {})
      : std::runtime_error(what),
        kind_(kind),
        retry_after_(retry_after),
        details_(std::move(details)) {}
  Kind kind() const { return kind_; }
  std::optional<double> retry_after() const { return retry_after_; }  // seconds
  const std::string& details() const { return details_; }

 private:
  Kind kind_;
  std::optional<double> retry_after_;
  std::string details_;
};

// ---- of any provider

struct ModelInfo {
  std::string id;    // what chooses it: "openai/gpt-5", "offline"
  std::string name;  // for people
  std::optional<std::uint64_t> context_tokens = {};
  std::optional<std::uint64_t> max_output_tokens = {};
  bool takes_images = false;
  bool takes_audio = false;
  bool takes_documents = false;
  bool calls_tools = true;
};

class Model {
 public:
  virtual ~Model() = default;
  virtual const ModelInfo& info() const = 0;
  // Asks the model, and blocks until the answer is complete; the last event but Pause is a Stop.
  // `request.model` is not looked at. Events come on this thread. Throws ModelError; Cancelled
  // (acp/error.h) once the token is set, at once, and the request has been given up.
  virtual void answer(const ModelRequest& request, const OnModelEvent& on_event,
                      std::stop_token stop) = 0;
};

}  // namespace acp::coder
