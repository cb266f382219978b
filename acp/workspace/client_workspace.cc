#include "acp/workspace/client_workspace.h"

#include <algorithm>
#include <utility>

#include "acp/io/printable.h"
#include "acp/schema/v1.h"
#include "acp/workspace/files/files.h"
#include "acp/workspace/files/guarded.h"
#include "acp/workspace/files/held_directory_linux.h"
#include "acp/workspace/touched.h"

namespace acp::workspace {

namespace {

template <class F>
auto answering(F action) {
  try {
    return action();
  } catch (const FileError& error) {
    throw to_error(error);
  }
}

// Both ways in which the protocol tells an end.
template <class Status>
Status as(const io::ExitStatus& exit) {
  Status status;
  constexpr std::string_view killed = "killed by ";
  const std::string described = exit.describe();
  if (exit.kind == io::ExitStatus::Kind::exited)
    status.exitCode = static_cast<std::uint32_t>(exit.value);
  else
    status.signal = described.starts_with(killed) ? described.substr(killed.size()) : described;
  return status;
}

Error unknown(const std::string& id) {
  return not_found("terminal " + id, Json::object({{"terminalId", id}}));
}

// Terminals of another session are not there for this one.
template <class Request, class F>
auto on_terminal(Terminals& terminals, const Request& request, F action) {
  try {
    if (terminals.owner(request.terminalId) != request.sessionId) throw unknown(request.terminalId);
    return action();
  } catch (const UnknownTerminal&) {
    throw unknown(request.terminalId);
  }
}

Question question_about(const ClientContext& context, const char* kind) {
  Question question;
  question.project = context.cwd();
  question.more_directories = context.additional_directories();
  question.kind = kind;
  return question;
}

void judge_file(const ClientWorkspace::Judge& judge, const ClientContext& context, const char* kind,
                const Boundary& boundary, const std::string& path,
                std::shared_ptr<const TextChange> change = {}) {
  if (!judge) return;
  Question question = question_about(context, kind);
  question.change = std::move(change);
  question.paths = {touched(boundary, path)};
  if (question.kind == "edit")
    question.always_ask =
        answering([&] { return guarded_reason(boundary, path, Change::write); }).value_or("");
  judge(context, std::move(question));
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
  judge(context, std::move(question));
}

// What a shell takes for the name of a variable. Any other could look like a part of the command
// when somebody is asked about it.
void require_variable_name(const std::string& name) {
  const auto letter = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
  };
  const bool good = !name.empty() && letter(name.front()) &&
                    std::all_of(name.begin(), name.end(),
                                [&](char c) { return letter(c) || (c >= '0' && c <= '9'); });
  if (!good)
    throw invalid_params("params.env", "names of letters, digits and underscores",
                         "\"" + io::one_line(name) + "\"");
}

v1::CreateTerminalResponse create(Terminals& terminals, const Files& files,
                                  const ClientWorkspace::Judge& judge, const ClientContext& context,
                                  const v1::CreateTerminalRequest& request,
                                  const std::vector<io::EnvironmentEdit>& environment) {
  CommandLine line;
  line.environment = environment;
  line.command = request.command;
  line.args = request.args;
  line.cwd = request.cwd.value_or(context.cwd());
  for (const v1::EnvVariable& variable : request.env) {
    require_variable_name(variable.name);
    line.environment.push_back({variable.name, variable.value});
  }
  const auto kind = answering([&] { return files.kind(line.cwd); });
  if (kind != EntryKind::directory)
    throw not_found("directory " + line.cwd, Json::object({{"path", line.cwd}}));
  // What was judged is where it runs, though a link may take its place meanwhile.
  const io::Descriptor held = answering([&] { return files.boundary().open_directory(line.cwd); });
  judge_command(judge, context, files.boundary(), line, request.env);
  line.cwd = path_of_held(held, line.cwd);
  std::optional<std::size_t> limit;
  if (request.outputByteLimit.has_value())
    limit = static_cast<std::size_t>(*request.outputByteLimit);
  v1::CreateTerminalResponse response;
  try {
    response.terminalId = terminals.create(line, request.sessionId, limit);
  } catch (const CommandFailed& failed) {
    throw Error(rpc::internal_error, failed.what());
  }
  return response;
}

// Nothing if the file is not there, or no text.
std::optional<std::string> text_if_any(const Files& files, const std::string& path) {
  try {
    return files.read_text(path);
  } catch (const FileError&) {
    return std::nullopt;
  }
}

v1::TerminalOutputResponse output(Terminals& terminals, const std::string& id) {
  const Terminals::Output given = terminals.output(id);
  v1::TerminalOutputResponse response;
  response.output = given.text;
  response.truncated = given.truncated;
  if (given.exit) response.exitStatus = as<v1::TerminalExitStatus>(*given.exit);
  return response;
}

}  // namespace

Error to_error(const FileError& error) {
  using Kind = FileError::Kind;
  const Json data = Json::object({{"path", error.path()}});
  switch (error.kind()) {
    case Kind::not_found:
      return not_found(error.path(), data);
    case Kind::outside:
      return permission_denied(error.what(), error.path());
    case Kind::denied:
      return permission_denied(error.what(), error.path());
    case Kind::not_a_file:
    case Kind::not_text:
    case Kind::too_large:
    case Kind::exists:
      return Error(rpc::invalid_params, error.what(), data);
    case Kind::failed:
      break;
  }
  return Error(rpc::internal_error, error.what(), data);
}

v1::TerminalExitStatus to_exit_status(const io::ExitStatus& exit) {
  return as<v1::TerminalExitStatus>(exit);
}

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
        v1::ReadTextFileResponse response;
        const auto number = [](const auto& value) -> std::optional<std::uint64_t> {
          return value.has_value() ? std::optional<std::uint64_t>(*value) : std::nullopt;
        };
        const Files files(boundaries->of(context));
        judge_file(judge, context, "read", files.boundary(), request.path);
        response.content = answering([&] {
          return files.read_text(request.path, number(request.line), number(request.limit),
                                 context.stop_token());
        });
        return response;
      }));
  client.on_write_text_file(blocking([boundaries, judge, on_written = std::move(on_written)](
                                         ClientContext context, v1::WriteTextFileRequest request) {
    const Files files(boundaries->of(context));
    auto change = std::make_shared<TextChange>();
    change->before = text_if_any(files, request.path);
    change->after = std::move(request.content);
    judge_file(judge, context, "edit", files.boundary(), request.path, change);
    answering([&] { files.write(request.path, change->after, context.stop_token()); });
    if (on_written) on_written(request.path, std::move(change->before), change->after);
    return v1::WriteTextFileResponse();
  }));
  TerminalHandlers handlers;
  const std::shared_ptr<Terminals> terminals = terminals_;
  handlers.create = blocking([terminals, boundaries, judge = std::move(judge),
                              environment = environment_](ClientContext context,
                                                          v1::CreateTerminalRequest request) {
    return create(*terminals, Files(boundaries->of(context)), judge, context, request, environment);
  });
  handlers.output = blocking([terminals](ClientContext, v1::TerminalOutputRequest request) {
    return on_terminal(*terminals, request, [&] { return output(*terminals, request.terminalId); });
  });
  // A coroutine: any number may wait, and none takes a thread.
  handlers.wait_for_exit =
      [terminals](ClientContext,
                  v1::WaitForTerminalExitRequest request) -> Task<v1::WaitForTerminalExitResponse> {
    Task<io::ExitStatus> waiting =
        on_terminal(*terminals, request, [&] { return terminals->wait(request.terminalId); });
    const io::ExitStatus exit = co_await std::move(waiting);
    co_return as<v1::WaitForTerminalExitResponse>(exit);
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
