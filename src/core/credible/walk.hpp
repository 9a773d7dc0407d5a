// Listing: every network at most `slack` below the best, each once, one after the other.
//
// A depth-first walk over the states of states.hpp, with an explicit stack, so that it can be left and
// gone on with: memory is O(n) however many networks there are. States that are known to lead to no
// network are not entered.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "credible/component.hpp"
#include "credible/states.hpp"

namespace bayesloom::credible {

class Walk {
 public:
  /// Over the given parts only. `states`, if not null, must be of the same parts and slack.
  Walk(std::span<Part const> parts, Fixed slack, States const* states);

  /// Goes to the next network; false if there is none left.
  bool next();

  /// The current network: the step taken for each variable, parts one after the other, within a part
  /// by local number.
  std::span<std::uint32_t const> choices() const { return choices_; }
  /// How far it is below the best.
  Fixed loss() const { return loss_; }
  /// States entered so far.
  std::uint64_t work() const { return work_; }

 private:
  struct Frame {
    std::uint32_t part, u;
    Set barred;
    Fixed t;
    std::uint32_t at;  // the step to try next
  };

  bool worth_entering(std::uint32_t part, std::uint32_t u, Set barred, Fixed t) const;

  std::span<Part const> parts_;
  std::vector<std::size_t> first_;  // of each part among `choices_`
  States const* states_;
  Fixed const slack_;
  std::vector<Frame> stack_;
  std::vector<std::uint32_t> choices_;
  Fixed loss_ = 0;
  std::uint64_t work_ = 0;
};

}  // namespace bayesloom::credible
