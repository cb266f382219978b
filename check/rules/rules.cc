#include "check/rules/rules.h"

#include <algorithm>

#include "acp/json/utf8.h"
#include "check/rules/state.h"

namespace acp::check {
namespace {

constexpr std::size_t answered_kept = 256;
constexpr std::size_t longest_quoted = 120;

Envelope envelope_of(JsonView message) {
  Envelope found;
  for (const auto& [key, value] : message.members()) {
    if (key == "jsonrpc")
      found.jsonrpc = value;
    else if (key == "id")
      found.id = value;
    else if (key == "method")
      found.method = value;
    else if (key == "params")
      found.params = value;
    else if (key == "result")
      found.result = value;
    else if (key == "error")
      found.error = value;
    else
      found.other = key;
  }
  return found;
}

bool is_whole(JsonView id) { return id.as_int64() || id.as_uint64(); }

}  // namespace

std::string string_at(JsonView value) { return value.as_string().value_or(""); }

std::string in_quotes(std::string_view text) {
  return "\"" + json::utf8_shortened(text, longest_quoted) + "\"";
}

Rules::Rules() : parts_(std::make_unique<Parts>()) {}
Rules::~Rules() = default;

std::vector<Violation> Rules::see(const WireFrame& frame) {
  return see(frame, Json::parse(frame.text));
}

std::vector<Violation> Rules::see(const WireFrame& frame, const json::Result<Json>& message) {
  parts_->see(frame, message);
  ++parts_->count;
  return std::move(parts_->violations);
}

std::vector<Violation> Rules::end() {
  if (parts_->count > 0) --parts_->count;
  parts_->connection_ended();
  return std::move(parts_->violations);
}

std::vector<Rules::Unanswered> Rules::unanswered() const {
  std::vector<Unanswered> all;
  for (const auto& [id, open] : parts_->open_of_client)
    all.push_back({Side::client, open.method, open.frame});
  for (const auto& [id, open] : parts_->open_of_agent)
    all.push_back({Side::agent, open.method, open.frame});
  std::ranges::sort(all, {}, &Unanswered::frame);
  return all;
}

void Rules::Parts::found(std::string_view id, std::string message) {
  if (const Requirement* const requirement = find_requirement(id))
    violations.push_back({requirement, std::move(message), count});
}

void Rules::Parts::found_of_sender(std::string_view area_and_number, std::string message) {
  found((now.from == Side::client ? "C-" : "A-") + std::string(area_and_number),
        std::move(message));
}

void Rules::Parts::found_of_sender_2(std::string_view area_and_number, std::string message) {
  found((now.from == Side::client ? "C2-" : "A2-") + std::string(area_and_number),
        std::move(message));
}

void Rules::Parts::see(const WireFrame& frame, const json::Result<Json>& parsed) {
  now = frame;
  violations.clear();
  std::size_t& broken = frame.from == Side::client ? broken_of_client : broken_of_agent;
  if (!parsed) {
    ++broken;
    if (!json::is_utf8(frame.text)) return found_of_sender("WIRE-2", "a frame is not UTF-8");
    // Deeper or larger than we read says nothing about who sent it.
    if (parsed.error().kind == json::DecodeFault::Kind::limit) return;
    return found_of_sender("WIRE-1", "a frame is not JSON: " + parsed.error().message());
  }
  if (!parsed->is_object()) {
    ++broken;
    if (parsed->is_array()) return found_of_sender("WIRE-4", "a batch");
    return found_of_sender("WIRE-11", "a frame is " + std::string(json::describe(parsed->kind())));
  }
  const Envelope message = envelope_of(*parsed);
  const JsonView version = message.jsonrpc;
  if (string_at(version) != "2.0") {
    ++broken;
    found_of_sender("WIRE-3", version.absent() ? "a message without \"jsonrpc\""
                                               : "\"jsonrpc\" is " + in_quotes(version.text()));
  }
  const JsonView method = message.method;
  if (!method.absent()) {
    if (const auto name = method.as_string()) return see_call(message, *name);
    ++broken;
    return found_of_sender("WIRE-11",
                           "\"method\" is " + std::string(json::describe(method.kind())));
  }
  if (!message.result.absent() || !message.error.absent()) return see_answer(message);
  ++broken;
  found_of_sender("WIRE-11", message.id.absent() ? "a message with neither a method nor a result"
                                                 : "an answer with neither a result nor an error");
}

void Rules::Parts::see_call(const Envelope& message, const std::string& method) {
  const bool from_client = now.from == Side::client;
  const JsonView id = message.id;
  const bool notification = id.absent();
  if (!notification && !id.is_string() && !id.is_number() && !id.is_null()) {
    ++(from_client ? broken_of_client : broken_of_agent);
    return found_of_sender("WIRE-11",
                           "the id of " + method + " is " + std::string(json::describe(id.kind())));
  }
  if (!notification && !id.is_string() && !is_whole(id))
    found_of_sender("WIRE-5", "the id of " + method + " is " + in_quotes(id.text()));

  OpenRequest* request = nullptr;
  if (!notification) {
    auto& open = from_client ? open_of_client : open_of_agent;
    const auto [at, added] = open.try_emplace(std::string(id.text()));
    if (!added) {
      found_of_sender("WIRE-6", "the id " + in_quotes(id.text()) + " of " + method +
                                    " is still that of " + at->second.method);
      at->second = {};
    }
    request = &at->second;
    request->id = at->first;
    request->method = method;
    request->frame = count;
  }
  check_call_shape(message, method, notification);
  if (request != nullptr) {
    request->known = find_method(methods(request->protocol = protocol), method, false);
    request->session = string_at(message.params["sessionId"]);
  }
  if (from_client)
    client_calls(method, message.params, request);
  else
    agent_calls(method, message.params, request);
}

void Rules::Parts::see_answer(const Envelope& message) {
  const bool from_client = now.from == Side::client;
  const JsonView id = message.id, result = message.result, error = message.error;
  if (!result.absent() && !error.absent())
    found_of_sender("WIRE-10", "an answer with both a result and an error");
  auto& open = from_client ? open_of_agent : open_of_client;
  auto& answered = from_client ? answered_of_agent : answered_of_client;
  const auto at = open.find(id.text());
  if (at == open.end()) {
    std::size_t& broken = from_client ? broken_of_agent : broken_of_client;
    if (id.absent() || id.is_null()) {
      const std::int64_t code = error["code"].as_int64().value_or(0);
      // A side that could not read a frame may say so, and counts frames otherwise than we do.
      if (!error.absent() && (code == -32700 || broken > 0)) {
        if (broken > 0) --broken;
        return;
      }
      return found_of_sender("WIRE-9", "an answer without an id, though every request had one");
    }
    if (std::ranges::find(answered, id.text()) != answered.end())
      return found_of_sender("WIRE-8",
                             "the request " + in_quotes(id.text()) + " is answered again");
    return found_of_sender("WIRE-7",
                           "an answer to " + in_quotes(id.text()) + ", which nobody has asked");
  }
  OpenRequest request = std::move(at->second);
  answered.emplace_back(at->first);
  if (answered.size() > answered_kept) answered.pop_front();
  open.erase(at);
  if (now.from == Side::agent)
    agent_answers(request, result, error);
  else
    client_answers(request, result, error);
  check_answer_shape(message, request);
}

bool Rules::Parts::advertised(std::string_view path) const {
  JsonView at = initialize_result;
  if (path.starts_with("clientCapabilities")) {
    if (!capabilities_known) return true;
    at = client_capabilities;
    path.remove_prefix(std::string_view("clientCapabilities").size());
    if (path.starts_with('.')) path.remove_prefix(1);
  }
  while (!path.empty()) {
    const std::size_t dot = path.find('.');
    at = at[path.substr(0, dot)];
    path = dot == std::string_view::npos ? "" : path.substr(dot + 1);
  }
  if (at.absent() || at.is_null()) return false;
  if (at.is_boolean()) return *at.as_bool();
  return at.is_array() ? at.size() > 0 : true;
}

}  // namespace acp::check
