#include "coder/model/chat_completions.h"

#include <list>

#include "coder/model/json_array.h"
#include "coder/model/provider_error.h"

namespace acp::coder {

namespace {

using json::Members;
using json::Writer;

void write_media_url(Writer& out, const MediaPart& media) {
  Members part(out);
  if (media.mime_type.starts_with("image/")) {
    part.key("type").string("image_url");
    Members image(part.key("image_url"));
    image.key("url").string("data:" + media.mime_type + ";base64," + media.data);
  } else if (media.mime_type.starts_with("audio/")) {
    part.key("type").string("input_audio");
    Members audio(part.key("input_audio"));
    audio.key("data").string(media.data);
    const std::string format = media.mime_type.substr(media.mime_type.find('/') + 1);
    audio.key("format").string(format == "mpeg"                            ? "mp3"
                               : format == "x-wav" || format == "vnd.wave" ? "wav"
                                                                           : format);
  } else {
    part.key("type").string("file");
    Members file(part.key("file"));
    file.key("filename").string(media.name.empty() ? "document" : media.name);
    file.key("file_data").string("data:" + media.mime_type + ";base64," + media.data);
  }
}

// A message whose parts are text alone is a string: some servers take nothing else.
void write_user(Writer& out, const std::vector<const Part*>& parts) {
  Members message(out);
  message.key("role").string("user");
  std::string text;
  bool only_text = true;
  for (const Part* part : parts) {
    if (const auto* given = std::get_if<TextPart>(part))
      text += (text.empty() ? "" : "\n") + given->text;
    else
      only_text = false;
  }
  if (only_text) {
    message.key("content").string(text);
    return;
  }
  Array content(message.key("content"));
  for (const Part* part : parts) {
    if (const auto* given = std::get_if<TextPart>(part)) {
      Members one(content.next());
      one.key("type").string("text");
      one.key("text").string(given->text);
    } else if (const auto* media = std::get_if<MediaPart>(part)) {
      write_media_url(content.next(), *media);
    }
  }
}

void write_assistant(Writer& out, const Message& message) {
  Members members(out);
  members.key("role").string("assistant");
  std::string text;
  bool calls = false;
  for (const Part& part : message.parts) {
    if (const auto* given = std::get_if<TextPart>(&part)) text += given->text;
    calls = calls || std::holds_alternative<ToolCallPart>(part);
  }
  if (text.empty() && calls)
    members.key("content").null();
  else
    members.key("content").string(text);
  if (!calls) return;
  Array list(members.key("tool_calls"));
  for (const Part& part : message.parts) {
    const auto* call = std::get_if<ToolCallPart>(&part);
    if (call == nullptr) continue;
    Members one(list.next());
    one.key("id").string(call->id);
    one.key("type").string("function");
    Members function(one.key("function"));
    function.key("name").string(call->name);
    // Some servers parse it without looking: what is no JSON would spoil the whole conversation.
    function.key("arguments").string(Json::parse(call->arguments).ok() ? call->arguments : "{}");
  }
}

bool has_result(const Message& message) {
  for (const Part& part : message.parts)
    if (std::holds_alternative<ToolResultPart>(part)) return true;
  return false;
}

// What the user said at the given place, and after it, until the model speaks: one message, as
// templates of local models take no two of one side. Gives the place after it.
std::size_t write_user_side(Array& out, const std::vector<Message>& messages, std::size_t at) {
  std::vector<const Part*> said;
  std::list<Part> pictures;
  const std::size_t first = at;
  for (; at < messages.size() && messages[at].role == Message::Role::user; ++at) {
    if (at > first && has_result(messages[at])) break;
    for (const Part& part : messages[at].parts) {
      const auto* result = std::get_if<ToolResultPart>(&part);
      if (result == nullptr) {
        said.push_back(&part);
        continue;
      }
      Members one(out.next());
      one.key("role").string("tool");
      one.key("tool_call_id").string(result->id);
      one.key("content").string(result->failed ? "Error: " + result->text : result->text);
      // A tool's answer takes text only: its pictures follow as if the user had shown them.
      for (const MediaPart& media : result->media) pictures.emplace_back(media);
    }
    if (at == first)
      for (const Part& picture : pictures) said.push_back(&picture);
  }
  if (!said.empty()) write_user(out.next(), said);
  return at;
}

}  // namespace

std::string chat_completions_request(const ModelRequest& request,
                                     const ChatCompletionsDialect& dialect) {
  Writer out;
  {
    Members body(out);
    body.key("model").string(request.model);
    body.key("stream").boolean(true);
    {
      Members options(body.key("stream_options"));
      options.key("include_usage").boolean(true);
    }
    if (request.max_tokens)
      body.key(dialect.max_completion_tokens ? "max_completion_tokens" : "max_tokens")
          .integer(*request.max_tokens);
    {
      Array messages(body.key("messages"));
      if (!request.system.empty()) {
        Members system(messages.next());
        system.key("role").string("system");
        system.key("content").string(request.system);
      }
      for (std::size_t at = 0; at < request.messages.size();) {
        if (request.messages[at].role == Message::Role::user) {
          at = write_user_side(messages, request.messages, at);
        } else {
          write_assistant(messages.next(), request.messages[at]);
          ++at;
        }
      }
    }
    if (!request.tools.empty()) {
      Array tools(body.key("tools"));
      for (const ToolSpec& tool : request.tools) {
        Members one(tools.next());
        one.key("type").string("function");
        Members function(one.key("function"));
        function.key("name").string(tool.name);
        function.key("description").string(tool.description);
        function.key("parameters").put(tool.input_schema.text());
      }
    }
  }
  return out.str();
}

// ---- the stream

void ChatCompletionsStream::event(std::string_view data) {
  if (data == "[DONE]") {
    done_ = true;
    return;
  }
  const auto parsed = Json::parse(data);
  if (!parsed || !parsed->view().is_object())
    throw ModelError(ModelError::Kind::broken, "the model's stream has an event that is no JSON");
  const JsonView chunk = parsed->view();
  if (const JsonView error = chunk["error"]; !error.absent() && !error.is_null())
    throw chat_completions_error(static_cast<int>(error["code"].as_int64().value_or(0)), data, {});
  for (JsonView one : chunk["choices"].elements()) choice(one);
  if (chunk["usage"].is_object()) usage(chunk["usage"]);
}

void ChatCompletionsStream::choice(JsonView choice) {
  if (choice["index"].as_int64().value_or(0) != 0) return;
  const JsonView delta = choice["delta"];
  // Reasoning has no official place: llama-server and vLLM use the first name, OpenRouter the
  // second.
  for (const char* name : {"reasoning_content", "reasoning"}) {
    if (auto thought = delta[name].as_string(); thought && !thought->empty()) {
      on_event_(ThoughtDelta{std::move(*thought)});
      break;
    }
  }
  if (auto text = delta["content"].as_string(); text && !text->empty())
    on_event_(TextDelta{std::move(*text)});
  if (auto refusal = delta["refusal"].as_string(); refusal && !refusal->empty()) {
    refusal_ += *refusal;
    on_event_(TextDelta{std::move(*refusal)});
  }
  for (JsonView call : delta["tool_calls"].elements()) tool_call(call);
  if (const auto reason = choice["finish_reason"].as_string()) {
    using Reason = Stop::Reason;
    stop_ = Stop{*reason == "stop"                                       ? Reason::end
                 : *reason == "tool_calls" || *reason == "function_call" ? Reason::tool_calls
                 : *reason == "length"                                   ? Reason::max_tokens
                 : *reason == "content_filter"                           ? Reason::refusal
                                                                         : Reason::unknown,
                 *reason};
    if (!refusal_.empty()) stop_ = Stop{Reason::refusal, refusal_};
  }
}

void ChatCompletionsStream::tool_call(JsonView call) {
  // A server that gives no index sends one call after the other, each whole.
  const auto given = call["index"].as_int64();
  const std::int64_t index = given.value_or(static_cast<std::int64_t>(calls_.size()));
  auto found = calls_.find(index);
  if (found == calls_.end()) {
    found = calls_.emplace(index, next_call_++).first;
    std::string id = call["id"].as_string().value_or("");
    if (id.empty()) id = "call_" + std::to_string(found->second);
    on_event_(ToolCallBegins{found->second, std::move(id),
                             call["function"]["name"].as_string().value_or("")});
  }
  const JsonView arguments = call["function"]["arguments"];
  if (auto text = arguments.as_string(); text && !text->empty())
    on_event_(ToolCallDelta{found->second, std::move(*text)});
  else if (arguments.is_object())  // Ollama has been seen to do so
    on_event_(ToolCallDelta{found->second, std::string(arguments.text())});
}

void ChatCompletionsStream::usage(JsonView usage) {
  const auto number = [](JsonView value) { return value.as_uint64(); };
  Usage told;
  told.input_tokens = number(usage["prompt_tokens"]);
  told.output_tokens = number(usage["completion_tokens"]);
  told.cached_tokens = number(usage["prompt_tokens_details"]["cached_tokens"]);
  told.thought_tokens = number(usage["completion_tokens_details"]["reasoning_tokens"]);
  if (told.input_tokens || told.output_tokens) on_event_(told);
}

void ChatCompletionsStream::end() {
  if (!stop_ && !done_)
    throw ModelError(ModelError::Kind::unreachable, "the model's stream broke off");
  Stop stop = stop_.value_or(Stop{Stop::Reason::unknown});
  // Some servers say "stop" although they call tools.
  if (stop.reason == Stop::Reason::end && !calls_.empty()) stop.reason = Stop::Reason::tool_calls;
  on_event_(std::move(stop));
}

ModelError chat_completions_error(int status, std::string_view body,
                                  std::optional<double> retry_after) {
  using Kind = ModelError::Kind;
  std::string code;
  if (const auto parsed = Json::parse(body)) {
    const JsonView error = parsed->view()["error"];
    code = error["code"].as_string().value_or(error["type"].as_string().value_or(""));
  }
  const bool too_long = code == "context_length_exceeded" || code == "exceed_context_size_error";
  // No money comes by waiting.
  const bool used_up = code == "insufficient_quota";
  const Kind kind = too_long                                        ? Kind::too_long
                    : used_up                                       ? Kind::refused
                    : status == 401 || status == 403                ? Kind::unauthorized
                    : status == 429                                 ? Kind::rate_limited
                    : status == 408 || status >= 500 || status == 0 ? Kind::overloaded
                                                                    : Kind::refused;
  return provider_error(kind, status, code, body, retry_after);
}

}  // namespace acp::coder
