// Makes one block of dense dynamic programming from the blocks before it.
//
// The members of a component are split into low ones and high ones. A block is one choice H of high
// members with all choices of low ones: best(H + L) for every L. It needs itself and the blocks
// with one high member less. block_kernel.hpp says how it is done, at a cost that does not depend
// on the length of the candidate lists.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "subsets/block_kernel.hpp"
#include "subsets/block_pool.hpp"
#include "subsets/components.hpp"
#include "subsets/tuning.hpp"

namespace bayesloom::subsets {

/// How a component of n members is cut into blocks.
struct BlockShape {
  std::size_t low, high;
  explicit BlockShape(std::size_t n)
      : low(n <= tuning::fewest_low
                ? n
                : std::clamp(n - tuning::high_kept, tuning::fewest_low, tuning::most_low)),
        high(n - low) {}
  /// The same, or smaller blocks where there are few candidates: a worker's tables then fit in a cache that is nearer,
  /// and putting the candidates into more tables costs little.
  explicit BlockShape(Component const& component);

  std::size_t bits() const { return std::max<std::size_t>(low, 3); }  // 8 losses at least
  std::size_t entries() const { return std::size_t{1} << bits(); }
  std::size_t blocks() const { return std::size_t{1} << high; }
  std::size_t block_bytes() const { return entries() * sizeof(Fixed); }
  /// A worker's tables: one for each low member, and a spare one.
  double table_bytes() const { return static_cast<double>(block_bytes() * (bits() + 1)); }
};

class BlockMaker {
 public:
  BlockMaker(Component const& component, BlockShape const& shape);

  BlockShape const& shape() const { return shape_; }

  /// A worker's own tables.
  struct Tables {
    explicit Tables(BlockShape const& shape);
    BlockPool pool;
    std::vector<Fixed*> of;
    Fixed* spare;
  };

  /// Computes block `high` into `best`. `before(H)` returns the block of H, with one high member less, or null if it
  /// was pruned; each is used before the next is requested. Returns the least loss in the block; `no_candidate` if no
  /// set in it can be reached.
  Fixed make(std::uint64_t high, Fixed* best, Tables& tables,
             std::function<Fixed const*(std::uint64_t)> const& before) const;

 private:
  /// Candidates with the same high part, for one member.
  struct Group {
    std::uint64_t high;
    std::size_t begin, end;
  };
  void group_candidates(std::vector<MemberCandidate> list, std::size_t x);
  void put_candidates(std::size_t x, std::uint64_t high, Fixed* table) const;

  BlockKernel const& kernel_;
  BlockShape const shape_;
  std::vector<std::vector<Group>> groups_;
  std::vector<std::vector<LowCandidate>> candidates_;
};

}  // namespace bayesloom::subsets
