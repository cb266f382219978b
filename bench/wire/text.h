// What goes over the wire: the texts and lines that all contestants send and expect.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string>
#include <string_view>

namespace bench::wire {

inline constexpr std::string_view session_id = "sess_4f1c9a7be0d2436685a4";
inline constexpr std::string_view chunk_text = "The quick brown fox jumps over the lazy dog again.";
inline constexpr std::size_t file_bytes = 1024 * 1024;
inline constexpr std::string_view file_path = "/big.txt";

// A file of exactly 1 MiB: lines of code, ASCII, of which JSON escapes about one byte in 14.
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

// The same as a git patch that adds the file: what version 2 of the protocol has for it.
inline std::string patch_text() {
  const std::string file = file_text();
  const auto lines = std::count(file.begin(), file.end(), '\n');
  const bool ends = file.back() == '\n';
  const std::string name(file_path);
  std::string text = "diff --git " + name + " " + name +
                     "\nnew file mode 100644\n--- /dev/null\n+++ " + name + "\n@@ -0,0 +1,";
  text += std::to_string(lines + (ends ? 0 : 1)) + " @@\n";
  for (std::size_t at = 0; at < file.size();) {
    const std::size_t end = std::min(file.find('\n', at), file.size() - 1) + 1;
    (text += '+').append(file, at, end - at);
    at = end;
  }
  return ends ? text : text + "\n\\ No newline at end of file\n";
}

// Writes the byte as JSON escapes it; returns the end.
inline char* escape(char* to, char c) {
  *to++ = '\\';
  switch (c) {
    case '\n':
      *to++ = 'n';
      return to;
    case '\t':
      *to++ = 't';
      return to;
    case '"':
    case '\\':
      *to++ = c;
      return to;
    default:
      return to + std::snprintf(to, 6, "u%04x", static_cast<unsigned>(c));
  }
}

// Appends the text as the inside of a JSON string: finds what is to be escaped in eight bytes at a
// time (little-endian), and writes through a block that stays in the cache.
inline void append_escaped(std::string& out, std::string_view text) {
  constexpr std::uint64_t ones = 0x0101010101010101, highs = ones * 0x80;
  constexpr auto zeros = [](std::uint64_t word) { return (word - ones) & ~word & highs; };
  constexpr std::size_t block_bytes = 4096;
  char block[block_bytes * 6 + 8];
  while (!text.empty()) {
    const char* from = text.data();
    const char* const end = from + std::min(block_bytes, text.size());
    text.remove_prefix(static_cast<std::size_t>(end - from));
    char* to = block;
    while (end - from >= 8) {
      std::uint64_t word;
      std::memcpy(&word, from, 8);
      std::memcpy(to, from, 8);
      const std::uint64_t controls = (word - ones * 0x20) & ~word & highs;
      const std::uint64_t found = controls | zeros(word ^ ones * '"') | zeros(word ^ ones * '\\');
      const int plain = found ? std::countr_zero(found) / 8 : 8;  // the lowest one is exact
      to += plain, from += plain;
      if (found) to = escape(to, *from++);
    }
    for (; from < end; ++from) {
      const bool plain = static_cast<unsigned char>(*from) >= 0x20 && *from != '"' && *from != '\\';
      if (plain)
        *to++ = *from;
      else
        to = escape(to, *from);
    }
    out.append(block, static_cast<std::size_t>(to - block));
  }
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

// The same two of version 2.
inline std::string chunk_line_2(std::string_view session) {
  return update_begin(session) +
         R"({"sessionUpdate":"agent_message_chunk","messageId":"msg_4f1c9a7be0d24368","content":{"type":"text","text":")" +
         std::string(chunk_text) + "\"}}}}\n";
}
inline std::string diff_line_2(std::string_view session) {
  std::string line =
      update_begin(session) +
      R"({"sessionUpdate":"tool_call_update","toolCallId":"call_1","content":[{"type":"diff","changes":[{"operation":"add","path":")" +
      std::string(file_path) + R"("}],"patch":{"format":"git_patch","text":")";
  append_escaped(line, patch_text());
  return line + "\"}}]}}}\n";
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
