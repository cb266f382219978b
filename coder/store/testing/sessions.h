// For tests: sessions in short.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "coder/store/store.h"

namespace acp::coder::testing {

using Entries = std::vector<LiveSession::Entry>;
using Texts = std::vector<std::string>;

inline StoredSession session(const std::string& id, const std::string& cwd = "/p") {
  StoredSession result;
  result.id = id;
  result.cwd = cwd;
  return result;
}

inline Entries entries_of(const LiveSession& live) {
  Entries entries;
  live.read([&](EntryKind kind, std::string_view body) {
    entries.push_back({kind, std::string(body)});
  });
  return entries;
}

// Takes what the store has to say.
struct Notices {
  Texts texts;
  Store::OnNotice taker() {
    return [this](const std::string& text) { texts.push_back(text); };
  }
};

}  // namespace acp::coder::testing
