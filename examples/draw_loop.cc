// A client in a program's own loop, on plain poll(): draws what the session holds, and lets its
// user answer the agent's questions, all on one thread.
//   draw_loop PROMPT COMMAND [ARGUMENT…]
#include <acp/async/promise.h>
#include <acp/client.h>
#include <poll.h>
#include <unistd.h>

#include <deque>
#include <filesystem>
#include <iostream>

namespace {

using acp::SessionState;

// An agent's text must not move the cursor.
std::string plain(std::string text) {
  std::erase_if(text, [](unsigned char c) { return (c < ' ' && c != '\n') || c == 127; });
  return text;
}

std::string shown(const SessionState::Content& content) {
  if (const auto* prompt = std::get_if<SessionState::Prompt>(&content))
    return "> " + acp::v1::text_of(prompt->content);
  if (const auto* message = std::get_if<SessionState::Message>(&content))
    return acp::v1::text_of(message->content);
  if (const auto* call = std::get_if<acp::ToolCallState>(&content))
    return "[" + std::string(to_string(call->status)) + "] " + call->title;
  return "";
}

void draw(const auto& session) {  // a Session, or a handler's context
  std::string screen;             // stays empty if the session has gone
  session.with_state([&](const SessionState& state) {
    if (isatty(STDOUT_FILENO)) screen = "\x1b[H\x1b[J";
    for (const SessionState::Entry& entry : state.timeline())
      screen += plain(shown(entry.content)) + "\n";
    for (const SessionState::Question& question : state.questions()) {
      screen += plain(question.request.toolCall.title.value_or("A tool")) + "?\n";
      int number = 0;
      for (const acp::PermissionOption& option : question.request.options)
        screen += "  " + std::to_string(++number) + ") " + plain(option.name) + "\n";
    }
  });
  std::cout << screen << std::flush;
}

// Questions that wait for the keyboard.
struct Answers {
  struct Open {
    std::vector<acp::PermissionOption> options;
    acp::Promise<acp::Decision> answer;
  };
  std::deque<Open> open;
  bool closed = false;  // the keyboard: nobody answers any more
  acp::Task<acp::Decision> ask(const acp::v1::RequestPermissionRequest& request) {
    open.push_back({request.options, {}});
    acp::Task<acp::Decision> answer = open.back().answer.task();
    if (closed) reply(0);
    return answer;
  }
  // The first of them by the number of an option; any other number rejects it.
  void reply(std::size_t number) {
    if (open.empty()) return;
    const Open question = std::move(open.front());
    open.pop_front();
    if (number >= 1 && number <= question.options.size())
      question.answer.set(question.options[number - 1].optionId);
    else
      question.answer.set(acp::PermissionOptionKind::reject_once);
  }
  void read_key() {
    char key = '0';
    closed = read(STDIN_FILENO, &key, 1) <= 0;
    if (key >= '0' && key <= '9') reply(key - '0');
  }
};

// Returns the program's exit code.
acp::Task<int> converse(acp::AgentHandle agent, std::string text) {
  const acp::Session session = co_await agent.new_session(std::filesystem::current_path());
  co_await session.prompt(text).finish();
  draw(session);
  co_return 0;
}

}  // namespace

int main(int argc, char** argv) try {
  if (argc < 3) return (std::cerr << "Usage: draw_loop PROMPT COMMAND [ARGUMENT…]\n"), 2;
  Answers answers;
  acp::Client client("draw", "1.0");
  client.on_permission([&](acp::ClientContext, acp::v1::RequestPermissionRequest request) {
    return answers.ask(request);
  });
  if (isatty(STDOUT_FILENO))
    client.on_state_changed([](acp::ClientContext context) -> acp::Task<void> {
      draw(context);
      co_return;
    });
  std::string ended;  // why
  client.on_disconnected(
      [&](const acp::AgentId&, std::string_view reason) { ended = std::string(reason); });
  acp::io::ProcessOptions options;
  options.argv.assign(argv + 2, argv + argc);
  const acp::AgentHandle agent = client.attach(options);
  std::optional<acp::Running<int>> conversation;
  while (agent.connected() && !(conversation && conversation->done())) {
    std::vector<pollfd> set = {{answers.closed ? -1 : STDIN_FILENO, POLLIN, 0}};
    for (const acp::PollInterest& one : agent.poll_interests())
      set.push_back({one.descriptor,
                     static_cast<short>((one.readable ? POLLIN : 0) | (one.writable ? POLLOUT : 0)),
                     0});
    poll(set.data(), set.size(), agent.timeout());
    if (set[0].revents != 0) answers.read_key();
    agent.dispatch();
    if (agent.ready() && !conversation) conversation.emplace(converse(agent, argv[1]));
  }
  if (conversation && conversation->done()) return conversation->take();
  conversation.reset();
  agent.close();
  std::cerr << ended << "\n";
  return 1;
} catch (const acp::Error& error) {
  std::cerr << error.what() << "\n";
  return 1;
}
