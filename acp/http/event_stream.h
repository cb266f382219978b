// Server-sent events, cut out of a stream of bytes, without I/O.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace acp::http {

class EventStream {
 public:
  struct Event {
    std::string type;        // "message" unless the stream says another
    std::string data;        // lines joined by "\n"
    bool too_large = false;  // over the limit, and skipped: there is no data
  };
  using OnEvent = std::function<void(Event&&)>;

  // The limit is for the bytes of one event.
  explicit EventStream(std::size_t limit) : limit_(limit) {}

  // Reads bytes, each once, however they are split. Calls `on_event` for each event that is
  // complete now.
  void feed(std::string_view bytes, const OnEvent& on_event);

  // Whether the event that has begun is over the limit already, and skipped until its end.
  bool passes_over() const { return event_.too_large; }

  // How many comments there were: lines that say nothing, as servers send them to show that they
  // live.
  std::size_t comments() const { return comments_; }

  // The id of the last complete event, to resume from; empty if there is none.
  const std::string& last_id() const { return last_id_; }
  // How long to wait before resuming, if the stream said so.
  std::optional<std::chrono::milliseconds> retry() const { return retry_; }

 private:
  void line(std::string_view text, const OnEvent& on_event);
  void field(std::string_view name, std::string_view value);
  void dispatch(const OnEvent& on_event);
  // Returns false if there is no room for them.
  bool room_for(std::size_t bytes);

  std::size_t limit_;
  std::string partial_;  // of a line that began in earlier bytes
  Event event_;
  std::string id_;
  bool has_data_ = false;
  bool began_ = false;     // the first line has been read
  bool after_cr_ = false;  // a line feed that follows belongs to the line's end
  std::size_t comments_ = 0;
  std::string last_id_;
  std::optional<std::chrono::milliseconds> retry_;
};

}  // namespace acp::http
