// Credible networks near the best, where counting does not end: a proved lower bound, and something
// to list.
//
// From every network found, all that differ from it in the parents of one variable, or by turning
// one covered edge [chickering1995], and are within the limit. Turning covered edges reaches the
// whole class of a network where the candidates allow it; changing one set leads to other classes.
// Which networks cannot be reached in this way is not known, so nothing follows about how many
// there are.
#pragma once

#include <cstdint>
#include <vector>

#include "base/control.hpp"
#include "credible/component.hpp"

namespace bayesloom::credible {

struct Gathered {
  std::size_t width = 0;                  ///< variables
  std::vector<std::uint64_t> candidates;  ///< by network, then by variable of the cache
  std::vector<Fixed> losses;              ///< below the first network
  std::size_t size() const { return losses.size(); }
};

/// Begins with `network`, a candidate per variable, and stops at `most` networks. All are
/// different, acyclic and at most `slack` below the first.
Gathered gather(ScoreCache const& cache, std::vector<Component> const& components,
                std::vector<std::size_t> const& network, Fixed slack, std::size_t most,
                Control& control);

}  // namespace bayesloom::credible
