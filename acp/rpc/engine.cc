#include "acp/rpc/engine.h"

#include <algorithm>
#include <utility>

namespace acp::rpc {

// One array of messages: its answers go out together, when the last one is there.
struct Engine::Batch {
  std::vector<std::string> answers;
  std::size_t waiting = 0;
  bool read = false;
};

namespace {

// As std::to_string() would write it.
bool is_plain_integer(std::string_view text) {
  return !text.empty() && text.size() <= 18 &&
         (text == "0" || (text.front() >= '1' && text.front() <= '9')) &&
         std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

}  // namespace

RequestId::RequestId(JsonView id) {
  if (is_plain_integer(id.text())) {
    json_ = Json::from_valid(std::string(id.text()));
    (key_ = 'i').append(id.text());
    return;
  }
  json_ = Json(id);
  if (id.is_string())
    key_ = "s" + *id.as_string();
  else if (const auto number = id.as_int64())
    key_ = "i" + std::to_string(*number);
  else
    key_ = "r" + std::string(id.text());
}

Engine::Engine(EngineOptions options, EngineHandler& handler)
    : options_(options), handler_(&handler), frames_(options.framing, options.max_message_bytes) {
  if (options.streamed_method.empty() || options.max_depth < max_streamed_depth) return;
  streamed_ = "{\"jsonrpc\":\"2.0\",\"method\":\"" + std::string(options.streamed_method) +
              "\",\"params\":";
}

Engine::~Engine() {
  all_handled_ = true;  // the handler may be gone
  close();
}

// ---- sending
// -----------------------------------------------------------------------------------------------

template <class Fill>
void Engine::send(Fill fill) {
  if (frames_.framing() == Framing::content_length) {
    json::Writer body;
    fill(body);
    out_.put("Content-Length: " + std::to_string(body.size()) + "\r\n\r\n");
    out_.put(body.view());
    handler_->on_frame(Direction::sent, body.view());
    return;
  }
  const std::size_t start = out_.size();
  fill(out_);
  const std::size_t end = out_.size();
  out_.put('\n');
  handler_->on_frame(Direction::sent, out_.view().substr(start, end - start));
}

void Engine::sent(std::size_t bytes) {
  sent_ += bytes;
  if (sent_ == out_.size()) {
    out_.clear();
    sent_ = 0;
  } else if (sent_ > out_.size() / 2 && sent_ > 64 * 1024) {
    // What has gone is more than what is left: move the rest to the front.
    out_.drop_front(sent_);
    sent_ = 0;
  }
}

namespace {
void put_params(json::Writer& out, const Engine::Write& params) {
  if (!params) return;
  const std::size_t before = out.size();
  out.put(",\"params\":");
  const std::size_t begin = out.size();
  params(out);
  if (out.size() == begin) out.wrote_to(out.view().data() + before);
}
}  // namespace

Engine::CallId Engine::request(std::string_view method, const Write& params,
                               AnswerHandler on_answer, NotificationToken inside,
                               bool takes_unchecked) {
  const CallId id = next_call_++;
  if (input_ended_ || calls_.size() >= options_.max_pending) {
    ErrorObject error;
    error.connection_closed = input_ended_;
    error.message = input_ended_ ? end_reason_
                                 : "more than " + std::to_string(options_.max_pending) +
                                       " requests wait for an answer";
    on_answer({JsonView(), &error});
    return id;
  }
  calls_.emplace(id, Call{std::move(on_answer), inside, false, method != options_.never_cancelled,
                          takes_unchecked && options_.max_depth > max_streamed_depth});
  send([&](json::Writer& out) {
    out.put("{\"jsonrpc\":\"2.0\",\"id\":");
    out.integer(id);
    out.put(",\"method\":");
    out.string(method);
    put_params(out, params);
    out.put('}');
  });
  return id;
}

void Engine::notify(std::string_view method, const Write& params) {
  send([&](json::Writer& out) {
    out.put("{\"jsonrpc\":\"2.0\",\"method\":");
    out.string(method);
    put_params(out, params);
    out.put('}');
  });
}

void Engine::notify_text(std::string_view before, std::string_view text, std::string_view after) {
  send([&](json::Writer& out) {
    out.put(before);
    out.string(text);
    out.put(after);
  });
}

void Engine::cancel(CallId id) {
  const auto call = calls_.find(id);
  if (call == calls_.end() || !call->second.cancellable) return;
  notify(options_.cancel_method, [&](json::Writer& out) {
    out.put("{\"requestId\":");
    out.integer(id);
    out.put('}');
  });
}

void Engine::abandon(CallId id) {
  const auto call = calls_.find(id);
  if (call == calls_.end()) return;
  call->second.abandoned = true;
  call->second.on_answer = nullptr;
}

void Engine::write_error(json::Writer& out, const ErrorObject& error) {
  json::Members members(out);
  members.key("code").integer(std::int64_t{error.code});
  members.key("message").string(error.message);
  if (!error.data.absent()) members.key("data").put(error.data.text());
}

bool Engine::respond(const RequestId& id, const Write& result) {
  const auto found = incoming_.find(id.key());
  if (found == incoming_.end()) return false;
  const auto fill = [&](json::Writer& out) {
    out.put("{\"jsonrpc\":\"2.0\",\"id\":");
    out.put(id.json().text());
    out.put(",\"result\":");
    result(out);
    out.put('}');
  };
  const Incoming request = std::move(found->second);
  incoming_.erase(found);
  if (request.batch != nullptr) {
    json::Writer text;
    fill(text);
    request.batch->answers.push_back(text.str());
    --request.batch->waiting;
    flush(*request.batch);
  } else {
    send(fill);
  }
  for (const auto& action : request.after) action();
  return true;
}

bool Engine::fail(const RequestId& id, const ErrorObject& error) {
  return fail(id, id.json(), error);
}

bool Engine::fail(const RequestId& id, const Json& written, const ErrorObject& error) {
  const auto found = incoming_.find(id.key());
  if (found == incoming_.end()) return false;
  const Incoming request = std::move(found->second);
  incoming_.erase(found);
  if (request.batch != nullptr) --request.batch->waiting;
  refuse(written, error, request.batch);
  for (const auto& action : request.after) action();
  return true;
}

void Engine::refuse(const Json& id, const ErrorObject& error, const std::shared_ptr<Batch>& batch) {
  const auto fill = [&](json::Writer& out) {
    out.put("{\"jsonrpc\":\"2.0\",\"id\":");
    id.absent() ? out.null() : out.put(id.text());
    out.put(",\"error\":");
    write_error(out, error);
    out.put('}');
  };
  if (batch == nullptr) return send(fill);
  json::Writer text;
  fill(text);
  batch->answers.push_back(text.str());
  flush(*batch);
}

void Engine::flush(Batch& batch) {
  if (!batch.read || batch.waiting != 0 || batch.answers.empty()) return;
  send([&](json::Writer& out) {
    out.put('[');
    for (std::size_t i = 0; i < batch.answers.size(); ++i) {
      if (i != 0) out.put(',');
      out.put(batch.answers[i]);
    }
    out.put(']');
  });
  batch.answers.clear();
}

void Engine::after_answer(const RequestId& id, std::function<void()> action) {
  const auto found = incoming_.find(id.key());
  if (found == incoming_.end()) return action();
  found->second.after.push_back(std::move(action));
}

// ---- receiving
// ---------------------------------------------------------------------------------------------

void Engine::feed(std::string_view bytes) {
  frames_.feed(bytes);
  while (const auto next = frames_.next()) frame(*next);
}

void Engine::end_of_input(const std::string& reason) {
  if (input_ended_) return;
  if (const auto last = frames_.end()) frame(*last);
  input_ended_ = true;
  if (!reason.empty()) end_reason_ = reason;
  fail_calls(reason);
  check_all_handled();
}

void Engine::close() {
  input_ended_ = true;
  queue_.clear();
  queued_bytes_ = 0;
  fail_calls();
  running_ = 0;
  check_all_handled();
}

void Engine::check_all_handled() {
  if (!input_ended_ || pumping_ || running_ != 0 || !queue_.empty()) return;
  if (!std::exchange(all_handled_, true)) handler_->on_all_handled();
}

// What was received before the end keeps its order; what was not will never come. The handlers may
// start new calls: those fail by themselves now.
void Engine::fail_calls(const std::string& reason) {
  std::vector<AnswerHandler> lost;
  for (auto it = calls_.begin(); it != calls_.end();) {
    const bool answered = std::any_of(queue_.begin(), queue_.end(),
                                      [&](const Queued& item) { return item.answer == it->first; });
    if (!answered) lost.push_back(std::move(it->second.on_answer));
    it = answered ? std::next(it) : calls_.erase(it);
  }
  ErrorObject closed;
  closed.message = reason.empty() ? "the connection closed before the answer came" : reason;
  closed.connection_closed = true;
  for (const AnswerHandler& handler : lost)
    if (handler) handler({JsonView(), &closed});
}

void Engine::frame(const FrameReader::Framed& frame) {
  using Kind = FrameReader::Framed::Kind;
  if (frame.kind == Kind::message) handler_->on_frame(Direction::received, frame.text);
  switch (frame.kind) {
    case Kind::message:
      if (!streamed(frame.text) && !answered_unchecked(frame.text)) message(frame.text, nullptr);
      return;
    case Kind::no_header:
      trouble(Trouble::Kind::not_json, "a line without a Content-Length header");
      return refuse(Json(), {parse_error, "Parse error: expected a Content-Length header", {}},
                    nullptr);
    case Kind::too_large: {
      const std::string limit = std::to_string(options_.max_message_bytes);
      trouble(Trouble::Kind::too_large,
              std::to_string(frame.size) + " bytes, where " + limit + " are allowed");
      ErrorObject error{invalid_request, "Invalid request: larger than " + limit + " bytes", {}};
      error.data = Json::object({{"limit", options_.max_message_bytes}, {"size", frame.size}});
      const Beginning beginning = beginning_of(frame.text);
      if (unreadable_answer(beginning, "larger than " + limit + " bytes")) return;
      return refuse(beginning.id, error, nullptr);
    }
  }
}

Engine::Beginning Engine::beginning_of(std::string_view text) {
  Beginning result;
  json::Reader in(text);
  bool first = true;
  std::string_view key;
  if (!in.begin_object()) return result;
  while (in.next_key(first, key)) {
    const bool is_id = key == "id";
    if (key == "method") result.method = true;
    if (key == "result" || key == "error") result.answer = true;
    std::string value;
    if (is_id ? !in.raw(value) : !in.skip()) break;
    if (is_id) result.id = Json::from_valid(std::move(value));
  }
  return result;
}

bool Engine::unreadable_answer(const Beginning& beginning, const std::string& why) {
  if (beginning.method || !beginning.answer) return false;
  const std::optional<std::int64_t> id = beginning.id.as_int64();
  if (!id || !calls_.contains(*id)) return true;
  // In its place in the order: as an answer that says so.
  json::Writer text;
  text.put("{\"jsonrpc\":\"2.0\",\"id\":");
  text.integer(*id);
  text.put(",\"error\":");
  write_error(text, {internal_error, "the answer cannot be read: " + why, {}});
  text.put('}');
  Message parts;
  read(text.view(), parts);
  handle_answer(text.view(), parts);
  return true;
}

// Cuts a message into its members, checking every byte on the way.
std::optional<Engine::Fault> Engine::read(std::string_view text, Message& out) const {
  const auto wrong = [](std::string what) {
    return Fault{invalid_request, Trouble::Kind::not_a_message, std::move(what)};
  };
  json::Reader in(text, {options_.max_depth, options_.max_message_bytes});
  const json::ValueKind kind = in.peek();
  bool first = true, version = false, bad_method = false;
  std::string_view key;
  if (kind == json::ValueKind::object) {
    in.begin_object();
  } else {
    in.skip();
  }
  while (kind == json::ValueKind::object && in.next_key(first, key)) {
    JsonView* slot = key == "id"       ? &out.id
                     : key == "params" ? &out.params
                     : key == "result" ? &out.result
                     : key == "error"  ? &out.error
                                       : nullptr;
    const bool is_method = key == "method", is_version = key == "jsonrpc";
    const bool is_string = in.peek() == json::ValueKind::string;
    const char* start = in.at();
    if (is_method) {
      out.has_method = true;
      bad_method = !is_string;
      if (!in.skip()) break;
      if (bad_method) continue;
      out.method = {start + 1, static_cast<std::size_t>(in.at() - start) - 2};
      if (out.method.find('\\') != std::string_view::npos) {
        out.unescaped = JsonView::of_valid({start, out.method.size() + 2}).as_string().value();
        out.method = out.unescaped;
      }
      continue;
    }
    if (!in.skip()) break;
    const JsonView value = JsonView::of_valid({start, static_cast<std::size_t>(in.at() - start)});
    if (is_version) version = value.text() == "\"2.0\"" || value.as_string() == "2.0";
    if (slot != nullptr) *slot = value;
  }
  if (!in.finish()) {
    const bool too_deep = in.error().kind == json::DecodeFault::Kind::limit;
    return Fault{too_deep ? invalid_request : parse_error,
                 too_deep ? Trouble::Kind::too_large : Trouble::Kind::not_json,
                 in.error().message()};
  }
  if (kind != json::ValueKind::object)
    return wrong("expected an object, got " + std::string(json::describe(kind)));
  if (!out.id.absent() && !out.id.is_string() && !out.id.is_number() && !out.id.is_null()) {
    const std::string got(json::describe(out.id.kind()));
    out.id = JsonView::of_valid("null");
    return wrong("id: expected a string, a number or null, got " + got);
  }
  if (bad_method) return wrong("method: expected a string");
  if (!version) return wrong("jsonrpc: expected \"2.0\"");
  if (out.has_method) {
    const bool structured = out.params.absent() || out.params.is_object() ||
                            out.params.is_array() || out.params.is_null();
    if (!structured) return wrong("params: expected an object or an array");
  } else {
    if (out.id.absent()) return wrong("expected a method, or an id with a result or an error");
    if (out.result.absent() == out.error.absent()) return wrong("expected either result or error");
  }
  return std::nullopt;
}

void Engine::message(std::string_view text, const std::shared_ptr<Batch>& batch) {
  if (text.front() == '[' && batch == nullptr && options_.accept_batches) {
    json::Reader check(text, {options_.max_depth, options_.max_message_bytes});
    if (check.skip() && check.finish()) return this->batch(JsonView::of_valid(text));
  }
  Message parts;
  if (const auto fault = read(text, parts)) {
    trouble(fault->kind, fault->what);
    const Beginning beginning = beginning_of(text);
    if (unreadable_answer(beginning, fault->what)) return;
    if (fault->code == parse_error)
      return refuse(Json(), {parse_error, "Parse error: " + fault->what, {}}, batch);
    if (fault->kind == Trouble::Kind::too_large)
      return refuse(beginning.id, {invalid_request, "Invalid request: " + fault->what, {}}, batch);
    if (text.front() == '[' && batch == nullptr)
      return refuse(Json(), {invalid_request, "Invalid request: batches are not supported", {}},
                    nullptr);
    // What is meant as a notification is never answered; nor is an answer, above.
    if (parts.has_method && parts.id.absent()) return;
    return refuse(Json(parts.id), {invalid_request, "Invalid request: " + fault->what, {}}, batch);
  }
  if (!parts.has_method) return handle_answer(text, parts);
  if (parts.id.absent()) return handle_notification(text, parts);
  handle_request(parts, batch);
}

void Engine::batch(JsonView array) {
  const auto shared = std::make_shared<Batch>();
  if (array.size() == 0)
    return refuse(Json(), {invalid_request, "Invalid request: an empty batch", {}}, nullptr);
  for (JsonView element : array.elements()) message(element.text(), shared);
  shared->read = true;
  flush(*shared);
}

void Engine::handle_request(const Message& message, const std::shared_ptr<Batch>& batch) {
  const RequestId id(message.id);
  // Two requests with one id cannot both be answered so that the other side can tell.
  const auto [place, is_new] = incoming_.try_emplace(id.key());
  if (!is_new)
    return refuse(Json(message.id), {invalid_request, "Invalid request: the id is in use", {}},
                  batch);
  if (incoming_.size() > options_.max_pending) {
    incoming_.erase(place);
    ErrorObject error{rate_limited, "Too many requests wait for an answer", {}};
    error.data = Json::object({{"reason", "rate_limited"}, {"limit", options_.max_pending}});
    return refuse(Json(message.id), error, batch);
  }
  if (batch != nullptr) {
    place->second.batch = batch;
    ++batch->waiting;
  }
  handler_->on_request(id, message.method, message.params);
}

void Engine::handle_notification(std::string_view text, const Message& message) {
  if (message.method == options_.cancel_method) {
    // At once, past everything that waits: a stop must not stand in a queue.
    const RequestId id(message.params["requestId"]);
    if (incoming_.contains(id.key())) handler_->on_cancel(id);
    return;
  }
  if (handler_->on_urgent(message.method, message.params)) return;
  const NotificationToken token = next_token_++;
  if (running_ == 0 && queue_.empty()) {
    running_ = token;
    if (handler_->on_notification(token, message.method, message.params)) finished(token);
    return;
  }
  enqueue({std::string(text), token, std::nullopt});
}

void Engine::handle_answer(std::string_view text, const Message& message) {
  const std::optional<std::int64_t> id = message.id.as_int64();
  const auto call = id ? calls_.find(*id) : calls_.end();
  if (call == calls_.end()) {
    // An error with id null tells that something of ours could not be read: worth knowing.
    trouble(
        Trouble::Kind::unknown_answer,
        "an answer to the id " + std::string(message.id.text()) +
            (message.error.absent() ? ""
                                    : ": " + message.error["message"].as_string().value_or("")));
    return;
  }
  Queued item{"", 0, *id};
  if (!blocks(item)) return deliver(message, *id);
  item.text = text;
  enqueue(std::move(item));
}

// An answer waits for the handlers of all earlier notifications, except where one of them waits for
// it.
bool Engine::blocks(const Queued& answer) const {
  if (running_ == 0 && queue_.empty()) return false;
  const auto call = calls_.find(*answer.answer);
  return call == calls_.end() || call->second.inside == 0 || call->second.inside != running_;
}

void Engine::deliver(const Message& message, CallId id) {
  const auto found = calls_.find(id);
  if (found == calls_.end()) return;
  const Call call = std::move(found->second);
  calls_.erase(found);
  if (!call.on_answer) return;
  if (message.error.absent()) return call.on_answer({message.result, nullptr});
  ErrorObject error;
  error.code = static_cast<std::int32_t>(message.error["code"].as_int64().value_or(internal_error));
  error.message = message.error["message"].as_string().value_or("the error has no message");
  error.data = Json(message.error["data"]);
  call.on_answer({JsonView(), &error});
}

void Engine::enqueue(Queued item) {
  if (queued_bytes_ + item.text.size() > options_.max_queued_bytes) {
    // Not in silence: a lost answer fails its waiter, a lost notification is reported.
    const std::string limit =
        std::to_string(options_.max_queued_bytes) + " bytes wait for a handler to finish";
    trouble(Trouble::Kind::too_large, limit);
    if (!item.answer) return;
    const auto call = calls_.find(*item.answer);
    if (call == calls_.end()) return;
    const AnswerHandler handler = std::move(call->second.on_answer);
    calls_.erase(call);
    const ErrorObject error{internal_error, "the answer was dropped: " + limit, {}};
    if (handler) handler({JsonView(), &error});
    return;
  }
  queued_bytes_ += item.text.size();
  queue_.push_back(std::move(item));
}

void Engine::finished(NotificationToken token) {
  if (token == 0 || token != running_) return;
  running_ = 0;
  pump();
}

void Engine::pump() {
  if (pumping_) return;  // finished() from within a handler: the loop below goes on by itself
  pumping_ = true;
  while (running_ == 0 && !queue_.empty()) {
    const Queued item = std::move(queue_.front());
    queue_.pop_front();
    queued_bytes_ -= item.text.size();
    Message parts;
    read(item.text, parts);  // it was right when it came
    if (item.answer) {
      deliver(parts, *item.answer);
      continue;
    }
    running_ = item.token;
    if (handler_->on_notification(item.token, parts.method, parts.params) && running_ == item.token)
      running_ = 0;
  }
  pumping_ = false;
  check_all_handled();
}

}  // namespace acp::rpc
