// The same bytes in other pieces give the same frames, none over the limit.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "acp/rpc/framing.h"

namespace {

using namespace acp::rpc;

struct Cut {
  FrameReader::Framed::Kind kind;
  std::string text;
  std::size_t size;
  friend bool operator==(const Cut&, const Cut&) = default;
};

std::vector<Cut> cut(std::string_view input, Framing framing, std::size_t limit, std::size_t step) {
  FrameReader reader(framing, limit);
  std::vector<Cut> frames;
  const auto take = [&](const FrameReader::Framed& frame) {
    frames.push_back({frame.kind, std::string(frame.text), frame.size});
    if (frame.kind != FrameReader::Framed::Kind::message) return;
    if (!frame.text.empty() && frame.text.size() <= limit) return;
    std::fprintf(stderr, "framing_fuzz: an empty message, or one over the limit\n");
    std::abort();
  };
  while (!input.empty()) {
    // A copy of exactly this size, so that a read past its end is seen.
    const std::vector<char> piece(
        input.begin(), input.begin() + static_cast<std::ptrdiff_t>(std::min(step, input.size())));
    input.remove_prefix(piece.size());
    reader.feed({piece.data(), piece.size()});
    while (const auto frame = reader.next()) take(*frame);
  }
  if (const auto last = reader.end()) take(*last);
  return frames;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) return 0;
  const Framing framing = static_cast<Framing>(data[0] % 3);
  const std::size_t limit = (data[0] & 8) != 0 ? 16 : 100'000;
  const std::string_view input(reinterpret_cast<const char*>(data) + 2, size - 2);
  const std::vector<Cut> whole = cut(input, framing, limit, input.size() + 1);
  if (whole == cut(input, framing, limit, 1) && whole == cut(input, framing, limit, 1 + data[1]))
    return 0;
  std::fprintf(stderr, "framing_fuzz: other pieces, other frames\n");
  std::abort();
}
