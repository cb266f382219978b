// Streamable HTTP: each message is a POST, answered by JSON or by a stream of events; a GET brings
// what belongs to no request. A stream that breaks off is resumed from its last event.
#pragma once

#include <set>

#include "acp/http/event_stream.h"
#include "acp/mcp/post_queue.h"

namespace acp::mcp {

class StreamableHttp final : public PostQueue {
 public:
  using PostQueue::PostQueue;
  void begin(http::Link& link) override;
  void close() override;

 private:
  // A POST and its answer, or the stream that we listen to.
  struct Exchange {
    std::shared_ptr<Post> post;  // null: listening
    std::map<std::string, Json> waiting = {};
    http::Transfers::Id transfer = 0;
    http::Transfers::Head head = {};
    std::optional<http::EventStream> events = {};  // if the answer is a stream
    std::string body = {};                         // if it is not
    std::string last_id = {};
    std::optional<std::chrono::milliseconds> retry = {};
    bool resuming = false;    // by GET
    bool over_limit = false;  // what came was too large to be kept
    int fruitless = 0;        // attempts in a row that brought nothing
    io::Timers::Id timer = 0;
  };
  using ExchangePtr = std::shared_ptr<Exchange>;

  void post(std::shared_ptr<Post> post) override;
  void get(const ExchangePtr& exchange);
  void start(const ExchangePtr& exchange, http::Transfers::Request request);
  void head(const ExchangePtr& exchange, const http::Transfers::Head& head);
  void body(const ExchangePtr& exchange, std::string_view bytes);
  void event(Exchange& exchange, http::EventStream::Event&& event);
  void end(const ExchangePtr& exchange, const http::Transfers::Failure* failure);
  void end_of_post(const ExchangePtr& exchange, const http::Transfers::Failure* failure);
  // Ends a GET: resumes the stream, or gives it up.
  void end_of_get(const ExchangePtr& exchange, const http::Transfers::Failure* failure);
  void go_on_later(const ExchangePtr& exchange);
  void take_message(Exchange& exchange, std::string_view text);
  void done(const ExchangePtr& exchange);
  void drop(const ExchangePtr& exchange);
  void leave();
  http::Transfers::Request with_session(http::Transfers::Request request) const;

  std::set<ExchangePtr> exchanges_;
  http::Transfers::Header session_;  // no value: there is none
  std::string version_;
  bool closing_ = false;
  bool left_ = false;
};

}  // namespace acp::mcp
