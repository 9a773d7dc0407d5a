#include "data/bit_kernels.hpp"

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

std::uint64_t count_both_plain(std::uint64_t const* a, std::uint64_t const* b, std::size_t words) {
  std::uint64_t sum = 0;
  for (std::size_t w = 0; w < words; ++w)
    sum += static_cast<std::uint64_t>(std::popcount(a[w] & b[w]));
  return sum;
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

__attribute__((target("avx512f,avx512vpopcntdq"))) std::uint64_t count_both_avx512(
    std::uint64_t const* a, std::uint64_t const* b, std::size_t words) {
  __m512i sum = _mm512_setzero_si512();
  std::size_t w = 0;
  for (; w + 8 <= words; w += 8)
    sum = _mm512_add_epi64(sum, _mm512_popcnt_epi64(_mm512_and_si512(_mm512_loadu_si512(a + w),
                                                                     _mm512_loadu_si512(b + w))));
  if (w < words) {
    auto const rest = static_cast<__mmask8>((1U << (words - w)) - 1U);
    sum = _mm512_add_epi64(
        sum, _mm512_popcnt_epi64(_mm512_and_si512(_mm512_maskz_loadu_epi64(rest, a + w),
                                                  _mm512_maskz_loadu_epi64(rest, b + w))));
  }
  alignas(64) std::uint64_t lane[8];
  _mm512_store_si512(lane, sum);
  return lane[0] + lane[1] + lane[2] + lane[3] + lane[4] + lane[5] + lane[6] + lane[7];
}

#endif

std::vector<BitKernel> available() {
  std::vector<BitKernel> kernels;
#ifdef BAYESLOOM_X86
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vpopcntdq"))
    kernels.push_back({"avx512", count_avx512, count_both_avx512});
  if (__builtin_cpu_supports("avx2")) kernels.push_back({"avx2", count_avx2, count_both_plain});
#endif
  kernels.push_back({"plain", count_plain, count_both_plain});
  return kernels;
}

}  // namespace

std::span<BitKernel const> bit_kernels() {
  static std::vector<BitKernel> const kernels = available();
  return kernels;
}

}  // namespace bayesloom
