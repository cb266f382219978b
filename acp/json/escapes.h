// Text in which escapes of two characters stand close together, as they do in code: sixteen bytes
// at a time without a branch for each escape, which nobody could guess. Each function goes as far
// as it can, and stops before a block that holds anything else; for other machines than 64-bit ARM
// that is at once, and the caller's own way has to do.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#if defined(__ARM_NEON) && defined(__aarch64__)
#include <arm_neon.h>
#endif

namespace acp::json::escapes {

#if defined(__ARM_NEON) && defined(__aarch64__)

namespace detail {

using Bytes = std::array<std::uint8_t, 16>;

// For each set of bits: where the others stand, and how many they are; where all stand when one
// byte more (the ninth) is put before each of the set, and how many that makes.
struct Moves {
  std::array<std::array<std::uint8_t, 8>, 256> kept{};
  std::array<Bytes, 256> spread{};
  std::array<std::uint8_t, 256> count_kept{}, count_spread{};
};
constexpr Moves make_moves() {
  Moves made;
  for (std::size_t set = 0; set < 256; ++set) {
    std::uint8_t &kept = made.count_kept[set], &spread = made.count_spread[set];
    for (std::uint8_t bit = 0; bit < 8; ++bit) {
      if ((set >> bit & 1) != 0)
        made.spread[set][spread++] = 8;
      else
        made.kept[set][kept++] = bit;
      made.spread[set][spread++] = bit;
    }
  }
  return made;
}
// Apart, for each has an address of its own then.
inline constexpr auto kept = make_moves().kept;
inline constexpr auto spread = make_moves().spread;
inline constexpr auto count_kept = make_moves().count_kept;
inline constexpr auto count_spread = make_moves().count_spread;

// What the characters from 0x60 on stand for after a backslash.
inline constexpr std::array<std::uint8_t, 32> values = [] {
  std::array<std::uint8_t, 32> table{};
  table['b' - 0x60] = '\b';
  table['f' - 0x60] = '\f';
  table['n' - 0x60] = '\n';
  table['r' - 0x60] = '\r';
  table['t' - 0x60] = '\t';
  return table;
}();
// The letters for the first control characters.
inline constexpr Bytes letters = {0, 0, 0, 0, 0, 0, 0, 0, 'b', 't', 'n', 0, 'f', 'r', 0, 0};

// Two masks with a bit for each byte: the first in the lower half.
inline std::uint32_t bits(uint8x16_t first, uint8x16_t second) {
  constexpr Bytes weights = {1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128};
  const uint8x16_t weight = vld1q_u8(weights.data());
  uint8x16_t sum = vpaddq_u8(vandq_u8(first, weight), vandq_u8(second, weight));
  sum = vpaddq_u8(sum, sum);
  sum = vpaddq_u8(sum, sum);
  return vgetq_lane_u32(vreinterpretq_u32_u8(sum), 0);
}

inline uint8x16_t load(const char* p) { return vld1q_u8(reinterpret_cast<const std::uint8_t*>(p)); }

// A block of a string as it is written.
struct Written {
  uint8x16_t backslash;
  uint8x16_t begins;  // a backslash with which an escape begins
  uint8x16_t text;    // with the value of each escape after its backslash
  uint8x16_t other;   // the end, another escape, three backslashes, not ASCII, an error

  Written() : backslash(vdupq_n_u8(0)), begins(backslash), text(backslash), other(backslash) {}
  // Of these bytes, which follow those of `before`.
  Written(uint8x16_t bytes, const Written& before, const uint8x16x2_t& table) {
    backslash = vceqq_u8(bytes, vdupq_n_u8('\\'));
    const uint8x16_t second = vandq_u8(backslash, vextq_u8(before.backslash, backslash, 15));
    const uint8x16_t third = vandq_u8(second, vextq_u8(before.backslash, backslash, 14));
    begins = vbicq_u8(backslash, second);
    const uint8x16_t escaped = vextq_u8(before.begins, begins, 15);
    const uint8x16_t quote = vceqq_u8(bytes, vdupq_n_u8('"'));
    const uint8x16_t value = vorrq_u8(vqtbl2q_u8(table, vsubq_u8(bytes, vdupq_n_u8(0x60))),
                                      vandq_u8(bytes, vorrq_u8(quote, second)));
    text = vbslq_u8(escaped, value, bytes);
    // As signed numbers, bytes beyond ASCII are below zero.
    const uint8x16_t odd = vcltq_s8(vreinterpretq_s8_u8(bytes), vdupq_n_s8(0x20));
    other = vorrq_u8(vorrq_u8(odd, third), vbslq_u8(escaped, vceqzq_u8(value), quote));
  }
  // Where the block ends, but not between a backslash and its character.
  const char* end(const char* p) const { return vgetq_lane_u8(begins, 15) != 0 ? p - 1 : p; }
};

}  // namespace detail

// Past text and escapes.
inline const char* pass(const char* p, const char* end) {
  const uint8x16x2_t table = vld1q_u8_x2(detail::values.data());
  detail::Written block;
  for (; end - p >= 16; p += 16) {
    const detail::Written next(detail::load(p), block, table);
    if (vmaxvq_u32(vreinterpretq_u32_u8(next.other)) != 0) break;
    block = next;
  }
  return block.end(p);
}

// Writes the text that is meant to `out`, up to 16 bytes beyond `limit`; moves both places.
inline void undo(const char*& at, const char* end, char*& out, const char* limit) {
  const uint8x16x2_t table = vld1q_u8_x2(detail::values.data());
  detail::Written block;
  const char* p = at;
  auto* to = reinterpret_cast<std::uint8_t*>(out);
  const auto* const last = reinterpret_cast<const std::uint8_t*>(limit);
  for (; end - p >= 16 && to < last; p += 16) {
    const detail::Written next(detail::load(p), block, table);
    const std::uint32_t bits = detail::bits(next.begins, next.other);
    if (bits >> 16 != 0) break;
    block = next;
    const std::size_t first = bits & 255, second = bits >> 8;
    vst1_u8(to, vtbl1_u8(vget_low_u8(block.text), vld1_u8(detail::kept[first].data())));
    to += detail::count_kept[first];
    vst1_u8(to, vtbl1_u8(vget_high_u8(block.text), vld1_u8(detail::kept[second].data())));
    to += detail::count_kept[second];
  }
  at = block.end(p);
  out = reinterpret_cast<char*>(to);
}

// Writes the text with its escapes to `out`, as long as there is room before `limit` for what is
// left of it and `spare` bytes more; moves both places.
inline void make(const char*& at, const char* end, char*& out, const char* limit,
                 std::size_t spare) {
  const uint8x16_t table = vld1q_u8(detail::letters.data());
  const uint8x8_t backslashes = vdup_n_u8('\\');
  const char* p = at;
  auto* to = reinterpret_cast<std::uint8_t*>(out);
  const auto* const last = reinterpret_cast<const std::uint8_t*>(limit);
  // A block may double.
  for (; end - p >= 16 && last - to >= end - p + 16 + static_cast<std::ptrdiff_t>(spare); p += 16) {
    const uint8x16_t bytes = detail::load(p);
    const uint8x16_t control = vcltq_u8(bytes, vdupq_n_u8(0x20));
    const uint8x16_t escaped = vorrq_u8(
        control, vorrq_u8(vceqq_u8(bytes, vdupq_n_u8('"')), vceqq_u8(bytes, vdupq_n_u8('\\'))));
    const uint8x16_t letter = vqtbl1q_u8(table, bytes);
    const uint8x16_t text = vbslq_u8(control, letter, bytes);
    // Not ASCII, or without a letter.
    const uint8x16_t other =
        vorrq_u8(vcltzq_s8(vreinterpretq_s8_u8(bytes)), vandq_u8(control, vceqzq_u8(letter)));
    const std::uint32_t bits = detail::bits(escaped, other);
    if (bits >> 16 != 0) break;
    const std::size_t first = bits & 255, second = bits >> 8;
    vst1q_u8(to, vqtbl1q_u8(vcombine_u8(vget_low_u8(text), backslashes),
                            vld1q_u8(detail::spread[first].data())));
    to += detail::count_spread[first];
    vst1q_u8(to, vqtbl1q_u8(vcombine_u8(vget_high_u8(text), backslashes),
                            vld1q_u8(detail::spread[second].data())));
    to += detail::count_spread[second];
  }
  at = p;
  out = reinterpret_cast<char*>(to);
}

#else

inline const char* pass(const char* p, const char*) { return p; }
inline void undo(const char*&, const char*, char*&, const char*) {}
inline void make(const char*&, const char*, char*&, const char*, std::size_t) {}

#endif

}  // namespace acp::json::escapes
