#include "acp/role/versions/permission.h"

#include "acp/role/versions/kept.h"
#include "acp/role/versions/recode.h"
#include "acp/role/versions/tool_call.h"

namespace acp::detail::versions {

namespace {

static_assert(static_cast<int>(v2::PermissionOptionKind::reject_always) ==
              static_cast<int>(v1::PermissionOptionKind::reject_always));

v2::PermissionOption option_to_v2(v1::PermissionOption&& from) {
  v2::PermissionOption to;
  to.optionId = std::move(from.optionId);
  to.name = std::move(from.name);
  to.kind = static_cast<v2::PermissionOptionKind::Value>(from.kind);
  to._meta = std::move(from._meta);
  return to;
}

std::optional<v1::PermissionOption> option_to_v1(v2::PermissionOption&& from) {
  if (from.kind == v2::PermissionOptionKind::unknown_) return std::nullopt;
  v1::PermissionOption to;
  to.optionId = std::move(from.optionId);
  to.name = std::move(from.name);
  to.kind = static_cast<v1::PermissionOptionKind>(from.kind.index);
  to._meta = std::move(from._meta);
  return to;
}

// An outcome of version 1: nobody approved, and no option says so.
constexpr std::string_view rejected_tag = "_rejected";

v1::ToolCallContent text_content(std::string text) {
  v1::Content content;
  content.content = std::move(text);
  return content;
}

// The command as a person must see it; fenced, so that nothing in it is taken for Markdown.
std::string fenced(const std::string& command) {
  std::size_t longest = 2, run = 0;
  for (const char c : command) {
    run = c == '`' ? run + 1 : 0;
    longest = std::max(longest, run);
  }
  const std::string fence(longest + 1, '`');
  return fence + "\n" + command + "\n" + fence;
}

void describe_command(v1::ToolCallUpdate& call, v2::CommandPermissionSubject& command) {
  if (command.toolCallId) call.toolCallId = std::move(*command.toolCallId);
  call.kind = v1::ToolKind::execute;
  call.rawInput = Json::object({{"command", command.command}, {"cwd", command.cwd}});
  std::vector<v1::ToolCallContent>& content = call.content.emplace();
  content.push_back(text_content(fenced(command.command)));
  if (command.terminalId) {
    v1::Terminal terminal;
    terminal.terminalId = std::move(*command.terminalId);
    content.emplace_back(std::move(terminal));
  }
  call._meta = std::move(command._meta);
}

}  // namespace

std::optional<v2::RequestPermissionRequest> to_v2(v1::RequestPermissionRequest request,
                                                  std::string_view known_title) {
  if (request.options.empty()) return std::nullopt;
  v2::RequestPermissionRequest to;
  const Json kept = take_kept(request._meta);
  const v1::ToolCallUpdate& call = request.toolCall;
  if (const auto own = kept["title"].as_string())
    to.title = *own;
  else if (call.title && !call.title->empty())
    to.title = *call.title;
  else if (!known_title.empty())
    to.title = known_title;
  else
    to.title = call.name && !call.name->empty() ? *call.name : "Permission for a tool call";
  if (auto description = kept["description"].as_string()) to.description = std::move(*description);
  to.sessionId = std::move(request.sessionId);
  v2::ToolCallPermissionSubject subject;
  subject.toolCall = to_v2(std::move(request.toolCall));
  to.subject = v2::RequestPermissionSubject(std::move(subject));
  to.options = mapped_list<v2::PermissionOption>(std::move(request.options), option_to_v2);
  to._meta = std::move(request._meta);
  return to;
}

v1::RequestPermissionRequest to_v1(v2::RequestPermissionRequest request, AskedCall asked) {
  v1::RequestPermissionRequest to;
  to._meta = std::move(request._meta);
  v1::ToolCallUpdate& call = to.toolCall;
  bool named = false;
  if (request.subject)
    std::visit(Overloaded{[&](v2::ToolCallPermissionSubject& subject) {
                            named = true;
                            call = to_v1(std::move(subject.toolCall));
                            keep(to._meta, "subject_meta", subject._meta);
                          },
                          [&](v2::CommandPermissionSubject& command) {
                            named = command.toolCallId.has_value();
                            describe_command(call, command);
                          },
                          [&](Unknown&) {
                            const std::string subject = json::encode(*request.subject);
                            keep(to._meta, "subject", Json::from_valid(subject));
                            // Nobody agrees to what is not shown.
                            call.content = std::vector{text_content(fenced(subject))};
                          }},
               *request.subject);
  if (!named) call.toolCallId = std::move(asked.made_id);
  if (!call.title || call.title->empty())
    call.title = request.title;
  else if (*call.title != request.title)
    keep(to._meta, "title", request.title);
  if (request.description && !request.description->empty()) {
    if (!call.content) {
      call.content.emplace();
      if (asked.shown != nullptr) *call.content = *asked.shown;
    }
    call.content->insert(call.content->begin(), text_content(*request.description));
    keep(to._meta, "description", *request.description);
  }
  to.sessionId = std::move(request.sessionId);
  to.options = mapped_list<v1::PermissionOption>(std::move(request.options), option_to_v1);
  return to;
}

std::string_view asked_call(const v2::RequestPermissionRequest& request) {
  if (!request.subject) return {};
  if (const auto* subject = std::get_if<v2::ToolCallPermissionSubject>(&*request.subject))
    return subject->toolCall.toolCallId;
  const auto* command = std::get_if<v2::CommandPermissionSubject>(&*request.subject);
  return command != nullptr && command->toolCallId ? std::string_view(*command->toolCallId)
                                                   : std::string_view();
}

v2::RequestPermissionResponse to_v2(v1::RequestPermissionResponse response) {
  v2::RequestPermissionResponse to;
  std::visit(Overloaded{[&](v1::CancelledPermissionOutcome&) {
                          to.outcome = v2::CancelledPermissionOutcome();
                        },
                        [&](v1::SelectedPermissionOutcome& from) {
                          v2::SelectedPermissionOutcome selected;
                          selected.optionId = std::move(from.optionId);
                          selected._meta = std::move(from._meta);
                          to.outcome = std::move(selected);
                        },
                        [&](Unknown& unknown) {
                          if (unknown.tag == rejected_tag)
                            to.outcome = v2::CancelledPermissionOutcome();
                          else
                            to.outcome = std::move(unknown);
                        }},
             response.outcome);
  to._meta = std::move(response._meta);
  return to;
}

v1::RequestPermissionResponse to_v1(v2::RequestPermissionResponse response,
                                    const std::vector<v1::PermissionOption>& options,
                                    bool turn_cancelled) {
  v1::RequestPermissionResponse to;
  to._meta = std::move(response._meta);
  if (auto* from = std::get_if<v2::SelectedPermissionOutcome>(&response.outcome)) {
    v1::SelectedPermissionOutcome selected;
    selected.optionId = std::move(from->optionId);
    selected._meta = std::move(from->_meta);
    to.outcome = std::move(selected);
    return to;
  }
  const Json outcome = Json::from_valid(json::encode(response.outcome));
  if (outcome.size() > 1 || outcome["outcome"].as_string() != "cancelled")
    keep(to._meta, "outcome", outcome);
  if (turn_cancelled) {
    to.outcome = v1::CancelledPermissionOutcome();
    return to;
  }
  // Nothing that a program could take for an option.
  to.outcome = Unknown{std::string(rejected_tag), Json::object({})};
  for (const v1::PermissionOption& option : options) {
    if (option.kind != v1::PermissionOptionKind::reject_once) continue;
    v1::SelectedPermissionOutcome rejected;
    rejected.optionId = option.optionId;
    to.outcome = std::move(rejected);
    break;
  }
  return to;
}

}  // namespace acp::detail::versions
