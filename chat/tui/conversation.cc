#include "chat/tui/conversation.h"

#include <filesystem>
#include <utility>

#include "acp/io/printable.h"
#include "acp/rpc/error.h"
#include "chat/mcp_servers.h"
#include "chat/prompt_content.h"
#include "chat/remote_agent.h"
#include "chat/stopping.h"

namespace acp::chat {

namespace {

template <class Request>
Request request_for(const AgentHandle& agent, const ChatOptions& options) {
  Request request;
  request.cwd = session_directory(options.agent, agent, options.cwd);
  request.mcpServers = taken(options.servers, agent);
  return request;
}
template <class Request>
Request request_for(const AgentHandle& agent, const ChatOptions& options, const std::string& id) {
  Request request = request_for<Request>(agent, options);
  request.sessionId = id;
  return request;
}

Session reopened(const AgentHandle& agent, const std::string& id, const ChatOptions& options,
                 const std::string& how, std::stop_token stop) {
  if (how == "resume") {
    const auto request = request_for<v1::ResumeSessionRequest>(agent, options, id);
    return agent.resume_session(request).wait(stop);
  }
  if (how == "fork") {
    const auto request = request_for<v1::ForkSessionRequest>(agent, options, id);
    return agent.fork_session(request).wait(stop);
  }
  const auto request = request_for<v1::LoadSessionRequest>(agent, options, id);
  return agent.load_session(request).wait(stop);
}

// To see what was said, a load; else at least to go on.
std::string way_back(const v1::AgentCapabilities& can) {
  if (can.loadSession) return "load";
  if (can.sessionCapabilities.resume.has_value()) return "resume";
  throw std::runtime_error(
      "the agent can go on with no session: it offers neither session/load nor session/resume");
}

// Its end may come a moment after that of its output.
void wait_for_exit(const AgentHandle& agent) {
  for (int i = 0; i < 50 && !agent.connected() && agent.process_id() != 0; ++i) {
    if (agent.exit_status()) return;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
}

// Keeps only the choices that differ from the session's current ones.
RunChoices differing(const Session& session, RunChoices choices) {
  const RunChoices now = current_choices(session.state());
  if (now.mode == choices.mode || now.mode.empty()) choices.mode.clear();
  if (now.model == choices.model || now.model.empty()) choices.model.clear();
  return choices;
}

// Why a choice could not be made; empty if all were.
std::string not_chosen(const Session& session, const RunChoices& choices) {
  try {
    make_choices(session, choices, {});
  } catch (const std::exception& failed) {
    return failed.what();
  }
  return {};
}

Conversation::Connect spawned(const ChatOptions& options) {
  return [options](Client& client) {
    io::ProcessOptions process = options.agent.process();
    process.cwd = options.cwd;
    return client.spawn(process);
  };
}

}  // namespace

Conversation::Conversation(const ChatOptions& options, std::shared_ptr<Mailbox> mailbox,
                           std::shared_ptr<ChatHost> host, Events& events, Connect connect)
    : options_(options),
      mailbox_(std::move(mailbox)),
      host_(std::move(host)),
      events_(events),
      connect_(connect ? std::move(connect) : spawned(options)),
      last_(options.agent.name, named_directory(options.agent, options.cwd)),
      wanted_(options.session) {}

Conversation::~Conversation() {
  mailbox_->close();
  starting_.request_stop();
  host_->close();
  close_agent();
  work_.clear();  // waits for them
}

void Conversation::close_agent() {
  const std::optional<AgentHandle> old = std::exchange(agent_, {});
  session_.reset();
  if (old) old->close();
}

void Conversation::restart() {
  if (session_ && said_ && can_go_on()) before_ = wanted_ = session_->id();
  if (session_) {
    events_.closing();
    host_->workspace().session_closed(session_->id());
  }
  close_agent();
  start();
}

void Conversation::beside(std::function<void()> work) {
  beside_until([work = std::move(work)](const std::stop_token&) { work(); });
}

void Conversation::beside_until(std::function<void(std::stop_token)> work) {
  const std::size_t id = next_work_++;
  work_.emplace(
      id,
      std::jthread([this, id, work = std::move(work), mailbox = mailbox_](std::stop_token stop) {
        try {
          work(stop);
        } catch (const std::exception& failed) {
          mailbox->post([this, what = std::string(failed.what())] { events_.say_error(what); });
        }
        mailbox->post([this, id] { work_.erase(id); });
      }));
}

void Conversation::begin_phase(const char* name) {
  phase_ = name;
  phase_began_ = Clock::now();
  events_.changed();
}

void Conversation::start() {
  gone_ = false;
  begin_phase("starting");
  starting_ = std::stop_source();
  beside([this, stop = starting_.get_token(), mailbox = mailbox_, host = host_, options = options_,
          connect = connect_, wanted = wanted_]() mutable {
    const auto phase = [&](const char* name) {
      mailbox->post([this, name] { begin_phase(name); });
    };
    std::string error;
    bool login_wanted = false;
    int code = 3;  // to leave with
    std::optional<AgentHandle> agent;
    std::optional<Session> session;
    std::string how = "new";
    try {
      Client client("acp chat", options.version);
      host->install(client);
      client.framing(options.framing).versions(options.versions);
      phase("shaking hands");
      agent = connect(client).wait(stop);
      mailbox->post([this, agent] { agent_ = agent; });
      if (options.choose_session && wanted.empty()) {
        mailbox->post([this] {
          phase_.clear();
          events_.choose_session();
        });
        return;
      }
      phase("opening a session");
      if (wanted == "last") {
        const std::string directory = named_directory(options.agent, options.cwd);
        const auto id = LastSession(options.agent.name, directory).load();
        if (!id)
          throw std::runtime_error("there is no last session of " + options.agent.name + " in " +
                                   directory);
        wanted = *id;
      }
      if (wanted.empty()) {
        const auto request = request_for<v1::NewSessionRequest>(*agent, options);
        session = agent->new_session(request).wait(stop);
      } else {
        how = way_back(agent->capabilities());
        session = reopened(*agent, wanted, options, how, stop);
      }
      make_choices(*session, options.choices, stop);
    } catch (const Cancelled&) {
      return;
    } catch (const StartFailed& failed) {
      error = failed.what();
      const std::string advice = options.agent.advice(options.typed);
      if (failed.diagnosis().phase == StartFailed::Phase::resolve && !advice.empty())
        error += "\n" + advice;
      if (const std::string why = why_not_reached(options.agent, failed.diagnosis()); !why.empty())
        error = why;
    } catch (const NoSuchChoice& failed) {
      error = failed.what();
      code = 2;
    } catch (const CallFailed& failed) {
      error = failed.what();
      login_wanted = failed.code() == rpc::auth_required;
      if (const std::string advice = directory_advice(options.agent);
          !login_wanted && !advice.empty())
        error += "\n" + advice;
    } catch (const std::exception& failed) {
      error = failed.what();
    }
    mailbox->post([this, agent, session, error, login_wanted, code, how, wanted] {
      phase_.clear();
      if (error.empty()) {
        opened(*session, how == "load" && session->id() == before_ ? "again" : how);
      } else if (agent && !session && !wanted.empty() && !login_wanted) {
        // Never a fresh session in silence.
        events_.not_resumed(wanted, error);
      } else {
        events_.not_started(error, login_wanted, code);
      }
    });
  });
}

void Conversation::opened(Session session, const std::string& how) {
  const bool first = !session_;
  if (session_) {
    events_.closing();
    host_->workspace().session_closed(session_->id());
    session_.reset();
    for (const std::string& name : std::exchange(attached_names_, {}))
      events_.say("Not attached any more: " + name);
    attached_.clear();
  }
  try {
    last_.store(session.id());
  } catch (const std::runtime_error& error) {
    events_.say_error(std::string("--session last will not find this session: ") + error.what());
  }
  events_.opening(session, how, first);
  session_ = std::move(session);
  said_ = how != "new";
  events_.opened();
  next_from_queue();
}

// A new session goes on as the one before was set; the first one as was asked for.
RunChoices Conversation::choices_for_another() const {
  if (!session_) return options_.choices;
  RunChoices choices = current_choices(session_->state());
  choices.any_model = options_.choices.any_model;
  return choices;
}

void Conversation::open(const std::string& id, std::function<Opened(const AgentHandle&)> ask) {
  const bool first = !session_;
  if (first) begin_phase("opening a session");
  beside([this, agent = *agent_, mailbox = mailbox_, ask = std::move(ask), id, first] {
    std::optional<Opened> opened_now;
    std::string error;
    bool login_wanted = false;
    try {
      opened_now = ask(agent);
    } catch (const std::exception& failed) {
      error = failed.what();
      if (const auto* refused = dynamic_cast<const CallFailed*>(&failed))
        login_wanted = refused->code() == rpc::auth_required;
    }
    mailbox->post([this, opened_now, error, login_wanted, id, first] {
      if (first) phase_.clear();
      if (opened_now) {
        opened(opened_now->session, opened_now->how);
        if (!opened_now->problem.empty()) events_.say_error(opened_now->problem);
      } else if (!first || session_) {
        events_.say_error(error);
      } else if (!id.empty() && !login_wanted) {
        events_.not_resumed(id, error);
      } else {
        events_.not_started(error, login_wanted, 3);
      }
    });
  });
}

void Conversation::new_session() {
  open("", [options = options_, choices = choices_for_another(),
            first = !session_](const AgentHandle& agent) {
    const auto request = request_for<v1::NewSessionRequest>(agent, options);
    const Session session = agent.new_session(request).wait();
    return Opened{session, "new",
                  not_chosen(session, first ? choices : differing(session, choices))};
  });
}

void Conversation::open_session(const std::string& id, const std::string& how) {
  open(id, [options = options_, choices = session_ ? RunChoices() : options_.choices, id,
            how](const AgentHandle& agent) {
    const std::string way = how.empty() ? way_back(agent.capabilities()) : how;
    const Session session = reopened(agent, id, options, way, {});
    return Opened{session, way, not_chosen(session, choices)};
  });
}

bool Conversation::can_go_on() const {
  const v1::AgentCapabilities& can = agent_->capabilities();
  return can.loadSession || can.sessionCapabilities.resume.has_value();
}

std::string Conversation::how_to_go_on() const {
  if (!said_ || !agent_ || !session_ || !can_go_on()) return {};
  // Not the last one: another chat may have been in this directory meanwhile.
  const std::string& id = session_->id();
  std::string command = "acp chat --session" + std::string(id.starts_with('-') ? "=" : " ");
  command += io::command_line({id});
  if (options_.agent.elsewhere) {
    // As it was typed: there is more to say than a name.
    if (options_.agent.kind == KnownAgent::Kind::own) command += " --agent " + options_.agent.name;
    for (const std::string& word : options_.agent.chosen) command += " " + io::command_line({word});
    return command;
  }
  std::error_code gone;
  if (std::filesystem::current_path(gone) != options_.cwd)
    command += " --cwd " + io::command_line({options_.cwd});
  const KnownAgent& agent = options_.agent;
  if (agent.kind == KnownAgent::Kind::command)
    command += " -- " + agent.name;
  else if (agent.name != built_in_agent)
    command += " --agent " + agent.name;
  return command;
}

void Conversation::submit(const std::string& text) {
  if (working() || !session_) {
    queue_.push_back(text);
    events_.changed();
    return;
  }
  PromptContent content =
      prompt_content(text, options_.cwd, agent_->capabilities().promptCapabilities);
  for (const std::string& note : content.notes) events_.say(note);
  for (v1::ContentBlock& block : attached_) content.blocks.push_back(std::move(block));
  attached_.clear();
  attached_names_.clear();
  send(std::move(content.blocks));
}

void Conversation::attach(v1::ContentBlock block, std::string name) {
  attached_.push_back(std::move(block));
  attached_names_.push_back(std::move(name));
}

void Conversation::detach_last() {
  attached_.pop_back();
  attached_names_.pop_back();
}

void Conversation::send(std::vector<v1::ContentBlock> blocks) {
  events_.turn_begins();
  std::shared_ptr<Prompt> prompt;
  try {
    host_->turn_begins();
    prompt = std::make_shared<Prompt>(session_->prompt(std::move(blocks)));
  } catch (const std::exception& refused) {
    return events_.say_error(refused.what());
  }
  turn_running_ = true;
  cancelled_ = false;
  said_ = true;
  beside([this, prompt, mailbox = mailbox_, agent = *agent_] {
    std::string error;
    bool login_wanted = false;
    try {
      prompt->finish().wait();
    } catch (const std::exception& failed) {
      error = failed.what();
      if (const auto* refused = dynamic_cast<const CallFailed*>(&failed))
        login_wanted = refused->code() == rpc::auth_required;
      if (error.empty()) error = "the turn failed";
      wait_for_exit(agent);
    }
    mailbox->post([this, error, login_wanted] { turn_ended(error, login_wanted); });
  });
}

void Conversation::cancel_turn() {
  if (std::exchange(cancelled_, true)) return;
  session_->cancel();
  host_->turn_cancelled();
}

std::vector<std::string> Conversation::cancel() {
  if (!working()) return {};
  cancel_turn();
  std::vector<std::string> unsent(queue_.begin(), queue_.end());
  queue_.clear();
  return unsent;
}

std::string Conversation::take_last_queued() {
  std::string text = std::move(queue_.back());
  queue_.pop_back();
  return text;
}

void Conversation::turn_ended(const std::string& error, bool login_wanted) {
  events_.turn_ends(error, login_wanted);
  turn_running_ = false;
  cancelled_ = false;
  if (agent_ && !agent_->connected()) return report_gone();
  if (queue_.empty()) events_.idle();
  next_from_queue();
}

// A running turn tells the end of the agent by itself.
void Conversation::disconnected() {
  if (!session_ || working()) return;
  beside([this, agent = *agent_, mailbox = mailbox_] {
    wait_for_exit(agent);
    mailbox->post([this] {
      // Another one may run by now.
      if (agent_ && !agent_->connected()) report_gone();
    });
  });
}

// The end of a turn and that of the connection come in any order.
void Conversation::report_gone() {
  if (!std::exchange(gone_, true)) events_.agent_gone();
}

void Conversation::next_from_queue() {
  while (!queue_.empty() && session_ && !working()) {
    const std::string text = queue_.front();
    queue_.pop_front();
    submit(text);
  }
}

}  // namespace acp::chat
