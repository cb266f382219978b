// The common part of both HTTP dialects: POSTs the connection's messages in their order; a request
// whose POST fails is answered with an error that says why.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "acp/http/link.h"
#include "acp/http/status.h"

namespace acp::mcp {

// The ids of the requests in a message: one, or those of a batch. Keyed as rpc::RequestId does.
std::map<std::string, Json> request_ids(JsonView message);

class PostQueue : public http::Dialect {
 public:
  // The headers are sent to the origin of the URL alone.
  PostQueue(std::string url, std::vector<http::Transfers::Header> headers);

  void begin(http::Link& link) override { link_ = &link; }
  void message(Json message) override;
  std::size_t queued_bytes() const override { return queued_bytes_; }

 protected:
  // A POST under way, with its requests that have no answer yet.
  struct Post {
    std::string text;
    std::map<std::string, Json> waiting = {};
    std::optional<std::string> cancels = {};  // the key of the request that it takes back
    bool initialize = false;
    bool initialized = false;  // it is the notification that says so
  };

  virtual void post(std::shared_ptr<Post> post) = 0;
  // Call when the POST's answer has come: messages that waited for it are sent.
  void posted(const Post& post);
  void pump();
  // Lets messages go out, or wait. At first they wait.
  void open(bool is_open);
  bool idle() const { return queue_.empty() && in_order_ == nullptr; }

  http::Transfers::Request request(std::string method, std::string url) const;
  // Parses a message of the server's; nothing if it is not one. Removes the requests that it
  // answers from `waiting`.
  std::optional<Json> take(std::string_view text, std::map<std::string, Json>& waiting);
  // Answers the waiting requests with an error.
  void fail(std::map<std::string, Json>& waiting, const std::string& message, int status = 0);

  // Describes an unsuccessful answer, without values of our headers, which a server may repeat.
  std::string describe(int status, std::string_view body) const {
    return without_secrets(http::describe_status(status, body));
  }

  http::Link& link() { return *link_; }
  const std::string& url() const { return url_; }

 private:
  std::string without_secrets(std::string text) const;

  http::Link* link_ = nullptr;
  std::string url_;
  std::vector<http::Transfers::Header> headers_;
  std::deque<std::shared_ptr<Post>> queue_;
  std::size_t queued_bytes_ = 0;
  const Post* in_order_ = nullptr;  // everything else waits for it
  bool open_ = false;
};

}  // namespace acp::mcp
