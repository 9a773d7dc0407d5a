// Completion values: the least loss with which the variables of a set can be chosen among
// themselves.
//
//   D[U] = min over x in U of  loss*(x, U - x) + D[U - x],      D[{}] = 0
//
// with loss*(x, W) the least loss of a choice of x inside W. A network is taken apart by removing sinks, variables
// without children. Once the set U remains, its variables lose at least D[U], and some network attains this, so an
// enumeration with exact values has no dead ends [silander2006].
//
// Small components have all 2^m values, 8 bytes each, computed block by block as in `dp` (subsets/block_maker.hpp);
// long lists of choices cost nothing extra. Larger ones have layers of sets pruned by a bound (pruned_layers.hpp).
#pragma once

#include <memory>

#include "base/control.hpp"
#include "credible/component.hpp"

namespace bayesloom::credible {

class Completion {
 public:
  virtual ~Completion() = default;

  /// D[set]; no_loss for sets that no network of interest leaves.
  virtual Fixed value(VarSet set) = 0;
};

/// Whether all values of a component fit the memory; never beyond 32 variables.
bool fits_dense(Component const& component, double memory_bytes);

/// All values of a component. Nothing if stopped.
std::unique_ptr<Completion> dense_completion(Component const& component, std::size_t threads,
                                             Control& control);

}  // namespace bayesloom::credible
