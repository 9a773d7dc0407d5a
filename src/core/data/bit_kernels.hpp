// The innermost loop of bit-parallel counting: one plane against eight cells at a time.
//
//   out[c] += popcount(cell_c AND plane) << shift      for every cell c
//
// Cells lie interleaved, eight to a block: word w of the eight cells of block b stands at
// cells[(b * stride + w) * 8 .. + 7]. One vector then holds the same word of eight cells, so the
// counts build up in the lanes of one register and no horizontal sum is ever needed.
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
  /// popcount(a AND b) over `words` words.
  std::uint64_t (*count_both)(std::uint64_t const* a, std::uint64_t const* b, std::size_t words);
};

/// Those that this processor can run, best first; the last one is plain C++.
std::span<BitKernel const> bit_kernels();

}  // namespace bayesloom
