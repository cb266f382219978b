// Limits what a remote client may ask of an agent of this machine: sessions in the allowed
// directories, and only its own.
#pragma once

#include <cstddef>
#include <deque>
#include <mutex>
#include <set>
#include <string>

#include "acp/json/json.h"
#include "gateway/roots.h"

namespace acp::gateway {

struct SessionLimits {
  const Roots* roots = nullptr;
  // Clients may name MCP servers that are programs: they run here.
  bool client_mcp = false;
  // Sessions that one client may have open.
  std::size_t max_sessions = 100;
};

// May be used by several threads. Exceptions are the answer to the client.
class ClientSessions {
 public:
  explicit ClientSessions(SessionLimits limits) : limits_(limits) {}

  // A request that opens a session (session/new, load, resume, fork; nes/start), from its check to
  // its answer.
  class Opening {
   public:
    // A session that is loaded or resumed has an id already. It counts as the client's from now on,
    // so that pipelined requests pass.
    Opening(ClientSessions& sessions, const std::string& method, const Json& params);
    Opening(const Opening&) = delete;
    Opening& operator=(const Opening&) = delete;
    // Discards the session unless done() was called.
    ~Opening();
    void done(JsonView result);

   private:
    ClientSessions& sessions_;
    std::string id_;
    bool added_ = false, done_ = false;
  };

  // What the agent has answered to initialize.
  void initialized(JsonView result);
  // Whether the agent must be asked, before a session is opened, where the session belongs: the
  // client has neither opened it nor seen it in a list, and the agent may list sessions.
  bool must_look_for(const Json& params) const;
  // Whether the session is on this page of the agent's list. Throws if it belongs to a directory
  // where the client has none.
  bool found(const Json& params, JsonView page) const;

  // Checks any other request: its params are an object, if it has any, and a session that they name
  // is one of the client's. An extension may have names that are almost those of the protocol.
  void require_own(const Json& params, bool is_extension = false) const;
  // Checks a deletion: a session that is not open may be deleted if the client has closed it, or
  // has seen it in a list.
  void require_listed(const Json& params) const;
  // The client may still delete it: the last thousand that it closed are known.
  void closed(const Json& params);
  // It is gone for good.
  void deleted(const Json& params);
  // The answer to any other request: a session that it names is the client's from now on.
  void answered(JsonView result);

  // The answer to session/list, without those that the client could not open.
  Json listed(const Json& result);

 private:
  void check(const Json& params) const;
  void check_suggestions(const Json& params) const;

  const SessionLimits limits_;
  mutable std::mutex mutex_;
  std::set<std::string> open_, listed_;
  std::deque<std::string> closed_;  // the latest last
  std::size_t opening_ = 0;         // new ones, without an id
  bool agent_lists_ = true;         // unless it has said otherwise
};

}  // namespace acp::gateway
