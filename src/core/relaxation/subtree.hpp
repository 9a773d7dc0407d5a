// A part of the networks of a cache, searched by itself: what a worker does of a proof.
//
// A node of branch and bound is the networks over some of the candidates. Those make a cache of their own, over
// the variables that have any of them: parents outside come before, and are left out. The prices of the node
// give its bound there as well, and `bblp` goes on from them. What is still open in the end comes back as parts
// of the same kind, by the numbers of the whole cache.
#pragma once

#include <cstddef>
#include <vector>

#include "base/control.hpp"
#include "cache/score_cache.hpp"
#include "relaxation/relaxation.hpp"

namespace bayesloom {

/// The cache of some candidates (ascending numbers of another), over the variables that have any of them.
struct PartCache {
  ScoreCache cache;
  std::vector<Variable> variables;  ///< by variable: its number in the whole
  std::vector<std::size_t> origin;  ///< by candidate: its number in the whole
};
PartCache part_cache(ScoreCache const& whole, std::vector<std::size_t> const& candidates);

/// What `bblp` finds in it. Candidates, clusters and open parts have numbers of the whole cache, options.prices
/// too; result.candidates is one for each variable that has a choice, in ascending order. Without any
/// network there, the result has no candidates, and nothing is open.
BblpResult search_part(ScoreCache const& whole, std::vector<std::size_t> const& candidates,
                       BblpOptions options, Control& control);

}  // namespace bayesloom
