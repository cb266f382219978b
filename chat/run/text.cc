#include <sys/stat.h>
#include <unistd.h>

#include <iostream>
#include <map>
#include <set>

#include "acp/io/printable.h"
#include "acp/json/codec.h"
#include "chat/render/content.h"
#include "chat/run/calls.h"
#include "chat/run/events.h"

namespace acp::chat {

using io::one_line;
using io::printable;

namespace {

// Of what is no text, what it is.
std::string placeholder(const ContentBlock& content) {
  const auto named = [](const std::string& what, const std::string& detail) {
    return "[" + what + (detail.empty() ? "" : ": " + one_line(detail)) + "]";
  };
  if (const auto* image = std::get_if<v1::ImageContent>(&content))
    return named("image", image->mimeType);
  if (const auto* audio = std::get_if<v1::AudioContent>(&content))
    return named("audio", audio->mimeType);
  if (const auto* link = std::get_if<v1::ResourceLink>(&content)) {
    const std::string about = one_line(link->description.value_or(""));
    return named("link", link->uri) + (about.empty() ? "" : " " + about);
  }
  if (const auto* embedded = std::get_if<v1::EmbeddedResource>(&content)) {
    if (const auto* text = std::get_if<v1::TextResourceContents>(&embedded->resource))
      return named("resource", text->uri);
    if (const auto* blob = std::get_if<v1::BlobResourceContents>(&embedded->resource))
      return named("resource", blob->uri);
    return "[resource]";
  }
  if (const auto* unknown = std::get_if<Unknown>(&content)) return named("unknown", unknown->tag);
  return "[content]";
}

std::string text_of(const ContentBlock& content, io::PrintableStream& stream) {
  if (const auto* text = std::get_if<v1::TextContent>(&content)) return stream(text->text);
  return placeholder(content);
}

std::string login_advice(const std::vector<v1::AuthMethod>& methods) {
  std::string text = "It offers:";
  for (const v1::AuthMethod& method : methods) {
    const auto add = [&](const std::string& id, const std::string& name,
                         const Nullable<std::string>& description, const char* how) {
      text += "\n  " + one_line(id) + "  " + one_line(name);
      if (description.has_value()) text += ": " + one_line(*description);
      text += how;
    };
    if (const auto* own = std::get_if<v1::AuthMethodAgent>(&method))
      add(own->id, own->name, own->description, "");
    if (const auto* terminal = std::get_if<v1::AuthMethodTerminal>(&method))
      add(terminal->id, terminal->name, terminal->description, " (in a terminal; not by --auth)");
    if (const auto* unknown = std::get_if<Unknown>(&method))
      text += "\n  [" + one_line(unknown->tag) + "]";
  }
  return text + "\n--auth METHOD logs in by one of them.";
}

// One terminal, one file, one pipe.
bool same_place(int one, int other) {
  struct stat first {};
  struct stat second {};
  return fstat(one, &first) == 0 && fstat(other, &second) == 0 && first.st_dev == second.st_dev &&
         first.st_ino == second.st_ino;
}

class TextPrinter : public RunPrinter {
 public:
  explicit TextPrinter(TextOptions options) : options_(options) {}

  void print(const RunEvent& event) override {
    std::visit([this](const auto& one) { show(one); }, event);
  }

 private:
  // ---- standard output

  void say(const std::string& text) {
    if (text.empty()) return;
    if (options_.quiet) {
      last_ += text;
      return;
    }
    if (together_) end_stderr_line();
    std::cout << text << std::flush;
    mid_line_ = text.back() != '\n';
  }
  // Another message begins, or something has come between.
  void end_message() {
    if (options_.quiet) {
      ended_ = !last_.empty();
      return;
    }
    if (std::exchange(mid_line_, false)) std::cout << '\n' << std::flush;
  }
  void begin_message() {
    if (std::exchange(ended_, false)) last_.clear();
  }

  // ---- standard error

  void note(const std::string& line) {
    if (options_.quiet) return;
    tell(line);
  }
  void tell(const std::string& line) {
    end_stderr_line();
    pass(line + "\n");
  }
  // Pieces of a text, as they come.
  void pass(const std::string& text) {
    if (text.empty()) return;
    if (together_ && std::exchange(mid_line_, false)) std::cout << '\n' << std::flush;
    std::cerr << text << std::flush;
    mid_stderr_line_ = text.back() != '\n';
  }
  void end_stderr_line() {
    if (std::exchange(mid_stderr_line_, false)) std::cerr << '\n' << std::flush;
  }

  // ---- updates

  // What is not meant for people is shown by --verbose alone, and not as the agent's words.
  bool keep_back(const ContentBlock& content) {
    if (!for_assistant_only(content)) return false;
    io::PrintableStream stream;
    if (options_.verbose) note("[for the assistant only] " + one_line(text_of(content, stream)));
    return true;
  }
  void show(const v1::AgentMessageChunk& chunk) {
    if (keep_back(chunk.content)) return;
    if (chunk.messageId.has_value() && *chunk.messageId != message_id_) {
      if (!message_id_.empty()) end_message();
      message_id_ = *chunk.messageId;
    }
    begin_message();
    if (!std::holds_alternative<v1::TextContent>(chunk.content)) end_line();
    say(text_of(chunk.content, said_));
    if (!std::holds_alternative<v1::TextContent>(chunk.content)) say("\n");
  }
  void end_line() {
    if (options_.quiet ? !last_.empty() && last_.back() != '\n' : mid_line_) say("\n");
  }
  void show(const v1::AgentThoughtChunk& chunk) {
    if (keep_back(chunk.content)) return;
    end_message();
    if (options_.verbose && !options_.quiet) pass(text_of(chunk.content, thought_));
  }
  void show(const v1::ToolCall& call) {
    end_message();
    const auto [place, is_new] = calls_.try_emplace(call.toolCallId);
    ShownCall& shown = place->second;
    shown.title = one_line(call.title);
    if (call.kind) set_kind(shown, *call.kind);
    if (!call.content.empty()) shown.content = call.content;
    if (!call.locations.empty()) shown.locations = call.locations;
    if (is_new) shown.told = false;
    // Some agents name the tool at once, and tell what it does a moment later.
    const bool says_little =
        call.name.has_value() && *call.name == call.title && call.locations.empty() &&
        call.rawInput.absent() &&
        call.status.value_or(ToolCallStatus::pending) == ToolCallStatus::pending;
    if (!says_little) tell_first(shown, call.rawInput);
    if (call.status) status(call.toolCallId, *call.status);
  }
  void show(const v1::ToolCallUpdate& update) {
    end_message();
    if (update.title.has_value() || calls_.contains(update.toolCallId)) {
      ShownCall& shown = calls_[update.toolCallId];
      if (update.title.has_value()) shown.title = one_line(*update.title);
      if (update.kind.has_value()) set_kind(shown, *update.kind);
      if (update.content.has_value()) shown.content = *update.content;
      if (update.locations.has_value()) shown.locations = *update.locations;
      if (const auto code = update.rawOutput["exitCode"].as_int64()) shown.exit_code = *code;
      tell_first(shown, update.rawInput);
    }
    if (update.status.has_value()) status(update.toolCallId, *update.status);
  }
  static void set_kind(ShownCall& shown, v1::ToolKind kind) {
    shown.kind = to_string(kind);
    shown.is_command = kind == ToolKind::execute;
  }
  void tell_first(ShownCall& shown, const Json& input) {
    if (std::exchange(shown.told, true)) return;
    note(first_line(shown));
    if (options_.verbose && !input.absent()) note("  input: " + one_line(input.text(), 1000));
  }
  void status(const std::string& id, ToolCallStatus status) {
    if (status != ToolCallStatus::completed && status != ToolCallStatus::failed) return;
    const auto known = calls_.extract(id);
    if (!known) {
      note((status == ToolCallStatus::completed ? "[done] " : "[failed] ") + one_line(id));
      return;
    }
    const ShownCall& call = known.mapped();
    // Many agents say that a call is completed when its command has failed.
    const std::string failure = how_it_failed(call, terminals_);
    const bool failed = status == ToolCallStatus::failed || !failure.empty();
    // That a cancelled call has failed is no news: but the call may be, if its updates came late.
    if (cancelling_ && failed && failure.empty()) {
      if (!call.cancelled) note("[cancelled] " + call.title);
    } else if (!call.cancelled || !failed) {
      note((failed ? "[failed] " : "[done] ") + call.title +
           (failure.empty() ? "" : ": " + failure));
    }
    if (!options_.quiet) pass(excerpt(call, terminals_, options_.verbose));
    for (const v1::ToolCallContent& item : call.content)
      if (const auto* terminal = std::get_if<v1::Terminal>(&item))
        terminals_.forget(terminal->terminalId);
  }
  // The protocol has no such status: it is for the client to show.
  void cancel_calls() {
    for (auto& [id, call] : calls_)
      if (!std::exchange(call.cancelled, true)) note("[cancelled] " + call.title);
  }
  void show(const v1::Plan& plan) {
    std::size_t done = 0;
    std::string current;
    for (const v1::PlanEntry& entry : plan.entries) {
      if (entry.status == v1::PlanEntryStatus::completed) ++done;
      if (entry.status == v1::PlanEntryStatus::in_progress && current.empty())
        current = ": " + one_line(entry.content);
    }
    end_message();
    note("[plan] " + std::to_string(done) + " of " + std::to_string(plan.entries.size()) + current);
  }
  void show(const v1::Notice& notice) {
    end_message();
    std::string text = "[notice] " + one_line(notice.title);
    if (notice.description.has_value()) text += ": " + one_line(*notice.description, 1000);
    note(text);
  }
  void show(const v1::CurrentModeUpdate& mode) { note("[mode] " + one_line(mode.currentModeId)); }
  void show(const Unknown& unknown) {
    if (unknown_.size() < 100 && unknown_.insert(unknown.tag).second)
      note("[unknown] updates of a kind that is not known here: " + one_line(unknown.tag));
  }
  template <class Update>
  void show(const Update&)
    requires requires { Update::json_type; }
  {}  // for programs: --json

  // ---- events

  void show(const event::Starting& e) {
    if (options_.verbose)
      note("[start] " + one_line(e.agent.name) + ": " +
           one_line(io::command_line(e.agent.words()), 1000));
  }
  void show(const event::Initialized& e) {
    if (options_.verbose && e.info.agentInfo.has_value())
      note("[start] connected to " + one_line(e.info.agentInfo->name) + " " +
           one_line(e.info.agentInfo->version) +
           (e.info.protocolVersion == 1
                ? ""
                : ", ACP version " + std::to_string(e.info.protocolVersion)));
  }
  void show(const event::LoggingIn& e) { note("[login] " + one_line(e.method)); }
  void show(const event::SessionOpened& e) {
    const char* const how = e.how == SessionStart::created  ? "new"
                            : e.how == SessionStart::loaded ? "loaded"
                                                            : "resumed";
    if (options_.verbose) note("[session] " + one_line(e.session.id()) + ", " + how);
  }
  void show(const event::Updated& e) {
    if (e.replayed) return;
    std::visit([this](const auto& update) { show(update); }, e.update);
  }
  // Also in quiet: nothing is approved in silence.
  void show(const event::PermissionAnswered& e) {
    end_message();
    // That the turn is cancelled was said, of the call as well, which may have ended since.
    if (e.answer.by == PermissionAnswer::By::cancelled && !calls_.contains(e.call.id)) return;
    // The question may be answered before the call itself is reported.
    const auto [place, is_new] = calls_.try_emplace(e.call.id);
    ShownCall& asked = place->second;
    if (is_new) asked.told = false;
    if (!asked.told) {
      asked.title = one_line(e.call.title);
      asked.locations = e.call.locations;
      set_kind(asked, e.call.kind);
    }
    tell_first(asked, e.call.raw_input);
    std::string text = std::string(e.answer.allowed ? "[allowed] " : "[denied] ") +
                       describe(e.call) + ", " + e.answer.reason;
    if (e.answer.allowed && e.answer.option)
      text += ", as \"" + one_line(e.answer.option->name) + "\"";
    if (!e.answer.option && e.answer.by != PermissionAnswer::By::cancelled)
      text += "; answered as cancelled";
    tell(text);
  }
  void show(const event::CallJudged& e) {
    end_message();
    tell(std::string(e.answer.allowed ? "[allowed] " : "[denied] ") + describe(e.call) + ", " +
         e.answer.reason);
  }
  void show(const event::ElicitationDeclined& e) {
    end_message();
    std::string text =
        "[declined] a question, since nobody is there to answer it: " + one_line(e.request.message);
    if (const auto* url = std::get_if<v1::ElicitationUrlMode>(&e.request.mode))
      text += " (" + one_line(url->url, 1000) + ")";
    tell(text);
  }
  void show(const event::TerminalOutput& e) {
    if (options_.quiet) return;
    if (options_.verbose)
      pass(printable(e.text));
    else
      terminals_.add(e.id, e.text);
  }
  void show(const event::TerminalEnded& e) {
    if (!options_.quiet) terminals_.end(e.id, e.exit);
  }
  void show(const event::StderrLine& e) {
    if (options_.verbose) note("[stderr] " + one_line(e.line, 10'000));
  }
  void show(const event::Logged& e) {
    if (e.entry.level == LogEntry::Level::debug && !options_.verbose) return;
    note("[warning] " + one_line(e.entry.message, 500));
  }
  void show(const event::Cancelling& e) {
    end_message();
    note(e.reason == std::string_view("timeout")
             ? "[cancel] the time is over; the turn is cancelled"
             : "[cancel] the turn is cancelled; once more to end at once");
    cancelling_ = true;
    cancel_calls();
  }
  void show(const event::Stopped& e) {
    if (e.response.stopReason == StopReason::cancelled) {
      end_message();
      cancel_calls();
    }
    finish();
    if (!e.note.empty()) tell("acp run: " + e.note);
  }
  void show(const event::Failed& e) {
    finish();
    const std::string code = options_.verbose && e.code ? " (" + std::to_string(*e.code) + ")" : "";
    tell("acp run: " + printable(e.message) + code);
    // With --verbose it was shown when it came.
    if (!options_.verbose && !e.log_line.empty()) tell("[log] " + one_line(e.log_line, 1000));
    if (!options_.verbose && e.log_line.empty() && !e.data["correlationId"].absent())
      tell("-v shows the agent's log, which may say more.");
    if (!e.methods.empty()) tell(login_advice(e.methods));
  }
  void finish() {
    end_stderr_line();
    if (options_.quiet) {
      if (!last_.empty() && last_.back() != '\n') last_ += '\n';
      std::cout << last_ << std::flush;
      return;
    }
    end_message();
  }

  const TextOptions options_;
  io::PrintableStream said_, thought_;
  std::string last_;  // message, if only that is wanted
  bool ended_ = false;
  bool mid_line_ = false;  // of standard output
  bool mid_stderr_line_ = false;
  const bool together_ = same_place(STDOUT_FILENO, STDERR_FILENO);
  std::string message_id_;
  std::map<std::string, ShownCall> calls_;  // those that have not ended
  TerminalTails terminals_;
  std::set<std::string> unknown_;  // kinds that were reported
  bool cancelling_ = false;        // calls that fail now are cancelled
};

}  // namespace

std::unique_ptr<RunPrinter> text_run_printer(TextOptions options) {
  return std::make_unique<TextPrinter>(options);
}

}  // namespace acp::chat
