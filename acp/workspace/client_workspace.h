// What a client offers its agent on this machine: the files of its sessions, and terminals.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "acp/client.h"
#include "acp/workspace/files/session_boundaries.h"
#include "acp/workspace/offer.h"
#include "acp/workspace/question.h"
#include "acp/workspace/terminals.h"

namespace acp::workspace {

// The workspace of one agent: when it is destroyed, so is everything that runs for the agent.
class ClientWorkspace {
 public:
  // Looks at a call before it is carried out, and throws an Error to refuse it. Its kind is read,
  // edit or execute; the agent's name is left to the caller. May block.
  using Judge = std::function<void(const ClientContext& context, Question call)>;
  // Called when a file was written, with its text before, if it was text, and now.
  using OnWritten = std::function<void(const std::string& path, std::optional<std::string> before,
                                       const std::string& after)>;

  explicit ClientWorkspace(Terminals::OnOutput on_output = {}, Terminals::OnEnd on_end = {},
                           OfferOptions options = {});

  // Installs the handlers for files and terminals. Without a judge, every call inside the session's
  // directories is carried out.
  void install(Client& client, Judge judge = {}, OnWritten on_written = {}) const;

  // The terminals of the agent.
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
