#include "acp/remote/message.h"

#include <algorithm>
#include <iterator>

#include "acp/json/reader.h"
#include "acp/json/utf8.h"
#include "acp/rpc/engine.h"

namespace acp::remote {

namespace {

// The member sessionId of the object that comes next.
bool read_session(json::Reader& in, bool& named, std::string& session) {
  named = false;
  if (in.peek() != json::ValueKind::object) return in.skip();
  if (!in.begin_object()) return false;
  bool first = true;
  std::string_view key;
  while (in.next_key(first, key)) {
    std::string_view text;
    if (key == "sessionId" && in.peek() == json::ValueKind::string) {
      if (!in.text(text)) return false;
      session.assign(text);
      named = true;
    } else if (!in.skip()) {
      return false;
    }
  }
  return !in.failed();
}

std::string_view next_value(json::Reader& in) {
  in.peek();  // past space
  const char* const from = in.at();
  if (!in.skip()) return {};
  return {from, static_cast<std::size_t>(in.at() - from)};
}

}  // namespace

void Message::read(std::string_view text) {
  kind = Kind::not_json;
  method.clear();
  id = {};
  names_session = result_names_session = failed = false;
  json::Reader in(text, {.depth = 512, .bytes = text.size()});
  const json::ValueKind whole = in.peek();
  if (whole != json::ValueKind::object) {
    if (!in.skip() || !in.finish()) return;
    kind = whole == json::ValueKind::array ? Kind::batch : Kind::not_a_message;
    return;
  }
  bool first = true, has_method = false, has_result = false, version_is_right = false;
  std::string_view key, value;
  if (!in.begin_object()) return;
  while (in.next_key(first, key)) {
    bool read = true;
    if (key == "method" && in.peek() == json::ValueKind::string) {
      read = has_method = in.text(value);
      method.assign(value);
    } else if (key == "jsonrpc" && in.peek() == json::ValueKind::string) {
      read = in.text(value);
      version_is_right = value == "2.0";
    } else if (key == "id") {
      id = next_value(in);
      read = !id.empty();
    } else if (key == "params") {
      read = read_session(in, names_session, session);
    } else if (key == "result") {
      has_result = true;
      read = read_session(in, result_names_session, result_session);
    } else if (key == "error") {
      failed = read = in.skip();
    } else {
      read = in.skip();
    }
    if (!read) return;
  }
  if (in.failed() || !in.finish()) return;
  kind = Kind::not_a_message;
  const json::ValueKind of_id = json::Reader::kind_of(id);
  const bool id_is_possible = id.empty() || of_id == json::ValueKind::string ||
                              of_id == json::ValueKind::number || of_id == json::ValueKind::null;
  if (!version_is_right || !id_is_possible) return;
  if (has_method)
    kind = id.empty() ? Kind::notification : Kind::request;
  else if (!id.empty() && (has_result || failed))
    kind = Kind::answer;
}

std::string id_key(std::string_view id) { return rpc::RequestId(JsonView::of_valid(id)).key(); }

bool is_of_a_session(std::string_view method) {
  constexpr std::string_view methods[] = {
      "session/cancel",   "session/close",    "session/delete", "session/fork",
      "session/load",     "session/prompt",   "session/resume", "session/set_config_option",
      "session/set_mode", "session/set_model"};
  return std::find(std::begin(methods), std::end(methods), method) != std::end(methods);
}

std::string closed_answer(std::string_view id, const std::string& reason) {
  return R"({"jsonrpc":"2.0","id":)" + std::string(id) + R"(,"error":{"code":-32603,"message":)" +
         Json("the server closed the connection: " + reason).text() + "}}";
}

std::size_t utf16_units(std::string_view text) {
  std::size_t units = 0;
  while (!text.empty()) {
    const json::Utf8Character first = json::utf8_first(text);
    units += first.code > 0xFFFF ? 2 : 1;
    text.remove_prefix(first.size);
  }
  return units;
}

void cut(std::string& text, std::size_t bytes) {
  if (text.size() <= bytes) return;
  while (bytes > 0 && (static_cast<unsigned char>(text[bytes]) & 0xC0) == 0x80) --bytes;
  text.resize(bytes);
}

bool fits_a_header(std::string_view session) {
  return std::none_of(session.begin(), session.end(),
                      [](unsigned char c) { return c < ' ' || c == 0x7F; }) &&
         !session.starts_with(' ') && !session.ends_with(' ');
}

bool id_is_longer(std::string_view id, std::size_t units) {
  if (id.size() <= units) return false;  // no need to look closer
  const auto text = JsonView::of_valid(id).as_string();
  return utf16_units(text ? std::string_view(*text) : id) > units;
}

}  // namespace acp::remote
