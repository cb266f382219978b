#include "echo_words.h"

namespace echo {

using acp::Task;
using acp::Turn;
namespace v1 = acp::v1;

Task<void> send_content(Turn turn) {
  v1::ImageContent image;
  image.data = "iVBORw0KGgo=";
  image.mimeType = "image/png";
  v1::AudioContent audio;
  audio.data = "UklGRg==";
  audio.mimeType = "audio/wav";
  v1::ResourceLink link;
  link.name = "notes.txt";
  link.uri = "file:///tmp/notes.txt";
  v1::TextResourceContents text;
  text.uri = "file:///tmp/a.txt";
  text.text = "embedded";
  v1::EmbeddedResource resource;
  resource.resource = std::move(text);
  v1::BlobResourceContents blob;
  blob.uri = "file:///tmp/a.bin";
  blob.blob = "AAEC";
  v1::EmbeddedResource binary;
  binary.resource = std::move(blob);
  const acp::ContentBlock blocks[] = {acp::ContentBlock("text"),   acp::ContentBlock(image),
                                      acp::ContentBlock(audio),    acp::ContentBlock(link),
                                      acp::ContentBlock(resource), acp::ContentBlock(binary)};
  for (const acp::ContentBlock& block : blocks) co_await turn.say(block);
}

static Task<void> send_compaction(Turn turn) {
  v1::CompactionUpdate compaction;
  compaction.compactionId = "c1";
  co_await turn.update(compaction);
  v1::CompactionSummaryChunk chunk;
  chunk.compactionId = "c1";
  chunk.content = acp::ContentBlock("a summary");
  co_await turn.update(chunk);
  compaction.status = v1::CompactionStatus::completed;
  co_await turn.update(compaction);
}

Task<void> send_updates(Turn turn) {
  co_await turn.user_said("what the user said");
  co_await turn.say("a message");
  co_await turn.think("a thought");
  acp::Plan plan = turn.make_plan();
  co_await plan.add("first", acp::PlanEntryPriority::high);
  co_await plan.set(0, acp::PlanEntryStatus::completed);
  const acp::ToolCall call = turn.tool_call("Reading", acp::ToolKind::read);
  co_await call.start();
  co_await call.add_location("/tmp/a.txt", 3);
  co_await call.complete("done");
  co_await turn.report_usage(1200, 8000, 0.25, "EUR");
  co_await turn.set_title("A title");
  std::vector<acp::AvailableCommand> commands(1);
  commands[0].name = "help";
  commands[0].description = "Lists the words";
  co_await turn.set_commands(commands);
  co_await turn.set_mode("code");
  const std::vector<v1::SessionConfigOption> changed = options("large");
  co_await turn.set_config_options(changed);
  const auto& session = turn.client_capabilities().session;
  if (session.has_value() && session->notices.has_value())
    co_await turn.notice(acp::NoticeSeverity::info, "A notice", "about nothing");
  if (session.has_value() && session->compaction.has_value()) co_await send_compaction(turn);
}

Task<void> send_unstable(Turn turn) {
  const auto& can = turn.client_capabilities();
  if (can.plan.has_value()) {
    v1::PlanMarkdown markdown;
    markdown.planId = "p1";
    markdown.content = "# Plan";
    v1::PlanItems items;
    items.planId = "p2";
    v1::PlanFile file;
    file.planId = "p3";
    file.uri = "file:///tmp/plan.md";
    v1::PlanUpdate update;
    update.plan = std::move(markdown);
    co_await turn.update(update);
    update.plan = std::move(items);
    co_await turn.update(update);
    update.plan = std::move(file);
    co_await turn.update(update);
    v1::PlanRemoved removed;
    removed.planId = "p1";
    co_await turn.update(removed);
  }
  if (can.subagents.has_value()) {
    v1::SubagentUpdate subagent;
    subagent.sessionId = "sub_1";
    subagent.title = std::string("A subagent");
    co_await turn.update(subagent);
    v1::SessionMessage message;
    message.messageId = "m1";
    message.senderSessionId = std::string("sub_1");
    co_await turn.update(message);
    v1::SessionMessageChunk chunk;
    chunk.messageId = "m1";
    chunk.content = acp::ContentBlock("hello");
    co_await turn.update(chunk);
  }
  const auto& session = can.session;
  if (session.has_value() && session->compaction.has_value()) co_await send_compaction(turn);
}

std::vector<v1::SessionMode> modes() {
  std::vector<v1::SessionMode> modes(2);
  modes[0].id = "ask";
  modes[0].name = "Ask";
  modes[1].id = "code";
  modes[1].name = "Code";
  return modes;
}

std::vector<v1::SessionConfigOption> options(const std::string& model) {
  std::vector<v1::SessionConfigSelectOption> values(2);
  values[0].value = "small";
  values[0].name = "Small";
  values[1].value = "large";
  values[1].name = "Large";
  v1::SessionConfigSelect select;
  select.currentValue = model;
  select.options = std::move(values);
  std::vector<v1::SessionConfigOption> options(2);
  options[0].id = "model";
  options[0].name = "Model";
  options[0].category = v1::SessionConfigOptionCategory(v1::SessionConfigOptionCategory::model);
  options[0].type = std::move(select);
  v1::SessionConfigBoolean boolean;
  options[1].id = "verbose";
  options[1].name = "Verbose";
  options[1].type = std::move(boolean);
  return options;
}

}  // namespace echo
