// Messages checked against the schema's tables.
#include <algorithm>
#include <cstddef>
#include <initializer_list>
#include <memory>
#include <utility>

#include "acp/json/codec.h"
#include "acp/schema/v1.h"
#include "acp/schema/v2.h"
#include "check/rules/state.h"

namespace acp::check {
namespace {

// Decodes the value and forgets it.
std::optional<json::DecodeFault> decode(JsonView value, const json::Type& type,
                                        std::vector<json::DecodeReport>& reports) {
  const std::unique_ptr<std::max_align_t[]> room(
      new std::max_align_t[type.size / sizeof(std::max_align_t) + 1]);
  type.life->construct(room.get());
  json::Options options;
  options.report = [&](const json::DecodeReport& report) { reports.push_back(report); };
  auto error = json::decode(value.text(), type, room.get(), options);
  type.life->destroy(room.get());
  return error;
}

std::string joined(const char* name, const std::string& path) {
  return name + std::string(path.empty() || path.front() == '[' ? "" : ".") + path;
}

// Frozen extensions of the protocol's makers, which stand in no schema.
bool is_experimental(std::string_view method) {
  return method.starts_with("nes/") || method.starts_with("document/");
}

bool is_of_version_1(std::string_view name) {
  const auto same = [&](const Method& each) { return each.name == name; };
  return std::ranges::any_of(v1::methods(), same) && std::ranges::none_of(v2::methods(), same);
}

Json without(JsonView params, std::initializer_list<std::string_view> names) {
  Json rest = Json::object();
  for (const auto& [key, value] : params.members())
    if (std::ranges::find(names, key) == names.end()) rest.set(key, Json(value));
  return rest;
}

}  // namespace

// Of which version it is shows in its words, and a client may use those of both.
void Rules::Parts::check_first_request(JsonView params) {
  const auto asked = params["protocolVersion"].as_int64();
  const bool first = !params["clientCapabilities"].absent() || !params["clientInfo"].absent();
  const bool second = !params["capabilities"].absent() || !params["info"].absent();
  const bool later = asked && *asked > 1 && *asked <= 0xFFFF;
  const auto check = [&](int version, JsonView part) {
    const Method* const known = find_method(methods(version), "initialize", false);
    check_value(part, *known->params, "params", "SCHEMA-1", "initialize");
  };
  const Json none = Json::object();
  if (params.absent() || params.is_null()) return check(1, none);
  if (!later || (first && !second)) return check(1, params);
  if (first) {
    check(1, without(params, {"capabilities", "info"}));
    return check(2, without(params, {"clientCapabilities", "clientInfo"}));
  }
  // A version that we do not know may have other params than this.
  if (*asked == 2) check(2, params);
}

std::span<const Method> Rules::Parts::methods(int version) const {
  if (version == 1) return v1::methods();
  if (version == 2) return v2::methods();
  return {};
}

void Rules::Parts::check_value(JsonView value, const json::Type& type, const char* name,
                               std::string_view number, const std::string& method) {
  std::vector<json::DecodeReport> reports;
  if (const auto error = decode(value, type, reports)) {
    if (error->kind == json::DecodeFault::Kind::limit) return;
    return found_of_sender(number, method + ": " + joined(name, error->path) + ": expected " +
                                       error->expected + ", got " + error->got);
  }
  for (const json::DecodeReport& report : reports) {
    const std::string where = method + ": " + joined(name, report.path);
    switch (report.what) {
      case json::DecodeReport::What::unknown_member:
        found_of_sender("SCHEMA-4", where + " is no field of the protocol");
        break;
      case json::DecodeReport::What::unknown_tag:
        found_of_sender("SCHEMA-8",
                        where + ": expected " + report.expected + ", got " + report.got);
        break;
      case json::DecodeReport::What::tolerated:
        // A must of version 2, which has a number of its own.
        if (protocol == 2 && report.got == "null" &&
            (report.path == "configOptions" || report.path == "availableCommands"))
          break;
        found_of_sender("SCHEMA-7",
                        where + ": expected " + report.expected + ", got " + report.got);
        break;
    }
  }
}

void Rules::Parts::check_members(const Envelope& message, bool call) {
  const auto foreign = [&](std::string_view name) {
    found_of_sender("SCHEMA-4", in_quotes(name) + " is no field of such a message");
  };
  if (!message.other.empty()) foreign(message.other);
  if (call && !message.result.absent()) foreign("result");
  if (call && !message.error.absent()) foreign("error");
  if (!call && !message.params.absent()) foreign("params");
}

void Rules::Parts::check_call_shape(const Envelope& message, const std::string& method,
                                    bool notification) {
  check_members(message, true);
  if (method.starts_with('_') || is_experimental(method)) return;
  const JsonView params = message.params;
  const int version = protocol;
  if (method == "initialize" && !notification && now.from == Side::client)
    return check_first_request(params);
  if (version == 0) return;

  const Method* const known = find_method(methods(version), method, notification);
  if (known == nullptr) {
    if (version == 2 && is_of_version_1(method))
      return found_of_sender_2("CAP-1", method + ", which version 2 does not have");
    if (find_method(methods(version), method, !notification) != nullptr)
      return found_of_sender("SCHEMA-6", method + " is a " +
                                             (notification ? "request, and has no id"
                                                           : "notification, and has an id"));
    if (method.starts_with("$/")) return;
    return found_of_sender("SCHEMA-5", in_quotes(method) + " is no method of the protocol");
  }
  const Side here = now.from == Side::client ? Side::agent : Side::client;
  if (known->side != here && (known->side == Side::agent || known->side == Side::client)) {
    // One name may stand for both directions.
    const Method* other = nullptr;
    for (const Method& each : methods(version))
      if (each.name == method && each.side == here) other = &each;
    if (other == nullptr || other->notification != notification)
      return found_of_sender(
          "SCHEMA-6", method + " is for the " + std::string(to_string(known->side)) + " to answer");
  }
  const Json none = Json::object();
  const bool empty = params.absent() || params.is_null();
  check_value(empty ? none.view() : params, *known->params, "params", "SCHEMA-1", method);
}

void Rules::Parts::check_answer_shape(const Envelope& message, const OpenRequest& request) {
  check_members(message, false);
  const JsonView result = message.result, error = message.error;
  if (!error.absent()) {
    // Not through the table: codes of one's own are allowed, and data is anybody's.
    if (!error["code"].as_int64())
      found_of_sender("SCHEMA-3", request.method + ": error.code is no whole number");
    if (!error["message"].is_string())
      found_of_sender("SCHEMA-3", request.method + ": error.message is no text");
    for (const auto& [key, value] : error.members())
      if (key != "code" && key != "message" && key != "data")
        found_of_sender("SCHEMA-4",
                        request.method + ": error." + key + " is no field of the protocol");
    return;
  }
  const Method* known = request.known;
  if (request.method == "initialize") known = find_method(methods(protocol), "initialize", false);
  if (known == nullptr || known->result == nullptr) return;
  // The pages show null where the schema has an object without required fields: both are sent.
  if (result.is_null()) {
    std::vector<json::DecodeReport> reports;
    const Json none = Json::object();
    if (!decode(none, *known->result, reports)) return;
  }
  check_value(result, *known->result, "result", "SCHEMA-2", request.method);
}

}  // namespace acp::check
