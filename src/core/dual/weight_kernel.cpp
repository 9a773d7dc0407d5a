#include "dual/weight_kernel.hpp"

#include <bit>
#include <cstring>

// Vectors are never handed to a function that is not inlined.
#pragma GCC diagnostic ignored "-Wpsabi"

namespace bayesloom::dual {

namespace {

constexpr std::size_t lanes = 4;
using Weights [[gnu::vector_size(lanes * sizeof(double))]] = double;
using Words [[gnu::vector_size(lanes * sizeof(Word))]] = Word;

#define BAYESLOOM_INLINE [[gnu::always_inline]] inline

BAYESLOOM_INLINE Words load(Word const* from) {
  Words out;
  std::memcpy(&out, from, sizeof out);
  return out;
}
BAYESLOOM_INLINE Weights load(double const* from) {
  Weights out;
  std::memcpy(&out, from, sizeof out);
  return out;
}

/// Which candidates are blocked, all bits set or none: of one, or of as many as there are lanes, from place c on.
struct ByOne {  // at least one parent in a set of one word
  Word const* masks;
  Word set;
  BAYESLOOM_INLINE Word one(std::size_t c) const {
    return (masks[c] & set) != 0 ? ~Word{0} : Word{0};
  }
  BAYESLOOM_INLINE Words all(std::size_t c) const {
    return reinterpret_cast<Words>((load(masks + c) & set) != 0);
  }
};
struct ByTwo {  // at least two
  Word const* masks;
  Word set;
  BAYESLOOM_INLINE Word one(std::size_t c) const {
    Word const common = masks[c] & set;
    return (common & (common - 1)) != 0 ? ~Word{0} : Word{0};
  }
  BAYESLOOM_INLINE Words all(std::size_t c) const {
    Words const common = load(masks + c) & set;
    return reinterpret_cast<Words>((common & (common - 1)) != 0);
  }
};
struct BySets {  // all of some set of one word
  Word const* masks;
  Word const* local;
  std::size_t sets;
  BAYESLOOM_INLINE Word one(std::size_t c) const {
    for (std::size_t s = 0; s < sets; ++s)
      if ((local[s] & ~masks[c]) == 0) return ~Word{0};
    return 0;
  }
  BAYESLOOM_INLINE Words all(std::size_t c) const {
    Words const mask = load(masks + c);
    Words out{};
    for (std::size_t s = 0; s < sets; ++s) out |= reinterpret_cast<Words>((local[s] & ~mask) == 0);
    return out;
  }
};
struct ByAny {  // whatever the test
  Word const* masks;
  Word const* local;
  std::size_t words;
  BlockTest test;
  Word one(std::size_t c) const {
    Word const* const mask = masks + c * words;
    bool out = test.sets == 0 && meets(mask, local, words, test.need);
    for (std::size_t s = 0; s < test.sets && !out; ++s) {
      Word missing = 0;
      for (std::size_t w = 0; w < words; ++w) missing |= local[s * words + w] & ~mask[w];
      out = missing == 0;
    }
    return out ? ~Word{0} : Word{0};
  }
  BAYESLOOM_INLINE Words all(std::size_t c) const {
    return Words{one(c), one(c + 1), one(c + 2), one(c + 3)};
  }
};

template <typename Blocked>
BAYESLOOM_INLINE void sums_with(double const* weights, std::size_t count, Blocked const& blocked,
                                WeightSums& out) {
  Weights in{}, rest{};
  std::size_t c = 0;
  for (; c + lanes <= count; c += lanes) {
    auto const weight = reinterpret_cast<Words>(load(weights + c));
    Words const which = blocked.all(c);
    in += reinterpret_cast<Weights>(weight & which);
    rest += reinterpret_cast<Weights>(weight & ~which);
  }
  for (std::size_t lane = 0; lane < lanes; ++lane) {
    out.blocked += in[lane];
    out.free += rest[lane];
  }
  for (; c < count; ++c) (blocked.one(c) != 0 ? out.blocked : out.free) += weights[c];
}

template <typename Blocked>
BAYESLOOM_INLINE void scale_with(double* weights, std::size_t count, Blocked const& blocked,
                                 WeightSums by) {
  auto const in = std::bit_cast<Word>(by.blocked), rest = std::bit_cast<Word>(by.free);
  std::size_t c = 0;
  for (; c + lanes <= count; c += lanes) {
    Words const which = blocked.all(c);
    Weights const scaled =
        load(weights + c) * reinterpret_cast<Weights>((which & in) | (~which & rest));
    std::memcpy(weights + c, &scaled, sizeof scaled);
  }
  for (; c < count; ++c) weights[c] *= blocked.one(c) != 0 ? by.blocked : by.free;
}

// One struct of functions per instruction set.
#define BAYESLOOM_WEIGHT_KERNEL(kind, attribute)                                                \
  attribute WeightSums kind##_sums(double const* weights, Word const* masks, std::size_t count, \
                                   Word const* local, std::size_t words, BlockTest test) {      \
    WeightSums out;                                                                             \
    if (words == 1 && test.sets > 0) {                                                          \
      sums_with(weights, count, BySets{masks, local, test.sets}, out);                          \
    } else if (words == 1 && test.need == 1) {                                                  \
      sums_with(weights, count, ByOne{masks, local[0]}, out);                                   \
    } else if (words == 1 && test.need == 2) {                                                  \
      sums_with(weights, count, ByTwo{masks, local[0]}, out);                                   \
    } else {                                                                                    \
      sums_with(weights, count, ByAny{masks, local, words, test}, out);                         \
    }                                                                                           \
    return out;                                                                                 \
  }                                                                                             \
  attribute void kind##_scale(double* weights, Word const* masks, std::size_t count,            \
                              Word const* local, std::size_t words, BlockTest test,             \
                              WeightSums by) {                                                  \
    if (words == 1 && test.sets > 0) {                                                          \
      scale_with(weights, count, BySets{masks, local, test.sets}, by);                          \
    } else if (words == 1 && test.need == 1) {                                                  \
      scale_with(weights, count, ByOne{masks, local[0]}, by);                                   \
    } else if (words == 1 && test.need == 2) {                                                  \
      scale_with(weights, count, ByTwo{masks, local[0]}, by);                                   \
    } else {                                                                                    \
      scale_with(weights, count, ByAny{masks, local, words, test}, by);                         \
    }                                                                                           \
  }                                                                                             \
  constexpr WeightKernel kind##_kernel{#kind, kind##_sums, kind##_scale};

BAYESLOOM_WEIGHT_KERNEL(plain, )
#if defined(__x86_64__)
BAYESLOOM_WEIGHT_KERNEL(avx2, [[gnu::target("avx2")]])
#endif

}  // namespace

WeightKernel const* weight_kernel(char const* name) {
  auto const wanted = [&](WeightKernel const& kernel) {
    return name == nullptr || std::strcmp(name, kernel.name) == 0;
  };
#if defined(__x86_64__)
  if (wanted(avx2_kernel) && __builtin_cpu_supports("avx2")) return &avx2_kernel;
#endif
  return wanted(plain_kernel) ? &plain_kernel : nullptr;
}

}  // namespace bayesloom::dual
