// The inner loops of dense dynamic programming, on one block of 2^bits sets at a time.
//
// A block holds all choices L of the low members of a component; what the high members are is
// fixed. Tables and blocks are arrays of losses indexed by L, aligned to 64 bytes, of at least 8
// entries. Three steps make a block (min-plus; `no_candidate` stands for "none"):
//
//   tabulate   t[L] = least loss of a candidate whose low part is inside L: put each candidate at
//              its own place, then t[L] = min over x in L of t[L - x], one pass per low member
//   place      best[L] = min(best[L], before[L] + t[L]): one more high member
//   finish     best[L] = min over low x in L of best[L - x] + t_x[L - x], in increasing L
//
// The cost does not depend on how many candidates there are, except for putting them in place. A
// pass works on 8 losses at a time; the three lowest members live inside such a group, and their
// pass happens when a candidate is put in place: it goes to all fitting lanes at once.
//
// One source, compiled for AVX-512, AVX2 and the baseline, chosen at run time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/fixed_point.hpp"

namespace bayesloom::subsets {

struct LowCandidate {
  Fixed loss;
  std::uint32_t low;  ///< the low part of its parents
};

struct BlockKernel {
  char const* name;

  /// Fills with `no_candidate`.
  void (*clear)(Fixed* table, std::size_t bits);
  void (*put)(Fixed* table, std::span<LowCandidate const> candidates);
  /// The subset minima, once all candidates are put.
  void (*close)(Fixed* table, std::size_t bits);
  /// The same followed by `place`, while the table is near.
  void (*close_and_place)(Fixed* table, Fixed* best, Fixed const* before, std::size_t bits);
  /// tables[x] for x >= 3 has 2^(bits - 1) entries: bit x of the index is left out. Returns the
  /// least of all losses. `members` low members exist; bits = max(members, 3).
  Fixed (*finish)(Fixed* best, Fixed const* const* tables, std::size_t members, std::size_t bits);
};

/// The fastest kernel for this processor, or the one of this name ("avx512", "avx2", "plain"); null
/// if the processor lacks it or there is no such kernel.
BlockKernel const* block_kernel(char const* name = nullptr);

}  // namespace bayesloom::subsets
