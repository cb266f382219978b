#include "coder/model/offline.h"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <map>
#include <mutex>

#include "acp/error.h"
#include "coder/model/compaction_prompt.h"

namespace acp::coder {

namespace {

constexpr const char* help =
    R"(I am the offline model: no network, no intelligence, the same answer each time. I understand

- `list [DIRECTORY]`, `find GLOB`, `show FILE`, `search for TEXT`
- `replace A with B in FILE`, `create FILE with TEXT`, `delete FILE`, `move A to B`
- `run COMMAND`, `fetch URL`, `use TOOL {json}` (also tools of MCP servers)
- `plan STEP, STEP`, `switch to MODE`, `say TEXT`, `wait SECONDS`

Several are joined by `; `. Text with such words in it stands in "quotes". `acp models` lists other
models, and how to choose one.
)";

// The prompt that is being answered, and what came of it so far.
struct Progress {
  std::string request;
  std::size_t results = 0;
  std::vector<std::string> failures;
};

// What a prompt embeds or links is no request, whatever stands in it.
bool is_typed(std::string_view text) {
  return !text.starts_with("<resource") && !text.starts_with("<stdin") &&
         !text.starts_with("[link: ");
}

// A command that ran and failed is no failed call: its result says so at its end. Empty if all is
// well.
std::string failed_command(const ToolCallPart& call, const std::string& result) {
  const std::size_t line = result.rfind('\n') + 1;  // 0 if there is none
  std::string_view end = std::string_view(result).substr(line);
  if (call.name != "run" || end == "[exit code 0]" || !end.starts_with('[')) return {};
  end.remove_prefix(1);
  if (end.ends_with(']')) end.remove_suffix(1);
  const auto arguments = Json::parse(call.arguments);
  const std::string command =
      arguments ? arguments->view()["command"].as_string().value_or("") : std::string();
  return "`" + command + "`: " + std::string(end);
}

Progress progress_of(const std::vector<Message>& messages) {
  Progress progress;
  std::map<std::string, ToolCallPart> calls;
  for (const Message& message : messages) {
    for (const Part& part : message.parts)
      if (const auto* call = std::get_if<ToolCallPart>(&part)) calls[call->id] = *call;
    if (message.role != Message::Role::user) continue;
    std::string said;
    for (const Part& part : message.parts) {
      if (const auto* text = std::get_if<TextPart>(&part); text && is_typed(text->text)) {
        if (!said.empty()) said += "; ";
        said += text->text;
      }
      if (const auto* result = std::get_if<ToolResultPart>(&part)) {
        ++progress.results;
        std::string failure =
            result->failed ? result->text : failed_command(calls[result->id], result->text);
        if (!failure.empty()) progress.failures.push_back(std::move(failure));
      }
    }
    if (!said.empty()) progress = {std::move(said), 0, {}};
  }
  return progress;
}

void wait(double seconds, const std::stop_token& stop) {
  std::mutex mutex;
  std::condition_variable_any changed;
  std::unique_lock lock(mutex);
  changed.wait_for(lock, stop, std::chrono::duration<double>(seconds), [] { return false; });
  if (stop.stop_requested()) throw Cancelled();
}

class OfflineModel final : public Model {
 public:
  OfflineModel() {
    info_.id = "offline";
    info_.name = "Offline (no network)";
    info_.context_tokens = 100'000;
  }
  const ModelInfo& info() const override { return info_; }

  void answer(const ModelRequest& request, const OnModelEvent& on_event,
              std::stop_token stop) override {
    if (stop.stop_requested()) throw Cancelled();
    const Progress progress = progress_of(request.messages);
    Stop::Reason reason = Stop::Reason::end;
    if (progress.request.starts_with(compaction_prompt))
      summarize(request.messages, on_event);
    else
      reason = go_on(progress, on_event, stop);
    on_event(usage_of(request));
    on_event(Stop{reason});
    on_event(Pause{});
  }

 private:
  static Stop::Reason go_on(const Progress& progress, const OnModelEvent& on_event,
                            const std::stop_token& stop) {
    const std::vector<OfflineStep> steps = offline_steps(progress.request);
    const bool understood = std::any_of(steps.begin(), steps.end(), [](const OfflineStep& step) {
      return !step.tool.empty() || !step.text.starts_with("I do not understand");
    });
    if (!understood) {
      on_event(TextDelta{help});
      return Stop::Reason::end;
    }
    // After the calls that have a result.
    std::size_t at = 0;
    for (std::size_t calls = 0; at < steps.size() && calls < progress.results; ++at)
      if (!steps[at].tool.empty()) ++calls;

    std::size_t calls = 0;
    for (; at < steps.size(); ++at) {
      const OfflineStep& step = steps[at];
      if (!step.tool.empty()) {
        if (calls > 0 && !step.only_reads) break;
        on_event(ToolCallBegins{calls, "offline_" + std::to_string(progress.results + calls),
                                step.tool});
        on_event(ToolCallDelta{calls, step.arguments.text()});
        ++calls;
        if (!step.only_reads) break;
        continue;
      }
      if (calls > 0) break;
      on_event(TextDelta{step.text + "\n"});
      on_event(Pause{});
      if (step.wait_seconds > 0) wait(step.wait_seconds, stop);
    }
    if (calls > 0) return Stop::Reason::tool_calls;
    say_end(progress, on_event);
    return Stop::Reason::end;
  }

  static void say_end(const Progress& progress, const OnModelEvent& on_event) {
    if (progress.failures.empty()) {
      on_event(TextDelta{"Done."});
      return;
    }
    on_event(TextDelta{"Done, but not all of it worked:\n"});
    for (const std::string& failure : progress.failures)
      on_event(TextDelta{"- " + failure.substr(0, failure.find('\n')) + "\n"});
  }

  static void summarize(const std::vector<Message>& messages, const OnModelEvent& on_event) {
    on_event(TextDelta{"The user asked, in this order:\n"});
    for (const Message& message : messages)
      if (message.role == Message::Role::user)
        for (const Part& part : message.parts)
          if (const auto* text = std::get_if<TextPart>(&part);
              text && text->text != compaction_prompt)
            on_event(TextDelta{"- " + text->text.substr(0, 200) + "\n"});
  }

  static Usage usage_of(const ModelRequest& request) {
    std::uint64_t bytes = request.system.size();
    for (const Message& message : request.messages)
      for (const Part& part : message.parts)
        if (const auto* text = std::get_if<TextPart>(&part))
          bytes += text->text.size();
        else if (const auto* result = std::get_if<ToolResultPart>(&part))
          bytes += result->text.size();
    Usage usage;
    usage.input_tokens = bytes / 4;
    usage.output_tokens = 1;
    return usage;
  }

  ModelInfo info_;
};

}  // namespace

std::string offline_help() { return help; }

std::unique_ptr<Model> offline_model() { return std::make_unique<OfflineModel>(); }

}  // namespace acp::coder
