// What a transport has to know of a JSON-RPC message to send it the right way.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace acp::remote {

struct Message {
  enum class Kind : std::uint8_t { request, notification, answer, batch, not_a_message, not_json };

  // Every byte is looked at. The text must outlive `id`.
  void read(std::string_view text);

  Kind kind = Kind::not_json;
  std::string method;
  std::string_view id;  // its JSON; empty: there is none
  bool names_session = false;
  std::string session;  // params.sessionId, if that is a string
  bool result_names_session = false;
  std::string result_session;  // result.sessionId
  bool failed = false;         // an answer with an error
};

// Equal for equal ids, however they are written.
std::string id_key(std::string_view id);
// Whether it is a session's, also if its params do not name one.
bool is_of_a_session(std::string_view method);
// What a request is answered when its connection is closed.
std::string closed_answer(std::string_view id, const std::string& reason);
// As JavaScript counts.
std::size_t utf16_units(std::string_view text);
// Of an id's JSON: a string without its quotes and escapes.
bool id_is_longer(std::string_view id, std::size_t units);

}  // namespace acp::remote
