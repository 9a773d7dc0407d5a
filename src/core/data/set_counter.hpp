// Counts the cells of many sets of variables that share prefixes.
//
// The set is a stack. `push(v)` splits every cell by the states of v; `cells_with(v)` gives the
// counts of the set with v added, without building that level: most sets of an enumeration are
// such leaves. Counts depend on the set alone, so one counting serves every child
// (s(i, P) = f(P + i) - f(P), see score.hpp): C(n, k+1) countings instead of (k+1) C(n, k+1).
//
// Two forms of a level: bit sets (bit_cells.hpp) and grouped rows (row_groups.hpp). A level is
// pushed in the form that is estimated to be cheaper for the push and the leaves that follow; bits
// can become groups later, groups never become bits: with depth cells grow in number and rows
// merge, so groups only gain.
//
// For scores that read moments the same stack is of moments (moments.hpp).
//
// Not thread-safe: one counter per thread, all sharing the data, the planes and the classes.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "data/bit_cells.hpp"
#include "data/bit_planes.hpp"
#include "data/cells.hpp"
#include "data/encoded_data.hpp"
#include "data/moments.hpp"
#include "data/row_classes.hpp"
#include "data/row_groups.hpp"

namespace bayesloom {

enum class CountingForm : std::uint8_t { by_cost, bits, groups };

class SetCounter {
 public:
  /// `planes` belong to `data`, and so do `classes`: with them, a variable pushed or counted must
  /// have a smaller number than all on the stack. A form other than by_cost is for tests and
  /// benchmarks.
  SetCounter(EncodedData const& data, BitPlanes const& planes, RowClasses const* classes = nullptr,
             CountingForm form = CountingForm::by_cost);

  /// Reads moments, or moments per cell, in place of cells.
  SetCounter(EncodedData const& data, BitPlanes const& planes,
             std::unique_ptr<MomentReader> moments);

  bool reads_moments() const { return moments_ != nullptr; }
  /// Whether `family` must be used: what parents hold depends on the child.
  bool by_family() const { return moments_ != nullptr && moments_->by_family(); }

  std::size_t depth() const { return depth_; }

  /// A hint: leaves will be counted with this many variables on the stack. Without it every level
  /// is taken for one with leaves.
  void expect_leaves_at(std::size_t depth) { leaf_depth_ = depth; }

  void push(Variable v);
  void pop() {
    --depth_;
    if (moments_) moments_->pop();
  }

  /// Counts of the set on the stack; `out` is overwritten.
  void cells(Cells& out) const;

  /// Counts of the set on the stack with v added; v is not on the stack.
  void cells_with(Variable v, Cells& out);

  /// Counts of the set on the stack as the parents of `child`, and of both together.
  void family(Variable child, Cells& parents, Cells& family) {
    if (!by_family()) {
      cells(parents);
      cells_with(child, family);
      return;
    }
    parents.variables = depth_;
    family.variables = depth_ + 1;
    moments_->read_family(child, parents, family);
  }

 private:
  struct Level {
    double states = 1;
    std::size_t to_come = 0;  // numbers that may still be added, where classes are given
    BitCells bits;
    RowGroups groups;
  };

  void need_groups(Level& level);
  double rows_expected(Level const& level) const;
  double cost_of_start() const;
  double cost_of_bits(double cells, double states) const;
  bool count_by_bits(Level const& level, Variable v) const;
  /// Whether bits are cheaper for the last push and its leaves, if v is pushed and then others.
  bool push_by_bits(Level const& from, Variable v) const;

  EncodedData const& data_;
  BitPlanes const& planes_;
  RowClasses const* classes_;
  CountingForm form_;
  BitCounter bit_counter_;
  GroupCounter group_counter_;
  std::unique_ptr<MomentReader> moments_;
  std::size_t depth_ = 0;
  std::size_t leaf_depth_ = 0;
  std::vector<Level> levels_;  // reused: no allocation once warm
};

}  // namespace bayesloom
