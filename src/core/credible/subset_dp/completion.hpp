// Completion values: the least loss with which the variables of a set can be chosen among
// themselves.
//
//   D[U] = min over x in U of  loss*(x, U - x) + D[U - x],      D[{}] = 0
//
// with loss*(x, W) the least loss of a choice of x inside W. A network is taken apart by removing
// sinks, variables without children; once U remains, the rest costs at least D[U], and some network
// costs just that: with exact values no branch of the enumeration is entered needlessly
// [silander2006].
//
// The dense ones are all 2^m values in one array, computed by blocks: for a block of the low 2^b
// sets, loss*(x, .) comes from a table of minima over subsets, so long lists of choices cost
// nothing. Its numbers have 32 bits, rounded down: half the memory, and four at a time. What is
// found with them is found again exactly among the sets that they leave over (live_sets.hpp).
// Beyond that, layers of sets are pruned by a bound (pruned_layers.hpp).
#pragma once

#include <memory>

#include "base/control.hpp"
#include "credible/component.hpp"

namespace bayesloom::credible {

class Completion {
 public:
  virtual ~Completion() = default;

  /// D[set], or less by `error` at most; no_loss for sets that no network of interest leaves.
  virtual Fixed value(VarSet set) = 0;
  virtual Fixed error() const { return 0; }
};

/// Whether all values of a component fit the memory; never beyond 32 variables.
bool fits_dense(Component const& component, double memory_bytes);

/// All values of a component. No network whose loss exceeds `most` is of interest: beyond that
/// values may be anything. Nothing if stopped.
std::unique_ptr<Completion> dense_completion(Component const& component, Fixed most,
                                             std::size_t threads, Control& control);

}  // namespace bayesloom::credible
