#include "coder/model/anthropic_messages.h"

#include "coder/model/json_array.h"
#include "coder/model/provider_error.h"

namespace acp::coder {

namespace {

using json::Members;
using json::Writer;

// They must say how much they want.
constexpr std::uint64_t default_max_tokens = 16'000;

void cache_up_to_here(Members& block) {
  Members control(block.key("cache_control"));
  control.key("type").string("ephemeral");
}

void write_text(Writer& out, std::string_view text, bool cached = false) {
  Members block(out);
  block.key("type").string("text");
  block.key("text").string(text);
  if (cached) cache_up_to_here(block);
}

void write_media(Writer& out, const MediaPart& media, bool cached = false) {
  Members block(out);
  block.key("type").string(media.mime_type.starts_with("image/") ? "image" : "document");
  {
    Members source(block.key("source"));
    source.key("type").string("base64");
    source.key("media_type").string(media.mime_type);
    source.key("data").string(media.data);
  }
  if (!media.name.empty()) block.key("title").string(media.name);
  if (cached) cache_up_to_here(block);
}

void write_result(Writer& out, const ToolResultPart& result, bool cached) {
  Members block(out);
  block.key("type").string("tool_result");
  block.key("tool_use_id").string(result.id);
  {
    Array content(block.key("content"));
    if (!result.text.empty()) write_text(content.next(), result.text);
    for (const MediaPart& media : result.media) write_media(content.next(), media);
  }
  if (result.failed) block.key("is_error").boolean(true);
  if (cached) cache_up_to_here(block);
}

void write_call(Writer& out, const ToolCallPart& call) {
  Members block(out);
  block.key("type").string("tool_use");
  block.key("id").string(call.id);
  block.key("name").string(call.name);
  const auto arguments = Json::parse(call.arguments);
  const bool object = arguments && arguments->view().is_object();
  block.key("input").put(object ? arguments->text() : "{}");
}

// An empty text, or a thought that nobody has sealed, would be refused.
bool is_sent(const Part& part) {
  if (const auto* text = std::get_if<TextPart>(&part)) return !text->text.empty();
  if (const auto* thought = std::get_if<ThoughtPart>(&part)) return !thought->signature.empty();
  return true;
}

void write_part(Writer& out, const Part& part, bool cached) {
  if (const auto* text = std::get_if<TextPart>(&part)) return write_text(out, text->text, cached);
  if (const auto* media = std::get_if<MediaPart>(&part)) return write_media(out, *media, cached);
  if (const auto* call = std::get_if<ToolCallPart>(&part)) return write_call(out, *call);
  if (const auto* result = std::get_if<ToolResultPart>(&part))
    return write_result(out, *result, cached);
  const auto& thought = std::get<ThoughtPart>(part);
  Members block(out);
  // A thought that the provider keeps to itself is nothing but its seal.
  block.key("type").string(thought.text.empty() ? "redacted_thinking" : "thinking");
  if (!thought.text.empty()) block.key("thinking").string(thought.text);
  block.key(thought.text.empty() ? "data" : "signature").string(thought.signature);
}

}  // namespace

std::string anthropic_request(const ModelRequest& request) {
  Writer out;
  {
    Members body(out);
    body.key("model").string(request.model);
    body.key("max_tokens").integer(request.max_tokens.value_or(default_max_tokens));
    body.key("stream").boolean(true);
    if (!request.system.empty()) {
      Array system(body.key("system"));
      write_text(system.next(), request.system, true);
    }
    {
      Array messages(body.key("messages"));
      for (std::size_t i = 0; i < request.messages.size(); ++i) {
        const Message& message = request.messages[i];
        std::vector<const Part*> sent;
        for (const Part& part : message.parts)
          if (is_sent(part)) sent.push_back(&part);
        if (sent.empty()) continue;
        const bool user = message.role == Message::Role::user;
        Members one(messages.next());
        one.key("role").string(user ? "user" : "assistant");
        Array content(one.key("content"));
        const bool last = user && i + 1 == request.messages.size();
        for (const Part* part : sent)
          write_part(content.next(), *part, last && part == sent.back());
      }
    }
    if (!request.tools.empty()) {
      Array tools(body.key("tools"));
      for (const ToolSpec& tool : request.tools) {
        Members one(tools.next());
        one.key("name").string(tool.name);
        one.key("description").string(tool.description);
        one.key("input_schema").put(tool.input_schema.text());
      }
    }
  }
  return out.str();
}

// ---- the stream

void AnthropicStream::event(std::string_view data) {
  const auto parsed = Json::parse(data);
  if (!parsed || !parsed->view().is_object())
    throw ModelError(ModelError::Kind::broken, "the model's stream has an event that is no JSON");
  const JsonView event = parsed->view();
  const std::string type = event["type"].as_string().value_or("");
  if (type == "message_start") {
    usage(event["message"]["usage"]);
  } else if (type == "content_block_start") {
    block_begins(event);
  } else if (type == "content_block_delta") {
    block_goes_on(event);
  } else if (type == "message_delta") {
    usage(event["usage"]);
    if (const auto reason = event["delta"]["stop_reason"].as_string()) {
      using Reason = Stop::Reason;
      const bool full = *reason == "max_tokens" || *reason == "model_context_window_exceeded";
      stop_ = Stop{*reason == "end_turn" || *reason == "stop_sequence" ? Reason::end
                   : *reason == "tool_use"                             ? Reason::tool_calls
                   : full                                              ? Reason::max_tokens
                   : *reason == "refusal"                              ? Reason::refusal
                                                                       : Reason::unknown,
                   *reason};
    }
  } else if (type == "message_stop") {
    over_ = true;
  } else if (type == "error") {
    throw anthropic_error(0, data, {});
  }  // "ping", and what later versions may add
}

void AnthropicStream::block_begins(JsonView event) {
  const JsonView block = event["content_block"];
  const std::string type = block["type"].as_string().value_or("");
  if (type == "tool_use") {
    const std::int64_t index = event["index"].as_int64().value_or(-1);
    const std::size_t call = next_call_++;
    calls_[index] = call;
    on_event_(ToolCallBegins{call, block["id"].as_string().value_or(""),
                             block["name"].as_string().value_or("")});
  } else if (type == "text") {
    if (auto text = block["text"].as_string(); text && !text->empty())
      on_event_(TextDelta{std::move(*text)});
  } else if (type == "thinking") {
    if (auto text = block["thinking"].as_string(); text && !text->empty())
      on_event_(ThoughtDelta{std::move(*text)});
  } else if (type == "redacted_thinking") {
    on_event_(ThoughtDelta{"", block["data"].as_string().value_or("")});
  }
}

void AnthropicStream::block_goes_on(JsonView event) {
  const JsonView delta = event["delta"];
  const std::string type = delta["type"].as_string().value_or("");
  if (type == "text_delta") {
    on_event_(TextDelta{delta["text"].as_string().value_or("")});
  } else if (type == "thinking_delta") {
    on_event_(ThoughtDelta{delta["thinking"].as_string().value_or("")});
  } else if (type == "signature_delta") {
    on_event_(ThoughtDelta{"", delta["signature"].as_string().value_or("")});
  } else if (type == "input_json_delta") {
    const auto call = calls_.find(event["index"].as_int64().value_or(-1));
    if (call == calls_.end())
      throw ModelError(ModelError::Kind::broken,
                       "the model goes on with a tool call it never began");
    on_event_(ToolCallDelta{call->second, delta["partial_json"].as_string().value_or("")});
  }
}

// What is reported last counts; what is not repeated stays.
void AnthropicStream::usage(JsonView told) {
  const auto take = [&](const char* name, std::optional<std::uint64_t>& value) {
    if (const auto number = told[name].as_uint64()) value = number;
  };
  std::optional<std::uint64_t> uncached;
  take("input_tokens", uncached);
  take("output_tokens", usage_.output_tokens);
  take("cache_read_input_tokens", usage_.cached_tokens);
  take("cache_creation_input_tokens", usage_.cache_written_tokens);
  if (uncached)
    usage_.input_tokens =
        *uncached + usage_.cached_tokens.value_or(0) + usage_.cache_written_tokens.value_or(0);
}

void AnthropicStream::end() {
  if (!stop_ || !over_)
    throw ModelError(ModelError::Kind::unreachable, "the model's stream broke off");
  if (usage_.input_tokens || usage_.output_tokens) on_event_(usage_);
  on_event_(*stop_);
}

ModelError anthropic_error(int status, std::string_view body, std::optional<double> retry_after) {
  using Kind = ModelError::Kind;
  std::string told, type;
  if (const auto parsed = Json::parse(body)) {
    const JsonView error = parsed->view()["error"];
    told = error["message"].as_string().value_or("");
    type = error["type"].as_string().value_or("");
  }
  const bool too_long = status == 413 || type == "request_too_large" ||
                        told.find("prompt is too long") != std::string::npos;
  const bool unauthorized = status == 401 || status == 403 || type == "authentication_error" ||
                            type == "permission_error";
  const bool overloaded =
      status == 408 || status >= 500 || type == "overloaded_error" || type == "api_error";
  const Kind kind = too_long                                      ? Kind::too_long
                    : unauthorized                                ? Kind::unauthorized
                    : status == 429 || type == "rate_limit_error" ? Kind::rate_limited
                    : overloaded                                  ? Kind::overloaded
                                                                  : Kind::refused;
  return provider_error(kind, status, type, body, retry_after);
}

}  // namespace acp::coder
