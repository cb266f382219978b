// Text in which escapes of two characters stand close together, as they do in code: sixteen bytes
// at a time without a branch for each escape, which nobody could guess. Each function goes as far
// as it can, and stops before a block that holds anything else. Where the machine has no such
// instructions (64-bit ARM has them, x86-64 from SSSE3 on) that is at once, and the caller's own
// way has to do.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#if defined(__ARM_NEON) && defined(__aarch64__)
#define ACP_JSON_VECTORS 1
#include <arm_neon.h>
#elif defined(__x86_64__) && defined(__GNUC__)
#define ACP_JSON_VECTORS 1
#include <tmmintrin.h>
#else
#define ACP_JSON_VECTORS 0
#endif

namespace acp::json::escapes {

#if ACP_JSON_VECTORS

// Compiled for SSSE3 whatever the program is compiled for; called only where the machine has it.
#if defined(__x86_64__)
#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("ssse3"))), apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target("ssse3")
#endif
#endif

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

// Sixteen bytes. A mask has all bits of a byte set, or none.
#if defined(__ARM_NEON)

using Vector = uint8x16_t;

inline Vector load(const std::uint8_t* p) { return vld1q_u8(p); }
inline Vector all(std::uint8_t byte) { return vdupq_n_u8(byte); }
inline Vector both(Vector a, Vector b) { return vandq_u8(a, b); }
inline Vector either(Vector a, Vector b) { return vorrq_u8(a, b); }
inline Vector without(Vector a, Vector b) { return vbicq_u8(a, b); }
inline Vector choose(Vector mask, Vector a, Vector b) { return vbslq_u8(mask, a, b); }
inline Vector equal(Vector a, std::uint8_t byte) { return vceqq_u8(a, vdupq_n_u8(byte)); }
inline Vector control(Vector a) { return vcltq_u8(a, vdupq_n_u8(0x20)); }
inline Vector beyond_ascii(Vector a) { return vcltzq_s8(vreinterpretq_s8_u8(a)); }
// As signed numbers, bytes beyond ASCII are below zero.
inline Vector control_or_beyond(Vector a) {
  return vcltq_s8(vreinterpretq_s8_u8(a), vdupq_n_s8(0x20));
}
// The last `count` bytes of `before`, and the first of `bytes`.
template <int count>
Vector shifted_in(Vector before, Vector bytes) {
  return vextq_u8(before, bytes, 16 - count);
}
inline bool any(Vector mask) { return vmaxvq_u32(vreinterpretq_u32_u8(mask)) != 0; }
inline bool last(Vector mask) { return vgetq_lane_u8(mask, 15) != 0; }
// Two masks with a bit for each byte: the first in the lower half.
inline std::uint32_t bits(Vector first, Vector second) {
  constexpr Bytes weights = {1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128};
  const uint8x16_t weight = vld1q_u8(weights.data());
  uint8x16_t sum = vpaddq_u8(vandq_u8(first, weight), vandq_u8(second, weight));
  sum = vpaddq_u8(sum, sum);
  sum = vpaddq_u8(sum, sum);
  return vgetq_lane_u32(vreinterpretq_u32_u8(sum), 0);
}

// What stands for what.
struct Values {
  uint8x16x2_t table = vld1q_u8_x2(values.data());
  // Of characters after a backslash; 0 for those that have none.
  Vector of(Vector bytes) const { return vqtbl2q_u8(table, vsubq_u8(bytes, vdupq_n_u8(0x60))); }
};
struct Letters {
  uint8x16_t table = vld1q_u8(letters.data());
  // Of control characters.
  Vector of(Vector bytes) const { return vqtbl1q_u8(table, bytes); }
};

// Of the first or the second eight bytes, those that are kept, and whatever after them.
inline void store_kept(std::uint8_t* to, Vector bytes, std::size_t first, std::size_t second) {
  vst1_u8(to, vtbl1_u8(vget_low_u8(bytes), vld1_u8(kept[first].data())));
  vst1_u8(to + count_kept[first], vtbl1_u8(vget_high_u8(bytes), vld1_u8(kept[second].data())));
}
inline void store_spread(std::uint8_t* to, Vector bytes, std::size_t first, std::size_t second) {
  const uint8x8_t backslashes = vdup_n_u8('\\');
  vst1q_u8(
      to, vqtbl1q_u8(vcombine_u8(vget_low_u8(bytes), backslashes), vld1q_u8(spread[first].data())));
  vst1q_u8(to + count_spread[first], vqtbl1q_u8(vcombine_u8(vget_high_u8(bytes), backslashes),
                                                vld1q_u8(spread[second].data())));
}

#else

using Vector = __m128i;

inline Vector load(const std::uint8_t* p) {
  return _mm_loadu_si128(reinterpret_cast<const __m128i*>(p));
}
inline Vector all(std::uint8_t byte) { return _mm_set1_epi8(static_cast<char>(byte)); }
inline Vector both(Vector a, Vector b) { return _mm_and_si128(a, b); }
inline Vector either(Vector a, Vector b) { return _mm_or_si128(a, b); }
inline Vector without(Vector a, Vector b) { return _mm_andnot_si128(b, a); }
inline Vector choose(Vector mask, Vector a, Vector b) {
  return either(both(mask, a), without(b, mask));
}
inline Vector equal(Vector a, std::uint8_t byte) { return _mm_cmpeq_epi8(a, all(byte)); }
inline Vector control(Vector a) { return _mm_cmpeq_epi8(_mm_min_epu8(a, all(0x1F)), a); }
inline Vector beyond_ascii(Vector a) { return _mm_cmplt_epi8(a, all(0)); }
// As signed numbers, bytes beyond ASCII are below zero.
inline Vector control_or_beyond(Vector a) { return _mm_cmplt_epi8(a, all(0x20)); }
// The last `count` bytes of `before`, and the first of `bytes`.
template <int count>
Vector shifted_in(Vector before, Vector bytes) {
  return _mm_alignr_epi8(bytes, before, 16 - count);
}
inline bool any(Vector mask) { return _mm_movemask_epi8(mask) != 0; }
inline bool last(Vector mask) { return (_mm_movemask_epi8(mask) & 0x8000) != 0; }
// Two masks with a bit for each byte: the first in the lower half.
inline std::uint32_t bits(Vector first, Vector second) {
  return static_cast<std::uint32_t>(_mm_movemask_epi8(first)) |
         static_cast<std::uint32_t>(_mm_movemask_epi8(second)) << 16;
}

// What stands for what. A shuffle looks at the lower four bits, and gives 0 where the highest is
// set.
struct Values {
  Vector from_60 = load(values.data()), from_70 = load(values.data() + 16);
  // Of characters after a backslash; 0 for those that have none.
  Vector of(Vector bytes) const {
    const Vector upper = both(bytes, all(0xF0));
    return either(both(equal(upper, 0x60), _mm_shuffle_epi8(from_60, bytes)),
                  both(equal(upper, 0x70), _mm_shuffle_epi8(from_70, bytes)));
  }
};
struct Letters {
  Vector table = load(letters.data());
  // Of control characters: from 0x10 on none has a letter.
  Vector of(Vector bytes) const { return _mm_shuffle_epi8(table, _mm_adds_epu8(bytes, all(0x70))); }
};

// Of the first or the second eight bytes, those that are kept, and whatever after them.
inline void store_kept(std::uint8_t* to, Vector bytes, std::size_t first, std::size_t second) {
  const auto store = [](std::uint8_t* place, Vector half, std::size_t set) {
    const Vector order = _mm_loadl_epi64(reinterpret_cast<const __m128i*>(kept[set].data()));
    _mm_storel_epi64(reinterpret_cast<__m128i*>(place), _mm_shuffle_epi8(half, order));
  };
  store(to, bytes, first);
  store(to + count_kept[first], _mm_srli_si128(bytes, 8), second);
}
inline void store_spread(std::uint8_t* to, Vector bytes, std::size_t first, std::size_t second) {
  const auto store = [](std::uint8_t* place, Vector half, std::size_t set) {
    _mm_storeu_si128(reinterpret_cast<__m128i*>(place),
                     _mm_shuffle_epi8(half, load(spread[set].data())));
  };
  const Vector backslashes = all('\\');
  store(to, _mm_unpacklo_epi64(bytes, backslashes), first);
  store(to + count_spread[first], _mm_unpackhi_epi64(bytes, backslashes), second);
}

#endif

inline Vector load(const char* p) { return load(reinterpret_cast<const std::uint8_t*>(p)); }

// A block of a string as it is written.
struct Written {
  Vector backslash;
  Vector begins;  // a backslash with which an escape begins
  Vector text;    // with the value of each escape after its backslash
  Vector other;   // the end, another escape, three backslashes, not ASCII, an error

  Written() : backslash(all(0)), begins(backslash), text(backslash), other(backslash) {}
  // Of these bytes, which follow those of `before`.
  Written(Vector bytes, const Written& before, const Values& table) {
    backslash = equal(bytes, '\\');
    const Vector second = both(backslash, shifted_in<1>(before.backslash, backslash));
    const Vector third = both(second, shifted_in<2>(before.backslash, backslash));
    begins = without(backslash, second);
    const Vector escaped = shifted_in<1>(before.begins, begins);
    const Vector quote = equal(bytes, '"');
    const Vector value = either(table.of(bytes), both(bytes, either(quote, second)));
    text = choose(escaped, value, bytes);
    other =
        either(either(control_or_beyond(bytes), third), choose(escaped, equal(value, 0), quote));
  }
  // Where the block ends, but not between a backslash and its character.
  const char* end(const char* p) const { return last(begins) ? p - 1 : p; }
};

inline const char* pass(const char* p, const char* end) {
  const Values table;
  Written block;
  for (; end - p >= 16; p += 16) {
    const Written next(load(p), block, table);
    if (any(next.other)) break;
    block = next;
  }
  return block.end(p);
}

inline void undo(const char*& at, const char* end, char*& out, const char* limit) {
  const Values table;
  Written block;
  const char* p = at;
  auto* to = reinterpret_cast<std::uint8_t*>(out);
  const auto* const last = reinterpret_cast<const std::uint8_t*>(limit);
  for (; end - p >= 16 && to < last; p += 16) {
    const Written next(load(p), block, table);
    const std::uint32_t marks = bits(next.begins, next.other);
    if (marks >> 16 != 0) break;
    block = next;
    const std::size_t first = marks & 255, second = marks >> 8;
    store_kept(to, block.text, first, second);
    to += count_kept[first] + count_kept[second];
  }
  at = block.end(p);
  out = reinterpret_cast<char*>(to);
}

inline void make(const char*& at, const char* end, char*& out, const char* limit,
                 std::size_t spare) {
  const Letters table;
  const char* p = at;
  auto* to = reinterpret_cast<std::uint8_t*>(out);
  const auto* const last = reinterpret_cast<const std::uint8_t*>(limit);
  // A block may double.
  for (; end - p >= 16 && last - to >= end - p + 16 + static_cast<std::ptrdiff_t>(spare); p += 16) {
    const Vector bytes = load(p);
    const Vector controls = control(bytes);
    const Vector escaped = either(controls, either(equal(bytes, '"'), equal(bytes, '\\')));
    const Vector letter = table.of(bytes);
    const Vector text = choose(controls, letter, bytes);
    // Not ASCII, or without a letter.
    const Vector other = either(beyond_ascii(bytes), both(controls, equal(letter, 0)));
    const std::uint32_t marks = bits(escaped, other);
    if (marks >> 16 != 0) break;
    const std::size_t first = marks & 255, second = marks >> 8;
    store_spread(to, text, first, second);
    to += count_spread[first] + count_spread[second];
  }
  at = p;
  out = reinterpret_cast<char*>(to);
}

}  // namespace detail

#if defined(__x86_64__)
#if defined(__clang__)
#pragma clang attribute pop
#else
#pragma GCC pop_options
#endif
// False also before it is set, at the start of a program: then it takes longer.
inline const bool usable = __builtin_cpu_supports("ssse3") != 0;
#else
inline constexpr bool usable = true;
#endif

#endif

// Past text and escapes.
inline const char* pass(const char* p, [[maybe_unused]] const char* end) {
#if ACP_JSON_VECTORS
  if (usable) return detail::pass(p, end);
#endif
  return p;
}

// Writes the text that is meant to `out`, up to 16 bytes beyond `limit`; moves both places.
inline void undo([[maybe_unused]] const char*& at, [[maybe_unused]] const char* end,
                 [[maybe_unused]] char*& out, [[maybe_unused]] const char* limit) {
#if ACP_JSON_VECTORS
  if (usable) detail::undo(at, end, out, limit);
#endif
}

// Writes the text with its escapes to `out`, as long as there is room before `limit` for what is
// left of it and `spare` bytes more; moves both places.
inline void make([[maybe_unused]] const char*& at, [[maybe_unused]] const char* end,
                 [[maybe_unused]] char*& out, [[maybe_unused]] const char* limit,
                 [[maybe_unused]] std::size_t spare) {
#if ACP_JSON_VECTORS
  if (usable) detail::make(at, end, out, limit, spare);
#endif
}

#undef ACP_JSON_VECTORS

}  // namespace acp::json::escapes
