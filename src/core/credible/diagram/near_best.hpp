// Networks near the best, where counting does not end: a proved lower bound, and something to list.
//
// Breadth-first search from the best network: of every network found, all those within the limit that
// differ from it in the parents of one variable, or by turning one covered edge [chickering1995].
// Turning covered edges reaches the whole class of a network where the candidates allow it; changing
// one parent set leads to other classes. Some networks cannot be reached in this way, so nothing
// follows about how many there are.
//
// Without it a short run has little to show: on soybean at F = 150 five seconds of diagrams hold no
// network, and this finds 150,000 in half a second (benchmarks/tables/liao2018/table1).
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
