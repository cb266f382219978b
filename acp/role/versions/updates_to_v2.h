// An agent's updates, written as version 1 has them, in version 2: what a message's chunks belong
// to, and what changes an option, needs to be remembered.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "acp/role/versions/config.h"
#include "acp/schema/v1.h"
#include "acp/schema/v2.h"

namespace acp::detail::versions {

// Makes an id that this connection has not used.
using NewId = std::function<std::string()>;

// One for each session. Where the versions differ:
// - Version 2 wants an id in every chunk: its own; else that of the chunks of its kind right
//   before; else a new one. What stands between messages in a session's timeline ends a message: a
//   tool call, a plan, a notice, the beginning of a compaction, of a subagent or of another
//   session's message. What changes one of these later does not, nor do usage, session info,
//   commands and options.
// - A mode or an option that changes gives the complete list of options.
// - An update with an unknown tag is written as it is; one that only version 2 knows must fit.
class UpdatesToV2 {
 public:
  explicit UpdatesToV2(NewId new_id) : new_id_(std::move(new_id)) {}

  // What the session has, as its options in version 2 are.
  OptionsToV2& options() { return options_; }
  const OptionsToV2& options() const { return options_; }

  // None if the update says nothing that version 2 can say. `shown`: of a tool call, what the
  // client has of its content; what is added to that goes as pieces, before the rest.
  std::vector<v2::SessionUpdate> convert(const v1::SessionUpdate& update,
                                         const std::vector<v1::ToolCallContent>* shown = nullptr);

  // An agent's text that has no `_meta`, without values of the types: this, the text as a JSON
  // string, and `}}` is the update. As convert() of a chunk without an id.
  const std::string& agent_text_prefix();

  // The next chunk begins a message, as after a prompt and before its answer.
  void end_message() { kind_ = Kind::none; }
  // The last message's id of each kind; empty before the first.
  const std::string& user_message_id() const { return id(Kind::user); }
  const std::string& agent_message_id() const { return id(Kind::agent); }
  const std::string& thought_id() const { return id(Kind::thought); }
  // A prompt's message, which has its id.
  void begin_user_message(std::string id);

 private:
  enum class Kind : std::uint8_t { user, agent, thought, none };

  template <class To, class From>
  void add_chunk(Kind kind, const From& from, std::vector<v2::SessionUpdate>& out);
  void add_call(const v1::ToolCallUpdate& from, const std::vector<v1::ToolCallContent>* shown,
                std::vector<v2::SessionUpdate>& out);
  const std::string& id_for(Kind kind, const Nullable<v1::MessageId>& own);
  const std::string& id(Kind kind) const { return ids_[static_cast<std::size_t>(kind)]; }
  // Something stands in the timeline; chunks and changes of it may follow.
  void stands(std::string what);

  NewId new_id_;
  OptionsToV2 options_;
  Kind kind_ = Kind::none;  // of the message that goes on; none: the next chunk begins one
  std::array<std::string, 3> ids_;  // of each kind but none
  std::string standing_;  // the last one that others may change, by its kind and id
  std::string prefix_, prefix_id_;
};

}  // namespace acp::detail::versions
