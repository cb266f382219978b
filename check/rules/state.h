// The state of Rules about a connection. Private to check/rules.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "acp/json/json.h"
#include "acp/schema/registry.h"
#include "check/rules/rules.h"
#include "check/rules/subject.h"

namespace acp::check {

// A request that has no answer yet.
struct OpenRequest {
  std::string id;  // its text
  std::string method;
  const Method* known = nullptr;  // null for extensions, and for what the protocol lacks
  std::string session;
  std::size_t frame = 0;
  int protocol = 1;  // whose tables its answer is checked against; 0 for none
  // Of session/load and session/resume: what the session was before.
  bool session_was_known = false;
  bool replays = false;  // session/resume of version 2
  // Of session/prompt.
  std::optional<std::int64_t> cancelled_at;
  std::size_t cancelled_in = 0;  // frame
  bool cancel_was_read = false;  // the agent has answered what was sent after the cancel
  // Of session/request_permission.
  struct Option {
    std::string id, kind;
  };
  std::vector<Option> options;
  bool must_be_cancelled = false;
  bool of_no_turn = false;  // asked while its session of version 2 was idle
  // Of terminal/*.
  std::string terminal;
  std::string line;        // what terminal/create runs
  bool withdrawn = false;  // by $/cancel_request
};

struct KnownTerminal {
  bool ended = false;
  bool released = false;
  std::string line;  // what it runs
};

enum class CallStatus : std::uint8_t { unknown, pending, in_progress, completed, failed };

struct KnownCall {
  bool announced = false;  // not only named in a permission request
  CallStatus status = CallStatus::unknown;
  std::uint64_t turn = 0;  // the last one that mentioned it
  Subject subject;
};

// The outcome of a permission question.
enum class Verdict : std::uint8_t { open, allowed, rejected, undecided, not_offered, failed };

struct KnownQuestion {
  std::string call;
  Subject subject;
  std::size_t frame = 0;
  Verdict verdict = Verdict::open;
};

struct KnownSession {
  int prompts = 0;      // open
  int loads = 0;        // open session/load, which replay
  int resumes = 0;      // open session/resume, which do not
  bool opening = true;  // no answer has confirmed it yet
  bool prompted = false;
  bool loaded = false;
  bool last_was_cancelled = false;
  bool cancel_seen = false;  // by the client, and no turn has ended otherwise since
  bool closed = false;       // but a prompt of it is open
  bool subagent = false;     // works on while no prompt of its own is open
  std::uint64_t turn = 0;
  // Calls may predate this connection or have been evicted: an unknown id proves nothing.
  bool calls_incomplete = false;
  bool terminals_incomplete = false;
  std::map<std::string, KnownCall, std::less<>> calls;
  std::vector<KnownQuestion> questions;  // of this turn
  std::map<std::string, KnownTerminal, std::less<>> terminals;
  std::optional<std::set<std::string, std::less<>>> modes;
  std::optional<std::set<std::string, std::less<>>> options;

  bool replaying() const { return loads > 0; }
};

// The members of a message, found in one pass; absent where there is none.
struct Envelope {
  JsonView jsonrpc, id, method, params, result, error;
  std::string other;  // a member that JSON-RPC does not have
};

// What is checked once a later version of the protocol was agreed on: the order and the
// capabilities.
class LaterRules {
 public:
  virtual ~LaterRules() = default;
  // After an answer to `initialize` that agrees on it.
  virtual void initialized(JsonView result) = 0;
  // In the order in which a frame passes them: rules.cc.
  virtual void client_calls(const std::string& method, JsonView params, OpenRequest* request) = 0;
  virtual void agent_calls(const std::string& method, JsonView params, OpenRequest* request) = 0;
  virtual void agent_answers(const OpenRequest& request, JsonView result, JsonView error) = 0;
  virtual void client_answers(const OpenRequest& request, JsonView result, JsonView error) = 0;
};

// The state, and a function for each kind of message part, in the order in which a frame passes
// them.
struct Rules::Parts {
  Parts() = default;
  Parts(const Parts&) = delete;
  Parts& operator=(const Parts&) = delete;

  // ---- version2/watcher.cc
  std::unique_ptr<LaterRules> make_version_2();

  // ---- rules.cc: the envelope
  void see(const WireFrame& frame, const json::Result<Json>& parsed);
  void see_call(const Envelope& message, const std::string& method);
  void see_answer(const Envelope& message);
  void found(std::string_view id, std::string message);
  // "A-WIRE-1" or "C-WIRE-1", by who sent this frame.
  void found_of_sender(std::string_view area_and_number, std::string message);
  // "A2-CAP-1" or "C2-CAP-1"
  void found_of_sender_2(std::string_view area_and_number, std::string message);

  // ---- shape.cc: the schema
  void check_call_shape(const Envelope& message, const std::string& method, bool notification);
  void check_answer_shape(const Envelope& message, const OpenRequest& request);
  void check_value(JsonView value, const json::Type& type, const char* name,
                   std::string_view number, const std::string& method);
  void check_members(const Envelope& message, bool call);
  std::span<const Method> methods(int protocol) const;
  void check_first_request(JsonView params);

  // ---- calls.cc: what is asked for, of the client and of the agent
  void client_calls(const std::string& method, JsonView params, OpenRequest* request);
  void agent_calls(const std::string& method, JsonView params, OpenRequest* request);
  // Returns false, with a violation, if it was not advertised.
  bool check_gate(const std::string& method, const KnownSession* session);
  void check_session_setup(const std::string& method, JsonView params);
  void check_prompt(JsonView params);
  void cancel(const std::string& id);
  void withdraw(JsonView params);  // $/cancel_request
  void check_terminal_call(const std::string& method, JsonView params, OpenRequest* request,
                           KnownSession* session);
  void check_elicitation(JsonView params);

  // ---- questions.cc: permission
  void check_permission(JsonView params, OpenRequest* request, KnownSession* session);
  void permission_answered(const OpenRequest& request, JsonView result, JsonView error);
  // Checks that a file may be written, or a command run.
  void check_act(const std::string& method, JsonView params, KnownSession& session);
  void check_in_turn(const std::string& what, const KnownSession& session);
  void check_call_begins(const std::string& id, CallStatus before, CallStatus after,
                         const KnownSession& session);
  void check_shown_terminal(const std::string& call, KnownTerminal& terminal,
                            const KnownSession& session);
  void check_questions_closed(const OpenRequest& prompt, const std::string& stop,
                              const KnownSession& session);

  // ---- answers.cc
  void agent_answers(OpenRequest& request, JsonView result, JsonView error);
  void client_answers(OpenRequest& request, JsonView result, JsonView error);
  void check_initialize(JsonView params);
  void initialized(JsonView result);
  void session_answered(const OpenRequest& request, JsonView result, JsonView error);
  void session_opened(const std::string& id, JsonView result);
  void take_options(KnownSession& session, JsonView options);
  void prompt_answered(const OpenRequest& request, JsonView result, JsonView error);
  void session_closed(const std::string& id);
  void connection_ended();

  // ---- updates.cc: session/update
  void check_update(JsonView params);
  void check_turn_update(const std::string& kind, JsonView update, KnownSession& session);
  void check_tool_call(const std::string& kind, JsonView update, KnownSession& session);
  void check_tool_content(JsonView update, KnownSession& session);
  // Null, with a violation, if the client does not know the session.
  KnownSession* session_of_agent(const std::string& id, const std::string& what);
  // Null, with a violation, if the agent has not opened it.
  KnownSession* session_of_client(const std::string& id, const std::string& what);

  bool advertised(std::string_view path) const;

  // ---- of this frame
  WireFrame now;
  std::size_t count = 0;
  std::vector<Violation> violations;

  // ---- of the connection
  int protocol = 1;  // 0: one that we do not know; only the envelope is checked then
  bool initialize_sent = false;
  bool initialize_answered = false;
  bool asked_more = false;         // than initialize
  std::int64_t asked_version = 1;  // by the last initialize
  bool first_told = false;
  bool capabilities_known = false;  // of the client, in the form of version 1
  Json client_capabilities;
  Json client_capabilities_2;  // in the form of version 2
  Json initialize_result;
  std::set<std::string, std::less<>> auth_methods;

  // By the side that asked; by the text of the id.
  std::map<std::string, OpenRequest, std::less<>> open_of_client;
  std::map<std::string, OpenRequest, std::less<>> open_of_agent;
  std::deque<std::string> answered_of_client;  // the last ones
  std::deque<std::string> answered_of_agent;
  std::size_t broken_of_client = 0;  // frames that may be answered with an error without an id
  std::size_t broken_of_agent = 0;
  std::map<std::string, KnownSession, std::less<>> sessions;  // of version 1

  const std::unique_ptr<LaterRules> version_2 = make_version_2();
};

// The string in a value, or an empty one; and a text in quotes, cut for messages.
std::string string_at(JsonView value);
std::string in_quotes(std::string_view text);

}  // namespace acp::check
