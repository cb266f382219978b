// Does this text stand here? Questions about the next bytes, asked without reading them in full.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "acp/json/scan.h"
#include "acp/json/type.h"

namespace acp::json {

inline bool stands_at(const char* p, const char* end, std::string_view text) {
  return static_cast<std::size_t>(end - p) >= text.size() &&
         scan::same(p, text.data(), text.size());
}

// Finds the field whose quoted name and colon are next, trying `guess` first; returns `count` if
// none matches. Eight bytes tell most names apart.
inline std::size_t field_at(const char* p, const char* end, const Field* fields, std::size_t count,
                            std::size_t guess) {
  const auto left = static_cast<std::size_t>(end - p);
  if (left < 8) return count;
  std::uint64_t word;
  std::memcpy(&word, p, 8);
  const auto matches = [&](const Field& field) {
    if ((word & field.head.mask) != field.head.bits) return false;
    const std::size_t size = field.quoted.size();
    return size <= 8 || (left >= size && scan::same(p + 4, field.quoted.data() + 4, size - 4));
  };
  for (std::size_t i = guess; i < count; ++i)
    if (matches(fields[i])) return i;
  for (std::size_t i = 0; i < guess; ++i)
    if (matches(fields[i])) return i;
  return count;
}

// Which of the listed words stands here in quotes, as it is? The first one that does, or `count`.
template <class Word>
std::size_t listed(const char* p, const char* end, std::size_t count, Word word) {
  if (end - p < 2 || *p != '"') return count;
  const auto left = static_cast<std::size_t>(end - p - 1);
  for (std::size_t i = 0; i < count; ++i) {
    const std::string_view text = word(i);
    const std::size_t size = text.size();
    // The quote first: it tells most words apart. An arm without a tag has an empty one.
    if (size != 0 && size < left && p[1 + size] == '"' &&
        std::memcmp(p + 1, text.data(), size) == 0)
      return i;
  }
  return count;
}

}  // namespace acp::json
