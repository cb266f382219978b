// That an update costs what its size is: counted in bytes that are allocated, since time is not
// reproducible.
#include <gtest/gtest.h>

#include <cstdlib>
#include <new>
#include <utility>

#ifdef __clang__
#if __has_feature(thread_sanitizer)
#define WATCH_ALLOCATIONS
#include <sanitizer/allocator_interface.h>
#endif
#endif

#include "acp/session_state.h"

namespace {
std::size_t allocated_bytes = 0;  // by this program, so far
}  // namespace

#ifdef WATCH_ALLOCATIONS
// Its own operator new cannot be replaced, but watched.
namespace {
const int watched = __sanitizer_install_malloc_and_free_hooks(
    [](const volatile void*, std::size_t size) { allocated_bytes += size; },
    [](const volatile void*) {});
}  // namespace
#else
// Not inlined: g++ 12 would take new and free for a mismatch.
[[gnu::noinline]] void* operator new(std::size_t size) {
  allocated_bytes += size;
  if (void* memory = std::malloc(size == 0 ? 1 : size)) return memory;
  throw std::bad_alloc();
}
[[gnu::noinline]] void operator delete(void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
#endif

namespace acp {
namespace {

// g++'s address sanitizer loses track of the stack frames of variants and then searches for room: a
// tenth of a millisecond for each update.
#ifdef __SANITIZE_ADDRESS__
constexpr std::size_t many = 4'000;
#else
constexpr std::size_t many = 200'000;
#endif

using Indices = std::vector<std::size_t>;
using Message = SessionState::Message;

v1::AgentMessageChunk said(v1::ContentBlock content) { return {{.content = std::move(content)}}; }

const Message& message(const SessionState& state) {
  return std::get<Message>(state.timeline().at(0).content);
}
std::string text(const SessionState& state) { return v1::text_of(message(state).content); }

TEST(SessionStateCosts, JoiningCostsWhatArrives) {
  SessionState state;
  const std::size_t before = allocated_bytes;
  for (std::size_t i = 0; i < many; ++i) state.apply(said("12345678"));  // no memory of its own
  const std::size_t used = allocated_bytes - before;
  ASSERT_EQ(state.timeline().size(), 1u);
  ASSERT_EQ(message(state).content.size(), 1u);
  EXPECT_EQ(text(state).size(), many * 8);
  // A string that doubles: twice its final capacity. A copy for each chunk would be 160 GB.
  EXPECT_LT(used, 5 * many * 8);
}

TEST(SessionStateCosts, AreMovedFromAnRvalueAndCopiedFromAConstant) {
  v1::SessionUpdate update = said(std::string(1 << 20, 'x'));
  SessionState copied;
  copied.apply(std::as_const(update));
  EXPECT_EQ(text(copied).size(), 1u << 20);
  EXPECT_EQ(v1::text_of({&std::get<v1::AgentMessageChunk>(update).content, 1}).size(), 1u << 20);

  SessionState moved;
  const std::size_t before = allocated_bytes;
  moved.apply(std::move(update));
  EXPECT_LT(allocated_bytes - before, 1u << 14);
  EXPECT_EQ(text(moved).size(), 1u << 20);
}

TEST(SessionStateCosts, AnUpdateCostsItsSizeAmongManyCalls) {
  SessionState state;
  for (std::size_t i = 0; i < many / 10; ++i)
    state.apply(v1::ToolCall{.toolCallId = std::to_string(i), .title = "t"});
  const std::uint64_t revision = state.revision();
  const std::size_t before = allocated_bytes;
  state.apply(v1::ToolCallUpdate{.toolCallId = "17", .title = "u"});
  EXPECT_EQ(state.changed_since(revision), Indices{17});
  EXPECT_LT(allocated_bytes - before, 1024u);
}

TEST(SessionStateCosts, ManyEntriesCostTheSameEach) {
  const auto cost = [](std::size_t count) {
    SessionState state;
    const std::size_t before = allocated_bytes;
    for (std::size_t i = 0; i < count; ++i) state.apply(v1::Notice{.title = "n"});
    return allocated_bytes - before;
  };
  EXPECT_LT(cost(many / 4), 17 * cost(many / 32));
}

TEST(SessionStateCosts, StreamsOfOneCompactionAndOfOneSessionMessageAreJoinedToo) {
  SessionState state;
  const std::size_t before = allocated_bytes;
  for (std::size_t i = 0; i < many / 2; ++i) {
    state.apply(v1::CompactionSummaryChunk{.compactionId = "k", .content = "12345678"});
    state.apply(v1::SessionMessageChunk{.messageId = "m", .content = "12345678"});
  }
  EXPECT_LT(allocated_bytes - before, 5 * many * 8);
  EXPECT_EQ(state.timeline().size(), 2u);
}

}  // namespace
}  // namespace acp
