#include "acp/workspace/offer.h"

#include <algorithm>
#include <utility>

#include "acp/io/printable.h"
#include "acp/schema/v1.h"
#include "acp/workspace/files/held_directory_linux.h"

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
  v1::TerminalExitStatus status;
  constexpr std::string_view killed = "killed by ";
  const std::string described = exit.describe();
  if (exit.kind == io::ExitStatus::Kind::exited)
    status.exitCode = static_cast<std::uint32_t>(exit.value);
  else
    status.signal = described.starts_with(killed) ? described.substr(killed.size()) : described;
  return status;
}

v1::ReadTextFileResponse carry_out(const v1::ReadTextFileRequest& request, const Files& files,
                                   const std::stop_token& stop) {
  const auto number = [](const auto& value) -> std::optional<std::uint64_t> {
    return value.has_value() ? std::optional<std::uint64_t>(*value) : std::nullopt;
  };
  v1::ReadTextFileResponse response;
  response.content = answering([&] {
    return files.read_text(request.path, number(request.line), number(request.limit), stop);
  });
  return response;
}

v1::WriteTextFileResponse carry_out(const v1::WriteTextFileRequest& request, const Files& files,
                                    const std::stop_token& stop) {
  answering([&] { files.write(request.path, request.content, stop); });
  return {};
}

v1::CreateTerminalResponse carry_out(const v1::CreateTerminalRequest& request, const Files& files,
                                     Terminals& terminals, const CommandPlace& place) {
  CommandLine line;
  line.environment = place.environment;
  line.command = request.command;
  line.args = request.args;
  line.cwd = request.cwd.value_or(place.cwd);
  for (const v1::EnvVariable& variable : request.env) {
    require_variable_name(variable.name);
    line.environment.push_back({variable.name, variable.value});
  }
  const auto kind = answering([&] { return files.kind(line.cwd); });
  if (kind != EntryKind::directory)
    throw not_found("directory " + line.cwd, Json::object({{"path", line.cwd}}));
  // What was looked at is where it runs, though a link may take its place meanwhile.
  const io::Descriptor held = answering([&] { return files.boundary().open_directory(line.cwd); });
  if (place.look) place.look(line);
  line.cwd = path_of_held(held, line.cwd);
  std::optional<std::size_t> limit;
  if (request.outputByteLimit.has_value())
    limit = static_cast<std::size_t>(*request.outputByteLimit);
  v1::CreateTerminalResponse response;
  try {
    response.terminalId = terminals.create(line, request.sessionId, limit, place.terminal_id);
  } catch (const CommandFailed& failed) {
    throw Error(rpc::internal_error, failed.what());
  }
  return response;
}

v1::TerminalOutputResponse output_of(Terminals& terminals, const std::string& id) {
  v1::TerminalOutputResponse response;
  try {
    Terminals::Output given = terminals.output(id);
    response.output = std::move(given.text);
    response.truncated = given.truncated;
    if (given.exit) response.exitStatus = to_exit_status(*given.exit);
  } catch (const UnknownTerminal&) {
    throw unknown_terminal(id);
  }
  return response;
}

Error unknown_terminal(const std::string& id) {
  return not_found("terminal " + id, Json::object({{"terminalId", id}}));
}

}  // namespace acp::workspace
