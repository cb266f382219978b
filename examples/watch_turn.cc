// A client that shows one turn of an agent, with its plan, its tools, its changes and its
// questions:
//   watch_turn [--yes] DIRECTORY PROMPT COMMAND [ARGUMENT…]
#include <acp/client.h>

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

namespace {

namespace v1 = acp::v1;

// Only where somebody looks.
std::string coloured(const char* code, const std::string& text) {
  static const bool colours = isatty(STDOUT_FILENO) != 0 && std::getenv("NO_COLOR") == nullptr;
  return colours ? "\x1b[" + std::string(code) + "m" + text + "\x1b[0m" : text;
}

void show_lines(const std::string& text, const char* colour, const std::string& prefix) {
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);)
    std::cout << "    " << coloured(colour, prefix + line) << "\n";
}

// The lines that are not the same at the beginning and at the end of both texts.
void show_diff(const v1::Diff& diff) {
  const auto split = [](const std::string& text) {
    std::vector<std::string> all;
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) all.push_back(line);
    return all;
  };
  const std::vector<std::string> before = split(diff.oldText.value_or("")),
                                 after = split(diff.newText);
  std::size_t same = 0, end = 0;
  while (same < before.size() && same < after.size() && before[same] == after[same]) ++same;
  while (end < before.size() - same && end < after.size() - same &&
         before[before.size() - 1 - end] == after[after.size() - 1 - end])
    ++end;
  for (std::size_t i = same; i < before.size() - end; ++i)
    std::cout << "    " << coloured("31", "- " + before[i]) << "\n";
  for (std::size_t i = same; i < after.size() - end; ++i)
    std::cout << "    " << coloured("32", "+ " + after[i]) << "\n";
}

class View {
 public:
  void show(const acp::SessionUpdate& update) {
    if (const auto* chunk = std::get_if<v1::AgentMessageChunk>(&update)) {
      std::cout << v1::text_of({&chunk->content, 1}) << std::flush;
      open_line_ = true;
    } else if (const auto* plan = std::get_if<v1::Plan>(&update)) {
      begin_line();
      std::cout << coloured("1", "Plan") << "\n";
      for (const v1::PlanEntry& entry : plan->entries)
        std::cout << (entry.status == v1::PlanEntryStatus::completed ? "  [x] " : "  [ ] ")
                  << entry.content << "\n";
    } else if (const auto* call = std::get_if<v1::ToolCall>(&update)) {
      titles_[call->toolCallId] = call->title;
    } else if (const auto* change = std::get_if<v1::ToolCallUpdate>(&update)) {
      show_call(*change);
    }
  }
  void begin_line() {
    if (std::exchange(open_line_, false)) std::cout << "\n";
  }

 private:
  void show_call(const v1::ToolCallUpdate& change) {
    if (change.title.has_value()) titles_[change.toolCallId] = *change.title;
    if (change.content.has_value()) content_[change.toolCallId] = *change.content;
    if (!change.status.has_value()) return;
    const bool done = *change.status == v1::ToolCallStatus::completed;
    if (!done && *change.status != v1::ToolCallStatus::failed) return;
    begin_line();
    std::cout << coloured(done ? "32" : "31", done ? "✓ " : "✗ ")
              << coloured("1", titles_[change.toolCallId]) << "\n";
    for (const v1::ToolCallContent& item : content_[change.toolCallId]) {
      if (const auto* diff = std::get_if<v1::Diff>(&item)) show_diff(*diff);
      if (const auto* content = std::get_if<v1::Content>(&item))
        show_lines(v1::text_of({&content->content, 1}), "2", "");
    }
  }

  std::map<std::string, std::string> titles_;
  std::map<std::string, std::vector<v1::ToolCallContent>> content_;
  bool open_line_ = false;
};

acp::Decision ask(const v1::RequestPermissionRequest& request, bool yes) {
  std::cout << coloured("33", "? " + request.toolCall.title.value_or("A tool")) << "\n";
  if (request.toolCall.content.has_value())
    for (const v1::ToolCallContent& item : *request.toolCall.content)
      if (const auto* diff = std::get_if<v1::Diff>(&item)) show_diff(*diff);
  for (std::size_t i = 0; i < request.options.size(); ++i)
    std::cout << "    " << i + 1 << ") " << request.options[i].name << "\n";
  std::size_t choice = 0;
  if (yes) {
    // By its kind: options may come in any order.
    for (std::size_t i = 0; i < request.options.size() && choice == 0; ++i)
      if (request.options[i].kind == v1::PermissionOptionKind::allow_once) choice = i + 1;
    std::cout << "  " << choice << " (--yes)\n";
  } else {
    std::cout << "  " << std::flush;
    std::cin >> choice;
  }
  if (choice == 0 || choice > request.options.size()) return acp::Decision::cancelled();
  return request.options[choice - 1].optionId;
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<std::string> words(argv + 1, argv + argc);
  const bool yes = !words.empty() && words.front() == "--yes";
  if (yes) words.erase(words.begin());
  if (words.size() < 3) {
    std::cerr << "Usage: watch_turn [--yes] DIRECTORY PROMPT COMMAND [ARGUMENT…]\n"
                 "Starts the agent, prompts it, and shows the turn. --yes allows what it asks for, "
                 "once.\n";
    return 2;
  }
  try {
    acp::Client client("watch_turn", "1.0");
    client.on_permission(
        acp::blocking([yes](acp::ClientContext, const v1::RequestPermissionRequest& request) {
          return ask(request, yes);
        }));
    auto agent = client.spawn({words.begin() + 2, words.end()}).wait();
    auto session = agent.new_session(std::filesystem::absolute(words[0]).lexically_normal()).wait();
    std::cout << coloured("36", "> " + words[1]) << "\n";
    View view;
    for (auto& event : session.prompt(words[1])) {
      if (const auto* update = std::get_if<acp::SessionUpdate>(&event)) view.show(*update);
      const auto* reason = std::get_if<acp::StopReason>(&event);
      if (reason == nullptr) continue;
      view.begin_line();
      const bool ended = *reason == acp::StopReason::end_turn;
      std::cout << coloured("2", ended ? "[end_turn]" : "[the turn ended early]") << "\n";
      if (!ended) return 1;
    }
    return 0;
  } catch (const std::exception& error) {
    std::cerr << "watch_turn: " << error.what() << "\n";
    return 1;
  }
}
