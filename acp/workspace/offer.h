// What of this machine is offered, and how it is carried out: to the agent of a client
// (client_workspace.h), or by an agent in its client's place (serve_locally.h).
#pragma once

#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "acp/error.h"
#include "acp/schema/v1_names.h"
#include "acp/workspace/files/file_error.h"
#include "acp/workspace/files/files.h"
#include "acp/workspace/terminals.h"

namespace acp::workspace {

// Paths that no agent may touch, and the environment of its commands.
struct OfferOptions {
  std::vector<std::string> forbidden = {};  // paths that the agent reaches in no session
  // Commands run in our environment with these edits; what the agent sets comes after them.
  std::vector<io::EnvironmentEdit> environment = {};
};

// Converts a file's failure into a handler's error: a missing file is -32002, with its path; one
// outside is refused.
Error to_error(const FileError& error);

// Converts an exit status into the protocol's.
v1::TerminalExitStatus to_exit_status(const io::ExitStatus& exit);

// The functions that follow throw Error, which is the answer.
v1::ReadTextFileResponse carry_out(const v1::ReadTextFileRequest& request, const Files& files,
                                   const std::stop_token& stop);
v1::WriteTextFileResponse carry_out(const v1::WriteTextFileRequest& request, const Files& files,
                                    const std::stop_token& stop);

// Where a command runs, besides what the request says.
struct CommandPlace {
  std::string cwd;  // the session's
  std::vector<io::EnvironmentEdit> environment = {};
  std::string terminal_id = {};  // empty: one of the terminals' own
  // Sees the command before it is started, and throws Error to refuse it.
  std::function<void(const CommandLine& line)> look = nullptr;
};
// Starts the command.
v1::CreateTerminalResponse carry_out(const v1::CreateTerminalRequest& request, const Files& files,
                                     Terminals& terminals, const CommandPlace& place);

// What a terminal has printed; -32002 for one that is not there.
v1::TerminalOutputResponse output_of(Terminals& terminals, const std::string& id);
// The error for a terminal that is not there.
Error unknown_terminal(const std::string& id);

}  // namespace acp::workspace
