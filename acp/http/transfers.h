// HTTP requests side by side, on the thread that calls run(). Redirects are followed here: POST
// stays POST, and a header that belongs to one origin goes to no other.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "acp/http/url.h"

namespace acp::http {

class Transfers {
 public:
  struct Header {
    std::string name;
    std::string value;
    std::string origin = {};  // the only one it is sent to; empty: all
  };
  struct Request {
    std::string method;
    std::string url;
    std::vector<Header> headers = {};
    std::string body = {};
    std::chrono::milliseconds time_limit{0};  // 0: none
    bool stays = false;                       // a redirect to another origin is a failure
    std::string proxy = {};                   // empty: as the environment says
    std::string ca_file = {};                 // empty: the system's
    bool http_1 = false;                      // never HTTP/2
    // After this time a machine that confirms nothing has gone; 0: as the system thinks.
    std::chrono::milliseconds vanish_time{0};
  };
  // The answer's beginning, after all redirects.
  struct Head {
    int status = 0;
    std::map<std::string, std::string> headers = {};  // names in lower case
    std::vector<std::string> cookies = {};            // each Set-Cookie
    std::string url = {};                             // where it came from

    std::string header(const std::string& name) const;
    // Without its parameters, in lower case.
    std::string content_type() const;
  };
  struct Failure {
    bool unreachable = false;  // the server could not be reached
    bool refused = false;      // of these: nothing listens at that port
    std::string message = {};
  };
  struct Events {
    std::function<void(const Head&)> on_head = nullptr;
    std::function<void(std::string_view)> on_body = nullptr;
    std::function<void(const Failure*)> on_end = nullptr;  // null: the answer is complete
  };
  using Id = std::uint64_t;

  explicit Transfers(std::chrono::milliseconds connect_time);
  Transfers(const Transfers&) = delete;
  Transfers& operator=(const Transfers&) = delete;
  ~Transfers();

  Id start(Request request, Events events);
  // Drops a request: no more events of it follow.
  void drop(Id id);
  // Pauses reading of all answers, or goes on.
  void hold(bool holds);
  // Called when a redirect leaves headers behind.
  std::function<void(const std::string& from, const std::string& to)> on_headers_dropped;

  struct Wanted {
    int descriptor = -1;
    bool input = false, output = false;
  };
  // Waits until an answer goes on, the descriptor is ready, wake() is called or the time is over;
  // then calls events.
  void run(Wanted& descriptor, std::optional<std::chrono::milliseconds> time);
  // Wakes run(), from any thread.
  void wake();

 private:
  struct Transfer;
  struct Parts;
  void begin(Transfer& transfer);
  void ended(Transfer& transfer, int code);
  bool redirect(Transfer& transfer, Failure& failure);

  std::chrono::milliseconds connect_time_;
  std::unique_ptr<Parts> parts_;
  std::map<Id, std::unique_ptr<Transfer>> transfers_;
  std::vector<Id> to_begin_;  // by the next run(): curl takes none while it calls events
  Id next_id_ = 1;
  bool holds_ = false;
};

}  // namespace acp::http
