// What a client offers its agent of this machine: the files of its sessions, and terminals.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "acp/client.h"
#include "acp/workspace/files/file_error.h"
#include "acp/workspace/files/session_boundaries.h"
#include "acp/workspace/question.h"
#include "acp/workspace/terminals.h"

namespace acp::workspace {

// A file's failure as a handler answers it: what is not there is -32002, with its path; what is
// outside is refused.
Error to_error(const FileError& error);

// An end as the protocol tells it.
v1::TerminalExitStatus to_exit_status(const io::ExitStatus& exit);

// What no agent may touch, and what its commands find in their environment.
struct OfferOptions {
  std::vector<std::string> forbidden = {};  // paths that the agent reaches in no session
  // Commands run in our environment with these edits; what the agent sets comes after them.
  std::vector<io::EnvironmentEdit> environment = {};
};

// For one agent: when it goes, so does everything that runs for it.
class ClientWorkspace {
 public:
  // Looks at a call before it is carried out, and throws an Error to refuse it. Its kind is read,
  // edit or execute; the agent's name is left to the caller. May block.
  using Judge = std::function<void(const ClientContext& context, Question call)>;
  // A file was written: what was there before, if it was text, and what is there now.
  using OnWritten = std::function<void(const std::string& path, std::optional<std::string> before,
                                       const std::string& after)>;

  explicit ClientWorkspace(Terminals::OnOutput on_output = {}, Terminals::OnEnd on_end = {},
                           OfferOptions options = {});

  // Installs the handlers for files and terminals. They live as long as they are needed. Without a
  // judge, all that stays inside the session's directories is carried out.
  void install(Client& client, Judge judge = {}, OnWritten on_written = {}) const;

  // Those that run.
  Terminals& terminals() const { return *terminals_; }
  // The directories of the request's session. Throws Error if there is no such session.
  Boundary boundary(const ClientContext& context) const { return boundaries_->of(context); }
  // Ends what still runs for the session.
  void session_closed(const std::string& session_id) const;

 private:
  std::shared_ptr<Terminals> terminals_;
  std::shared_ptr<SessionBoundaries> boundaries_;
  std::vector<io::EnvironmentEdit> environment_;
};

}  // namespace acp::workspace
