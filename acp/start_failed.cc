#include "acp/start_failed.h"

#include <utility>

#include "acp/io/printable.h"
#include "acp/io/process/attended_process.h"

namespace acp {

using Phase = StartFailed::Phase;

std::string_view to_string(StartFailed::Phase phase) {
  switch (phase) {
    case Phase::resolve:
      return "resolve";
    case Phase::spawn:
      return "spawn";
    case Phase::handshake:
      return "handshake";
    case Phase::authenticate:
      return "authenticate";
    case Phase::session:
      return "session";
  }
  return "";
}

namespace {

std::string describe(const StartFailed::Diagnosis& diagnosis) {
  std::string text = std::string(to_string(diagnosis.phase)) + ": " + diagnosis.reason;
  if (diagnosis.exit) text += "; " + diagnosis.exit->describe(diagnosis.subject);
  if (!diagnosis.command.empty()) text += "; the command was: " + diagnosis.command;
  if (!diagnosis.stderr_tail.empty()) text += "; its last words:\n" + diagnosis.stderr_tail;
  if (!diagnosis.hint.empty()) text += (text.ends_with('\n') ? "" : "\n") + diagnosis.hint;
  return io::printable(text);
}

StartFailed::Diagnosis diagnose(const io::StartError& error, std::string subject) {
  StartFailed::Diagnosis diagnosis;
  diagnosis.phase = error.phase == io::StartError::Phase::resolve ? Phase::resolve : Phase::spawn;
  diagnosis.reason = error.reason;
  diagnosis.command = error.command;
  diagnosis.subject = std::move(subject);
  if (diagnosis.phase == Phase::resolve)
    diagnosis.hint = "Is it installed, and in the PATH of this program?";
  return diagnosis;
}

}  // namespace

StartFailed::StartFailed(Diagnosis diagnosis)
    : Error(rpc::internal_error, describe(diagnosis)), diagnosis_(std::move(diagnosis)) {}

StartFailed::StartFailed(const io::StartError& error, std::string subject)
    : StartFailed(diagnose(error, std::move(subject))) {}

void StartFailed::Diagnosis::look_at(const io::AttendedProcess& process) {
  if (!process.attending()) return;
  process.wait_ended(std::chrono::milliseconds(500));
  exit = process.exit_status();
  stderr_tail = process.stderr_tail();
  if (exit == io::ExitStatus{io::ExitStatus::Kind::exited, 127})
    hint = "Exit code 127 usually means that a command was not found.";
}

}  // namespace acp
