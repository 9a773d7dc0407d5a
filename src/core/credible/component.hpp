// Parts of the search that do not touch each other.
//
// Draw an arrow p -> x if p is in a candidate of x that is still in question. Every cycle of a
// choice of candidates lies within one strong component of this graph [fan2014], so a choice is
// acyclic if and only if it is acyclic within each component: networks are products of what the
// components choose. A component sees its variables by local number, so that sets of them are one
// machine word, and of a candidate only the parents inside; the parents outside cost nothing and
// are always there.
//
// Losses are whole numbers in units of 2^-30 nat (base/fixed_point.hpp): how far a candidate lies
// below the best of its variable. A network's loss is the sum; the best network has the smallest.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/fixed_point.hpp"
#include "base/var_set.hpp"
#include "base/variable.hpp"
#include "cache/score_cache.hpp"

namespace bayesloom::credible {

/// Above every loss, also after a few of them are added.
inline constexpr Fixed no_loss = Fixed{1} << 60;

struct Choice {
  Fixed loss;
  VarSet set;             ///< the parents inside the component, by local number
  std::size_t candidate;  ///< in the cache
};

struct Component {
  std::vector<Variable> variables;           ///< the local number is the position
  std::vector<std::vector<Choice>> choices;  ///< per local variable, smallest loss first

  std::size_t size() const { return variables.size(); }
  VarSet all() const { return VarSet::first(size()); }
};

/// The strong components of the candidates whose flag is set, each variable in exactly one, largest
/// first, variables ascending. Throws ResourceError if one has more than 64 variables.
std::vector<Component> components(ScoreCache const& cache, std::vector<bool> const& keep);

/// The strong components of those choices of a component whose flag is set, one flag per choice,
/// variable by variable.
std::vector<Component> split(Component const& whole, std::vector<bool> const& keep);

}  // namespace bayesloom::credible
