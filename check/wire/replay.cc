#include "check/wire/replay.h"

#include <algorithm>

#include "acp/json/writer.h"
#include "check/wire/recording_mask.h"

namespace acp::check {
namespace {

constexpr std::size_t shown = 120;

std::string brief(JsonView value) {
  if (value.absent()) return "nothing";
  std::string text(value.text().substr(0, shown));
  return text.size() < value.text().size() ? text + "…" : text;
}

// A text with something masked in it: anything may stand there. False if nothing is.
bool fits_mask(std::string_view recorded, std::string_view got) {
  std::size_t mask = recorded.find(mask_text);
  if (mask == std::string_view::npos || !got.starts_with(recorded.substr(0, mask))) return false;
  got.remove_prefix(mask);
  while (true) {
    recorded.remove_prefix(mask + mask_text.size());
    mask = recorded.find(mask_text);
    if (mask == std::string_view::npos) return got.ends_with(recorded);
    const std::size_t at = got.find(recorded.substr(0, mask));
    if (at == std::string_view::npos) return false;
    got.remove_prefix(at + mask);
  }
}

bool is_id(std::string_view key) {
  return key.ends_with("Id") && key != "modeId" && key != "currentModeId" && key != "methodId" &&
         key != "configId" && key != "optionId";
}

// What is different each time.
bool is_volatile(std::string_view key) {
  return key == "updatedAt" || key == "lastModified" || key == "timestamp" || key == "_meta";
}

std::string method_of(JsonView message) { return message["method"].as_string().value_or(""); }

// session/update with text of one kind; empty if it is anything else.
std::string chunk_kind(JsonView message) {
  const JsonView update = message["params"]["update"];
  const std::string kind = update["sessionUpdate"].as_string().value_or("");
  if (method_of(message) != "session/update" || !kind.ends_with("_chunk")) return "";
  return update["content"]["type"].as_string() == "text" ? kind : "";
}

std::string chunk_text(JsonView message) {
  return message["params"]["update"]["content"]["text"].as_string().value_or("");
}

// The id in an update of a tool call; empty if it is anything else.
std::string tool_call_of(JsonView message) {
  const JsonView update = message["params"]["update"];
  const std::string kind = update["sessionUpdate"].as_string().value_or("");
  if (method_of(message) != "session/update" || !kind.starts_with("tool_call")) return "";
  return update["toolCallId"].as_string().value_or("");
}

std::string name_of(JsonView message) {
  const std::string method = method_of(message);
  const std::string kind = message["params"]["update"]["sessionUpdate"].as_string().value_or("");
  if (!kind.empty()) return kind;
  if (!method.empty()) return method;
  return message["error"].absent() ? "an answer to " + brief(message["id"])
                                   : "an error for " + brief(message["id"]);
}

}  // namespace

Replay::Replay(const Recording& recording, Side as) : as_(as) {
  for (const RecordedEntry& each : recording.entries)
    if (const auto* const frame = std::get_if<RecordedFrame>(&each)) frames_.push_back(*frame);
}

std::vector<std::string> Replay::outgoing() {
  std::vector<std::string> out;
  while (!done() && frames_[next_].from == as_) {
    out.push_back(mapped_message(frames_[next_]));
    advance();
  }
  return out;
}

std::string Replay::mapped_message(const RecordedFrame& frame) const {
  const auto parsed = Json::parse(frame.text);
  if (!frame.is_json || !parsed) return frame.text;
  Json message = mapped(*parsed, "");
  // An answer goes to the request as it was asked this time.
  if ((*parsed)["method"].absent()) {
    const auto at = requests_.find((*parsed)["id"].text());
    if (at != requests_.end()) message.set("id", Json::from_valid(at->second));
  }
  return message.text();
}

Json Replay::mapped(JsonView value, std::string_view key) const {
  if (value.is_string() && is_id(key)) {
    const auto at = ids_.find(*value.as_string());
    return at == ids_.end() ? Json(value) : Json(at->second);
  }
  if (value.is_object()) {
    Json out = Json::object();
    for (const auto& [name, member] : value.members()) out.set(name, mapped(member, name));
    return out;
  }
  if (value.is_array()) {
    Json out = Json::array();
    for (const JsonView element : value.elements()) out.append(mapped(element, key));
    return out;
  }
  return Json(value);
}

void Replay::depart(std::string what) {
  if (departure_) return;
  const std::size_t at = std::min(next_, frames_.empty() ? 0 : frames_.size() - 1);
  departure_ = Departure{frames_.empty() ? 0 : frames_[at].number, std::move(what)};
}

std::string Replay::waiting_for() const {
  if (done()) return "nothing";
  const auto parsed = Json::parse(frames_[next_].text);
  return frames_[next_].is_json && parsed ? name_of(*parsed) : "a line that is no message";
}

void Replay::receive(std::string_view text) {
  if (departure_) return;
  const auto got = Json::parse(text);
  if (next_ == frames_.size())
    return depart("more than was recorded: " + (got ? name_of(*got) : std::string(text)));
  const RecordedFrame& frame = frames_[next_];
  const auto recorded = Json::parse(frame.text);
  if (!frame.is_json || !recorded || !got) {
    if (frame.text != text)
      return depart("recorded " + waiting_for() + ", got " +
                    (got ? name_of(*got) : "a line that is no message"));
    return advance();
  }
  if (!chunk_kind(*recorded).empty()) {
    if (receive_chunk(*recorded, *got)) return;
    if (departure_) return;
    // The run has ended before: this is what follows it.
    return receive(text);
  }
  if (name_of(*recorded) != name_of(*got) && method_of(*recorded) != method_of(*got))
    return depart("recorded " + name_of(*recorded) + ", got " + name_of(*got));
  const auto known = ids_;
  if (const auto what = difference(*recorded, *got, "", "")) {
    ids_ = known;
    if (bring_forward(*got)) return advance();
    return depart(name_of(*recorded) + ": " + *what);
  }
  if (!method_of(*recorded).empty() && !(*recorded)["id"].absent())
    requests_[std::string((*recorded)["id"].text())] = (*got)["id"].text();
  advance();
}

bool Replay::bring_forward(JsonView got) {
  if (tool_call_of(got).empty()) return false;
  std::vector<std::string> passed;
  const auto begin = frames_.begin() + static_cast<std::ptrdiff_t>(next_);
  for (auto at = begin; at != frames_.end() && at->from != as_; ++at) {
    const auto recorded = Json::parse(at->text);
    const std::string call = recorded ? tool_call_of(*recorded) : "";
    if (call.empty()) return false;
    if (std::ranges::find(passed, call) != passed.end()) continue;
    const auto known = ids_;
    if (!difference(*recorded, got, "", "")) {
      std::rotate(begin, at, at + 1);
      return true;
    }
    ids_ = known;
    passed.push_back(call);
  }
  return false;
}

bool Replay::receive_chunk(const Json& recorded, const Json& got) {
  const std::string kind = chunk_kind(recorded);
  // All of the run, however it was cut.
  std::string whole;
  std::size_t end = next_;
  for (; end < frames_.size() && frames_[end].from != as_; ++end) {
    const auto each = Json::parse(frames_[end].text);
    if (!each || chunk_kind(*each) != kind ||
        !((*each)["params"]["sessionId"] == recorded["params"]["sessionId"]))
      break;
    whole += chunk_text(*each);
  }
  if (chunk_kind(got) != kind) {
    depart("recorded " + brief(Json(whole.substr(said_.size()))) + " of " + kind + ", got " +
           name_of(got));
    return false;
  }
  if (const auto what = difference(recorded["params"]["sessionId"], got["params"]["sessionId"],
                                   "params.sessionId", "sessionId")) {
    depart(kind + ": " + *what);
    return false;
  }
  said_ += chunk_text(got);
  if (!whole.starts_with(said_)) {
    const auto [a, b] = std::ranges::mismatch(whole, said_);
    const auto place = static_cast<std::size_t>(b - said_.begin());
    depart(kind + ": after " + std::to_string(place) + " bytes recorded " +
           brief(Json(whole.substr(place, 60))) + ", got " + brief(Json(said_.substr(place, 60))));
    return false;
  }
  if (said_.size() == whole.size()) {
    next_ = end;
    said_.clear();
  }
  return true;
}

void Replay::ended() {
  if (!done()) depart("recorded " + waiting_for() + ", but the other side has ended");
}

std::optional<std::string> Replay::difference(JsonView recorded, JsonView got,
                                              const std::string& path, std::string_view key) {
  const auto differ = [&] {
    return (path.empty() ? "" : path + ": ") + "recorded " + brief(recorded) + ", got " +
           brief(got);
  };
  if (is_volatile(key)) return std::nullopt;
  if (recorded.is_string() && recorded.as_string() == mask_text) return std::nullopt;
  if (recorded.is_string() && got.is_string() && fits_mask(*recorded.as_string(), *got.as_string()))
    return std::nullopt;
  // The envelope's id: theirs may be another, ours comes back as it was.
  if (path == "id") return std::nullopt;
  if (recorded.is_string() && got.is_string() && is_id(key)) {
    const auto [at, added] = ids_.try_emplace(*recorded.as_string(), *got.as_string());
    return added || at->second == *got.as_string() ? std::nullopt : std::optional(differ());
  }
  if (recorded.is_object() && got.is_object()) {
    for (const auto& [name, value] : recorded.members())
      if (const auto found =
              difference(value, got[name], path.empty() ? name : path + "." + name, name))
        return found;
    for (const auto& [name, value] : got.members())
      if (recorded[name].absent() && !is_volatile(name))
        return (path.empty() ? name : path + "." + name) + ": not recorded, got " + brief(value);
    return std::nullopt;
  }
  if (recorded.is_array() && got.is_array()) {
    if (recorded.size() != got.size()) return differ();
    std::size_t i = 0;
    for (const JsonView element : recorded.elements()) {
      const std::string place = path + "[" + std::to_string(i) + "]";
      if (const auto found = difference(element, got[i], place, key)) return found;
      ++i;
    }
    return std::nullopt;
  }
  return recorded == got ? std::nullopt : std::optional(differ());
}

}  // namespace acp::check
