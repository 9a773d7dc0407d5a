// Listing: every network at most `max_loss` below the best, each once, one after the other.
//
// A depth-first traversal of the states of states.hpp with an explicit stack, so that it can pause after each
// network: memory is O(n) however many networks there are. States known to lead to no network are not entered.
// Once all states are counted, a walk can start at any rank, so that several threads list pieces of one sequence;
// and a network can be drawn with probability proportional to its weight, step by step.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/rng.hpp"
#include "credible/component.hpp"
#include "credible/subset_dp/states.hpp"

namespace bayesloom::credible {

class Walk {
 public:
  /// Over the given parts only. `states`, if not null, must be of the same parts and limit.
  Walk(std::span<Part const> parts, Fixed max_loss, States const* states);

  /// Goes to the next network; false if there is none left.
  bool next();

  /// Positions the walk such that `next` gives the network that `rank` others precede. Requires that all states are
  /// counted and stored.
  void seek(Count rank);

  /// Draws a network with probability proportional to its weight; `next` must not be called after that. The same requirement.
  void draw(Rng& rng);
  /// Draws a network uniformly. The same requirement.
  void draw_even(Rng& rng);

  /// The current network: the step taken for each variable, parts one after the other, within a
  /// part by local number.
  std::span<std::uint32_t const> choices() const { return choices_; }
  /// How far it is below the best.
  Fixed loss() const { return loss_; }
  /// States entered so far.
  std::uint64_t work() const { return work_; }

 private:
  struct Frame {
    std::uint32_t part, u;
    VarSet barred;
    Fixed t;
    std::uint32_t at = 0;  // the step to try next
  };

  void restart();
  /// The state behind the next step that may be taken; false if there is none. `here.at` is then
  /// past it.
  bool advance(Frame& here, Frame& behind);
  Tally tally_of(Frame const& frame) const;
  bool worth_entering(std::uint32_t part, std::uint32_t u, VarSet barred, Fixed t) const;

  std::span<Part const> parts_;
  std::vector<std::size_t> first_;  // of each part among `choices_`
  States const* states_;
  Fixed const max_loss_;
  std::vector<Frame> stack_;
  std::vector<std::uint32_t> choices_;
  Fixed loss_ = 0;
  std::uint64_t work_ = 0;
};

}  // namespace bayesloom::credible
