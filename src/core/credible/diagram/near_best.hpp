// Networks near the best, for counts that do not end: they give a proved lower bound, and can be listed.
//
// Breadth-first search from the best network. The neighbours of a network are those within the limit that differ
// from it in the parents of one variable, or by reversing one covered edge [chickering1995]. Reversals reach the
// whole equivalence class if the candidates allow it; changing a parent set reaches other classes. Some networks
// may be unreachable, so there is no upper bound.
//
// On soybean at F = 150 diagrams find no network in five seconds, and this search finds 150,000 in half a second
// (benchmarks/tables/liao2018/table1).
#pragma once

#include <cstdint>
#include <vector>

#include "base/control.hpp"
#include "credible/component.hpp"

namespace bayesloom::credible {

struct NearNetworks {
  std::size_t width = 0;                  ///< variables
  std::vector<std::uint64_t> candidates;  ///< by network, then by variable of the cache
  std::vector<Fixed> losses;              ///< below the first network
  std::size_t size() const { return losses.size(); }
};

/// Begins with `network`, a candidate per variable, and stops at `most` networks. All are
/// different, acyclic and at most `max_loss` below the first.
NearNetworks networks_near_best(ScoreCache const& cache, std::vector<Component> const& components,
                                std::vector<std::size_t> const& network, Fixed max_loss,
                                std::size_t most, Control& control);

}  // namespace bayesloom::credible
