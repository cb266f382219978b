// What a client from elsewhere may ask an agent of this machine for: sessions in the allowed
// directories, and only its own.
#pragma once

#include <cstddef>
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

// From any thread. What is thrown is the answer to the client.
class ClientSessions {
 public:
  explicit ClientSessions(SessionLimits limits) : limits_(limits) {}

  // A request that opens a session, from its check to its answer.
  class Opening {
   public:
    // `named`: the session has this id already. It counts as the client's from now on, so that what
    // follows in one go passes.
    Opening(ClientSessions& sessions, const Json& params, bool named);
    Opening(const Opening&) = delete;
    Opening& operator=(const Opening&) = delete;
    // Without done(), there is no session.
    ~Opening();
    void done(JsonView result);

   private:
    ClientSessions& sessions_;
    std::string id_;
    bool added_ = false, done_ = false;
  };

  // Any other request: if it is about a session, that must be one of the client's.
  void require_own(const Json& params) const;
  // A session may be deleted without being opened, if the client has seen it in a list.
  void require_listed(const Json& params) const;
  void closed(const Json& params);

  // The answer to session/list, without those that the client could not open.
  Json listed(const Json& result);

 private:
  void check(const Json& params) const;

  const SessionLimits limits_;
  mutable std::mutex mutex_;
  std::set<std::string> open_, listed_;
  std::size_t opening_ = 0;  // new ones, without an id
};

}  // namespace acp::gateway
