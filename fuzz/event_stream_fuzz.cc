// The same bytes in other pieces give the same events, none over the limit.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "acp/http/event_stream.h"

namespace {

using acp::http::EventStream;

std::vector<std::string> read(std::string_view input, std::size_t limit, std::size_t step) {
  EventStream stream(limit);
  std::vector<std::string> seen;
  while (!input.empty()) {
    // A copy of exactly this size, so that a read past its end is seen.
    const std::vector<char> piece(
        input.begin(), input.begin() + static_cast<std::ptrdiff_t>(std::min(step, input.size())));
    input.remove_prefix(piece.size());
    stream.feed({piece.data(), piece.size()}, [&](EventStream::Event&& event) {
      if (event.data.size() > limit || (event.too_large && !event.data.empty())) {
        std::fprintf(stderr, "event_stream_fuzz: an event over the limit\n");
        std::abort();
      }
      seen.push_back(event.too_large ? "too large" : event.type + "|" + event.data);
    });
  }
  seen.push_back(stream.last_id());
  seen.push_back(std::to_string(stream.retry().value_or(std::chrono::milliseconds(-1)).count()));
  return seen;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 1) return 0;
  const std::string_view input(reinterpret_cast<const char*>(data) + 1, size - 1);
  const std::vector<std::string> whole = read(input, 1'000'000, input.size() + 1);
  // Under a small limit only what stays below it must be the same: pieces decide how much of a line
  // is looked at once it is too long.
  read(input, 16, 1 + data[0]);
  if (whole == read(input, 1'000'000, 1) && whole == read(input, 1'000'000, 1 + data[0])) return 0;
  std::fprintf(stderr, "event_stream_fuzz: other pieces, other events\n");
  std::abort();
}
