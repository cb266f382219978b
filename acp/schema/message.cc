#include "acp/schema/message.h"

#include <algorithm>
#include <memory>

#include "acp/schema/v1.h"
#include "acp/schema/v2.h"

namespace acp {
namespace {

using json::DecodeFault;
using json::Options;

DecodeFault mismatch(std::string path, std::string expected, JsonView found) {
  return {std::move(path), std::move(expected),
          found.absent() ? "nothing" : std::string(describe(found.kind())), 0,
          DecodeFault::Kind::mismatch};
}

// Puts `prefix` before the paths of what goes wrong, and of what is reported.
Options below(const std::string& prefix, const Options& options) {
  Options inner = options;
  if (options.report)
    inner.report = [prefix, report = options.report](const json::DecodeReport& found) {
      json::DecodeReport moved = found;
      moved.path =
          prefix + (moved.path.empty() || moved.path.front() == '[' ? "" : ".") + moved.path;
      report(moved);
    };
  return inner;
}

// Decodes one member of the message, and gives it as it would be written.
std::optional<DecodeFault> check_member(const char* name, JsonView value, const json::Type& type,
                                        const Options& options, Json& written) {
  const std::unique_ptr<std::max_align_t[]> room(
      new std::max_align_t[type.size / sizeof(std::max_align_t) + 1]);
  type.life->construct(room.get());
  auto error = json::decode(value.text(), type, room.get(), below(name, options));
  if (error) {
    error->path = name + std::string(error->path.empty() || error->path.front() == '[' ? "" : ".") +
                  error->path;
  } else {
    json::Writer out;
    json::write(out, type, room.get());
    written = Json::from_valid(out.str());
  }
  type.life->destroy(room.get());
  return error;
}

std::optional<DecodeFault> check_members(const Json& message,
                                         std::initializer_list<std::string_view> known,
                                         const Options& options) {
  for (const auto& [key, value] : message.members()) {
    if (std::find(known.begin(), known.end(), key) != known.end()) continue;
    if (options.strict) return mismatch(key, "no member of this name", value);
    if (options.report)
      options.report({json::DecodeReport::What::unknown_member, key, "no member of this name",
                      std::string(describe(value.kind()))});
  }
  return std::nullopt;
}

bool is_id(JsonView id) { return id.is_string() || id.is_number() || id.is_null(); }

}  // namespace

MessageChecker::MessageChecker(int protocol)
    : methods_(protocol == 2 ? v2::methods() : v1::methods()),
      error_type_(protocol == 2 ? &v2::Error::json_type : &v1::Error::json_type) {}

std::optional<DecodeFault> MessageChecker::check(std::string_view text, const Options& options,
                                                 std::string* written) {
  const json::Result<Json> parsed = Json::parse(text, options.limits);
  if (!parsed) return parsed.error();
  const Json& message = *parsed;
  if (!message.is_object()) return mismatch("", "an object", message);
  if (message["jsonrpc"] != Json("2.0").view()) {
    DecodeFault error = mismatch("jsonrpc", "the string \"2.0\"", message["jsonrpc"]);
    return error;
  }
  Json out = Json::object({{"jsonrpc", "2.0"}});
  auto error = message["method"].absent() ? check_answer(message, options, out)
                                          : check_call(message, options, out);
  if (!error && written != nullptr) *written = out.text();
  return error;
}

std::optional<DecodeFault> MessageChecker::check_call(const Json& message, const Options& options,
                                                      Json& out) {
  const std::optional<std::string> name = message["method"].as_string();
  if (!name) return mismatch("method", "a string", message["method"]);
  const JsonView id = message["id"];
  const bool notification = id.absent();
  if (!notification && !is_id(id)) return mismatch("id", "a string, a number or null", id);
  if (auto error = check_members(message, {"jsonrpc", "id", "method", "params"}, options))
    return error;
  if (!notification) out.set("id", Json(id));
  out.set("method", *name);

  const Method* method = find_method(methods_, *name, notification);
  if (method == nullptr) {
    if (find_method(methods_, *name, !notification) != nullptr)
      return notification ? mismatch("id", "a string or a number, since this is a request", id)
                          : mismatch("id", "no id, since this is a notification", id);
    const bool extension = name->starts_with('_');
    if (options.strict && !extension)
      return DecodeFault{"method", "a method of the protocol, or a name that begins with _", *name,
                         0, DecodeFault::Kind::mismatch};
    if (options.report && !extension)
      options.report(
          {json::DecodeReport::What::unknown_tag, "method", "a method of the protocol", *name});
    if (!message["params"].absent()) out.set("params", Json(message["params"]));
    return std::nullopt;
  }
  if (!notification) waiting_[std::string(id.text())].push_back(method);
  // No params are empty params, as everywhere in ACP.
  const bool empty = message["params"].absent() || message["params"].is_null();
  const Json none = Json::object();
  Json params;
  if (auto error = check_member("params", empty ? none.view() : message["params"], *method->params,
                                options, params))
    return error;
  out.set("params", params);
  return std::nullopt;
}

std::optional<DecodeFault> MessageChecker::check_answer(const Json& message, const Options& options,
                                                        Json& out) {
  const JsonView id = message["id"], result = message["result"], failure = message["error"];
  if (id.absent() && result.absent() && failure.absent())
    return mismatch("method", "a string", JsonView());
  if (!is_id(id)) return mismatch("id", "a string, a number or null", id);
  if (result.absent() == failure.absent())
    return DecodeFault{"", "either result or error", result.absent() ? "neither" : "both", 0,
                       DecodeFault::Kind::mismatch};
  if (auto error = check_members(message, {"jsonrpc", "id", "result", "error"}, options))
    return error;
  out.set("id", Json(id));
  const auto waiting = waiting_.find(id.text());
  if (!failure.absent()) {
    if (waiting != waiting_.end()) waiting_.erase(waiting);
    Json written;
    if (auto error = check_member("error", failure, *error_type_, options, written)) return error;
    out.set("error", written);
    return std::nullopt;
  }
  if (waiting == waiting_.end()) {
    out.set("result", Json(result));
    return std::nullopt;
  }
  // With two waiting under this id, either may be meant.
  std::optional<DecodeFault> first;
  for (auto it = waiting->second.begin(); it != waiting->second.end(); ++it) {
    Json written;
    auto error = check_member("result", result, *(*it)->result, options, written);
    if (!error) {
      waiting->second.erase(it);
      if (waiting->second.empty()) waiting_.erase(waiting);
      out.set("result", written);
      return std::nullopt;
    }
    if (!first) first = std::move(error);
  }
  return first;
}

}  // namespace acp
