// What goes over the wire: the texts and lines that all contestants send and expect.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

namespace bench::wire {

inline constexpr std::string_view session_id = "sess_4f1c9a7be0d2436685a4";
inline constexpr std::string_view chunk_text = "The quick brown fox jumps over the lazy dog again.";
inline constexpr std::size_t file_bytes = 1024 * 1024;
inline constexpr std::string_view file_path = "/big.txt";

// A file of exactly 1 MiB: lines of code, ASCII, of which JSON escapes about one byte in 20.
// npm_agent.mjs has the same lines.
inline std::string file_text() {
  constexpr std::array<std::string_view, 10> lines = {
      "#include \"server/router.h\"\n",
      "\n",
      "// Looks the route up by its longest prefix; the table is sorted, the first match is "
      "best.\n",
      "std::optional<Route> Router::find(std::string_view path) const {\n",
      "\tfor (const Route& route : routes_) {\n",
      "\t\tif (!path.starts_with(route.prefix)) continue;\n",
      "\t\tlog_.debug(\"route {} answers {}\", route.name, path);\n",
      "\t\treturn route;\n",
      "\t}\n",
      "\tthrow NotFound(\"no route for \" + std::string(path) + \"\\n\");\n}\n",
  };
  std::string text;
  for (std::size_t i = 0; text.size() < file_bytes; ++i) text += lines[i % lines.size()];
  text.resize(file_bytes);
  return text;
}

// Appends the text as the inside of a JSON string: eight bytes at a time where none is escaped.
inline void append_escaped(std::string& out, std::string_view text) {
  constexpr std::uint64_t ones = 0x0101010101010101, highs = ones * 0x80;
  constexpr auto zero_in = [](std::uint64_t word) { return (word - ones) & ~word & highs; };
  const std::size_t before = out.size();
  out.resize(before + text.size() * 6 + 8);
  char* to = out.data() + before;
  const char* from = text.data();
  const char* const end = from + text.size();
  while (from < end) {
    if (end - from >= 8) {
      std::uint64_t word;
      std::memcpy(&word, from, 8);
      const std::uint64_t controls = (word - ones * 0x20) & ~word & highs;
      if (!(controls | zero_in(word ^ ones * '"') | zero_in(word ^ ones * '\\'))) {
        std::memcpy(to, from, 8);
        to += 8, from += 8;
        continue;
      }
    }
    for (const char* const stop = std::min(from + 8, end); from < stop; ++from) {
      const auto c = static_cast<unsigned char>(*from);
      if (c >= 0x20 && c != '"' && c != '\\') {
        *to++ = *from;
        continue;
      }
      *to++ = '\\';
      if (c >= 0x20) {
        *to++ = *from;
      } else if (c == '\n') {
        *to++ = 'n';
      } else if (c == '\t') {
        *to++ = 't';
      } else {
        std::memcpy(to, "u00", 3);
        to[3] = "01"[c >> 4];
        to[4] = "0123456789abcdef"[c & 15];
        to += 5;
      }
    }
  }
  out.resize(static_cast<std::size_t>(to - out.data()));
}

inline std::string update_begin(std::string_view session) {
  return R"({"jsonrpc":"2.0","method":"session/update","params":{"sessionId":")" +
         std::string(session) + R"(","update":)";
}

// A `session/update` with 50 bytes of text: 229 bytes with our session's id, and a newline.
inline std::string chunk_line(std::string_view session) {
  return update_begin(session) +
         R"({"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":")" +
         std::string(chunk_text) + "\"}}}}\n";
}

inline std::string diff_begin(std::string_view session) {
  return update_begin(session) +
         R"({"sessionUpdate":"tool_call_update","toolCallId":"call_1","content":[{"type":"diff","path":")" +
         std::string(file_path) + R"(","oldText":null,"newText":")";
}
inline constexpr std::string_view diff_end = "\"}]}}}\n";

inline std::string diff_line(std::string_view session) {
  std::string line = diff_begin(session);
  append_escaped(line, file_text());
  line += diff_end;
  return line;
}

}  // namespace bench::wire
