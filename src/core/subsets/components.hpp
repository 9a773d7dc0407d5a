// Strongly connected components of the candidate-parent graph [fan2014].
//
// Draw an arc p -> x if p is a parent in any candidate of x. The arcs of every network are among these, so every
// cycle lies within one strongly connected component. Hence each component can be solved separately, with the
// variables of all other components always available as parents:
//
//   best(all) = sum over components of best(component)
//
// Within a component, candidates are reduced to its members; of equal ones only the best is kept, and dominated ones
// are dropped. That removes arcs, so components are split again until nothing changes.
//
// Scores become losses: how far a candidate lies below the best of its variable. Losses are never negative, every
// bound starts at zero, and a candidate that alone loses more than a known network cannot be in a better network, so
// it is dropped.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/fixed_point.hpp"
#include "base/var_set.hpp"
#include "base/variable.hpp"
#include "cache/score_cache.hpp"

namespace bayesloom::subsets {

inline constexpr std::size_t max_members = VarSet::capacity;

/// More than any loss that matters; two of them still fit in 64 bits.
inline constexpr Fixed no_candidate = Fixed{1} << 61;

struct MemberCandidate {
  VarSet parents;     ///< member i of the component is i here
  Fixed loss;         ///< best local score of the member minus this one
  std::size_t index;  ///< of the candidate in the score cache
};

using MemberLists = std::vector<std::vector<MemberCandidate>>;

struct Component {
  std::vector<Variable> variables;  ///< ascending; member i is variables[i]
  MemberLists lists;                ///< candidates of each member, least loss first

  std::size_t size() const { return variables.size(); }
  VarSet all() const { return VarSet::first(size()); }
};

/// Returns the components of the candidates whose flag is set, with all of these candidates, in topological order.
/// Throws ResourceError(too_large(size)) for a component of more than 64 variables.
void for_each_component(ScoreCache const& cache, std::vector<bool> const& keep,
                        std::function<std::string(std::size_t size)> const& too_large,
                        std::function<void(Component)> const& take);

/// The components with no candidate that is no better than one of its subsets, split again until nothing
/// changes. Candidates that lose more than `most` are left out. `solver` is named in the error for a component of more than 64 variables.
std::vector<Component> split_components(ScoreCache const& cache, Fixed most, char const* solver);

/// The same for the candidates of the cache whose flag is set.
std::vector<Component> split_components(ScoreCache const& cache, std::vector<bool> const& keep,
                                        char const* solver);

/// The components among some members, all others being always at hand as parents; parents first.
std::vector<VarSet> member_components(MemberLists const& lists, VarSet among);

/// The component made of `chosen` members, all `available` ones at hand. Members are numbered anew.
Component subcomponent(Component const& whole, VarSet chosen, VarSet available);

/// The least-loss candidate of a member with parents inside `allowed`; null if there is none.
MemberCandidate const* best_within(std::vector<MemberCandidate> const& list, VarSet allowed);

/// Places the members one by one, always the one that loses least; the chosen candidates. The lists
/// must allow some network.
std::vector<MemberCandidate const*> greedy_members(MemberLists const& lists);

/// The loss of the greedy network of the whole cache: simple_bound - score of greedy_network.
/// Throws InfeasibleError if the candidates allow no network, InputError if the loss is 2^61 or
/// more.
Fixed greedy_loss(ScoreCache const& cache);

}  // namespace bayesloom::subsets
