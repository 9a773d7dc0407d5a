// The dense solver on one component; dense_disk.cpp uses it for what fits in memory.
#pragma once

#include <optional>

#include "base/control.hpp"
#include "order_graph/by_component.hpp"
#include "order_graph/order_graph.hpp"

namespace bayesloom::order_graph {

/// The best network of a component, or the loss alone if stopped while it was read off, or nothing
/// if stopped before. No better network than one that loses `most` need exist; if none does the
/// loss is at least `most` and says no more. `options.threads` is a number of threads.
struct DenseResult {
  Fixed loss = 0;
  std::vector<std::size_t> candidates;  ///< empty if it was not read off

  /// Takes over what the members of a set chose, which come first and were solved apart. Nothing is
  /// read off if that was not.
  void adopt(VarSet set, std::optional<DenseResult> const& inner);
};
std::optional<DenseResult> solve_dense(Component const& component, Fixed most,
                                       SubsetDpOptions const& options, Control& control);

}  // namespace bayesloom::order_graph
