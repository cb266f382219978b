#include "check/wire/log.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <map>
#include <set>

#include "acp/json/json.h"

namespace acp::check {
namespace {

std::string text_of(JsonView value) { return value.as_string().value_or(""); }

std::string text_of_content(JsonView block) {
  const std::string type = text_of(block["type"]);
  if (type == "text") return text_of(block["text"]);
  if (type == "resource_link") return "[" + text_of(block["uri"]) + "]";
  if (type == "resource") return "[" + text_of(block["resource"]["uri"]) + "]";
  return "[" + type + "]";
}

std::string in_quotes(const std::string& text) { return "\"" + text + "\""; }

// Of a message that comes whole, or of one piece.
std::string text_of_message(JsonView content) {
  if (content.is_object()) return text_of_content(content);
  std::string text;
  for (const JsonView block : content.elements()) text += text_of_content(block);
  return text;
}

std::string text_of_error(JsonView error) {
  return "error " + std::string(error["code"].text()) + " " + text_of(error["message"]);
}

// What a call is about, in a few words.
std::string about(const std::string& method, JsonView params) {
  if (method == "session/prompt") {
    std::string text;
    for (const JsonView block : params["prompt"].elements()) text += text_of_content(block);
    return in_quotes(text);
  }
  if (method == "initialize") return "version " + std::string(params["protocolVersion"].text());
  if (method == "session/request_permission") {
    const std::string title =
        text_of(params["title"].absent() ? params["toolCall"]["title"] : params["title"]);
    return title.empty() ? text_of(params["toolCall"]["toolCallId"]) : in_quotes(title);
  }
  if (method == "terminal/create") {
    std::string line = text_of(params["command"]);
    for (const JsonView word : params["args"].elements()) line += " " + text_of(word);
    return line;
  }
  for (const char* const field :
       {"path", "terminalId", "modeId", "configId", "methodId", "cwd", "message", "requestId"})
    if (!params[field].absent())
      return params[field].is_string() ? text_of(params[field]) : std::string(params[field].text());
  return "";
}

std::string outcome_of(JsonView message) {
  const JsonView error = message["error"], result = message["result"];
  if (!error.absent()) return text_of_error(error);
  if (const auto stop = result["stopReason"].as_string()) return *stop;
  if (const auto id = result["sessionId"].as_string()) return *id;
  if (const auto id = result["terminalId"].as_string()) return *id;
  const JsonView outcome = result["outcome"];
  if (outcome.is_object())
    return text_of(outcome["outcome"]) + (outcome["optionId"].absent() ? "" : " ") +
           text_of(outcome["optionId"]);
  if (!result["protocolVersion"].absent())
    return "version " + std::string(result["protocolVersion"].text());
  if (const auto message = result["messageId"].as_string()) return "inserted";
  if (!result["exitCode"].absent()) return "exit code " + std::string(result["exitCode"].text());
  return "ok";
}

class Teller {
 public:
  std::vector<TimelineEntry> entries;

  void take(const RecordedFrame& frame) {
    const auto parsed = frame.is_json ? Json::parse(frame.text) : json::Result<Json>(Json());
    if (!frame.is_json || !parsed || !parsed->is_object())
      return add(TimelineEntry::Kind::stray, frame, "", frame.text);
    const Json& message = *parsed;
    if (const auto method = message["method"].as_string()) return call(frame, *method, message);
    const auto side = frame.from == Side::client ? Side::agent : Side::client;
    const auto at = open_.find({side, std::string(message["id"].text())});
    if (at == open_.end())
      return add(TimelineEntry::Kind::stray, frame, "", "an answer to nothing: " + frame.text);
    TimelineEntry& entry = entries[at->second];
    entry.failed = !message["error"].absent();
    entry.frames.push_back(frame.number);
    const std::string chosen = std::string(message["result"]["messageId"].text());
    if (entry.method == "session/prompt" && !entry.failed && !chosen.empty()) {
      inserted(frame, at->second, chosen);
    } else {
      entry.answered = frame.time;
      entry.outcome = outcome_of(message);
      if (entry.method == "session/prompt") prompt_over(entry.session, at->second);
    }
    last_.clear();
    open_.erase(at);
  }

  void take(const RecordedViolation& violation) {
    TimelineEntry& entry = beside(violation.frame);
    entry.kind = TimelineEntry::Kind::violation;
    entry.from = violation.from;
    entry.time = violation.time;
    entry.method = violation.id;
    entry.what = violation.message;
    entry.outcome = violation.level;
  }
  void take(const RecordedFault& fault) {
    TimelineEntry& entry = beside(fault.frame);
    entry.kind = TimelineEntry::Kind::fault;
    entry.from = fault.from;
    entry.time = fault.time;
    entry.method = fault.kind;
    entry.what = fault.detail;
  }
  void take(const RecordedEnd& end) {
    TimelineEntry& entry = entries.emplace_back();
    entry.kind = TimelineEntry::Kind::end;
    entry.from = Side::agent;
    entry.time = end.time;
    entry.what = end.reason;
  }

 private:
  void add(TimelineEntry::Kind kind, const RecordedFrame& frame, const std::string& method,
           const std::string& what, const std::string& session = "") {
    const auto turn = turns_.find(session);
    TimelineEntry& entry = entries.emplace_back();
    entry.kind = kind;
    entry.from = frame.from;
    entry.time = frame.time;
    entry.method = method;
    entry.what = what;
    entry.session = session;
    entry.frames.push_back(frame.number);
    if (turn != turns_.end()) entry.turn = turn->second;
  }
  // A new one with the session and the turn of the frame that it is about.
  TimelineEntry& beside(std::size_t frame) {
    std::string session;
    std::optional<std::size_t> turn;
    for (std::size_t i = entries.size(); i-- > 0;) {
      const TimelineEntry& each = entries[i];
      if (std::ranges::find(each.frames, frame) == each.frames.end()) continue;
      session = each.session;
      turn = each.method == "session/prompt" ? std::optional(i) : each.turn;
      break;
    }
    TimelineEntry& entry = entries.emplace_back();
    entry.session = std::move(session);
    entry.turn = turn;
    entry.frames.push_back(frame);
    return entry;
  }

  void call(const RecordedFrame& frame, const std::string& method, const Json& message) {
    const JsonView params = message["params"];
    const std::string session = text_of(params["sessionId"]);
    if (method == "session/update") return update(frame, session, params["update"]);
    last_.clear();
    const bool request = !message["id"].absent();
    add(request ? TimelineEntry::Kind::request : TimelineEntry::Kind::notification, frame, method,
        about(method, params), session);
    if (!request) return;
    entries.back().id = message["id"].text();
    open_[{frame.from, entries.back().id}] = entries.size() - 1;
    // In version 2 it may wait for the turn before it.
    if (method == "session/prompt") turns_.try_emplace(session, entries.size() - 1);
  }

  // ---- turns of version 2: answered when they begin, over with the state idle

  void inserted(const RecordedFrame& frame, std::size_t prompt, const std::string& message) {
    TimelineEntry& entry = entries[prompt];
    entry.inserted = frame.time;
    if (entry.answered) return;  // its turn was over before
    entry.outcome = "inserted";
    messages_[{entry.session, message}] = prompt;
    turns_[entry.session] = prompt;
  }
  void prompt_over(const std::string& session, std::size_t prompt) {
    const auto turn = turns_.find(session);
    if (turn == turns_.end() || turn->second != prompt) return;
    turns_.erase(turn);
    // In version 1 the next one may be at work already.
    for (const auto& [id, open] : open_)
      if (open > prompt && entries[open].session == session &&
          entries[open].method == "session/prompt")
        turns_.try_emplace(session, open);
  }

  // True if it is said by the entry of the prompt.
  bool state(const RecordedFrame& frame, const std::string& session, JsonView update) {
    const auto turn = turns_.find(session);
    if (turn == turns_.end()) return false;
    TimelineEntry& prompt = entries[turn->second];
    const std::string state = text_of(update["state"]), stop = text_of(update["stopReason"]);
    const bool first = working_.insert(turn->second).second;
    if (state == "running" && first) {
      prompt.frames.push_back(frame.number);
      return true;
    }
    // A snapshot from before the turn.
    if (state != "idle" || (first && !prompt.inserted)) return false;
    prompt.frames.push_back(frame.number);
    prompt.answered = frame.time;
    prompt.outcome = stop.empty() ? "idle" : stop;
    prompt.failed = stop == "error";
    if (prompt.failed && update["error"].is_object())
      prompt.outcome = text_of_error(update["error"]);
    turns_.erase(turn);
    return true;
  }

  // The user's message as it comes back.
  bool echo(const RecordedFrame& frame, const std::string& session, JsonView update) {
    const std::string message(update["messageId"].text());
    const auto known = messages_.find({session, message});
    const auto turn = turns_.find(session);
    std::size_t prompt = 0;
    if (known != messages_.end())
      prompt = known->second;
    else if (turn != turns_.end() && !entries[turn->second].inserted && !message.empty())
      prompt = turn->second;
    else
      return false;
    messages_[{session, message}] = prompt;
    entries[prompt].frames.push_back(frame.number);
    return true;
  }

  // All updates of a tool call, or of a terminal, stand on one line.
  TimelineEntry& thing(const RecordedFrame& frame, const std::string& session,
                       const std::string& what, const std::string& id) {
    last_.erase(session);
    const auto [at, added] = tools_.try_emplace({session, what + " " + id}, entries.size());
    if (added) {
      add(TimelineEntry::Kind::tool, frame, what, "", session);
      entries.back().id = id;
    } else {
      entries[at->second].frames.push_back(frame.number);
    }
    return entries[at->second];
  }

  void terminal(const RecordedFrame& frame, const std::string& session, JsonView update) {
    TimelineEntry& entry = thing(frame, session, "terminal", text_of(update["terminalId"]));
    if (const auto command = update["command"].as_string()) entry.what = *command;
    const JsonView end = update["exitStatus"];
    if (!end.is_object()) return;
    entry.outcome = end["exitCode"].is_number() ? "exit code " + std::string(end["exitCode"].text())
                    : end["signal"].is_string() ? text_of(end["signal"])
                                                : "exited";
  }

  void update(const RecordedFrame& frame, const std::string& session, JsonView update) {
    const std::string kind = text_of(update["sessionUpdate"]);
    if (kind == "state_update" && state(frame, session, update)) return;
    if (kind.starts_with("user_message") && echo(frame, session, update)) return;
    if (kind.starts_with("terminal_")) return terminal(frame, session, update);
    if (kind == "tool_call_content_chunk") {
      thing(frame, session, "tool_call", text_of(update["toolCallId"]));
      return;
    }
    if (kind == "user_message" || kind == "agent_message" || kind == "agent_thought") {
      last_.erase(session);
      return add(TimelineEntry::Kind::message, frame, kind, text_of_message(update["content"]),
                 session);
    }
    if (kind.ends_with("_chunk") && update["content"].is_object()) {
      const std::string text = text_of_content(update["content"]);
      const auto before = last_.find(session);
      if (before != last_.end() && entries[before->second].method == kind) {
        entries[before->second].what += text;
        entries[before->second].frames.push_back(frame.number);
        return;
      }
      add(TimelineEntry::Kind::message, frame, kind, text, session);
      last_[session] = entries.size() - 1;
      return;
    }
    if (kind == "tool_call" || kind == "tool_call_update") {
      const std::string status = text_of(update["status"]), title = text_of(update["title"]);
      TimelineEntry& entry = thing(frame, session, "tool_call", text_of(update["toolCallId"]));
      if (!title.empty()) entry.what = title;
      std::string& statuses = entry.outcome;
      if (!status.empty() && !statuses.ends_with(status))
        statuses += (statuses.empty() ? "" : " → ") + status;
      return;
    }
    if (kind != "usage_update") last_.erase(session);
    std::string what;
    if (kind == "plan") what = std::to_string(update["entries"].size()) + " entries";
    if (kind == "plan_update") what = std::to_string(update["plan"]["entries"].size()) + " entries";
    if (kind == "state_update") what = text_of(update["state"]);
    if (update["background"].size() > 0)
      what += ", " + std::to_string(update["background"].size()) + " in the background";
    if (kind == "available_commands_update")
      what = std::to_string(update["availableCommands"].size()) + " commands";
    for (const char* const field : {"title", "currentModeId"})
      if (update[field].is_string()) what = text_of(update[field]);
    if (kind == "usage_update")
      what = std::string(update["used"].text()) + " of " + std::string(update["size"].text());
    add(TimelineEntry::Kind::notification, frame, kind, what, session);
  }

  std::map<std::pair<Side, std::string>, std::size_t> open_;
  std::map<std::pair<std::string, std::string>, std::size_t> tools_;     // and terminals
  std::map<std::pair<std::string, std::string>, std::size_t> messages_;  // id → prompt
  std::set<std::size_t> working_;             // prompts whose session has reported a state
  std::map<std::string, std::size_t> turns_;  // session → prompt
  std::map<std::string, std::size_t> last_;   // session → message that the next chunk may join
};

bool fits(const std::string& pattern, const std::string& name) {
  if (pattern.ends_with('*')) return name.starts_with(pattern.substr(0, pattern.size() - 1));
  return pattern.empty() || name == pattern;
}

}  // namespace

std::optional<std::int64_t> version_of(const Recording& recording) {
  std::optional<std::int64_t> version;
  for (const TimelineEntry& entry : tell(recording)) {
    constexpr std::string_view words = "version ";
    if (entry.method != "initialize" || !entry.outcome.starts_with(words)) continue;
    std::int64_t number = 0;
    const char* const end = entry.outcome.data() + entry.outcome.size();
    if (std::from_chars(entry.outcome.data() + words.size(), end, number).ec == std::errc())
      version = number;
  }
  return version;
}

std::vector<TimelineEntry> tell(const Recording& recording) {
  Teller teller;
  for (const RecordedEntry& each : recording.entries)
    std::visit([&](const auto& entry) { teller.take(entry); }, each);
  return std::move(teller.entries);
}

bool LogFilter::takes(const TimelineEntry& entry, const std::vector<TimelineEntry>& all) const {
  if (from && entry.from != *from) return false;
  if (!session.empty() && !entry.session.starts_with(session) &&
      !entry.outcome.starts_with(session))
    return false;
  if (!fits(method, entry.method)) return false;
  if (!violations) return true;
  if (entry.kind == TimelineEntry::Kind::violation) return true;
  return std::ranges::any_of(all, [&](const TimelineEntry& other) {
    return other.kind == TimelineEntry::Kind::violation && !other.frames.empty() &&
           entry.kind != TimelineEntry::Kind::fault &&
           std::ranges::find(entry.frames, other.frames.front()) != entry.frames.end();
  });
}

std::optional<std::int64_t> LogStatistics::percentile(double p) const {
  if (times.empty()) return std::nullopt;
  const auto rank =
      static_cast<std::size_t>(std::ceil(p / 100 * static_cast<double>(times.size())));
  return times[std::clamp<std::size_t>(rank, 1, times.size()) - 1];
}

std::vector<LogStatistics> statistics_of(const Recording& recording) {
  std::map<std::pair<std::string, Side>, LogStatistics> all;
  std::map<std::pair<Side, std::string>, std::pair<std::string, std::int64_t>> open;
  for (const RecordedEntry& each : recording.entries) {
    const auto* const frame = std::get_if<RecordedFrame>(&each);
    if (frame == nullptr) continue;
    const auto parsed = Json::parse(frame->text);
    const std::string id = parsed && frame->is_json ? std::string((*parsed)["id"].text()) : "";
    std::string method = "(no message)";
    Side asker = frame->from;
    if (parsed && frame->is_json && (*parsed)["method"].is_string()) {
      method = *(*parsed)["method"].as_string();
      if (!id.empty()) open[{asker, id}] = {method, frame->time};
    } else if (parsed && frame->is_json) {
      asker = frame->from == Side::client ? Side::agent : Side::client;
      const auto at = open.find({asker, id});
      method = "(answer to nothing)";
      if (at == open.end()) {
        asker = frame->from;
      } else {
        method = at->second.first;
        LogStatistics& row = all[{method, asker}];
        row.times.push_back(frame->time - at->second.second);
        row.failed += (*parsed)["error"].absent() ? 0 : 1;
        row.bytes += frame->text.size();
        open.erase(at);
        continue;
      }
    }
    LogStatistics& row = all[{method, asker}];
    row.method = method;
    row.from = asker;
    ++row.count;
    row.bytes += frame->text.size();
  }
  std::vector<LogStatistics> rows;
  for (auto& [key, row] : all) {
    std::ranges::sort(row.times);
    rows.push_back(std::move(row));
  }
  return rows;
}

std::int64_t start_of(const std::vector<TimelineEntry>& entries) {
  const auto first = std::ranges::min_element(entries, {}, &TimelineEntry::time);
  return first == entries.end() ? 0 : first->time;
}

std::string duration(std::int64_t nanoseconds) {
  char text[32];
  const auto value = static_cast<double>(nanoseconds);
  if (nanoseconds >= 1'000'000'000)
    std::snprintf(text, sizeof text, "%.2f s", value / 1e9);
  else if (nanoseconds >= 1'000'000)
    std::snprintf(text, sizeof text, "%.1f ms", value / 1e6);
  else
    std::snprintf(text, sizeof text, "%.0f µs", value / 1e3);
  return text;
}

}  // namespace acp::check
