#include "chat/permission.h"

#include <algorithm>
#include <filesystem>
#include <map>

#include "acp/io/printable.h"
#include "acp/json/codec.h"
#include "acp/workspace/files/guarded.h"
#include "acp/workspace/permission_options.h"
#include "acp/workspace/policy_store.h"
#include "acp/workspace/touched.h"
#include "acp/workspace/web_origin.h"
#include "chat/render/question_view.h"
#include "chat/tty.h"

namespace acp::chat {

using io::one_line;

namespace {

using By = PermissionAnswer::By;

std::string why_denied(bool by_default) {
  if (!by_default) return "by --policy deny";
  return Tty::open() ? "by default; --policy ask asks here, --policy allow allows"
                     : "by default; --policy allow allows";
}

PermissionOption option(const char* id, const char* name, PermissionOptionKind kind) {
  PermissionOption result;
  result.optionId = id;
  result.name = name;
  result.kind = kind;
  return result;
}

// What the diffs of version 2 of the protocol say they do: docs/versions.md.
struct SaidChanges {
  std::vector<std::string> paths, kinds;
  bool unread = false;  // some of it is in no words that we know
};

const Json* meta_of(const v1::ToolCallContent& content) {
  if (const auto* diff = std::get_if<v1::Diff>(&content)) return &diff->_meta;
  if (const auto* text = std::get_if<v1::Content>(&content)) return &text->_meta;
  return nullptr;
}

SaidChanges said_changes(const ToolCallState& call) {
  SaidChanges said;
  for (const v1::ToolCallContent& content : call.content) {
    const Json* const meta = meta_of(content);
    if (meta == nullptr || !meta->is_object()) continue;
    const JsonView kept = (*meta)["libacp/v2"];
    if (!kept.is_object()) continue;
    said.unread |= !kept["patch"].absent() || !kept["unread"].absent();
    const JsonView change = kept["change"];
    if (!change.is_object()) continue;
    for (const char* const name : {"oldPath", "path"})
      if (const auto path = change[name].as_string()) said.paths.push_back(*path);
    const std::string operation = change["operation"].as_string().value_or("");
    const bool is_edit = operation == "add" || operation == "modify" || operation == "copy";
    const std::string kind = is_edit ? "edit" : operation;
    said.unread |= !is_edit && kind != "delete" && kind != "move";
    if (std::ranges::count(said.kinds, kind) == 0) said.kinds.push_back(kind);
  }
  return said;
}

std::vector<std::string> paths_of(const ToolCallState& call, const SaidChanges& changes) {
  std::vector<std::string> paths;
  const auto add = [&](const std::string& path) {
    if (!path.empty() && std::find(paths.begin(), paths.end(), path) == paths.end())
      paths.push_back(path);
  };
  for (const v1::ToolCallLocation& location : call.locations) add(location.path);
  for (const v1::ToolCallContent& content : call.content)
    if (const auto* diff = std::get_if<v1::Diff>(&content)) add(diff->path);
  for (const std::string& path : changes.paths) add(path);
  return paths;
}

// What is git's own, or .acp's, no rule allows.
std::string why_always_asked(const workspace::Boundary& boundary, const std::string& path,
                             v1::ToolKind kind) {
  using workspace::Change;
  std::vector<Change> changes = {Change::write};
  if (kind == v1::ToolKind::delete_) changes = {Change::remove};
  if (kind == v1::ToolKind::move) changes = {Change::remove, Change::arrive};
  try {
    for (const Change change : changes)
      if (const auto reason = workspace::guarded_reason(boundary, path, change)) return *reason;
  } catch (const workspace::FileError&) {  // outside the session's directories: not ours to say
  }
  return {};
}

}  // namespace

PermissionAnswer answered(const PermissionPrompt& question, By by, bool allow, std::string reason) {
  PermissionAnswer answer{.by = by, .reason = std::move(reason)};
  if (const auto* option = workspace::least_option(question.options, allow))
    answer.option = *option;
  answer.allowed = allow && answer.option;
  if (allow && !answer.option) answer.reason += "; but the agent offers no way to allow it";
  return answer;
}

std::string by_rule(const workspace::Judgement& judged) {
  return "by the rule " + one_line(judged.rule->describe()) + " (" + judged.source + ")";
}

const char* to_string(PermissionAnswer::By by) {
  switch (by) {
    case By::policy:
      return "policy";
    case By::rule:
      return "rule";
    case By::person:
      return "person";
    case By::nobody:
      return "nobody";
    case By::cancelled:
      return "cancelled";
  }
  return "";
}

ToolCallState call_in_question(const v1::ToolCallUpdate& said, ToolCallState known) {
  ToolCallState call = std::move(known);
  call.id = said.toolCallId;
  if (said.title.has_value()) call.title = *said.title;
  if (said.name.has_value()) call.name = *said.name;
  if (said.kind.has_value()) call.kind = *said.kind;
  if (said.content.has_value()) call.content = *said.content;
  if (said.locations.has_value()) call.locations = *said.locations;
  if (!said.rawInput.absent()) call.raw_input = said.rawInput;
  return call;
}

workspace::Question as_question(const PermissionPrompt& question) {
  using workspace::Ends;
  const ToolCallState& call = question.call;
  workspace::Question asked;
  asked.agent = question.agent;
  asked.project = question.cwd;
  asked.more_directories = question.more_directories;
  asked.kind = to_string(call.kind);
  const SaidChanges changes = said_changes(call);
  for (const std::string& kind : changes.kinds)
    if (kind != asked.kind) asked.other_kinds.push_back(kind);
  if (changes.unread) asked.always_ask = "a part of what it would change cannot be read";
  asked.tool = call.name.value_or("");
  std::vector<std::string> directories = {question.cwd};
  directories.insert(directories.end(), question.more_directories.begin(),
                     question.more_directories.end());
  const workspace::Boundary boundary(std::move(directories));
  const auto look = [&](const std::string& path, Ends ends) {
    const std::filesystem::path whole = std::filesystem::path(question.cwd) / path;
    workspace::Touched touched = workspace::touched(boundary, whole.string(), ends);
    touched.written = whole.lexically_normal().string();
    if (touched.written.size() > 1 && touched.written.ends_with('/')) touched.written.pop_back();
    return touched;
  };
  if (call.kind == v1::ToolKind::execute || call.kind == v1::ToolKind::other)
    asked.command = command_of(call);
  if (!asked.command.empty()) asked.directory = look(directory_said(call), Ends::followed);
  if (call.kind == v1::ToolKind::fetch)
    asked.origin = workspace::web_origin(call.raw_input.view()["url"].as_string().value_or(""));
  const auto does = [&](v1::ToolKind kind) {
    return call.kind == kind || std::ranges::count(changes.kinds, to_string(kind)) > 0;
  };
  const bool takes_all_below = does(v1::ToolKind::move) || does(v1::ToolKind::delete_);
  for (const std::string& path : paths_of(call, changes)) {
    asked.paths.push_back(look(path, takes_all_below ? Ends::as_it_is : Ends::followed));
    for (const v1::ToolKind kind : {v1::ToolKind::move, v1::ToolKind::delete_, v1::ToolKind::edit})
      if (asked.always_ask.empty() && does(kind))
        asked.always_ask = why_always_asked(boundary, asked.paths.back().written, kind);
  }
  for (const v1::ToolCallContent& content : call.content)
    if (const auto* diff = std::get_if<v1::Diff>(&content)) {
      auto change = std::make_shared<workspace::TextChange>();
      if (diff->oldText.has_value()) change->before = *diff->oldText;
      change->after = diff->newText;
      asked.shown.push_back({look(diff->path, Ends::followed), std::move(change)});
    }
  return asked;
}

std::string describe(const workspace::Question& call) {
  if (!call.command.empty())
    return "run `" + command_line_of(call.command) + "` in " + one_line(call.directory.written);
  std::string text = call.kind == "edit" ? "write" : call.kind;
  for (const workspace::Touched& path : call.paths) text += " " + one_line(path.written);
  return text;
}

std::unique_ptr<Permissions> Permissions::from(const std::string& word,
                                               const std::string& user_file) {
  const std::map<std::string, Kind> words = {
      {"", Kind::deny}, {"deny", Kind::deny}, {"allow", Kind::allow}, {"ask", Kind::ask}};
  if (const auto known = words.find(word); known != words.end()) {
    std::vector<workspace::Policy::Placed> rules;
    if (!user_file.empty()) rules = workspace::PolicyStore(user_file).load();
    std::erase_if(rules, [](const workspace::Policy::Placed& placed) {
      return placed.rule.decision == workspace::Effect::allow;
    });
    return std::make_unique<Permissions>(known->second, std::move(rules), user_file, word.empty());
  }
  const std::string path = std::filesystem::absolute(word).lexically_normal().string();
  if (!std::filesystem::exists(path))
    throw workspace::PolicyStoreError(path +
                                      ": there is no such file (nor is it ask, allow or deny)");
  return std::make_unique<Permissions>(Kind::rules, workspace::PolicyStore(path).load());
}

PermissionAnswer Permissions::answer(const PermissionPrompt& question, std::stop_token stop) {
  const workspace::Question seen = as_question(question);
  PermissionAnswer answer = decide(question, seen, std::move(stop));
  const std::lock_guard lock(answers_mutex_);
  // A rule that allowed the question does not allow another call by it: it judges that itself.
  if (!answer.allowed)
    answers_.add(as_rejected(question.call, seen), workspace::Effect::reject);
  else if (answer.by != By::rule)
    answers_.add(seen, workspace::Effect::allow, covered_by(answer.option));
  return answer;
}

workspace::TurnAnswers::Covers covered_by(const std::optional<PermissionOption>& option) {
  using Covers = workspace::TurnAnswers::Covers;
  return option && option->kind == PermissionOptionKind::allow_always ? Covers::its_paths
                                                                      : Covers::what_was_shown;
}

PermissionPrompt prompt_for(const workspace::Question& call) {
  PermissionPrompt question;
  question.call.title = describe(call);
  question.call.kind = call.kind == "edit" ? v1::ToolKind::edit : v1::ToolKind::execute;
  question.agent = call.agent;
  question.cwd = call.project;
  for (const workspace::Touched& path : call.paths) {
    v1::ToolCallLocation location;
    location.path = path.written;
    question.call.locations.push_back(std::move(location));
  }
  if (call.change && !call.paths.empty()) {
    v1::Diff diff;
    diff.path = call.paths.front().written;
    if (call.change->before) diff.oldText = *call.change->before;
    if (call.change->over_other) diff.oldText = "";
    diff.newText = call.change->after;
    question.call.content.push_back(std::move(diff));
    if (call.change->over_other) {
      v1::Content note;
      note.content = v1::ContentBlock("What is there now is no text. All of it is replaced.");
      question.call.content.push_back(std::move(note));
    }
  }
  if (!call.command.empty())
    question.call.raw_input =
        Json::object({{"command", call.command}, {"cwd", call.directory.written}});
  question.options = {option("allow", "Allow", PermissionOptionKind::allow_once),
                      option("reject", "Reject", PermissionOptionKind::reject_once)};
  return question;
}

workspace::Question as_rejected(const ToolCallState& call, workspace::Question question) {
  if (question.command.empty()) question.command = command_of(call);
  return question;
}

// The rules that were read at the start hold, though the file may be broken by now.
workspace::Judgement Permissions::judged(const workspace::Question& seen) {
  const workspace::Judgement rule = rules_.judge(seen);
  return rule.decision || kind_ != Kind::ask ? rule : decisions_.judge(seen);
}

PermissionAnswer Permissions::decide(const PermissionPrompt& question,
                                     const workspace::Question& seen, std::stop_token stop) {
  if (const workspace::Judgement rule = judged(seen); rule.decision)
    return answered(question, By::rule, *rule.decision == workspace::Effect::allow, by_rule(rule));
  switch (kind_) {
    case Kind::allow:
      // Such a change runs commands later, when nobody allows them.
      if (!seen.always_ask.empty())
        return answered(question, By::nobody, false,
                        seen.always_ask + ": --policy allow does not allow it, --policy ask asks");
      return answered(question, By::policy, true, "by --policy allow");
    case Kind::deny:
      return answered(question, By::nobody, false, why_denied(by_default_));
    case Kind::ask:
      return ask(question, seen, std::move(stop));
    case Kind::rules:
      break;
  }
  return answered(question, By::nobody, false, "no rule decides it");
}

PermissionAnswer Permissions::judge(const workspace::Question& call, bool asks_itself,
                                    std::stop_token stop) {
  if (const workspace::Judgement rule = judged(call); rule.decision == workspace::Effect::reject)
    return {.by = By::rule, .allowed = false, .reason = by_rule(rule)};
  if (asks_itself) return {.by = By::policy, .allowed = true};
  workspace::Answered before;
  {
    const std::lock_guard lock(answers_mutex_);
    before = answers_.take(call);
  }
  using workspace::Answered;
  if (before == Answered::allowed) return {.by = By::policy, .allowed = true};
  if (before == Answered::rejected)
    return {.by = By::rule, .allowed = false, .reason = "it was rejected when the agent asked"};
  if (call.kind == "read") return {.by = By::policy, .allowed = true};
  // The agent did not ask: we do.
  PermissionAnswer answer = decide(prompt_for(call), call, std::move(stop));
  answer.reason += before == Answered::otherwise ? "; the agent asked about another content"
                                                 : "; the agent did not ask";
  // What a person said of a command holds for the turn, and so does no. Yes to a write is for this
  // one. Rules are asked again each time.
  if (answer.by == By::person && (!answer.allowed || call.kind == "execute")) {
    const std::lock_guard lock(answers_mutex_);
    answers_.add(call, answer.allowed ? workspace::Effect::allow : workspace::Effect::reject);
  }
  return answer;
}

}  // namespace acp::chat
