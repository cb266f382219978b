#include "acp/http/event_stream.h"

#include <gtest/gtest.h>

#include <vector>

namespace acp::http {
namespace {

struct Seen {
  std::vector<std::string> events;  // "type|data"
  std::string last_id;
  long retry = -1;
  friend bool operator==(const Seen&, const Seen&) = default;
};

// In pieces of this size.
Seen read(std::string_view text, std::size_t size, std::size_t limit = 1000) {
  EventStream stream(limit);
  Seen seen;
  for (std::size_t at = 0; at < text.size(); at += size)
    stream.feed(text.substr(at, size), [&](EventStream::Event&& event) {
      seen.events.push_back(event.type + "|" + (event.too_large ? "(too large)" : event.data));
    });
  seen.last_id = stream.last_id();
  if (stream.retry()) seen.retry = stream.retry()->count();
  return seen;
}

Seen read(std::string_view text) {
  const Seen whole = read(text, text.size());
  for (std::size_t size = 1; size < text.size(); ++size)
    EXPECT_EQ(read(text, size).events, whole.events) << "in pieces of " << size;
  EXPECT_EQ(read(text, 1), whole);
  return whole;
}

using List = std::vector<std::string>;

TEST(EventStream, GivesEventsWithTypeAndData) {
  EXPECT_EQ(read("data: {\"a\":1}\n\nevent: endpoint\ndata: /message\n\n").events,
            (List{"message|{\"a\":1}", "endpoint|/message"}));
}

TEST(EventStream, TakesEveryLineEnd) {
  for (const std::string end : {"\n", "\r", "\r\n"}) {
    const std::string text = "data: a" + end + "data: b" + end + end + "data:c" + end + end;
    EXPECT_EQ(read(text).events, (List{"message|a\nb", "message|c"})) << end.size();
  }
}

TEST(EventStream, PassesOverCommentsUnknownFieldsAndABom) {
  EXPECT_EQ(read("\xEF\xBB\xBF: hello\nfoo: bar\n:\ndata: x\nfoo\n\n").events, (List{"message|x"}));
}

TEST(EventStream, CountsComments) {
  const std::string text = ":\n\n: one\r\ndata: :\ndata: {\"a\":\"b\n:x\n\n";
  for (std::size_t size = 1; size <= text.size(); ++size) {
    EventStream stream(1000);
    for (std::size_t at = 0; at < text.size(); at += size)
      stream.feed(std::string_view(text).substr(at, size), [](EventStream::Event&&) {});
    EXPECT_EQ(stream.comments(), 3u) << "in pieces of " << size;
  }
}

TEST(EventStream, KeepsTheSpacesAfterTheFirst) {
  EXPECT_EQ(read("data:  two \n\ndata\n\ndata:\ndata:\n\n").events,
            (List{"message| two ", "message|", "message|\n"}));
}

TEST(EventStream, AnEventThatIsNotCompleteIsNone) {
  EXPECT_TRUE(read("id: 7\ndata: x\n").events.empty());
  EXPECT_EQ(read("id: 7\ndata: x\n").last_id, "");
}

TEST(EventStream, RemembersIdAndRetry) {
  const Seen seen = read("id: 7\nretry: 500\ndata: \n\n");
  EXPECT_EQ(seen.events, (List{"message|"}));
  EXPECT_EQ(seen.last_id, "7");
  EXPECT_EQ(seen.retry, 500);
  // An id stays until another comes, also from an event without data; an empty one takes it away.
  EXPECT_EQ(read("id: 7\n\ndata: x\n\n").last_id, "7");
  EXPECT_EQ(read("id: 7\n\nid\n\n").last_id, "");
  EXPECT_EQ(read(std::string_view("id: 7\n\nid: a\0b\n\n", 17)).last_id, "7");
  for (const char* odd : {"retry: x\n", "retry: -5\n", "retry:\n", "retry: 5s\n"})
    EXPECT_EQ(read(odd).retry, -1) << odd;
}

TEST(EventStream, AnEventOverTheLimitIsPassedOverAndSaid) {
  const std::string big(1500, 'x');
  for (const std::size_t size : {1, 7, 1000, 4000}) {
    EXPECT_EQ(read("data: " + big + "\n\ndata: y\n\n", size).events,
              (List{"message|(too large)", "message|y"}))
        << size;
    std::string many;
    for (int i = 0; i < 100; ++i) many += "data: 12345678901234567890\n";
    EXPECT_EQ(read(many + "\ndata: y\n\n", size).events, (List{"message|(too large)", "message|y"}))
        << size;
  }
}

}  // namespace
}  // namespace acp::http
