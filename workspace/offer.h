// What a client offers its agent of this machine: the files of its sessions, and terminals.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "acp/client.h"
#include "workspace/file_error.h"
#include "workspace/terminals.h"

namespace acp::workspace {

// A file's failure as a handler answers it: what is not there is -32002, with its path; what is
// outside is refused.
Error to_error(const FileError& error);

// An end as the protocol tells it.
v1::TerminalExitStatus to_exit_status(const io::ExitStatus& exit);

// For one agent: when it goes, so does everything that runs for it.
class Offer {
 public:
  // Commands run in our environment with these edits; what the agent sets comes after them.
  explicit Offer(Terminals::OnOutput on_output = {}, Terminals::OnEnd on_end = {},
                 std::vector<io::EnvironmentEdit> environment = {});

  // Installs the handlers for files and terminals. They live as long as they are needed.
  void install(Client& client) const;

  Terminals& terminals() const { return *terminals_; }
  // Ends what still runs for the session.
  void session_closed(const std::string& session_id) const;

 private:
  std::shared_ptr<Terminals> terminals_;
  std::vector<io::EnvironmentEdit> environment_;
};

}  // namespace acp::workspace
