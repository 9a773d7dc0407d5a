// Static pattern databases: exact bounds for groups of members, added up [yuan2012].
//
// Split the members into groups. For a group P and its members A that are not placed yet,
//
//   h_P(A) = min over x in A of  loss*(x, all - A) + h_P(A - x)             h_P(empty) = 0
//
// is the least loss of placing A in the best order while every member outside A may already be a
// parent. Cycles inside the group are paid for, cycles across groups are not, so
//
//   h(R) = sum over groups of h_P(R within P)
//
// never exceeds the loss of placing the members R after all others. It is consistent: placing one
// more member never lowers h by more than that member's loss. A table of 2^|P| losses per group.
#pragma once

#include <cstddef>
#include <vector>

#include "base/control.hpp"
#include "subsets/components.hpp"

namespace bayesloom::subsets {

class PatternDatabase {
 public:
  /// Groups of members, each of at most `max_group` members.
  static constexpr std::size_t max_group = 20;
  PatternDatabase(MemberLists const& lists, std::vector<VarSet> const& groups, Control& control);

  Fixed operator()(VarSet remaining) const {
    Fixed sum = 0;
    for (auto const& group : groups_) sum += group.loss[group.index(remaining)];
    return sum;
  }

  double bytes() const;

 private:
  struct Group {
    VarSet members;
    std::vector<Fixed> loss;
    std::vector<std::vector<std::uint32_t>> places;  // by byte of the set: where its bits go
    std::size_t index(VarSet set) const {
      std::size_t at = 0;
      for (std::size_t byte = 0; byte < places.size(); ++byte)
        at |= places[byte][set.bits() >> (8 * byte) & 0xff];
      return at;
    }
  };
  std::vector<Group> groups_;
};

/// Groups of about equal size, at most `most` members each, grown along the strongest ties: what
/// members lose if they may not have each other as parents.
std::vector<VarSet> tied_groups(MemberLists const& lists, std::size_t most);

}  // namespace bayesloom::subsets
