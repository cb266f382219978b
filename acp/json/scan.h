// A block of bytes at a time: where in a string does something other than plain ASCII stand?
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

#if defined(__ARM_NEON)
#include <arm_neon.h>
#elif defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace acp::json::scan {

// marks(p): which bytes of the block at p are a quote, a backslash, a control character or beyond
// ASCII; 0 if none is. marks(a, b): 0 if no byte of the two words is. first(marks): the place of
// the first of them. Branch on the marks, rather than add a count that may be the whole block: a
// guessed branch lets the next block start before this one is known.
#if defined(__ARM_NEON)

inline constexpr std::size_t block = 16;
inline constexpr std::size_t bits_per_byte = 4;

inline std::uint64_t marks(uint8x16_t bytes) {
  // As signed numbers, bytes beyond ASCII are below zero.
  const uint8x16_t odd = vcltq_s8(vreinterpretq_s8_u8(bytes), vdupq_n_s8(0x20));
  const uint8x16_t quote = vceqq_u8(bytes, vdupq_n_u8('"'));
  const uint8x16_t backslash = vceqq_u8(bytes, vdupq_n_u8('\\'));
  const uint8x16_t marked = vorrq_u8(odd, vorrq_u8(quote, backslash));
  // Four bits for each byte.
  return vget_lane_u64(vreinterpret_u64_u8(vshrn_n_u16(vreinterpretq_u16_u8(marked), 4)), 0);
}
inline std::uint64_t marks(const char* p) {
  return marks(vld1q_u8(reinterpret_cast<const std::uint8_t*>(p)));
}
inline std::uint64_t marks(std::uint64_t a, std::uint64_t b) {
  return marks(vcombine_u8(vcreate_u8(a), vcreate_u8(b)));
}
inline std::size_t first(std::uint64_t marks) {
  return static_cast<std::size_t>(std::countr_zero(marks)) / bits_per_byte;
}

#elif defined(__SSE2__)

inline constexpr std::size_t block = 16;
inline constexpr std::size_t bits_per_byte = 1;

inline std::uint64_t marks(__m128i bytes) {
  const __m128i odd = _mm_cmplt_epi8(bytes, _mm_set1_epi8(0x20));
  const __m128i quote = _mm_cmpeq_epi8(bytes, _mm_set1_epi8('"'));
  const __m128i backslash = _mm_cmpeq_epi8(bytes, _mm_set1_epi8('\\'));
  return static_cast<std::uint32_t>(
      _mm_movemask_epi8(_mm_or_si128(odd, _mm_or_si128(quote, backslash))));
}
inline std::uint64_t marks(const char* p) {
  return marks(_mm_loadu_si128(reinterpret_cast<const __m128i*>(p)));
}
inline std::uint64_t marks(std::uint64_t a, std::uint64_t b) {
  return marks(_mm_set_epi64x(static_cast<std::int64_t>(b), static_cast<std::int64_t>(a)));
}
inline std::size_t first(std::uint64_t marks) {
  return static_cast<std::size_t>(std::countr_zero(marks));
}

#else

inline constexpr std::size_t block = 8;
inline constexpr std::size_t bits_per_byte = 8;

inline std::uint64_t marks(std::uint64_t word) {
  constexpr std::uint64_t ones = 0x0101010101010101u;
  const std::uint64_t quote = word ^ (ones * '"');
  const std::uint64_t backslash = word ^ (ones * '\\');
  const std::uint64_t below = (word - ones * 0x20) & ~word;
  // A borrow may mark bytes after the first marked one wrongly; only the first counts.
  return (((quote - ones) & ~quote) | ((backslash - ones) & ~backslash) | below | word) &
         (ones * 0x80);
}
inline std::uint64_t marks(const char* p) {
  std::uint64_t word;
  std::memcpy(&word, p, sizeof word);
  if constexpr (std::endian::native == std::endian::big) word = __builtin_bswap64(word);
  return marks(word);
}
inline std::uint64_t marks(std::uint64_t a, std::uint64_t b) { return marks(a) | marks(b); }
inline std::size_t first(std::uint64_t marks) {
  return static_cast<std::size_t>(std::countr_zero(marks)) / bits_per_byte;
}

#endif

// Without those of the first `count` bytes, fewer than a block.
inline std::uint64_t after(std::uint64_t marks, std::size_t count) {
  return marks & (~std::uint64_t{0} << (bits_per_byte * count));
}

inline bool is_special(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte == '"' || byte == '\\' || byte < 0x20 || byte >= 0x80;
}

// The first special byte at or after `at`, or `end`.
inline const char* plain(const char* at, const char* end) {
  while (static_cast<std::size_t>(end - at) >= block) {
    if (const std::uint64_t found = marks(at)) return at + first(found);
    at += block;
  }
  while (at < end && !is_special(*at)) ++at;
  return at;
}

// Copies fewer than 16 bytes; whether all of them are plain. Touches no byte beyond them.
[[gnu::always_inline]] inline bool copy_short(char* to, const char* from, std::size_t count) {
  if (count >= 8) {
    std::uint64_t head, tail;
    std::memcpy(&head, from, 8);
    std::memcpy(&tail, from + count - 8, 8);
    std::memcpy(to, &head, 8);
    std::memcpy(to + count - 8, &tail, 8);
    return marks(head, tail) == 0;
  }
  if (count >= 4) {
    std::uint32_t head, tail;
    std::memcpy(&head, from, 4);
    std::memcpy(&tail, from + count - 4, 4);
    std::memcpy(to, &head, 4);
    std::memcpy(to + count - 4, &tail, 4);
    const std::uint64_t word = std::uint64_t{tail} << 32 | head;
    return marks(word, word) == 0;
  }
  if (count == 0) return true;
  const char head = from[0], middle = from[count / 2], tail = from[count - 1];
  to[0] = head;
  to[count / 2] = middle;
  to[count - 1] = tail;
  return !is_special(head) && !is_special(middle) && !is_special(tail);
}

// The same bytes? For short runs of at least four, without a call.
inline bool same(const char* a, const char* b, std::size_t count) {
  const auto equal4 = [](const char* x, const char* y) {
    std::uint32_t u, v;
    std::memcpy(&u, x, 4);
    std::memcpy(&v, y, 4);
    return u == v;
  };
  const auto equal8 = [](const char* x, const char* y) {
    std::uint64_t u, v;
    std::memcpy(&u, x, 8);
    std::memcpy(&v, y, 8);
    return u == v;
  };
  if (!equal4(a, b)) return false;
  if (count < 8) return equal4(a + count - 4, b + count - 4);
  for (std::size_t i = 0; i + 8 <= count; i += 8)
    if (!equal8(a + i, b + i)) return false;
  return equal8(a + count - 8, b + count - 8);
}

}  // namespace acp::json::scan
