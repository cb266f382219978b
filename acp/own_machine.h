// What an agent does on its own machine in place of its client: in version 2 of the protocol a
// client has neither files nor terminals for its agent. `acp::workspace::serve_locally(agent)`
// installs a machine that keeps to the session's directories; a program may write its own.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "acp/schema/v1_names.h"

namespace acp {

// The machine, as one connection uses it: made with the connection, and destroyed with it. Its
// functions are called on threads where they may block, several at a time. They throw Error as a
// client would answer; the caller gets it as CallFailed.
class OwnMachine {
 public:
  // The session that a call belongs to. Paths are absolute.
  struct Session {
    std::string id;
    std::string cwd;
    std::vector<std::string> additional_directories;
  };

  // Learns what commands print and how they end, and shows it to the client. From any thread, but
  // not with a lock of the machine held that its functions take: on_output() waits while the client
  // reads slower than the command prints.
  class Watcher {
   public:
    // Each piece, in their order.
    virtual void on_output(const std::string& terminal_id, std::string_view text) = 0;
    // Once for each command that has not been released, after its last output.
    virtual void on_exit(const std::string& terminal_id, const v1::TerminalExitStatus& exit) = 0;

   protected:
    ~Watcher() = default;
  };

  // In characters; 0 if it is not known.
  struct TerminalSize {
    std::uint16_t columns = 0;
    std::uint16_t rows = 0;
  };

  // Ends everything that it has started. The watcher is not called any more afterwards.
  virtual ~OwnMachine() = default;

  // Reads a text file, or some lines of it.
  virtual v1::ReadTextFileResponse read_file(const Session& session,
                                             const v1::ReadTextFileRequest& request,
                                             std::stop_token stop) = 0;
  // Writes a text file, which may be new.
  virtual v1::WriteTextFileResponse write_file(const Session& session,
                                               const v1::WriteTextFileRequest& request,
                                               std::stop_token stop) = 0;

  // Starts a command in a terminal that has this id from now on.
  virtual TerminalSize create_terminal(const Session& session, const std::string& terminal_id,
                                       const v1::CreateTerminalRequest& request) = 0;
  // The last of what it has printed, as much as the request for it allowed.
  virtual v1::TerminalOutputResponse output(const std::string& terminal_id) = 0;
  // Kills the command and all that it has started. Its output can still be read.
  virtual void kill(const std::string& terminal_id) = 0;
  // Forgets the terminal. When this returns, nothing of the command is left.
  virtual void release(const std::string& terminal_id) = 0;
  // Releases what the session has.
  virtual void session_closed(const std::string& session_id) = 0;
};

// Makes the machine of a connection. The watcher lives longer.
using MakeOwnMachine = std::function<std::unique_ptr<OwnMachine>(OwnMachine::Watcher& watcher)>;

}  // namespace acp
