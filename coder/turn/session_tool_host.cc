#include "coder/turn/session_tool_host.h"

#include <chrono>
#include <limits>

#include "acp/json/codec.h"
#include "acp/terminal.h"
#include "acp/workspace/command.h"
#include "acp/workspace/output_buffer.h"
#include "coder/session/modes.h"

namespace acp::coder {

namespace {

using workspace::FileError;

constexpr std::size_t most_output = 1024 * 1024;

// Throws FileError unless the path leads to somewhere inside, whether something is there or not,
// also for a program that knows only its name: what the client does with the path is its own
// affair, what we ask for is ours.
void check_inside(const workspace::Files& files, const std::string& path) {
  files.boundary().require_same_by_name(path);
}

// What the client answered, as a failure with the file.
[[noreturn]] void fail(const CallFailed& error, const std::string& path) {
  if (error.code() == rpc::not_found)
    throw FileError(FileError::Kind::not_found, path, "no such file or directory");
  throw FileError(FileError::Kind::failed, path, std::string("the client says: ") + error.what());
}

}  // namespace

std::string SessionToolHost::read_text(const std::string& given, std::optional<std::uint32_t> line,
                                       std::optional<std::uint32_t> limit) {
  const std::string path = files().boundary().absolute(given);
  // Also where a tool reads before it asks, and where a prompt links to a file.
  if (const auto why = session_.gate.why_unreadable(path))
    throw FileError(FileError::Kind::denied, path, *why);
  const auto from_disk = [&] { return files().read_text(path, line, limit, work_.stop_token()); };
  if (!reads_at_client()) return from_disk();
  check_inside(files(), path);
  try {
    return work_
        .read_file(path, line.value_or(0),
                   limit.value_or(std::numeric_limits<std::uint32_t>::max()))
        .wait();
  } catch (const Cancelled&) {
    throw;
  } catch (const EmptyAnswer&) {
    do_without_files();
    return from_disk();
  } catch (const CallFailed& error) {
    // Clients tell in many ways that a file is not there; the disk tells in one.
    if (!files().kind(path)) throw FileError(FileError::Kind::not_found, path, "no such file");
    fail(error, path);
  }
}

void SessionToolHost::write_text(const std::string& given, const std::string& content) {
  const std::string path = files().boundary().absolute(given);
  if (work_.cancelled()) throw Cancelled();
  keep_keys_of(path, content);
  if (writes_at_client()) {
    // Makes the directories that are missing: not every client does.
    files().boundary().place(path, true);
    check_inside(files(), path);
    try {
      if (write_at_client(path, content)) return;
    } catch (const Cancelled&) {
      throw;
    } catch (const CallFailed& error) {
      fail(error, path);
    }
    do_without_files();
  }
  files().write(path, content, work_.stop_token());
}

bool SessionToolHost::write_at_client(const std::string& path, const std::string& content) {
  v1::WriteTextFileRequest request;
  request.sessionId = context_.session_id();
  request.path = path;
  request.content = content;
  const Json params = Json::from_valid(json::encode(request));
  const Json answer = work_.peer().request("fs/write_text_file", params).wait();
  // Some clients write, and answer null: the disk shows it, or the client's own buffer.
  if (!answer.is_null()) return true;
  try {
    if (files().read_text(path) == content) return true;
  } catch (const FileError&) {  // it is not there
  }
  if (!reads_at_client()) return false;
  try {
    work_.read_file(path).wait();
    return true;
  } catch (const Cancelled&) {
    throw;
  } catch (const CallFailed&) {
    return false;
  }
}

void SessionToolHost::do_without_files() {
  if (!session_.null_files.exchange(true))
    report_.note(v1::NoticeSeverity::warning, "Files are read and written on the disk",
                 "The client advertises its own files and answers null. Unsaved changes in its "
                 "editor are not seen.");
}

void SessionToolHost::do_without_terminals() {
  if (!session_.null_terminals.exchange(true))
    report_.note(v1::NoticeSeverity::warning, "Commands run here, not in the client's terminals",
                 "The client advertises terminals and answers null.");
}

void SessionToolHost::keep_keys_of(const std::string& path, const std::string& content) const {
  if (secrets_.empty()) return;
  std::string before;
  try {
    before = files().read_text(path);
  } catch (const FileError&) {
    return;  // there is nothing to lose
  }
  if (const std::string shown = secrets_.lost(before, content); !shown.empty())
    throw FileError(FileError::Kind::denied, path,
                    "the file holds a key that you were shown as " + shown +
                        ", and this would overwrite it; leave that line out of your edit");
}

CommandOutcome SessionToolHost::run(const CommandWanted& wanted, const CommandProgress& progress) {
  check_inside(files(), wanted.cwd);
  if (context_.client_capabilities().terminal && !session_.null_terminals) {
    try {
      return run_at_client(wanted, progress);
    } catch (const EmptyAnswer&) {
      do_without_terminals();
    }
  }
  return run_here(wanted, progress);
}

namespace {

// "killed by SIGKILL"
std::string signal_name(const std::string& described) {
  constexpr std::string_view killed = "killed by ";
  return described.starts_with(killed) ? described.substr(killed.size()) : described;
}

}  // namespace

CommandOutcome SessionToolHost::run_here(const CommandWanted& wanted,
                                         const CommandProgress& progress) {
  workspace::CommandLine line;
  line.command = wanted.command;
  line.cwd = wanted.cwd;
  line.environment = secrets_.removals();
  workspace::CommandLimits limits;
  limits.time = std::chrono::seconds(wanted.seconds);
  limits.output_bytes = most_output;
  // A key may come in two pieces, and the beginning of the output may be cut off inside of one.
  settings::SecretStream stream(secrets_);
  workspace::OutputBuffer kept(most_output);
  const auto show = [&](const std::string& text) {
    if (text.empty()) return;
    kept.append(text);
    if (progress.on_output) progress.on_output(text);
  };
  const std::function<void(std::string_view)> on_output =
      secrets_.empty() ? progress.on_output
                       : [&](std::string_view text) { show(stream.add(text)); };
  const workspace::CommandOutcome result =
      workspace::run_command(line, limits, on_output, work_.stop_token());
  if (result.stopped) throw Cancelled();
  CommandOutcome outcome;
  if (secrets_.empty()) {
    outcome.output = result.output;
    outcome.truncated = result.truncated;
  } else {
    show(stream.finish());
    kept.finish();
    outcome.output = kept.text();
    outcome.truncated = kept.truncated();
  }
  outcome.timed_out = result.timed_out;
  if (result.exit.kind == io::ExitStatus::Kind::exited)
    outcome.exit_code = static_cast<std::uint32_t>(result.exit.value);
  else if (result.exit.kind == io::ExitStatus::Kind::lost)
    outcome.lost = true;
  else
    outcome.signal = signal_name(result.exit.describe());
  return outcome;
}

CommandOutcome SessionToolHost::run_at_client(const CommandWanted& wanted,
                                              const CommandProgress& progress) {
  CommandOptions options;
  options.cwd = wanted.cwd;
  options.output_byte_limit = most_output;
  // A variable cannot be removed there; an empty one is no key.
  for (const std::string& name : secrets_.variables()) options.env.emplace_back(name, "");
  bool created = false;
  try {
    const acp::Terminal terminal = work_.create_terminal(wanted.command, options).wait();
    created = true;
    progress.on_terminal(terminal.id());
    const acp::CommandResult result = terminal.finish(std::chrono::seconds(wanted.seconds)).wait();
    CommandOutcome outcome;
    outcome.output = secrets_.masked(result.output);
    outcome.truncated = result.truncated;
    outcome.timed_out = result.timed_out;
    outcome.exit_code = result.exit_code;
    outcome.signal = result.signal.value_or("");
    // As a client of ours says it.
    outcome.lost = outcome.signal == io::ExitStatus{}.describe();
    return outcome;
  } catch (const CallFailed& error) {
    // Only before there is a terminal is it certain that the command has not run.
    if (!created && dynamic_cast<const EmptyAnswer*>(&error) != nullptr) throw;
    throw workspace::CommandFailed(std::string("the client's terminal: ") + error.what());
  }
}

void SessionToolHost::show_plan(const std::vector<v1::PlanEntry>& entries) {
  report_.plan(entries);
}

std::vector<std::string> SessionToolHost::modes() const {
  std::vector<std::string> names;
  for (const v1::SessionMode& mode : session_modes()) names.push_back(mode.id);
  return names;
}

void SessionToolHost::switch_mode(const std::string& mode) {
  report_.flush();
  session_.set_mode(mode);
  context_.set_mode(mode).wait();
  context_.set_config_options(session_.config_options()).wait();
}

}  // namespace acp::coder
