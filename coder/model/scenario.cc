#include "coder/model/scenario.h"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <vector>

#include "acp/error.h"

namespace acp::coder {

namespace {

struct Answer {
  std::uint64_t wait_ms = 0;
  std::vector<std::string> thoughts = {}, texts = {};
  std::vector<ToolCallPart> calls = {};
  Stop stop{Stop::Reason::end};
  std::optional<ModelError> error = {};
  Usage usage = {};
};

[[noreturn]] void wrong(const std::string& path, const std::string& expected) {
  throw ScenarioError(path + ": " + expected + " is expected");
}

void only_members(JsonView object, const std::string& path,
                  std::initializer_list<std::string_view> known) {
  if (!object.is_object()) wrong(path, "an object");
  for (const auto& [name, value] : object.members())
    if (std::find(known.begin(), known.end(), name) == known.end())
      throw ScenarioError(path + "." + name + ": there is no such member");
}

std::vector<std::string> texts(JsonView value, const std::string& path) {
  if (value.absent()) return {};
  if (auto text = value.as_string()) return {std::move(*text)};
  if (!value.is_array()) wrong(path, "a text or a list of texts");
  std::vector<std::string> list;
  for (const JsonView element : value.elements()) {
    auto text = element.as_string();
    if (!text) wrong(path, "a list of texts");
    list.push_back(std::move(*text));
  }
  return list;
}

ModelError error_of(JsonView value, const std::string& path) {
  using Kind = ModelError::Kind;
  only_members(value, path, {"kind", "message", "retry_after"});
  const std::string name = value["kind"].as_string().value_or("");
  Kind kind = Kind::broken;
  if (name == "unreachable")
    kind = Kind::unreachable;
  else if (name == "unauthorized")
    kind = Kind::unauthorized;
  else if (name == "rate_limited")
    kind = Kind::rate_limited;
  else if (name == "overloaded")
    kind = Kind::overloaded;
  else if (name == "too_long")
    kind = Kind::too_long;
  else if (name == "refused")
    kind = Kind::refused;
  else if (name != "broken")
    wrong(path + ".kind",
          "unreachable, unauthorized, rate_limited, overloaded, too_long, refused or broken");
  const JsonView message = value["message"], later = value["retry_after"];
  if (!message.absent() && !message.is_string()) wrong(path + ".message", "a text");
  if (!later.absent() && !later.as_double().has_value())
    wrong(path + ".retry_after", "a number of seconds");
  return {kind, message.as_string().value_or("the scenario says so"), later.as_double()};
}

Stop stop_of(JsonView value, bool calls, const std::string& path) {
  const std::string name = value.as_string().value_or(!value.absent() ? ""
                                                      : calls         ? "tool_calls"
                                                                      : "end");
  if (name == "end") return {Stop::Reason::end};
  if (name == "tool_calls") return {Stop::Reason::tool_calls};
  if (name == "max_tokens") return {Stop::Reason::max_tokens};
  if (name == "refusal") return {Stop::Reason::refusal};
  wrong(path, "end, tool_calls, max_tokens or refusal");
}

Answer answer_of(JsonView value, const std::string& path) {
  only_members(value, path, {"wait_ms", "thought", "text", "tool_calls", "stop", "error", "usage"});
  Answer answer;
  if (!value["wait_ms"].absent()) {
    const auto wait = value["wait_ms"].as_uint64();
    if (!wait) wrong(path + ".wait_ms", "a number of milliseconds");
    answer.wait_ms = *wait;
  }
  answer.thoughts = texts(value["thought"], path + ".thought");
  answer.texts = texts(value["text"], path + ".text");
  if (const JsonView calls = value["tool_calls"]; !calls.absent() && !calls.is_array())
    wrong(path + ".tool_calls", "a list of calls");
  std::size_t number = 0;
  for (const JsonView call : value["tool_calls"].elements()) {
    const std::string at = path + ".tool_calls[" + std::to_string(number++) + "]";
    only_members(call, at, {"name", "arguments"});
    const auto name = call["name"].as_string();
    if (!name) wrong(at + ".name", "a tool's name");
    const JsonView arguments = call["arguments"];
    // A text is sent as it is, however broken: what a model might write.
    answer.calls.push_back({"", *name,
                            arguments.is_string() ? *arguments.as_string()
                            : arguments.absent()  ? "{}"
                                                  : std::string(arguments.text())});
  }
  answer.stop = stop_of(value["stop"], !answer.calls.empty(), path + ".stop");
  if (!value["error"].absent()) answer.error = error_of(value["error"], path + ".error");
  if (const JsonView usage = value["usage"]; !usage.absent()) {
    only_members(usage, path + ".usage", {"input_tokens", "output_tokens"});
    for (const auto& [name, value] : usage.members())
      if (!value.as_uint64()) wrong(path + ".usage." + name, "a number of tokens");
    answer.usage.input_tokens = usage["input_tokens"].as_uint64();
    answer.usage.output_tokens = usage["output_tokens"].as_uint64();
  }
  return answer;
}

class ScenarioModel final : public Model {
 public:
  explicit ScenarioModel(std::vector<std::vector<Answer>> turns) : turns_(std::move(turns)) {
    info_.id = "offline";
    info_.name = "Offline (a scenario)";
    info_.context_tokens = 100'000;
    info_.takes_images = info_.takes_audio = info_.takes_documents = true;
  }
  const ModelInfo& info() const override { return info_; }

  void answer(const ModelRequest& request, const OnModelEvent& on_event,
              std::stop_token stop) override {
    // Which answer it is follows from the conversation: a prompt begins a turn, an answer of ours
    // is behind us.
    std::size_t turn = 0, number = 0;
    for (const Message& message : request.messages) {
      if (message.role == Message::Role::assistant) ++number;
      if (message.role == Message::Role::user &&
          std::any_of(message.parts.begin(), message.parts.end(), [](const Part& part) {
            return !std::holds_alternative<ToolResultPart>(part);
          })) {
        ++turn;
        number = 0;
      }
    }
    if (turn == 0 || turn > turns_.size() || number >= turns_[turn - 1].size()) {
      on_event(TextDelta{"The scenario has no answer for this."});
      on_event(Stop{Stop::Reason::end});
      on_event(Pause{});
      return;
    }
    const std::string prefix =
        "scenario_" + std::to_string(turn) + "_" + std::to_string(number) + "_";
    play(turns_[turn - 1][number], prefix, on_event, stop);
  }

 private:
  static void play(const Answer& answer, const std::string& prefix, const OnModelEvent& on_event,
                   const std::stop_token& stop) {
    if (answer.wait_ms > 0) {
      std::mutex mutex;
      std::condition_variable_any changed;
      std::unique_lock lock(mutex);
      changed.wait_for(lock, stop, std::chrono::milliseconds(answer.wait_ms), [] { return false; });
    }
    if (stop.stop_requested()) throw Cancelled();
    for (const std::string& thought : answer.thoughts) {
      on_event(ThoughtDelta{thought});
      on_event(Pause{});
    }
    for (const std::string& text : answer.texts) {
      on_event(TextDelta{text});
      on_event(Pause{});
    }
    for (std::size_t i = 0; i < answer.calls.size(); ++i) {
      on_event(ToolCallBegins{i, prefix + std::to_string(i), answer.calls[i].name});
      on_event(ToolCallDelta{i, answer.calls[i].arguments});
    }
    if (answer.error) throw ModelError(*answer.error);
    on_event(answer.usage);
    on_event(answer.stop);
    on_event(Pause{});
  }

  std::vector<std::vector<Answer>> turns_;
  ModelInfo info_;
};

}  // namespace

std::unique_ptr<Model> scenario_model(std::string_view text) {
  const auto parsed = Json::parse(text);
  if (!parsed) throw ScenarioError("no JSON: " + parsed.error().message());
  only_members(*parsed, "scenario", {"turns"});
  if (!(*parsed)["turns"].is_array()) wrong("scenario.turns", "a list of turns");
  std::vector<std::vector<Answer>> turns;
  for (const JsonView turn : (*parsed)["turns"].elements()) {
    const std::string path = "turns[" + std::to_string(turns.size()) + "]";
    if (!turn.is_array()) wrong(path, "a list of answers");
    std::vector<Answer> answers;
    for (const JsonView answer : turn.elements())
      answers.push_back(answer_of(answer, path + "[" + std::to_string(answers.size()) + "]"));
    turns.push_back(std::move(answers));
  }
  return std::make_unique<ScenarioModel>(std::move(turns));
}

}  // namespace acp::coder
