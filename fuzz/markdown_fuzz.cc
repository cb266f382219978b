// The same text in other pieces gives the same lines, and no control character is in them.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include "chat/render/markdown/markdown.h"
#include "chat/render/text/text.h"

namespace {

using namespace acp::chat;

void require(bool good, const char* what) {
  if (good) return;
  std::fprintf(stderr, "markdown_fuzz: %s\n", what);
  std::abort();
}

// In pieces of this size, drawn after each of them.
Lines streamed(std::string_view input, std::size_t step, std::size_t columns) {
  MarkdownStream stream;
  Lines lines;
  const auto take = [&] {
    for (Line& line : stream.take_finished(columns)) lines.push_back(std::move(line));
  };
  while (!input.empty()) {
    stream.append(input.substr(0, step));
    input.remove_prefix(std::min(step, input.size()));
    take();
    stream.open_lines(columns);
  }
  stream.finish();
  take();
  require(stream.open_lines(columns).empty(), "something is open at the end");
  return lines;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) return 0;
  const std::string_view input(reinterpret_cast<const char*>(data) + 2, size - 2);
  const std::size_t columns = 1 + data[0] % 100;
  const Lines whole = markdown_lines(input, columns);
  for (const Line& line : whole) {
    for (const Span& span : line) require(is_safe(span.text), "a span is not safe");
    for (const char c : to_ansi(line, ColourMode::none))
      require(static_cast<unsigned char>(c) >= 0x20 && c != 0x7F, "a control character");
    require(columns < 20 || width(line) <= columns, "a line is too wide");
  }
  require(whole == streamed(input, 1 + data[1], columns), "other pieces, other lines");
  return 0;
}
