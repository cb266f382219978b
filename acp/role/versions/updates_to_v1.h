// A client's view of a version 2 session, in version 1: which messages and tool calls it has seen,
// and what a call shows, needs to be remembered.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

#include "acp/role/versions/config.h"
#include "acp/role/versions/state.h"
#include "acp/schema/v1.h"
#include "acp/schema/v2.h"

namespace acp::detail::versions {

// A message that the client has is another now. Version 1 cannot say it.
struct MessageReplaced {
  enum class Kind : std::uint8_t { user, agent, thought };

  Kind kind = Kind::agent;
  v1::MessageId id;
  std::optional<std::vector<v1::ContentBlock>> content;  // nothing: only `_meta` is another
  Json meta;
};
// "user", "agent", "thought"
const char* to_string(MessageReplaced::Kind value);

// A terminal of the agent's, which version 1 does not have.
struct TerminalChanged {
  v1::TerminalId id;
  Nullable<std::string> command, cwd;
  Nullable<v2::TerminalExitStatus> exit_status;
  Nullable<v2::TerminalSize> size;
  Nullable<v2::TerminalCapabilities> capabilities;
  bool replaces_output = false;  // otherwise the output is what has come in addition
  std::string output;            // decoded: the terminal's bytes
  bool truncated = false;        // there were more than the limit, or they were malformed
  Json meta;
};

// One for each session. Where the versions differ:
// - A message that comes whole becomes chunks; if it has come in chunks before, only what is new of
//   its text does, and otherwise the replacement is given out as such.
// - Version 1 replaces a call's whole content, and its whole `_meta`: what comes in addition is
// sent
//   with all before it.
// - The mode's option, where modes are mapped, becomes the mode: a change of the modes on offer is
//   given out as such, without any when the option is gone.
// - A command of an unknown type is left out. Names of version 1 mean nothing in version 2: an
//   unknown update stays unknown.
class UpdatesToV1 {
 public:
  using Update = std::variant<v1::SessionUpdate, MessageReplaced, TerminalChanged, SessionActivity,
                              v1::SessionModeState>;
  struct Limits {
    std::size_t terminal_output = 1024 * 1024;  // of one update, decoded; its last bytes are kept
    std::size_t finished_calls = 64;            // remembered, so that a late update is one
    std::size_t finished_contents = 4;          // of these, with what they show
    std::size_t messages = 1024;                // likewise
    std::size_t calls = 16 * 1024 * 1024;       // bytes of all; the oldest are forgotten
  };

  explicit UpdatesToV1(bool map_modes) : UpdatesToV1(map_modes, Limits()) {}
  UpdatesToV1(bool map_modes, Limits limits) : map_modes_(map_modes), limits_(limits) {}

  // In order. None if the update says nothing that version 1 can say.
  std::vector<Update> convert(v2::SessionUpdate update);
  // The same for an update that was read as one of version 1. True for a piece of an agent's text:
  // both versions write it alike, and it stays what it is. Nothing was done with any other.
  bool take_text(const v1::SessionUpdate& update);

  // The modes that the answer with which the session began has, so that a change is noticed.
  void set_modes(std::optional<v1::SessionModeState> modes) {
    modes_ = std::move(modes);
    ++option_changes_;
  }
  // Counts the lists of options that were converted, and other changes of the modes.
  std::size_t option_changes() const { return option_changes_; }
  // The configId of the option that is the mode, for a client that sets it; empty if none is.
  const std::string& mode_id() const { return mode_id_; }
  void set_mode_id(std::string id) { mode_id_ = std::move(id); }
  // What had to be forgotten for lack of room, the first time that this was necessary.
  std::optional<std::string> take_warning() { return std::exchange(warning_, std::nullopt); }
  // What a tool call shows; null for one that is not known, or has ended long ago.
  const std::vector<v1::ToolCallContent>* content_of(std::string_view call) const;

 private:
  using Kind = MessageReplaced::Kind;
  struct Message {
    std::size_t size = 0;    // of its text
    std::uint64_t hash = 0;  // likewise
    bool text_only = true;
  };
  struct Call {
    bool finished = false;
    std::vector<v1::ToolCallContent> content;
    Json meta;  // all of it that is not null
    std::size_t bytes = 0;
  };
  using Calls = std::unordered_map<std::string, Call>;

  // Whether it was known.
  std::pair<Message&, bool> message(const std::string& id);
  void add_text(Message& message, const std::string& text);
  template <class To>
  void add_chunk(auto&& from, std::vector<Update>& out);
  template <class To>
  void add_message(Kind kind, auto&& from, std::vector<Update>& out);
  void add_call(v2::ToolCallUpdate&& update, std::vector<Update>& out);
  void add_content(v2::ToolCallContentChunk&& chunk, std::vector<Update>& out);
  void add_options(v2::ConfigOptionUpdate&& update, std::vector<Update>& out);
  // Whether it is new.
  std::pair<Calls::iterator, bool> call(const std::string& id);
  // Makes a change of its `_meta` the whole of it.
  void patch_meta(Call& call, Json& change);
  void add(Call& call, std::vector<v1::ToolCallContent>&& content);
  void clear(Call& call);
  void forget(Calls::iterator call);
  void make_room(const std::string& newest);
  void note(const std::string& id, Call& call, const v1::ToolCallUpdate& update);
  void finish(const std::string& id);

  bool map_modes_;
  Limits limits_;
  std::unordered_map<std::string, Message> messages_;
  std::deque<std::string> message_order_;
  Calls calls_;
  std::deque<std::string> call_order_;  // some may have been forgotten
  std::size_t call_bytes_ = 0;
  bool has_warned_ = false;
  std::optional<std::string> warning_;
  std::deque<std::string> finished_order_;
  std::optional<v1::SessionModeState> modes_;
  std::string mode_id_;
  std::size_t option_changes_ = 0;
};

}  // namespace acp::detail::versions
