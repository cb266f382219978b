// The parts of a JSON-RPC message that a transport needs to route it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace acp::remote {

struct Message {
  enum class Kind : std::uint8_t { request, notification, answer, batch, not_a_message, not_json };

  // Reads a message, and checks every byte. The text must outlive `id`.
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

// In the head of a stream of events: how often a comment comes while it is silent, in milliseconds.
inline constexpr const char* keep_alive_header = "libacp-keep-alive";
// Of a request that opens a connection: the client's name for itself, which nobody else can know.
// When it comes again, its connection of before is over.
inline constexpr const char* client_header = "libacp-client";
// A key that is equal for equal ids, however they are written.
std::string id_key(std::string_view id);
// Whether the method belongs to a session, also if its params do not name one.
bool is_of_a_session(std::string_view method);
// The answer to a request whose connection is closed.
std::string closed_answer(std::string_view id, const std::string& reason);
// The length in UTF-16 units, as in JavaScript.
std::size_t utf16_units(std::string_view text);
// Shortens a text to so many bytes, or a few less: a character stays whole.
void cut(std::string& text, std::size_t bytes);
// Whether a session's id can be a header's value: others would end the header, or not come as they
// were sent.
bool fits_a_header(std::string_view session);
// Whether an id, given as JSON, is longer than this; a string counts without its quotes and
// escapes.
bool id_is_longer(std::string_view id, std::size_t units);

}  // namespace acp::remote
