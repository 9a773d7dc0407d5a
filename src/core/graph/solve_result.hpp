// What every solver returns, exact or not. Both numbers hold whatever the status is.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/fixed_point.hpp"

namespace bayesloom {

struct SolveResult {
  std::vector<std::size_t> candidates;  ///< the network: one candidate of the cache per variable
  Fixed score = 0;                      ///< of that network
  Fixed bound = 0;                      ///< no network over the cache scores above this
  std::uint64_t work = 0;               ///< deterministic effort; each solver says in what unit

  bool optimal() const { return score == bound; }
};

}  // namespace bayesloom
