#include "chat/remote_agent.h"

#include "acp/http/url.h"
#include "chat/program.h"

namespace acp::chat {

namespace {
constexpr const char* directory_member = "libacp/cwd";
constexpr std::string_view says = "acp connect: ";
constexpr std::string_view initialize_failed = "initialize was answered with -32603 ";
}  // namespace

KnownAgent agent_elsewhere(const AgentAddress& remote) {
  KnownAgent agent{.name = {}, .kind = KnownAgent::Kind::remote};
  agent.elsewhere = true;
  agent.argv = {own_program(), "connect", "--no-files", "--no-terminals"};
  agent.argv.insert(agent.argv.end(), remote.words.begin(), remote.words.end());
  if (remote.host.empty()) {
    agent.place = agent.name = http::shown_url(remote.url);
    agent.argv.push_back(remote.url);
  } else {
    std::vector<std::string> shown = {"ssh", remote.host};
    shown.insert(shown.end(), remote.command.begin(), remote.command.end());
    agent.place = agent.name = io::command_line(shown);
    agent.argv.insert(agent.argv.end(), {"--ssh", remote.host});
  }
  agent.remote_command = remote.command;
  agent.source = "the command line";
  return agent;
}

std::string named_directory(const KnownAgent& agent, const std::string& here) {
  return agent.there.empty() ? here : agent.there;
}

std::string session_directory(const KnownAgent& agent, const AgentHandle& connected,
                              const std::string& here) {
  if (!agent.elsewhere) return here;
  const auto told = connected.info()._meta[directory_member].as_string();
  return told && told->starts_with('/') ? *told : named_directory(agent, here);
}

std::string why_not_reached(const KnownAgent& agent, const StartFailed::Diagnosis& diagnosis) {
  if (!agent.elsewhere) return {};
  if (diagnosis.reason.starts_with(initialize_failed))
    return diagnosis.reason.substr(initialize_failed.size());
  const std::string& said = diagnosis.stderr_tail;
  std::size_t at = said.rfind("\n" + std::string(says));
  if (at != std::string::npos)
    ++at;
  else if (said.starts_with(says))
    at = 0;
  else
    return {};
  at += says.size();
  return said.substr(at, said.find('\n', at) - at);
}

std::string directory_advice(const KnownAgent& agent) {
  if (!agent.elsewhere || agent.maps || !agent.there.empty()) return {};
  return "The agent works on its own machine: --cwd DIR names a directory there, and --map "
         "LOCAL=REMOTE says what a directory of this machine is called there";
}

}  // namespace acp::chat
