#include "acp/workspace/serve_locally.h"

#include <memory>
#include <mutex>
#include <utility>

#include "acp/schema/v1.h"
#include "acp/workspace/files/session_boundaries.h"

namespace acp::workspace {

namespace {

// For one connection.
class LocalMachine final : public OwnMachine {
 public:
  LocalMachine(Watcher& watcher, OfferOptions options)
      : watcher_(watcher),
        environment_(std::move(options.environment)),
        boundaries_(Forbidden(std::move(options.forbidden))) {}

  v1::ReadTextFileResponse read_file(const Session& session, const v1::ReadTextFileRequest& request,
                                     std::stop_token stop) override {
    return carry_out(request, files(session), stop);
  }
  v1::WriteTextFileResponse write_file(const Session& session,
                                       const v1::WriteTextFileRequest& request,
                                       std::stop_token stop) override {
    return carry_out(request, files(session), stop);
  }

  TerminalSize create_terminal(const Session& session, const std::string& terminal_id,
                               const v1::CreateTerminalRequest& request) override {
    carry_out(request, files(session), terminals(), {session.cwd, environment_, terminal_id});
    return {Terminals::columns, Terminals::rows};
  }
  v1::TerminalOutputResponse output(const std::string& terminal_id) override {
    return output_of(terminals(), terminal_id);
  }
  void kill(const std::string& terminal_id) override { known(&Terminals::kill, terminal_id); }
  void release(const std::string& terminal_id) override { known(&Terminals::release, terminal_id); }
  void session_closed(const std::string& session_id) override {
    terminals().release_all(session_id);
    boundaries_.forget(session_id);
  }

 private:
  Files files(const Session& session) {
    std::vector<std::string> directories = {session.cwd};
    directories.insert(directories.end(), session.additional_directories.begin(),
                       session.additional_directories.end());
    return Files(boundaries_.of(session.id, std::move(directories)));
  }

  // They have a thread: most connections need none.
  Terminals& terminals() {
    const std::lock_guard lock(mutex_);
    if (!terminals_)
      terminals_ = std::make_unique<Terminals>(
          [this](const std::string& id, std::string_view text) { watcher_.on_output(id, text); },
          [this](const std::string& id, const std::optional<io::ExitStatus>& exit) {
            if (exit) watcher_.on_exit(id, to_exit_status(*exit));
          });
    return *terminals_;
  }

  void known(void (Terminals::*function)(const std::string&), const std::string& id) {
    try {
      (terminals().*function)(id);
    } catch (const UnknownTerminal&) {
      throw unknown_terminal(id);
    }
  }

  Watcher& watcher_;
  const std::vector<io::EnvironmentEdit> environment_;
  SessionBoundaries boundaries_;
  std::mutex mutex_;
  std::unique_ptr<Terminals> terminals_;
};

}  // namespace

void serve_locally(Agent& agent, OfferOptions options) {
  agent.own_machine([options = std::move(options)](OwnMachine::Watcher& watcher) {
    return std::make_unique<LocalMachine>(watcher, options);
  });
}

}  // namespace acp::workspace
