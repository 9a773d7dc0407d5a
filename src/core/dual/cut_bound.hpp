// The bound of a cache by prices of clusters and of zero-half cuts, without branching, and how each
// cut was made: what bblp does at the root of a component, for a whole cache, to be looked at.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "base/control.hpp"
#include "cache/score_cache.hpp"
#include "dual/cut.hpp"
#include "dual/problem.hpp"

namespace bayesloom::dual {

struct CutBound {
  Fixed bound;                    ///< no network scores above it
  std::vector<Cluster> clusters;  ///< with a price
  std::vector<Cut> cuts;          ///< with a price
  /// The cuts, and those they are made of, each after the ones it is made of.
  std::vector<std::shared_ptr<CutRule const>> rules;
};

/// `known` is the score of some network: prices are moved until the bound is near it, and never below.
/// In so many rounds, each with new cuts.
CutBound cut_bound(ScoreCache const& cache, Fixed known, std::size_t rounds, std::uint64_t seed,
                   Control& control);

}  // namespace bayesloom::dual
