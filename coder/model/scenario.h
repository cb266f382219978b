// A model that plays a script from a file: exact turns, for testing clients.
//
//   {"turns": [
//     [{"thought": "Hm.", "text": "I look.", "tool_calls": [{"name": "list", "arguments": {}}]},
//      {"text": "That is all.", "stop": "end"}],
//     [{"error": {"kind": "rate_limited", "message": "slow down", "retry_after": 1}}]
//   ]}
//
// Each turn is a list of the model's answers; the one after a call's results is the next. `text`
// and `thought` may be lists, whose elements are sent one by one; `wait_ms` is waited first.
#pragma once

#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>

#include "coder/model/model.h"

namespace acp::coder {

// The file is invalid; what() says where and why.
class ScenarioError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

std::unique_ptr<Model> scenario_model(std::string_view text);

}  // namespace acp::coder
