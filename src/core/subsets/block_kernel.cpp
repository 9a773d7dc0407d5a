#include "subsets/block_kernel.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

#include "subsets/components.hpp"
#include "subsets/tuning.hpp"

namespace bayesloom::subsets {

namespace {

using Lanes [[gnu::vector_size(64), gnu::may_alias]] = Fixed;

constexpr std::size_t lane_bits = 3;
constexpr std::size_t lanes = 8;
using tuning::near_bits;

/// penalty[p][l] is 0 where lane l contains the bits of p: a candidate with low bits p fits there.
struct Penalties {
  alignas(64) Fixed at[lanes][lanes];
  constexpr Penalties() : at{} {
    for (std::size_t p = 0; p < lanes; ++p)
      for (std::size_t l = 0; l < lanes; ++l) at[p][l] = (p & ~l) == 0 ? 0 : no_candidate;
  }
};
constexpr Penalties penalties;

// Everything below is inlined into the functions at the end, which name the instruction set.
#define BAYESLOOM_INLINE [[gnu::always_inline]] inline

BAYESLOOM_INLINE void take_least(Lanes& a, Lanes const& b) { a = b < a ? b : a; }

BAYESLOOM_INLINE Lanes* as_lanes(Fixed* p) { return reinterpret_cast<Lanes*>(p); }
BAYESLOOM_INLINE Lanes const* as_lanes(Fixed const* p) { return reinterpret_cast<Lanes const*>(p); }

BAYESLOOM_INLINE void clear_with(Fixed* table, std::size_t bits) {
  std::fill_n(table, std::size_t{1} << bits, no_candidate);
}

BAYESLOOM_INLINE void put_with(Fixed* table, std::span<LowCandidate const> candidates) {
  for (auto const& candidate : candidates) {
    Lanes& group = as_lanes(table)[candidate.low >> lane_bits];
    Lanes const fitting = *as_lanes(penalties.at[candidate.low & (lanes - 1)]) + candidate.loss;
    take_least(group, fitting);
  }
}

/// Subset minima over Bits neighbouring members at once, the lowest with this stride in groups.
template <std::size_t Bits>
BAYESLOOM_INLINE void pass(Lanes* table, std::size_t groups, std::size_t stride) {
  constexpr std::size_t radix = std::size_t{1} << Bits;
  for (std::size_t base = 0; base < groups; base += stride * radix)
    for (std::size_t i = base; i < base + stride; ++i) {
      Lanes part[radix];
      for (std::size_t r = 0; r < radix; ++r) part[r] = table[i + r * stride];
#pragma GCC unroll 8
      for (std::size_t bit = 1; bit < radix; bit *= 2)
#pragma GCC unroll 16
        for (std::size_t r = 0; r < radix; ++r)
          if ((r & bit) != 0) take_least(part[r], part[r ^ bit]);
      for (std::size_t r = 1; r < radix; ++r) table[i + r * stride] = part[r];
    }
}

/// Subset minima over the members from..to-1 of a table of 2^bits entries.
BAYESLOOM_INLINE void passes(Fixed* table, std::size_t bits, std::size_t from, std::size_t to) {
  Lanes* const t = as_lanes(table);
  std::size_t const groups = (std::size_t{1} << bits) / lanes;
  while (from < to) {
    std::size_t const stride = (std::size_t{1} << from) / lanes;
    switch (to - from) {
      case 1:
        pass<1>(t, groups, stride);
        from += 1;
        break;
      case 2:
      case 4:
        pass<2>(t, groups, stride);
        from += 2;
        break;
      default:
        pass<3>(t, groups, stride);
        from += 3;
        break;
    }
  }
}

/// The passes over far members come first, so that the rest of each near part can be done, and used
/// by `then`, while it is near.
template <typename Then>
BAYESLOOM_INLINE void close_with(Fixed* table, std::size_t bits, Then const& then) {
  if (bits <= near_bits) {
    passes(table, bits, lane_bits, bits);
    then(0, std::size_t{1} << bits);
    return;
  }
  passes(table, bits, near_bits, bits);
  constexpr std::size_t part = std::size_t{1} << near_bits;
  for (std::size_t at = 0; at < std::size_t{1} << bits; at += part) {
    passes(table + at, near_bits, lane_bits, near_bits);
    then(at, part);
  }
}

BAYESLOOM_INLINE void close_and_place_with(Fixed* table, Fixed* best, Fixed const* before,
                                           std::size_t bits) {
  close_with(table, bits, [&](std::size_t at, std::size_t count) {
    Lanes* const b = as_lanes(best + at);
    Lanes const* const f = as_lanes(before + at);
    Lanes const* const t = as_lanes(table + at);
    for (std::size_t i = 0; i < count / lanes; ++i) {
      Lanes const sum = f[i] + t[i];
      take_least(b[i], sum);
    }
  });
}

BAYESLOOM_INLINE void take_least(Fixed& a, Fixed b) { a = b < a ? b : a; }

/// The three lowest members, one after the other inside a group of eight.
BAYESLOOM_INLINE void finish_group(Fixed* b, Fixed const* const* tables, std::size_t at,
                                   std::size_t members) {
  Fixed const* const t0 = tables[0] + at;
  take_least(b[1], b[0] + t0[0]);
  if (members == 1) return;
  Fixed const* const t1 = tables[1] + at;
  take_least(b[2], b[0] + t1[0]);
  take_least(b[3], b[1] + t1[1]);
  take_least(b[3], b[2] + t0[2]);
  if (members == 2) return;
  Fixed const* const t2 = tables[2] + at;
  take_least(b[4], b[0] + t2[0]);
  take_least(b[5], b[1] + t2[1]);
  take_least(b[5], b[4] + t0[4]);
  take_least(b[6], b[2] + t2[2]);
  take_least(b[6], b[4] + t1[4]);
  take_least(b[7], b[3] + t2[3]);
  take_least(b[7], b[5] + t1[5]);
  take_least(b[7], b[6] + t0[6]);
}

BAYESLOOM_INLINE Fixed finish_with(Fixed* best, Fixed const* const* tables, std::size_t members,
                                   std::size_t bits) {
  Lanes least = {no_candidate, no_candidate, no_candidate, no_candidate,
                 no_candidate, no_candidate, no_candidate, no_candidate};
  for (std::size_t at = 0; at < std::size_t{1} << bits; at += lanes) {
    Lanes value = *as_lanes(best + at);
    for (std::size_t left = at; left != 0; left &= left - 1) {
      auto const x = static_cast<std::size_t>(std::countr_zero(left));
      std::size_t const rest = at ^ (std::size_t{1} << x);
      std::size_t const without_x =
          (rest >> 1 & ~((std::size_t{1} << x) - 1)) | (rest & ((std::size_t{1} << x) - 1));
      Lanes const sum = *as_lanes(best + rest) + *as_lanes(tables[x] + without_x);
      take_least(value, sum);
    }
    *as_lanes(best + at) = value;
    finish_group(best + at, tables, at, members);
    take_least(least, *as_lanes(best + at));
  }
  Fixed out = no_candidate;
  for (std::size_t l = 0; l < (members < lane_bits ? std::size_t{1} << members : lanes); ++l)
    out = std::min(out, Fixed{least[l]});
  return out;
}

// One struct of functions per instruction set.
#define BAYESLOOM_BLOCK_KERNEL(name, attribute)                                               \
  attribute void name##_clear(Fixed* t, std::size_t bits) { clear_with(t, bits); }            \
  attribute void name##_put(Fixed* t, std::span<LowCandidate const> c) { put_with(t, c); }    \
  attribute void name##_close(Fixed* t, std::size_t bits) {                                   \
    close_with(t, bits, [](std::size_t, std::size_t) {});                                     \
  }                                                                                           \
  attribute void name##_close_and_place(Fixed* t, Fixed* best, Fixed const* before,           \
                                        std::size_t bits) {                                   \
    close_and_place_with(t, best, before, bits);                                              \
  }                                                                                           \
  attribute Fixed name##_finish(Fixed* best, Fixed const* const* tables, std::size_t members, \
                                std::size_t bits) {                                           \
    return finish_with(best, tables, members, bits);                                          \
  }                                                                                           \
  constexpr BlockKernel name##_kernel{#name,        name##_clear,           name##_put,       \
                                      name##_close, name##_close_and_place, name##_finish};

BAYESLOOM_BLOCK_KERNEL(plain, )
#if defined(__x86_64__)
BAYESLOOM_BLOCK_KERNEL(avx2, [[gnu::target("avx2,bmi,bmi2")]])
BAYESLOOM_BLOCK_KERNEL(avx512, [[gnu::target("avx512f,avx512vl,avx512dq,avx512bw,avx2,bmi,bmi2")]])
#endif

}  // namespace

BlockKernel const* block_kernel(char const* name) {
  auto const wanted = [&](BlockKernel const& k) {
    return name == nullptr || std::strcmp(name, k.name) == 0;
  };
#if defined(__x86_64__)
  if (wanted(avx512_kernel) && __builtin_cpu_supports("avx512f") &&
      __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq") &&
      __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("bmi2"))
    return &avx512_kernel;
  if (wanted(avx2_kernel) && __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2"))
    return &avx2_kernel;
#endif
  return wanted(plain_kernel) ? &plain_kernel : nullptr;
}

}  // namespace bayesloom::subsets
