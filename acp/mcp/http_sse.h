// HTTP+SSE, the transport of revision 2024-11-05: one stream of events brings everything, and its
// first event says where to POST.
#pragma once

#include "acp/http/event_stream.h"
#include "acp/mcp/post_queue.h"

namespace acp::mcp {

class HttpSse final : public PostQueue {
 public:
  using PostQueue::PostQueue;
  void begin(http::Link& link) override;
  void close() override;

 private:
  void post(std::shared_ptr<Post> post) override;
  void event(http::EventStream::Event&& event, const std::string& base);

  std::optional<http::EventStream> events_;
  std::string endpoint_;
  http::Transfers::Head head_;
  std::string error_body_;
  std::map<std::string, Json> waiting_;  // all that have been POSTed
  bool closing_ = false;
};

}  // namespace acp::mcp
