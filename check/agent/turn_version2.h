// A turn of version 2, from its prompt to the state idle that ends it.
#pragma once

#include <optional>
#include <string>

#include "check/agent/client.h"

namespace acp::check::version2 {

Json text_blocks(const std::string& text);

class Turn {
 public:
  // Sends the prompt. In the session no other turn may be at work.
  Turn(AgentClient& client, std::string session, const Json& blocks);
  Turn(AgentClient& client, std::string session, const std::string& text);

  // Waits for its end. False if that did not come.
  bool wait();
  bool wait(std::chrono::milliseconds time);
  // Whether the end was seen: the prompt refused, or the state idle.
  bool over();
  // The answer to the prompt, if it has come; otherwise one that is late, or lost.
  const Reply& answer();
  bool answered();
  // Whether the prompt was taken and the turn has ended.
  bool well() { return over() && answer().ok(); }
  std::string message_id() { return answer()["messageId"].as_string().value_or(""); }
  // Of the end; empty if there is none.
  std::string stop_reason();
  // Whether something of the work was reported.
  bool reported() const;
  // The first update since the prompt.
  std::size_t first_update() const { return first_update_; }
  std::size_t first_call() const { return first_call_; }
  // What has happened, for messages.
  std::string describe();

 private:
  AgentClient& client_;
  std::string session_;
  Json id_;
  std::size_t first_update_, first_call_;
  std::optional<Reply> answer_;
  std::optional<std::size_t> end_;  // update
};

}  // namespace acp::check::version2
