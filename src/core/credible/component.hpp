// Independent components of the search.
//
// Draw an arrow p -> x if p is in a candidate of x that a credible network may still use. Every cycle of a
// choice of candidates lies within one strong component of this graph [fan2014], so a choice is
// acyclic if and only if it is acyclic within each component: the credible set is a product over components.
// These are the components of subsets/components.hpp with one difference: a candidate is kept even if another
// one dominates it, since both occur in networks that are counted.
//
// A network's loss is the sum of those of its candidates; the best network has the smallest.
#pragma once

#include <vector>

#include "cache/score_cache.hpp"
#include "subsets/components.hpp"

namespace bayesloom::credible {

using subsets::Component;
using Choice = subsets::MemberCandidate;

/// Above every loss, also after a few of them are added.
inline constexpr Fixed no_loss = Fixed{1} << 60;

/// The strong components of the candidates whose flag is set, each variable in exactly one, largest
/// first, variables ascending. Throws ResourceError if one has more than 64 variables.
std::vector<Component> components(ScoreCache const& cache, std::vector<bool> const& keep);

/// The strong components of those choices of a component whose flag is set, one flag per choice,
/// variable by variable.
std::vector<Component> split(Component const& whole, std::vector<bool> const& keep);

}  // namespace bayesloom::credible
