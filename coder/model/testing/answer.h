// For tests: what a provider's stream has said, joined together.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <initializer_list>
#include <string>

#include "coder/model/model.h"

namespace acp::coder::testing {

template <class Stream>
class Answer {
 public:
  Stream stream{[this](const ModelEvent& event) { note(event); }};
  std::string text, thoughts, signature, calls, end;
  Usage usage;

  void feed(std::initializer_list<const char*> events) {
    for (const char* event : events) stream.event(event);
  }

 private:
  void note(const ModelEvent& event) {
    if (const auto* said = std::get_if<TextDelta>(&event)) text += said->text;
    if (const auto* thought = std::get_if<ThoughtDelta>(&event)) {
      thoughts += thought->text;
      signature += thought->signature;
    }
    if (const auto* begins = std::get_if<ToolCallBegins>(&event))
      calls += "[" + std::to_string(begins->index) + " " + begins->id + " " + begins->name + "]";
    if (const auto* more = std::get_if<ToolCallDelta>(&event))
      calls += std::to_string(more->index) + ":" + more->arguments;
    if (const auto* used = std::get_if<Usage>(&event)) usage = *used;
    if (const auto* stop = std::get_if<Stop>(&event)) {
      constexpr const char* names[] = {"end", "tool_calls", "max_tokens", "refusal", "unknown"};
      end = names[static_cast<int>(stop->reason)];
    }
  }
};

inline ModelError::Kind kind_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const ModelError& error) {
    return error.kind();
  }
  ADD_FAILURE() << "no error";
  return ModelError::Kind::broken;
}

}  // namespace acp::coder::testing
