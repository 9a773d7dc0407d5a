// Live sets: what can be left when a credible network is unpicked from its variables without
// children.
//
//   G[U]   least loss of the variables already taken away when U is left
//   live   G[U] + D[U] <= limit
//
// A choice occurs in a network within the limit if and only if it is a step between two live sets,
//   G[U] + loss(x, P) + D[U - x] <= limit,   P inside U - x,
// so one sweep over the live sets, which are few among the 2^m, finds exactly the choices in use.
// This replaces the reduced costs of an LP where exact completion values are at hand.
//
// The sweep may go by values that are a little too low. The best way on from a live set leads
// through live sets only, so the exact values of all of them follow from the steps found, and with
// these what was kept in vain goes.
//
// `LiveSets` keeps the sweep as a graph. `delta` is what a step loses beyond D: along a path from
// all variables to none the deltas add up to how far the network is below the best.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/control.hpp"
#include "credible/subset_dp/completion.hpp"
#include "credible/component.hpp"

namespace bayesloom::credible {

/// Taking variable x with parents `set` away from a live set.
struct Step {
  Fixed delta;
  Set set;
  std::uint32_t child;   ///< the live set that is left
  std::uint32_t choice;  ///< in the choices of x
  std::uint8_t x;
};

class LiveSets {
 public:
  /// The live sets of a component for networks at most `slack` below its best; none if there is no
  /// network. Nothing if stopped, or if there are more steps than fit into the memory.
  static std::optional<LiveSets> make(Component const& component, Completion& values, Fixed slack,
                                      double memory_bytes, Control& control);

  /// The loss of the best network.
  Fixed best() const { return best_; }
  /// Flags, per local variable and choice, of the choices that are a step between two live sets.
  std::vector<std::vector<bool>> used(Component const& component) const;
  /// Leaves out the other choices, and numbers the variables as a best network has them: parents
  /// first.
  void tidy(Component& component);

  std::uint32_t size() const { return static_cast<std::uint32_t>(sets_.size()); }
  Set set(std::uint32_t u) const { return sets_[u]; }
  bool last(std::uint32_t u) const { return sets_[u] == 0; }
  /// Smallest delta first. The root, all variables, is live set 0.
  std::span<Step const> steps(std::uint32_t u) const {
    return std::span(steps_).subspan(first_[u], first_[u + std::size_t{1}] - first_[u]);
  }

 private:
  /// Values from the steps themselves, and only what is within the slack by them.
  void make_exact(Fixed slack);

  Fixed best_ = no_loss;
  std::vector<Set> sets_;
  std::vector<std::size_t> first_;
  std::vector<Step> steps_;
};

}  // namespace bayesloom::credible
