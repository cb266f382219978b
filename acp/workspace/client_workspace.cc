#include "acp/workspace/client_workspace.h"

#include <utility>

#include "acp/schema/v1.h"
#include "acp/workspace/files/files.h"
#include "acp/workspace/files/guarded.h"
#include "acp/workspace/touched.h"

namespace acp::workspace {

namespace {

// Terminals of another session are not there for this one.
template <class Request, class F>
auto on_terminal(Terminals& terminals, const Request& request, F action) {
  try {
    if (terminals.owner(request.terminalId) != request.sessionId)
      throw unknown_terminal(request.terminalId);
    return action();
  } catch (const UnknownTerminal&) {
    throw unknown_terminal(request.terminalId);
  }
}

Question question_about(const ClientContext& context, const char* kind) {
  Question question;
  question.project = context.cwd();
  question.more_directories = context.additional_directories();
  question.kind = kind;
  return question;
}

// What was agreed to is what the judge saw: a link that was exchanged meanwhile leads elsewhere.
void require_same(const Boundary& boundary, const Touched& judged, const std::string& path) {
  if (touched(boundary, path).resolved != judged.resolved)
    throw permission_denied("what " + path +
                            " leads to has changed since it was asked about: nothing was done");
}

void judge_file(const ClientWorkspace::Judge& judge, const ClientContext& context, const char* kind,
                const Boundary& boundary, const std::string& path,
                std::shared_ptr<const TextChange> change = {}) {
  if (!judge) return;
  Question question = question_about(context, kind);
  question.change = std::move(change);
  question.paths = {touched(boundary, path)};
  if (question.kind == "edit") {
    try {
      question.always_ask = guarded_reason(boundary, path, Change::write).value_or("");
    } catch (const FileError& error) {
      throw to_error(error);
    }
  }
  const Touched judged = question.paths.front();
  judge(context, std::move(question));
  require_same(boundary, judged, path);
}

void judge_command(const ClientWorkspace::Judge& judge, const ClientContext& context,
                   const Boundary& boundary, const CommandLine& line,
                   const std::vector<v1::EnvVariable>& set) {
  if (!judge) return;
  Question question = question_about(context, "execute");
  // As a shell would be given it: the variables that the agent sets are a part of what runs.
  for (const v1::EnvVariable& variable : set)
    question.command += variable.name + "=" + io::command_line({variable.value}) + " ";
  std::vector<std::string> words = {line.command};
  words.insert(words.end(), line.args.begin(), line.args.end());
  question.command += line.args.empty() ? line.command : io::command_line(words);
  question.directory = touched(boundary, line.cwd);
  const Touched judged = question.directory;
  judge(context, std::move(question));
  require_same(boundary, judged, line.cwd);
}

TextChange change_of(const Files& files, const std::string& path, const std::string& after) {
  TextChange change;
  change.after = after;
  try {
    change.before = files.read_text(path);
  } catch (const FileError& error) {
    change.over_other = error.kind() != FileError::Kind::not_found;
  }
  return change;
}

}  // namespace

ClientWorkspace::ClientWorkspace(Terminals::OnOutput on_output, Terminals::OnEnd on_end,
                                 OfferOptions options)
    : terminals_(std::make_shared<Terminals>(std::move(on_output), std::move(on_end))),
      boundaries_(std::make_shared<SessionBoundaries>(Forbidden(std::move(options.forbidden)))),
      environment_(std::move(options.environment)) {}

void ClientWorkspace::session_closed(const std::string& session_id) const {
  terminals_->release_all(session_id);
  boundaries_->forget(session_id);
}

void ClientWorkspace::install(Client& client, Judge judge, OnWritten on_written) const {
  const std::shared_ptr<SessionBoundaries> boundaries = boundaries_;
  client.on_read_text_file(
      blocking([boundaries, judge](ClientContext context, v1::ReadTextFileRequest request) {
        const Files files(boundaries->of(context));
        judge_file(judge, context, "read", files.boundary(), request.path);
        return carry_out(request, files, context.stop_token());
      }));
  client.on_write_text_file(blocking([boundaries, judge, on_written = std::move(on_written)](
                                         ClientContext context, v1::WriteTextFileRequest request) {
    const Files files(boundaries->of(context));
    auto change = std::make_shared<TextChange>(change_of(files, request.path, request.content));
    judge_file(judge, context, "edit", files.boundary(), request.path, change);
    v1::WriteTextFileResponse response = carry_out(request, files, context.stop_token());
    if (on_written) on_written(request.path, std::move(change->before), change->after);
    return response;
  }));
  TerminalHandlers handlers;
  const std::shared_ptr<Terminals> terminals = terminals_;
  handlers.create =
      blocking([terminals, boundaries, judge = std::move(judge), environment = environment_](
                   ClientContext context, v1::CreateTerminalRequest request) {
        const Files files(boundaries->of(context));
        CommandPlace place{context.cwd(), environment};
        if (judge)
          place.look = [&](const CommandLine& line) {
            judge_command(judge, context, files.boundary(), line, request.env);
          };
        return carry_out(request, files, *terminals, place);
      });
  handlers.output = blocking([terminals](ClientContext, v1::TerminalOutputRequest request) {
    return on_terminal(*terminals, request,
                       [&] { return output_of(*terminals, request.terminalId); });
  });
  // A coroutine: any number may wait, and none takes a thread.
  handlers.wait_for_exit =
      [terminals](ClientContext,
                  v1::WaitForTerminalExitRequest request) -> Task<v1::WaitForTerminalExitResponse> {
    Task<io::ExitStatus> waiting =
        on_terminal(*terminals, request, [&] { return terminals->wait(request.terminalId); });
    const io::ExitStatus ended = co_await std::move(waiting);
    const v1::TerminalExitStatus exit = to_exit_status(ended);
    v1::WaitForTerminalExitResponse response;
    response.exitCode = exit.exitCode;
    response.signal = exit.signal;
    co_return response;
  };
  handlers.kill = blocking([terminals](ClientContext, v1::KillTerminalRequest request) {
    on_terminal(*terminals, request, [&] { terminals->kill(request.terminalId); });
    return v1::KillTerminalResponse();
  });
  handlers.release = blocking([terminals](ClientContext, v1::ReleaseTerminalRequest request) {
    on_terminal(*terminals, request, [&] { terminals->release(request.terminalId); });
    return v1::ReleaseTerminalResponse();
  });
  client.on_terminals(std::move(handlers));
}

}  // namespace acp::workspace
