// What a client and an agent say, line by line, through the routing of a server: every byte is
// counted once, and what is sent has been taken.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "acp/remote/message.h"
#include "acp/remote/streams.h"

namespace {

using acp::remote::Message;
using acp::remote::Streams;
using Session = std::optional<std::string>;

void expect(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "remote_message_fuzz: %s\n", what);
  std::abort();
}

Session session_of(char letter) {
  return letter == '-' ? std::nullopt : Session(std::string(1, letter));
}

}  // namespace

// Each line: what happens, which session, and a text.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  acp::remote::ServerLimits limits;
  limits.max_unread_sessions = 4;
  limits.max_pending = 8;
  limits.max_id_length = 32;
  Streams streams(limits);
  Message message;
  std::size_t waiting = 0;        // of messages that were taken and are not sent
  std::vector<std::string> read;  // by readers, and not sent
  std::vector<Session> readers;
  std::string_view input(reinterpret_cast<const char*>(data), size);
  bool goes_on = true;
  while (!input.empty() && goes_on) {
    const std::string_view line = input.substr(0, input.find('\n'));
    input.remove_prefix(std::min(input.size(), line.size() + 1));
    if (line.size() < 2) continue;
    const Session session = session_of(line[1]);
    // A copy of exactly this size, so that a read past its end is seen.
    const std::vector<char> copy(line.begin() + 2, line.end());
    const std::string_view text(copy.data(), copy.size());
    message.read(text);
    const bool is_message = message.kind <= Message::Kind::answer;
    const auto reader = std::find(readers.begin(), readers.end(), session);
    switch (line[0]) {
      case 'c':  // the client says something
        if (!is_message) break;
        if (const auto refusal = streams.refusal(message, session))
          expect(refusal->status == 400 || refusal->status == 503, "another status");
        break;
      case 'f':
        if (is_message) streams.forget(message);
        break;
      case 'a':  // the agent does
        if (!is_message) break;
        waiting += text.size() + std::string_view("data: \n\n").size();
        goes_on = streams.take(message, text);
        if (!goes_on) expect(!streams.complaint().empty(), "no complaint");
        break;
      case 'e': {
        const bool entered = streams.enter(session, [] {});
        expect(entered == (reader == readers.end()), "two readers");
        if (entered) readers.push_back(session);
        break;
      }
      case 't':
        if (reader != readers.end()) read.push_back(streams.take_events(session));
        break;
      case 'l':
        if (reader == readers.end()) break;
        streams.leave(session);
        readers.erase(reader);
        break;
      case 's':
        if (read.empty()) break;
        streams.sent(read.back().size());
        waiting -= read.back().size();
        read.pop_back();
        break;
      default:
        break;
    }
    expect(streams.buffered_bytes() == waiting, "the bytes do not add up");
    expect(streams.waiting() <= limits.max_pending, "too many requests");
  }
  // Everything can be read.
  for (const std::string& events : read) streams.sent(events.size());
  for (int letter = 0; letter < 256; ++letter) {
    const Session session = session_of(static_cast<char>(letter));
    if (std::find(readers.begin(), readers.end(), session) == readers.end())
      expect(streams.enter(session, nullptr), "no reader, and none may come");
    streams.sent(streams.take_events(session).size());
    streams.leave(session);
  }
  expect(streams.buffered_bytes() <= waiting, "the bytes do not add up at the end");
  return 0;
}
