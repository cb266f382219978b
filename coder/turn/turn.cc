#include "coder/turn/turn.h"

#include <algorithm>
#include <ctime>

#include "acp/json/codec.h"
#include "acp/json/utf8.h"
#include "coder/model/compaction_prompt.h"
#include "coder/model/retry.h"
#include "coder/session/modes.h"
#include "coder/session/prompt_content.h"
#include "coder/session/random_id.h"
#include "coder/turn/instructions.h"

namespace acp::coder {

using namespace settings;

namespace {

using v1::StopReason;
using Kind = ModelError::Kind;

constexpr std::size_t most_told = 2000;       // of a provider's own word for why it stopped
constexpr std::size_t most_kept = 64 * 1024;  // of an answer that was too large

std::string today() {
  const std::time_t now = std::time(nullptr);
  std::tm local = {};
  localtime_r(&now, &local);
  char text[16];
  std::strftime(text, sizeof(text), "%Y-%m-%d", &local);
  return text;
}

std::string seconds_text(double seconds) {
  const auto tenths = static_cast<long>(seconds * 10 + 0.5);
  return std::to_string(tenths / 10) + (tenths % 10 != 0 ? "." + std::to_string(tenths % 10) : "") +
         " s";
}

}  // namespace

TurnLoop::TurnLoop(acp::Turn turn, Session& session, TurnHost host)
    : turn_(turn),
      session_(session),
      host_(std::move(host)),
      known_secrets_(session.secrets()),
      secrets_(*known_secrets_),
      report_(turn, session, secrets_),
      tool_host_(turn, session, report_, secrets_),
      calls_(turn, session, report_, secrets_) {}

v1::PromptResponse TurnLoop::run() {
  v1::PromptResponse response;
  // Before anything is kept: a prompt that cannot be taken leaves nothing behind.
  const std::vector<Part> given = prompt_parts(turn_.prompt(), session_.model()->info());
  const std::string message = turn_.message_id();
  for (const v1::ContentBlock& block : turn_.prompt()) {
    v1::UserMessageChunk chunk;
    chunk.content = block;
    if (!message.empty()) chunk.messageId = message;
    report_.keep(v1::SessionUpdate(std::move(chunk)));
  }
  turn_.insert_prompt();
  messages_before_ = session_.conversation.messages().size();
  try {
    title_from_prompt();
    if (session_.command_files->reload(turn_.stop_token()))
      turn_.set_commands(session_.command_files->all()).wait();
    session_.servers->await(turn_.stop_token(), [this](const std::vector<std::string>& names) {
      std::string list;
      for (const std::string& name : names) list += (list.empty() ? "" : ", ") + name;
      report_.note(v1::NoticeSeverity::info, std::string("Waiting for the MCP server") +
                                                 (names.size() == 1 ? " " : "s ") + list);
    });
    tell_notes();
    if (const auto ended = run_command()) {
      response.stopReason = *ended;
    } else {
      decide_about_server();
      check_model();
      Message prompt{Message::Role::user, user_parts()};
      if (prompt.parts.empty()) prompt.parts = given;
      if (prompt.parts.empty()) prompt.parts.push_back(TextPart{"(nothing for you to read)"});
      report_.keep({session_.conversation.add(std::move(prompt))});
      response.stopReason = loop();
    }
    tell_notes();
    report_.settle();
  } catch (const Cancelled&) {
    keep_interrupted();
    response.stopReason = StopReason::cancelled;
  } catch (const ModelError& error) {
    keep_interrupted();
    fail(error);
  } catch (const ConnectionClosed&) {
    throw;
  } catch (...) {
    keep_interrupted();
    throw;
  }
  if (has_usage_) response.usage = usage_;
  return response;
}

void TurnLoop::tell_notes() {
  for (const std::string& event : session_.servers->take_events())
    session_.note({v1::NoticeSeverity::warning, event});
  if (std::string left_out = session_.command_files->take_left_out(); !left_out.empty())
    session_.note({v1::NoticeSeverity::warning, "Some files in .acp/commands are no commands",
                   std::move(left_out)});
  for (const Note& note : session_.take_notes())
    report_.note(note.severity, note.title, note.description);
}

void TurnLoop::title_from_prompt() {
  if (session_.titled) return;
  std::string text = turn_.text();
  const std::size_t begin = text.find_first_not_of(" \t\r\n");
  if (begin == std::string::npos) return;
  text = text.substr(begin, text.find_first_of("\r\n", begin) - begin);
  constexpr std::size_t most = 72;
  // Before it is cut: a part of a key is one, too.
  secrets_.mask(text);
  if (text.size() > most) text = text.substr(0, json::utf8_cut(text, most)) + "…";
  session_.titled = true;
  session_.kept.set_title(text);
  v1::SessionInfoUpdate title;
  title.title = text;
  report_.update(title);
}

// ---- the user's words

std::optional<std::string> TurnLoop::linked_text(const v1::ResourceLink& link) {
  constexpr std::size_t most = 64 * 1024;
  const auto path = path_of_uri(link.uri);
  if (!path) return std::nullopt;
  try {
    std::string text = tool_host_.read_text(*path, std::nullopt, std::nullopt);
    if (text.size() > most) return std::nullopt;
    return text;
  } catch (const workspace::FileError&) {
    return std::nullopt;  // the model sees the link, and what a tool says of it
  }
}

std::vector<Part> TurnLoop::user_parts() {
  std::vector<v1::ContentBlock> blocks = turn_.prompt();
  if (!prompt_instead_.empty())
    for (v1::ContentBlock& block : blocks)
      if (auto* text = std::get_if<v1::TextContent>(&block)) {
        text->text = prompt_instead_;
        break;
      }
  // What a link names is read now, as the user sees it.
  for (v1::ContentBlock& block : blocks) {
    const auto* link = std::get_if<v1::ResourceLink>(&block);
    if (link == nullptr) continue;
    const auto text = linked_text(*link);
    if (!text) continue;
    v1::TextResourceContents contents;
    contents.uri = link->uri;
    contents.text = *text;
    v1::EmbeddedResource embedded;
    embedded.annotations = link->annotations;
    embedded.resource = std::move(contents);
    block = std::move(embedded);
  }
  return prompt_parts(blocks, session_.model()->info());
}

// ---- the loop

StopReason TurnLoop::loop() {
  const Settings& settings = session_.wanted.settings;
  std::uint64_t tokens = 0;
  bool compacted_for_length = false, compaction_failed = false;
  for (std::uint64_t requests = 0; requests < settings.max_requests.value;) {
    offer_tools();
    if (!compaction_failed && context_is_full()) compaction_failed = !try_to_compact();
    Answer answer;
    try {
      answer = ask_model();
    } catch (const ModelError& error) {
      // The model's context is smaller than we thought.
      if (error.kind() != Kind::too_long || compacted_for_length) throw;
      compacted_for_length = true;
      compact({});
      continue;
    }
    ++requests;
    if (last_usage_) tokens += last_usage_->output_tokens.value_or(0);
    if (!answer.cut.empty()) {
      keep_cut(answer);
      return StopReason::max_tokens;
    }
    if (answer.stop.reason == Stop::Reason::refusal) {
      calls_.fail_open("the model refused");
      if (!answer.stop.told.empty() && answer.message.parts.empty()) report_.say(answer.stop.told);
      take_back_turn();
      return StopReason::refusal;
    }
    if (answer.stop.reason == Stop::Reason::max_tokens) {
      // Calls that were cut off are not made.
      calls_.fail_open("the model's answer was cut off by its token limit");
      answer.calls.clear();
      keep_answer(answer);
      return StopReason::max_tokens;
    }
    keep_answer(answer);
    if (answer.calls.empty()) {
      if (!answer.said)
        report_.note(v1::NoticeSeverity::warning, "The model has answered with nothing",
                     answer.stop.told);
      return StopReason::end_turn;
    }
    std::vector<ToolResultPart> results = calls_.run(answer.calls, answer.announced);
    Message message{Message::Role::user, {}};
    for (ToolResultPart& result : results) message.parts.push_back(std::move(result));
    report_.keep({session_.conversation.add(std::move(message))});
    if (settings.max_turn_tokens.value != 0 && tokens >= settings.max_turn_tokens.value) {
      report_.note(
          v1::NoticeSeverity::warning, "The turn has reached its limit of tokens",
          std::to_string(tokens) + " of " + std::to_string(settings.max_turn_tokens.value));
      return StopReason::max_tokens;
    }
  }
  report_.note(v1::NoticeSeverity::warning,
               "The turn has reached its limit of requests to the model",
               std::to_string(settings.max_requests.value) + "; say \"go on\" to go on");
  return StopReason::max_turn_requests;
}

// The conversation is again what it was before the prompt.
void TurnLoop::take_back_turn() {
  Conversation& conversation = session_.conversation;
  std::vector<LiveSession::Entry> entries;
  if (!before_compaction_) {
    entries.push_back(conversation.drop_last(conversation.messages().size() - messages_before_));
  } else {
    // The summary knows of the prompt, too.
    entries.push_back(conversation.drop_last(conversation.messages().size()));
    for (Message& message : *before_compaction_)
      entries.push_back(conversation.add(std::move(message)));
    before_compaction_.reset();
    session_.context_used = 0;
  }
  report_.keep(std::move(entries));
}

void TurnLoop::offer_tools() {
  const ModelInfo info = session_.model()->info();
  std::vector<std::unique_ptr<Tool>> tools;
  if (!info.calls_tools) {
    if (!std::exchange(session_.said_no_tools, true))
      report_.note(
          v1::NoticeSeverity::warning, info.name + " cannot call tools",
          "It can talk, but neither read nor change files. With llama-server, a model whose "
          "chat template has tools is needed.");
    calls_.offer(std::move(tools));
    return;
  }
  ToolLimits limits;
  limits.command_seconds = session_.wanted.settings.command_seconds.value;
  limits.output_bytes = session_.wanted.settings.output_bytes.value;
  limits.edit_bytes = session_.wanted.settings.edit_bytes.value;
  limits.mcp_seconds = session_.wanted.settings.mcp_seconds.value;
  tools = own_tools(limits);
  for (auto& tool : session_.servers->tools(info, limits)) tools.push_back(std::move(tool));
  calls_.offer(std::move(tools));
}

std::vector<ProjectFile> TurnLoop::project_files() {
  ProjectInstructions found =
      project_instructions(session_.wanted.cwd, session_.files.boundary().forbidden(),
                           [this](std::string& text) { secrets_.mask(text); });
  for (const std::string& problem : found.problems)
    if (session_.said_problems.insert(problem).second)
      report_.note(v1::NoticeSeverity::warning, "Instructions that are not followed", problem);
  return std::move(found.files);
}

ModelRequest TurnLoop::request() {
  InstructionsWanted wanted;
  wanted.cwd = session_.wanted.cwd;
  wanted.additional_directories = session_.wanted.additional_directories;
  wanted.mode = session_.mode();
  wanted.date = today();
  wanted.system_prompt = session_.wanted.system_prompt;
  wanted.override_ours = session_.wanted.override_system_prompt;
  ModelRequest request;
  request.system = instructions(wanted, project_files());
  if (!plan_wish_.empty()) request.system += "\n" + plan_wish_ + "\n";
  request.messages = session_.conversation.messages();
  leave_out_media(request.messages, session_.model()->info());
  request.tools = calls_.specs();
  // A key may stand in what a project or an MCP server says of itself.
  if (!secrets_.empty()) {
    secrets_.mask(request.system);
    for (ToolSpec& spec : request.tools) secrets_.mask(spec.description);
  }
  return request;
}

TurnLoop::Answer TurnLoop::ask_model() {
  last_usage_.reset();
  Answer& answer = current_.emplace();
  AnswerMeter meter(session_.wanted.settings);
  try {
    ask(request(), [&](const ModelEvent& event) {
      meter.count(event);
      take_event(event, answer);
    });
  } catch (const AnswerTooLarge& limit) {
    answer.cut = limit.what();
  }
  report_.flush();
  if (last_usage_) take_usage(*last_usage_);
  Answer complete = std::move(answer);
  current_.reset();
  return complete;
}

void TurnLoop::ask(const ModelRequest& request, const OnModelEvent& on_event) {
  const std::shared_ptr<Model> model = session_.model();
  RetryPolicy policy;
  policy.retries = static_cast<int>(session_.wanted.settings.retries.value);
  const OnRetry on_retry = [&](const Retry& retry) {
    report_.note(v1::NoticeSeverity::warning,
                 "Asking the model again in " + seconds_text(retry.pause.count()) + " (" +
                     std::to_string(retry.attempt) + " of " + std::to_string(retry.of) + ")",
                 logged(retry.why));
  };
  try {
    answer_with_retries(*model, request, on_event, on_retry, turn_.stop_token(), policy);
  } catch (const ModelError& error) {
    throw_logged(error);
  }
}

void TurnLoop::take_event(const ModelEvent& event, Answer& answer) {
  std::vector<Part>& parts = answer.message.parts;
  if (const auto* text = std::get_if<TextDelta>(&event)) {
    report_.say(text->text);
    answer.said = answer.said || !text->text.empty();
    if (parts.empty() || !std::holds_alternative<TextPart>(parts.back()))
      parts.push_back(TextPart{});
    std::get<TextPart>(parts.back()).text += text->text;
  } else if (const auto* thought = std::get_if<ThoughtDelta>(&event)) {
    if (!thought->text.empty()) report_.think(thought->text);
    auto* open = parts.empty() ? nullptr : std::get_if<ThoughtPart>(&parts.back());
    // A seal ends a thought.
    if (open == nullptr || !open->signature.empty()) parts.push_back(ThoughtPart{});
    auto& last = std::get<ThoughtPart>(parts.back());
    last.text += thought->text;
    last.signature += thought->signature;
  } else if (const auto* begins = std::get_if<ToolCallBegins>(&event)) {
    answer.announced.push_back(calls_.announce(begins->name));
    // Some servers give the same id again and again.
    const bool usable = !begins->id.empty() && take_id(begins->id, answer);
    answer.calls.push_back({usable ? begins->id : answer.announced.back().id(), begins->name, ""});
  } else if (const auto* goes_on = std::get_if<ToolCallDelta>(&event)) {
    if (goes_on->index < answer.calls.size())
      answer.calls[goes_on->index].arguments += goes_on->arguments;
  } else if (const auto* usage = std::get_if<Usage>(&event)) {
    last_usage_ = *usage;
  } else if (const auto* stop = std::get_if<Stop>(&event)) {
    answer.stop = *stop;
    answer.stop.told = bounded(secrets_.masked(answer.stop.told), most_told);
  } else {
    report_.pause();
  }
}

bool TurnLoop::take_id(const std::string& id, Answer& answer) const {
  // Those of the conversation once for an answer: a look through it for each call would take the
  // square of their number.
  if (!answer.taken_ids) answer.taken_ids = session_.conversation.call_ids();
  return answer.taken_ids->insert(id).second;
}

void TurnLoop::take_usage(const Usage& usage) {
  const std::uint64_t input = usage.input_tokens.value_or(0),
                      output = usage.output_tokens.value_or(0);
  if (input + output == 0) return;
  has_usage_ = true;
  usage_.inputTokens += input;
  usage_.outputTokens += output;
  usage_.totalTokens += input + output;
  const auto add = [](Nullable<std::uint64_t>& sum, const std::optional<std::uint64_t>& more) {
    if (more) sum = (sum.has_value() ? *sum : 0) + *more;
  };
  add(usage_.thoughtTokens, usage.thought_tokens);
  add(usage_.cachedReadTokens, usage.cached_tokens);
  add(usage_.cachedWriteTokens, usage.cache_written_tokens);
  session_.context_used = input + output;
  const auto size = session_.model()->info().context_tokens;
  if (!size) return;
  v1::UsageUpdate update;
  update.used = input + output;
  update.size = *size;
  report_.update(update);
}

void TurnLoop::keep_answer(Answer& answer) {
  for (const ToolCallPart& call : answer.calls) answer.message.parts.push_back(call);
  if (answer.message.parts.empty()) return;
  report_.keep({session_.conversation.add(answer.message)});
}

void TurnLoop::keep_cut(const Answer& answer) {
  calls_.fail_open("not made: " + answer.cut);
  report_.note(v1::NoticeSeverity::warning, "The model's answer was ended, and the turn with it",
               answer.cut);
  // All of it would be more than the model can be asked with again.
  std::string said;
  for (const Part& part : answer.message.parts)
    if (const auto* text = std::get_if<TextPart>(&part); text && said.size() <= most_kept)
      said += text->text;
  said = bounded(secrets_.masked(said), most_kept);
  Message message{Message::Role::assistant, {}};
  message.parts.push_back(TextPart{said + (said.empty() ? "[" : "\n[") + answer.cut + "]"});
  report_.keep({session_.conversation.add(std::move(message))});
}

void TurnLoop::keep_interrupted() {
  try {
    calls_.fail_open("interrupted before its end");
    report_.flush();
    std::string said;
    if (current_)
      for (const Part& part : current_->message.parts)
        if (const auto* text = std::get_if<TextPart>(&part)) said += text->text;
    current_.reset();
    report_.keep(session_.conversation.repair_interrupted(said));
    report_.settle();
  } catch (const ConnectionClosed&) {  // nobody listens any more
  }
}

}  // namespace acp::coder
