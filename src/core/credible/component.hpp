// Parts of the search that do not touch each other.
//
// Draw an arrow p -> x if p is in a candidate of x that is still in question. Every cycle of a
// choice of candidates lies within one strong component of this graph [fan2014], so a choice is
// acyclic if and only if it is acyclic within each component: networks are products of what the
// components choose. Components are those of subsets/components.hpp, but for one thing: no candidate is
// left out because another is as good, since both are in networks that count.
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
