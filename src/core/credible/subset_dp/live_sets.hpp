// Live sets: the sets of variables that remain while the sinks of a credible network are removed.
//
// A sink is a variable without children. Removing sinks one at a time takes a network apart; U is
// what remains on the way.
//
//   G[U]   least loss of the variables already removed when U remains
//   D[U]   least loss of the variables of U (completion.hpp)
//   live   G[U] + D[U] <= limit
//
// A choice occurs in a network within the limit if and only if it is a step between two live sets,
//   G[U] + loss(x, P) + D[U - x] <= limit,   P inside U - x,
// so one pass over the live sets, which are few among the 2^m, finds exactly the choices in use. With exact
// completion values this replaces pruning by reduced costs.
//
// A second pass recomputes D of the live sets from the steps alone, so that results do not depend on how the
// completion values were computed.
//
// `LiveSets` keeps the live sets as a graph. The `delta` of a step is its loss beyond D: along a path
// from all variables to none the deltas add up to how far the network is below the best.
//
// Threads share the sets of a layer; their results are combined in the order of the sets, so live sets and steps do
// not depend on the number of threads.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/control.hpp"
#include "credible/component.hpp"
#include "credible/subset_dp/completion.hpp"

namespace bayesloom::credible {

/// Taking variable x with parents `set` away from a live set.
struct Step {
  Fixed delta;
  VarSet set;
  std::uint32_t child;   ///< the live set that is left
  std::uint32_t choice;  ///< in the choices of x
  std::uint8_t x;
};

class LiveSets {
 public:
  /// The live sets of a component for networks at most `max_loss` below its best; none if there is no
  /// network. Nothing if stopped, or if there are more steps than fit into the memory.
  static std::optional<LiveSets> make(Component const& component, Completion& values,
                                      Fixed max_loss, double memory_bytes, std::size_t threads,
                                      Control& control);

  /// The loss of the best network.
  Fixed best() const { return best_; }
  /// Flags, per local variable and choice, of the choices that are a step between two live sets.
  std::vector<std::vector<bool>> used(Component const& component, std::size_t threads) const;
  /// Leaves out the other choices, and numbers the variables as a best network has them: parents
  /// first.
  void tidy(Component& component, std::size_t threads);

  std::uint32_t size() const { return static_cast<std::uint32_t>(sets_.size()); }
  VarSet set(std::uint32_t u) const { return sets_[u]; }
  bool last(std::uint32_t u) const { return sets_[u].empty(); }
  /// Smallest delta first. The root, all variables, is live set 0.
  std::span<Step const> steps(std::uint32_t u) const {
    return std::span(steps_).subspan(first_[u], first_[u + std::size_t{1}] - first_[u]);
  }

 private:
  /// Recomputes D and G from the steps and drops what exceeds the limit by these values. Incomplete if stopped.
  void make_exact(Fixed max_loss, std::span<std::size_t const> layers,
                  std::span<std::span<Step const> const> ways, std::size_t threads,
                  Control& control);

  Fixed best_ = no_loss;
  std::vector<VarSet> sets_;
  std::vector<std::size_t> first_;
  std::vector<Step> steps_;
};

}  // namespace bayesloom::credible
