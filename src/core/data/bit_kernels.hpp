// The innermost loop of bit-parallel counting: one plane against eight cells at a time.
//
//   out[c] += popcount(cell_c AND plane) << shift      for every cell c
//
// Cells lie interleaved, eight to a block: word w of the eight cells of block b stands at
// cells[(b * stride + w) * 8 .. + 7]. One vector then holds the same word of eight cells, so the
// counts build up in the lanes of one register and no horizontal sum is ever needed.
//
// And some planes against some others, for tables of two variables:
//
//   out[i][j] += popcount(a_i AND b_j) << shift        for every i and j
//
// A few planes of either side are held against each other at a time, so that a word is read once for several counts.
//
// The best version the processor has is chosen at run time; all of them give equal results.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace bayesloom {

inline constexpr std::size_t lanes = 8;

struct BitKernel {
  char const* name;
  /// `words` <= `stride` words of `plane` are used; `out` has 8 counts per block.
  void (*count)(std::uint64_t const* cells, std::size_t blocks, std::size_t stride,
                std::uint64_t const* plane, std::size_t words, unsigned shift, std::uint64_t* out);
  /// The first `words` words of each plane are used; `out` has a row of b.size() counts for each of a.
  void (*count_table)(std::span<std::uint64_t const* const> a,
                      std::span<std::uint64_t const* const> b, std::size_t words, unsigned shift,
                      std::uint32_t* out);
};

/// Those that this processor can run, best first; the last one is plain C++.
std::span<BitKernel const> bit_kernels();

}  // namespace bayesloom
