// Whole JSON-RPC messages, checked against a protocol version's tables.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "acp/json/codec.h"
#include "acp/schema/registry.h"

namespace acp {

// Checks one message after the other. It remembers the methods of requests, so that an answer among
// later messages is checked as the result that it should be; an answer to nothing it saw is checked
// as an answer to anything. Methods that are not listed (extensions) may carry whatever they like.
class MessageChecker {
 public:
  // 1 or 2.
  explicit MessageChecker(int protocol);

  // Nothing if the message is right; `written`, if given, is set to the message as we would write
  // it.
  std::optional<json::DecodeFault> check(std::string_view text, const json::Options& options,
                                         std::string* written = nullptr);

 private:
  std::optional<json::DecodeFault> check_call(const Json& message, const json::Options& options,
                                              Json& out);
  std::optional<json::DecodeFault> check_answer(const Json& message, const json::Options& options,
                                                Json& out);

  std::span<const Method> methods_;
  const json::Type* error_type_;
  // By the text of the id. Both sides count their own requests, so two may wait under one id.
  std::map<std::string, std::vector<const Method*>, std::less<>> waiting_;
};

}  // namespace acp
