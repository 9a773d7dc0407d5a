// Counts the cells of many sets of variables that share prefixes.
//
// The set is a stack. `push(v)` splits every cell by the states of v; `cells_with(v)` gives the
// counts of the set with v added, without building that level: most sets of an enumeration are
// such leaves. Counts depend on the set alone, so one counting serves every child
// (s(i, P) = f(P + i) - f(P), see score.hpp): C(n, k+1) countings instead of (k+1) C(n, k+1).
//
// Two forms of a level, chosen by estimated cost:
//
//   bits    each cell a bit set over the unique rows; counting v is one AND + popcount per cell and
//           state but one (the last is what is left). Best for few cells.
//   groups  stripped row partition [huhtala1999]: rows sorted by cell; counting v is one look-up
//           per row. Best for many cells or states. A cell with one unique row cannot be split any
//           more: it is taken out of the partition, so the work shrinks with depth.
//
// Not thread-safe: one counter per thread, all sharing the data and the planes.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "data/bit_kernels.hpp"
#include "data/bit_planes.hpp"
#include "data/cells.hpp"
#include "data/encoded_data.hpp"

namespace bayesloom {

enum class CountingForm : std::uint8_t { by_cost, bits, groups };

class SetCounter {
 public:
  /// `planes` belong to `data`. A form other than by_cost is for tests and benchmarks.
  SetCounter(EncodedData const& data, BitPlanes const& planes,
             CountingForm form = CountingForm::by_cost);

  std::size_t depth() const { return depth_; }
  void push(Variable v);
  void pop() { --depth_; }

  /// Counts of the set on the stack; `out` is overwritten.
  void cells(Cells& out) const;

  /// Counts of the set on the stack with v added; v is not on the stack.
  void cells_with(Variable v, Cells& out);

 private:
  struct Level {
    double states = 1;
    std::uint32_t ones = 0;              // unsplittable cells of one row
    std::vector<std::uint32_t> settled;  // counts of unsplittable cells of more rows
    std::vector<std::uint32_t> totals;   // rows of each splittable cell
    std::size_t unique_rows = 0;         // in splittable cells
    bool has_bits = false, has_groups = false;
    std::vector<std::uint64_t> bits;        // interleaved, see bit_kernels.hpp
    std::vector<std::uint32_t> rows;        // unique rows, grouped by cell
    std::vector<std::uint32_t> group_first;  // cell c holds rows[group_first[c] .. [c+1])
  };

  void make_groups(Level& level) const;
  bool prefer_bits(Level const& level, Variable v) const;
  void push_bits(Level const& from, Variable v, Level& to) const;
  template <typename State>
  void push_groups(Level const& from, std::vector<State> const& states, Level& to);
  void count_bits(Level const& level, Variable v, Cells& out);
  template <typename State>
  void count_groups(Level const& level, std::vector<State> const& states,
                    std::uint32_t cardinality, Cells& out);
  void settle(Level& level, std::uint32_t weight) const;

  EncodedData const& data_;
  BitPlanes const& planes_;
  CountingForm form_;
  BitKernel kernel_;
  std::size_t depth_ = 0;
  std::vector<Level> levels_;             // reused: no allocation once warm
  std::vector<std::uint64_t> lane_counts_;
  std::vector<std::uint32_t> histogram_;  // one entry per state, all zero between calls
  std::vector<std::uint32_t> place_;      // one entry per state, all unplaced between calls
};

}  // namespace bayesloom
