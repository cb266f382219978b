#include "acp/mcp/post_queue.h"

#include <algorithm>

#include "acp/rpc/engine.h"

namespace acp::mcp {

namespace {

bool is_request(JsonView message) { return !message["method"].absent() && !message["id"].absent(); }

}  // namespace

std::map<std::string, Json> request_ids(JsonView message) {
  std::map<std::string, Json> ids;
  if (is_request(message)) ids.emplace(rpc::RequestId(message["id"]).key(), Json(message["id"]));
  for (JsonView part : message.elements())
    if (is_request(part)) ids.emplace(rpc::RequestId(part["id"]).key(), Json(part["id"]));
  return ids;
}

PostQueue::PostQueue(std::string url, std::vector<http::Transfers::Header> headers)
    : url_(std::move(url)), headers_(std::move(headers)) {
  for (http::Transfers::Header& header : headers_) header.origin = http::origin_of(url_);
}

// Of "Bearer abc", too, the second word alone.
std::string PostQueue::without_secrets(std::string text) const {
  constexpr std::size_t shortest_secret = 4;
  for (const http::Transfers::Header& header : headers_) {
    const std::string last_word = header.value.substr(header.value.find_last_of(' ') + 1);
    for (const std::string& secret : {header.value, last_word})
      for (std::size_t at = 0;
           secret.size() >= shortest_secret && (at = text.find(secret)) != std::string::npos;)
        text.replace(at, secret.size(), "…");
  }
  return text;
}

http::Transfers::Request PostQueue::request(std::string method, std::string url) const {
  http::Transfers::Request request;
  request.method = std::move(method);
  request.url = std::move(url);
  request.headers = headers_;
  if (request.method == "POST") request.headers.push_back({"Content-Type", "application/json"});
  return request;
}

void PostQueue::message(Json message) {
  const auto post = std::make_shared<Post>();
  const JsonView view = message;
  post->waiting = request_ids(view);
  if (const auto method = view["method"].as_string()) {
    post->initialize = *method == "initialize";
    post->initialized = *method == "notifications/initialized";
    if (*method == "notifications/cancelled")
      post->cancels = rpc::RequestId(view["params"]["requestId"]).key();
  }
  post->text = message.text();
  queued_bytes_ += post->text.size();
  queue_.push_back(post);
  pump();
}

void PostQueue::open(bool is_open) {
  open_ = is_open;
  pump();
}

// Requests go side by side. Whatever else there is must have arrived before the next message goes:
// a server may be told that it is initialized only once, and not after the first request.
void PostQueue::pump() {
  while (open_ && in_order_ == nullptr && !queue_.empty()) {
    const std::shared_ptr<Post> next = queue_.front();
    queue_.pop_front();
    queued_bytes_ -= next->text.size();
    if (next->waiting.empty() || next->initialize) in_order_ = next.get();
    post(next);
  }
}

void PostQueue::posted(const Post& post) {
  if (in_order_ != &post) return;
  in_order_ = nullptr;
  pump();
}

std::optional<Json> PostQueue::take(std::string_view text, std::map<std::string, Json>& waiting) {
  auto message = Json::parse(text, {512, link_->options().max_message_bytes});
  if (!message) {
    link_->log(LogEntry::Level::warning,
               without_secrets("the server sent what is no message: " + message.error().message() +
                               ": " + http::beginning_of(text)));
    return std::nullopt;
  }
  const JsonView view = message->view();
  const auto note = [&](JsonView part) {
    if (part["method"].absent()) waiting.erase(rpc::RequestId(part["id"]).key());
  };
  note(view);
  for (JsonView part : view.elements()) note(part);
  link_->give(message->text());
  return std::move(*message);
}

void PostQueue::fail(std::map<std::string, Json>& waiting, const std::string& message, int status) {
  for (const auto& [key, id] : waiting) {
    Json error = Json::object({{"code", rpc::internal_error}, {"message", message}});
    if (status != 0) error.set("data", Json::object({{"httpStatus", status}}));
    link_->give(Json::object({{"jsonrpc", "2.0"}, {"id", id}, {"error", error}}).text());
  }
  waiting.clear();
}

}  // namespace acp::mcp
