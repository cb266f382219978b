#include "coder/session/conversation_repair.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

namespace acp::coder {

namespace {

using Role = Message::Role;

constexpr const char* not_known =
    "interrupted: the agent was stopped; it is not known what this has done";

class Repair {
 public:
  explicit Repair(std::vector<Message> messages) : given_(std::move(messages)) {}

  Repaired run() {
    std::size_t at = 0;
    while (at < given_.size()) {
      if (given_[at].role == Role::user) {
        // Here no result can follow a call.
        drop_results(given_[at]);
        keep(std::move(given_[at]), at);
        ++at;
      } else {
        at = take_answer(at);
      }
    }
    done_.unchanged = std::min(first_change_, done_.messages.size());
    return std::move(done_);
  }

 private:
  // What is kept from here on is not what was given.
  void changed() { first_change_ = std::min(first_change_, done_.messages.size()); }

  void keep(Message message, std::size_t from) {
    if (from != done_.messages.size()) changed();
    if (message.parts.empty()) return changed();
    if (done_.messages.empty() && message.role == Role::assistant) {
      changed();
      done_.beginning_added = true;
      done_.messages.push_back(
          {Role::user, {TextPart{"(The beginning of this conversation was not stored.)"}}});
    }
    done_.messages.push_back(std::move(message));
  }

  void drop_results(Message& message) {
    const std::size_t dropped = std::erase_if(message.parts, [](const Part& part) {
      return std::holds_alternative<ToolResultPart>(part);
    });
    const std::size_t calls = std::erase_if(
        message.parts, [](const Part& part) { return std::holds_alternative<ToolCallPart>(part); });
    if (dropped + calls != 0) changed();
    done_.results_dropped += dropped;
    done_.calls_dropped += calls;
  }

  // The answer, and the results of its calls. Gives the place after them.
  std::size_t take_answer(std::size_t at) {
    const std::vector<std::string> calls = calls_of(given_[at]);
    keep(std::move(given_[at]), at);
    const std::size_t next = at + 1;
    if (calls.empty()) return next;
    // A prompt right after the calls stays a message of its own.
    const bool there =
        next < given_.size() && given_[next].role == Role::user && has_result(given_[next]);
    if (!there || !in_order(given_[next], calls)) changed();
    Message message =
        with_results(calls, there ? std::move(given_[next]) : Message{Role::user, {}});
    keep(std::move(message), there ? next : done_.messages.size());
    return there ? next + 1 : next;
  }

  // One result for each call, in their order, and then the other parts of the message.
  Message with_results(const std::vector<std::string>& calls, Message given) {
    std::map<std::string, ToolResultPart> results;
    std::vector<Part> others;
    for (Part& part : given.parts) {
      auto* const result = std::get_if<ToolResultPart>(&part);
      if (std::holds_alternative<ToolCallPart>(part)) {
        ++done_.calls_dropped;
      } else if (result == nullptr) {
        others.push_back(std::move(part));
      } else if (std::find(calls.begin(), calls.end(), result->id) == calls.end() ||
                 results.contains(result->id)) {
        ++done_.results_dropped;
      } else {
        std::string id = result->id;
        results.emplace(std::move(id), std::move(*result));
      }
    }
    Message message{Role::user, {}};
    for (const std::string& id : calls) {
      const auto found = results.find(id);
      if (found == results.end()) ++done_.results_added;
      message.parts.push_back(found == results.end() ? ToolResultPart{id, not_known, true}
                                                     : std::move(found->second));
    }
    for (Part& part : others) message.parts.push_back(std::move(part));
    return message;
  }

  // Their ids. Parts that cannot stand in an answer are taken out.
  std::vector<std::string> calls_of(Message& message) {
    std::vector<std::string> calls;
    std::erase_if(message.parts, [&](const Part& part) {
      if (std::holds_alternative<ToolResultPart>(part)) {
        ++done_.results_dropped;
        changed();
        return true;
      }
      const auto* call = std::get_if<ToolCallPart>(&part);
      if (call == nullptr) return false;
      if (!call->id.empty() && ids_.insert(call->id).second) {
        calls.push_back(call->id);
        return false;
      }
      ++done_.calls_dropped;
      changed();
      return true;
    });
    return calls;
  }

  static bool has_result(const Message& message) {
    return std::any_of(message.parts.begin(), message.parts.end(), [](const Part& part) {
      return std::holds_alternative<ToolResultPart>(part);
    });
  }

  // Exactly these results, and before anything else.
  static bool in_order(const Message& message, const std::vector<std::string>& calls) {
    std::size_t results = 0;
    for (std::size_t i = 0; i < message.parts.size(); ++i) {
      if (std::holds_alternative<ToolCallPart>(message.parts[i])) return false;
      const auto* result = std::get_if<ToolResultPart>(&message.parts[i]);
      if (result == nullptr) continue;
      if (i >= calls.size() || result->id != calls[i]) return false;
      ++results;
    }
    return results == calls.size();
  }

  std::vector<Message> given_;
  Repaired done_;
  std::set<std::string> ids_;
  std::size_t first_change_ = static_cast<std::size_t>(-1);
};

}  // namespace

Repaired repair(std::vector<Message> messages) { return Repair(std::move(messages)).run(); }

std::string Repaired::text() const {
  std::string text;
  const auto add = [&](std::size_t count, const std::string& one, const std::string& many) {
    if (count == 0) return;
    text += (text.empty() ? "" : "; ") + std::to_string(count) + " " + (count == 1 ? one : many);
  };
  add(results_added, "tool call had no result: the model sees that its outcome is not known",
      "tool calls had no result: the model sees that their outcome is not known");
  add(results_dropped, "result without a call was left out",
      "results without a call were left out");
  add(calls_dropped, "tool call with an id that was used before was left out",
      "tool calls with an id that was used before were left out");
  if (beginning_added) text += std::string(text.empty() ? "" : "; ") + "the beginning is missing";
  return text;
}

}  // namespace acp::coder
