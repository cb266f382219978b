#include <utility>

#include "acp/rpc/error.h"
#include "chat/chat_ui.h"
#include "chat/entries.h"
#include "chat/mcp_servers.h"
#include "chat/prompt_content.h"
#include "chat/stopping.h"

namespace acp::chat {

namespace {

constexpr std::size_t most_plan_lines = 12;  // of what stays when its turn has ended

template <class Request>
Request request_for(const RemoteAgent& agent, const ChatOptions& options) {
  Request request;
  request.cwd = options.cwd;
  request.mcpServers = taken(options.servers, agent.capabilities().mcpCapabilities);
  return request;
}
template <class Request>
Request request_for(const RemoteAgent& agent, const ChatOptions& options, const std::string& id) {
  Request request = request_for<Request>(agent, options);
  request.sessionId = id;
  return request;
}

Session reopened(const RemoteAgent& agent, const std::string& id, const ChatOptions& options,
                 const std::string& how, std::stop_token stop) {
  if (how == "resume")
    return wait_unless(stop, agent.async_resume_session(
                                 request_for<v1::ResumeSessionRequest>(agent, options, id)));
  if (how == "fork")
    return wait_unless(
        stop, agent.async_fork_session(request_for<v1::ForkSessionRequest>(agent, options, id)));
  return wait_unless(
      stop, agent.async_load_session(request_for<v1::LoadSessionRequest>(agent, options, id)));
}

// To see what was said, a load; else at least to go on.
std::string way_back(const v1::AgentCapabilities& can) {
  if (can.loadSession) return "load";
  if (can.sessionCapabilities.resume.has_value()) return "resume";
  throw std::runtime_error(
      "the agent can go on with no session: it offers neither session/load nor session/resume");
}

// Its end may come a moment after that of its output.
void wait_for_exit(const RemoteAgent& agent) {
  for (int i = 0; i < 50 && !agent.connected() && agent.process_id() != 0; ++i) {
    if (agent.exit_status()) return;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
}

}  // namespace

void ChatUi::beside(std::function<void()> work) {
  const std::size_t id = next_work_++;
  work_.emplace(id, std::jthread([this, id, work = std::move(work), mailbox = mailbox_] {
                  try {
                    work();
                  } catch (const std::exception& failed) {
                    mailbox->post([this, what = std::string(failed.what())] { say_error(what); });
                  }
                  mailbox->post([this, id] { work_.erase(id); });
                }));
}

void ChatUi::start() {
  phase_ = "starting";
  phase_began_ = Clock::now();
  starting_ = std::stop_source();
  beside([this, stop = starting_.get_token(), mailbox = mailbox_, host = host_,
          options = options_] {
    const auto phase = [&](const char* name) {
      mailbox->post([this, name] {
        phase_ = name;
        phase_began_ = Clock::now();
      });
    };
    std::string error;
    bool login_wanted = false;
    int code = 3;  // to leave with
    std::optional<RemoteAgent> agent;
    std::optional<Session> session;
    std::string how = "new", wanted = options.session;
    try {
      Client client("acp chat", options.version);
      host->install(client);
      client.framing(options.framing);
      io::ProcessOptions process = options.agent.process();
      process.cwd = options.cwd;
      phase("shaking hands");
      agent = wait_unless(stop, client.async_spawn(std::move(process)));
      mailbox->post([this, agent] { agent_ = agent; });
      phase("opening a session");
      if (wanted == "last") {
        const auto id = LastSession(options.agent.name, options.cwd).load();
        if (!id)
          throw std::runtime_error("there is no last session of " + options.agent.name + " in " +
                                   options.cwd);
        wanted = *id;
      }
      if (wanted.empty()) {
        session = wait_unless(
            stop, agent->async_new_session(request_for<v1::NewSessionRequest>(*agent, options)));
      } else {
        how = way_back(agent->capabilities());
        session = reopened(*agent, wanted, options, how, stop);
      }
      make_choices(*session, options.choices, stop);
    } catch (const StoppedEarly&) {
      return;
    } catch (const StartFailed& failed) {
      error = failed.what();
      const std::string advice = options.agent.advice(options.typed);
      if (failed.diagnosis().phase == StartFailed::Phase::resolve && !advice.empty())
        error += "\n" + advice;
    } catch (const NoSuchChoice& failed) {
      error = failed.what();
      code = 2;
    } catch (const CallFailed& failed) {
      error = failed.what();
      login_wanted = failed.code() == rpc::auth_required;
    } catch (const std::exception& failed) {
      error = failed.what();
    }
    mailbox->post([this, agent, session, error, login_wanted, code, how, wanted] {
      phase_.clear();
      if (error.empty()) {
        opened(*session, how);
      } else if (agent && !session && !wanted.empty() && !login_wanted) {
        // Never a fresh session in silence.
        say_error("The session " + wanted + " cannot be resumed: " + error);
        const auto dialog = std::make_shared<ChoiceDialog>();
        dialog->head = {line_of("? What now", {.bold = true})};
        dialog->choices = {{.label = "Begin a new session", .key = 'n'},
                           {.label = "Leave", .key = 'q'}};
        dialog->chosen = [this](std::size_t index) { index == 0 ? new_session() : leave(1); };
        dialog->dismissed = [this] { leave(1); };
        ask(dialog);
      } else {
        start_failed(error, login_wanted, code);
      }
    });
  });
}

void ChatUi::start_failed(const std::string& what, bool login_wanted, int code) {
  say_error("acp chat: " + what);
  bool by_terminal = false;
  if (agent_)
    for (const v1::AuthMethod& method : agent_->auth_methods())
      by_terminal |= std::holds_alternative<v1::AuthMethodTerminal>(method);
  if (login_wanted && by_terminal && !plain_) return choose_terminal_login();
  leave(code);
}

void ChatUi::choose_terminal_login() {
  const auto dialog = std::make_shared<ChoiceDialog>();
  dialog->head = {line_of("? " + label_ + " wants a login in this terminal",
                          {.bold = true, .colour = Colour::yellow})};
  std::vector<v1::AuthMethodTerminal> methods;
  for (const v1::AuthMethod& method : agent_->auth_methods())
    if (const auto* one = std::get_if<v1::AuthMethodTerminal>(&method)) {
      methods.push_back(*one);
      dialog->choices.push_back({.label = one->name, .description = one->description.value_or("")});
    }
  dialog->choices.push_back({.label = "Leave", .key = 'q'});
  dialog->dismissed = [this] { leave(3); };
  dialog->chosen = [this, methods](std::size_t index) {
    if (index >= methods.size()) return leave(3);
    // The agent's own command, with the method's words and variables.
    std::vector<std::string> argv = options_.agent.argv;
    argv.insert(argv.end(), methods[index].args.begin(), methods[index].args.end());
    std::vector<io::EnvironmentEdit> environment = options_.agent.environment();
    for (const auto& [name, value] : methods[index].env) environment.push_back({name, value});
    const std::optional<RemoteAgent> old = std::exchange(agent_, {});
    if (old) old->close();
    terminal_.write(screen_.clear());
    terminal_.leave();
    const int code = run_in_terminal(argv, environment, options_.cwd);
    terminal_.enter();
    screen_.forget();
    if (code != 0) say_error("The login ended with exit code " + std::to_string(code));
    start();
  };
  ask(dialog);
}

void ChatUi::opened(Session session, const std::string& how) {
  const bool first = !session_;
  if (session_) {
    Frame last;
    session_->with_state([&](const SessionState& state) { last = transcript_.finish(state); });
    notes_.insert(notes_.begin(), last.finished.begin(), last.finished.end());
    host_->offer().session_closed(session_->id());
    session_.reset();
  }
  transcript_ = Transcript(view());
  calls_.clear();
  calls_revision_ = 0;
  archive_ = Archive();
  archived_ = 0;
  tidied_ = 0;
  const auto& info = agent_->info().agentInfo;
  std::string who = label_;
  if (info.has_value()) {
    who = info->title.has_value() && !info->title->empty() ? *info->title : info->name;
    if (!info->version.empty()) who += " " + info->version;
  }
  const std::string model = model_of(session);
  if (first)
    say(who + " in " + options_.cwd + (model.empty() ? "" : ", model: " + model) +
        (how == "new" ? "" : ", session " + session.id()));
  else
    say((how == "new" ? "A new session: " : "Session (" + how + "): ") + session.id());
  if (first)
    for (const v1::McpServer& server : options_.servers)
      if (const auto why = not_taken(server, agent_->capabilities().mcpCapabilities))
        say_error("The MCP server " + name_of(server) + " is not passed on: " + *why);
  notes_.emplace_back();
  try {
    last_.store(session.id());
  } catch (const std::runtime_error& error) {
    say_error(std::string("--session last will not find this session: ") + error.what());
  }
  draw();  // what is loaded stands below
  session_ = std::move(session);
  said_ = how != "new";
  dirty_ = true;
  last_frame_ = {};  // that it can be typed to is seen at once
  next_from_queue();
}

void ChatUi::new_session() {
  beside([this, agent = *agent_, mailbox = mailbox_, options = options_] {
    const Session session = agent.new_session(request_for<v1::NewSessionRequest>(agent, options));
    mailbox->post([this, session] { opened(session, "new"); });
  });
}

void ChatUi::open_session(const std::string& id, const std::string& how) {
  beside([this, agent = *agent_, mailbox = mailbox_, options = options_, id, how] {
    const Session session = reopened(agent, id, options, how, {});
    mailbox->post([this, session, how] { opened(session, how); });
  });
}

void ChatUi::submit(const std::string& text) {
  const std::optional<std::string> words = run_command(text);
  if (!words) return;
  if (working() || !session_) {
    queue_.push_back(text);
    if (plain_ && working()) say("Queued: it is sent when the turn has ended");
    return;
  }
  PromptContent content =
      prompt_content(*words, options_.cwd, agent_->capabilities().promptCapabilities);
  for (const std::string& note : content.notes) say(note);
  for (v1::ContentBlock& block : attached_) content.blocks.push_back(std::move(block));
  attached_.clear();
  attached_names_.clear();
  send(std::move(content.blocks));
}

void ChatUi::send(std::vector<v1::ContentBlock> blocks) {
  if (!notes_.empty()) draw();  // they were said before it
  plan_before_ = plan(most_plan_lines);
  std::shared_ptr<Prompt> prompt;
  try {
    host_->turn_begins();
    prompt = std::make_shared<Prompt>(session_->prompt(std::move(blocks)));
  } catch (const std::exception& refused) {
    return say_error(refused.what());
  }
  turn_running_ = true;
  cancelled_ = false;
  said_ = true;
  turn_began_ = Clock::now();
  beside([this, prompt, mailbox = mailbox_, agent = *agent_] {
    std::string error;
    try {
      prompt->finish().wait();
    } catch (const std::exception& failed) {
      error = failed.what();
      if (error.empty()) error = "the turn failed";
      wait_for_exit(agent);
    }
    mailbox->post([this, error] { turn_ended(error); });
  });
}

void ChatUi::turn_ended(const std::string& error) {
  draw();
  turn_running_ = false;
  cancelled_ = false;
  if (Lines last = plan(most_plan_lines); last != plan_before_)
    for (Line& line : last) notes_.push_back(std::move(line));
  if (!error.empty()) say_error("✗ " + error);
  if (const std::size_t count = std::exchange(unsent_, 0); count > 0)
    say("The queue is emptied: " + std::to_string(count) + " not sent");
  if (agent_ && !agent_->connected()) return agent_gone();
  if (queue_.empty()) wants_attention();
  next_from_queue();
}

// Whoever waits for it tells its end by himself.
void ChatUi::disconnected() {
  if (!session_ || working()) return;
  beside([this, agent = *agent_, mailbox = mailbox_] {
    wait_for_exit(agent);
    mailbox->post([this] {
      if (!agent_->connected()) agent_gone();
    });
  });
}

void ChatUi::agent_gone() {
  std::string why = "The agent is gone";
  if (const auto exit = agent_->exit_status()) why += ": " + exit->describe();
  say_error(why);
  if (const std::string tail = agent_->stderr_tail(); !tail.empty())
    say_error("Its last words:\n" + tail);
  for (const std::string& text : queue_) say_error("Not sent: " + text);
  if (!editor_.text().empty()) say_error("Not sent: " + editor_.text());
  leave(3);
}

void ChatUi::next_from_queue() {
  while (!queue_.empty() && session_ && !working()) {
    const std::string text = queue_.front();
    queue_.pop_front();
    submit(text);
  }
}

}  // namespace acp::chat
