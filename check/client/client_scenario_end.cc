// How a scenario ends, and what is thought of the client then.
#include <algorithm>
#include <csignal>

#include "acp/json/utf8.h"

#include "check/client/client_scenario.h"

namespace acp::check {
namespace {

using Clock = std::chrono::steady_clock;
using namespace std::chrono_literals;

constexpr std::size_t longest_tail = 300;

std::string tail(std::string text) {
  while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.pop_back();
  if (text.size() <= longest_tail) return text;
  std::size_t start = text.size() - longest_tail;
  while (start < text.size() && json::utf8_continues(text[start])) ++start;
  return "…" + text.substr(start);
}

}  // namespace

bool ClientScenario::alive() {
  switch (facts_.barrier) {
    case ClientFacts::Barrier::extension:
      return call("_check/ping", "{}").has_value();
    case ClientFacts::Barrier::permission:
      return call("session/request_permission", permission("barrier")).has_value();
    case ClientFacts::Barrier::none:
      // It answers nothing: that it stays has to do, and how it ends.
      until([&] { return gone(); }, 300ms);
      return !gone();
  }
  return false;
}

std::string ClientScenario::state() const {
  if (!started_by_us()) return gone() ? "it has closed the connection" : "it is still connected";
  const auto exit = client_.exit_status();
  std::string text = exit     ? "it " + exit->describe()
                     : gone() ? "it has closed the connection"
                              : "it is running, and silent";
  const std::string errors = tail(client_.stderr_tail());
  return errors.empty() ? text : text + "; on stderr: " + errors;
}

std::string ClientScenario::Ending::text() const {
  std::string text = closed ? "it closed the connection" : "it did not close the connection";
  if (exit)
    text += ", and " + exit->describe();
  else if (!in_time)
    text += ", and did not end";
  return text;
}

ClientScenario::Ending ClientScenario::finish(bool tree) {
  Ending ending;
  if (!wire_) return ending;
  socket_.reset();  // who starts the agent once more finds none
  end_turn();
  const bool stays = options_.stays || facts_.stays;
  if (stays && started_by_us() && !gone()) {
    alive();  // it has read the end of the turn
    if (!gone()) signal(SIGTERM);
  }
  until([&] { return gone(); });
  ending.closed = gone();
  wire_->close_output();
  if (!started_by_us()) {
    ending.in_time = ending.tree_gone = ending.closed;
    return ending;
  }
  // What it closes last may be its own process.
  ending.in_time = client_.wait_exit(options_.time);
  ending.exit = client_.exit_status();
  if (tree && ending.in_time) ending.tree_gone = client_.wait_tree_ended(options_.time);
  ending.closed = ending.closed || ending.in_time;
  return ending;
}

void ClientScenario::fail(std::string_view id, const std::string& message) {
  judge_.fail(id, name_ + ": " + message);
}

bool ClientScenario::expect(std::string_view id, bool ok, const std::string& message) {
  if (ok)
    judge_.pass(id);
  else
    fail(id, message);
  return ok;
}

bool ClientScenario::survived(std::string_view id, const std::string& what) {
  if (alive()) {
    pass(id);
    return true;
  }
  fail(id, "after " + what + " the client answers nothing more: " + state());
  return false;
}

void ClientScenario::end_well(std::string_view id, const std::string& what) {
  const Ending ending = finish();
  if (!ending.in_time) {
    // A client that never ends fails elsewhere, and once.
    if (!facts_.stays) fail(id, "after " + what + " the client does not end: " + ending.text());
    return;
  }
  if (options_.stays || facts_.stays || !ending.exit || !facts_.plain_exit) return;
  const bool same =
      ending.exit->kind == io::ExitStatus::Kind::exited && ending.exit->value == *facts_.plain_exit;
  if (!same) fail(id, "after " + what + ", " + state());
}

}  // namespace acp::check
