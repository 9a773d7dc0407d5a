#include "data/bit_kernels.hpp"

#include <algorithm>
#include <bit>
#include <vector>

#if defined(__x86_64__) && defined(__GNUC__)
#define BAYESLOOM_X86 1
#include <immintrin.h>
#endif

namespace bayesloom {

namespace {

void count_plain(std::uint64_t const* cells, std::size_t blocks, std::size_t stride,
                 std::uint64_t const* plane, std::size_t words, unsigned shift,
                 std::uint64_t* out) {
  for (std::size_t b = 0; b < blocks; ++b) {
    std::uint64_t const* cell = cells + b * stride * lanes;
    std::uint64_t sum[lanes] = {};
    for (std::size_t w = 0; w < words; ++w, cell += lanes)
      for (std::size_t lane = 0; lane < lanes; ++lane)
        sum[lane] += static_cast<std::uint64_t>(std::popcount(cell[lane] & plane[w]));
    for (std::size_t lane = 0; lane < lanes; ++lane) out[b * lanes + lane] += sum[lane] << shift;
  }
}

using Planes = std::span<std::uint64_t const* const>;

void count_table_plain(Planes a, Planes b, std::size_t words, unsigned shift, std::uint32_t* out) {
  for (std::uint64_t const* const plane : a)
    for (std::uint64_t const* const other : b) {
      std::uint64_t sum = 0;
      for (std::size_t w = 0; w < words; ++w)
        sum += static_cast<std::uint64_t>(std::popcount(plane[w] & other[w]));
      *out++ += static_cast<std::uint32_t>(sum << shift);
    }
}

#ifdef BAYESLOOM_X86

// Popcount of bytes by two table look-ups of four bits each [mula2018].
__attribute__((target("avx2"))) void count_avx2(std::uint64_t const* cells, std::size_t blocks,
                                                std::size_t stride, std::uint64_t const* plane,
                                                std::size_t words, unsigned shift,
                                                std::uint64_t* out) {
  __m256i const low_bits = _mm256_set1_epi8(15);
  __m256i const table = _mm256_setr_epi8(0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4,  //
                                         0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4);
  __m256i const zero = _mm256_setzero_si256();
  __m128i const by = _mm_cvtsi32_si128(static_cast<int>(shift));
  for (std::size_t b = 0; b < blocks; ++b) {
    std::uint64_t const* cell = cells + b * stride * lanes;
    __m256i sum[2] = {zero, zero};
    for (std::size_t w = 0; w < words; ++w, cell += lanes) {
      __m256i const word = _mm256_set1_epi64x(static_cast<long long>(plane[w]));
      for (std::size_t half = 0; half < 2; ++half) {
        __m256i const x = _mm256_and_si256(
            word, _mm256_loadu_si256(reinterpret_cast<__m256i const*>(cell + 4 * half)));
        __m256i const low = _mm256_shuffle_epi8(table, _mm256_and_si256(x, low_bits));
        __m256i const high =
            _mm256_shuffle_epi8(table, _mm256_and_si256(_mm256_srli_epi16(x, 4), low_bits));
        sum[half] = _mm256_add_epi64(sum[half], _mm256_sad_epu8(_mm256_add_epi8(low, high), zero));
      }
    }
    for (std::size_t half = 0; half < 2; ++half) {
      auto* const target = reinterpret_cast<__m256i*>(out + b * lanes + 4 * half);
      _mm256_storeu_si256(
          target, _mm256_add_epi64(_mm256_loadu_si256(target), _mm256_sll_epi64(sum[half], by)));
    }
  }
}

__attribute__((target("avx512f,avx512vpopcntdq"))) void count_avx512(
    std::uint64_t const* cells, std::size_t blocks, std::size_t stride, std::uint64_t const* plane,
    std::size_t words, unsigned shift, std::uint64_t* out) {
  __m128i const by = _mm_cvtsi32_si128(static_cast<int>(shift));
  for (std::size_t b = 0; b < blocks; ++b) {
    std::uint64_t const* cell = cells + b * stride * lanes;
    __m512i sum = _mm512_setzero_si512();
    for (std::size_t w = 0; w < words; ++w, cell += lanes) {
      __m512i const word = _mm512_set1_epi64(static_cast<long long>(plane[w]));
      sum = _mm512_add_epi64(sum,
                             _mm512_popcnt_epi64(_mm512_and_si512(word, _mm512_loadu_si512(cell))));
    }
    auto* const target = out + b * lanes;
    _mm512_storeu_si512(target, _mm512_add_epi64(_mm512_loadu_si512(target),
                                                 _mm512_maskz_sll_epi64(0xff, sum, by)));
  }
}

/// out[k] += (sum of the lanes of the k-th of four) << shift; counts below 2^32.
__attribute__((target("avx512f"))) inline void add_lanes(__m512i a, __m512i b, __m512i c, __m512i d,
                                                         unsigned shift, std::uint32_t* out) {
  // Lanes of a and b beside each other, and of c and d; then of all four.
  __m512i const ab = _mm512_add_epi64(_mm512_maskz_unpacklo_epi64(0xff, a, b),
                                      _mm512_maskz_unpackhi_epi64(0xff, a, b));
  __m512i const cd = _mm512_add_epi64(_mm512_maskz_unpacklo_epi64(0xff, c, d),
                                      _mm512_maskz_unpackhi_epi64(0xff, c, d));
  __m512i const halves = _mm512_add_epi64(_mm512_maskz_shuffle_i64x2(0xff, ab, cd, 0x44),
                                          _mm512_maskz_shuffle_i64x2(0xff, ab, cd, 0xee));
  __m512i const low = _mm512_maskz_shuffle_i64x2(0xff, halves, halves, 0x88);
  __m512i const high = _mm512_maskz_shuffle_i64x2(0xff, halves, halves, 0xdd);
  __m256i const sums = _mm512_maskz_extracti64x4_epi64(0xf, _mm512_add_epi64(low, high), 0);
  // The lower halves of four sums of 64 bits.
  __m128i const narrow = _mm256_castsi256_si128(
      _mm256_permutevar8x32_epi32(sums, _mm256_setr_epi32(0, 2, 4, 6, 0, 2, 4, 6)));
  auto* const target = reinterpret_cast<__m128i*>(out);
  _mm_storeu_si128(
      target, _mm_add_epi32(_mm_loadu_si128(target),
                            _mm_sll_epi32(narrow, _mm_cvtsi32_si128(static_cast<int>(shift)))));
}

__attribute__((target("avx512f,avx512vpopcntdq"))) inline __m512i plus_common(__m512i sum,
                                                                              __m512i a,
                                                                              __m512i b) {
  return _mm512_add_epi64(sum, _mm512_popcnt_epi64(_mm512_and_si512(a, b)));
}

/// One plane, or two of the same length, against four others: counts stay in registers, for which each has a name.
template <bool two>
__attribute__((target("avx512f,avx512vpopcntdq"))) void count_four_avx512(
    std::uint64_t const* const* a, std::uint64_t const* const* b, std::size_t words, unsigned shift,
    std::uint32_t* first, std::uint32_t* second) {
  std::uint64_t const *const a0 = a[0], *const a1 = a[two ? 1 : 0];
  std::uint64_t const *const b0 = b[0], *const b1 = b[1], *const b2 = b[2], *const b3 = b[3];
  __m512i const zero = _mm512_setzero_si512();
  __m512i s0 = zero, s1 = zero, s2 = zero, s3 = zero, t0 = zero, t1 = zero, t2 = zero, t3 = zero;
  for (std::size_t w = 0; w < words; w += 8) {
    auto const some = static_cast<__mmask8>(words - w >= 8 ? 0xffU : (1U << (words - w)) - 1U);
    __m512i const v0 = _mm512_maskz_loadu_epi64(some, b0 + w);
    __m512i const v1 = _mm512_maskz_loadu_epi64(some, b1 + w);
    __m512i const v2 = _mm512_maskz_loadu_epi64(some, b2 + w);
    __m512i const v3 = _mm512_maskz_loadu_epi64(some, b3 + w);
    __m512i const u0 = _mm512_maskz_loadu_epi64(some, a0 + w);
    s0 = plus_common(s0, u0, v0);
    s1 = plus_common(s1, u0, v1);
    s2 = plus_common(s2, u0, v2);
    s3 = plus_common(s3, u0, v3);
    if constexpr (two) {
      __m512i const u1 = _mm512_maskz_loadu_epi64(some, a1 + w);
      t0 = plus_common(t0, u1, v0);
      t1 = plus_common(t1, u1, v1);
      t2 = plus_common(t2, u1, v2);
      t3 = plus_common(t3, u1, v3);
    }
  }
  add_lanes(s0, s1, s2, s3, shift, first);
  if constexpr (two) add_lanes(t0, t1, t2, t3, shift, second);
}

__attribute__((target("avx512f,avx512vpopcntdq"))) void count_table_avx512(Planes a, Planes b,
                                                                           std::size_t words,
                                                                           unsigned shift,
                                                                           std::uint32_t* out) {
  std::size_t const width = b.size();
  std::size_t const in_fours = width / 4 * 4;
  for (std::size_t j = 0; j < in_fours; j += 4)
    for (std::size_t i = 0; i < a.size(); i += 2) {
      std::uint32_t* const row = out + i * width + j;
      if (i + 1 < a.size())
        count_four_avx512<true>(&a[i], &b[j], words, shift, row, row + width);
      else
        count_four_avx512<false>(&a[i], &b[j], words, shift, row, nullptr);
    }
  if (in_fours == width) return;
  // What is left, with its last plane in place of those that are not there.
  std::uint64_t const* rest[4];
  for (std::size_t j = 0; j < 4; ++j) rest[j] = b[std::min(in_fours + j, width - 1)];
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::uint32_t counts[4] = {};
    count_four_avx512<false>(&a[i], rest, words, shift, counts, nullptr);
    for (std::size_t j = in_fours; j < width; ++j) out[i * width + j] += counts[j - in_fours];
  }
}

#endif

std::vector<BitKernel> available() {
  std::vector<BitKernel> kernels;
#ifdef BAYESLOOM_X86
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vpopcntdq"))
    kernels.push_back({"avx512", count_avx512, count_table_avx512});
  if (__builtin_cpu_supports("avx2")) kernels.push_back({"avx2", count_avx2, count_table_plain});
#endif
  kernels.push_back({"plain", count_plain, count_table_plain});
  return kernels;
}

}  // namespace

std::span<BitKernel const> bit_kernels() {
  static std::vector<BitKernel> const kernels = available();
  return kernels;
}

}  // namespace bayesloom
