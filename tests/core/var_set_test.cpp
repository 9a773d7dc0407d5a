// What holds of the two kinds of sets of variables, checked while this file is compiled
// (test_var_set.py): nothing here runs.
#include "base/var_set.hpp"

#include <array>
#include <iterator>
#include <vector>

using bayesloom::VarSet;
using bayesloom::WideVarSet;

static_assert(std::forward_iterator<VarSet::Iterator>);
static_assert(std::forward_iterator<WideVarSet::Iterator>);
static_assert(sizeof(VarSet) == 8 && std::is_trivially_copyable_v<VarSet>);

static_assert(VarSet().empty() && VarSet().size() == 0);
static_assert(VarSet::first(0).empty());
static_assert(VarSet::first(64) == VarSet::full() && VarSet::full().size() == 64);
static_assert(VarSet::first(3) == VarSet(0b111));
static_assert(VarSet::of(63).bits() == 1ULL << 63 && VarSet::of(63).lowest() == 63);
static_assert(VarSet(0b1010).contains(3) && !VarSet(0b1010).contains(2));
static_assert(VarSet(0b1011).contains_all(VarSet(0b1010)) && VarSet(0b1).contains_all({}));
static_assert(!VarSet(0b1010).contains_all(VarSet(0b1011)));
static_assert(VarSet(0b0110).meets(VarSet(0b0011)) && !VarSet(0b0110).meets(VarSet(0b1001)));
static_assert(!VarSet().meets(VarSet::full()));
static_assert(VarSet(0b0110).with(0) == VarSet(0b0111) && VarSet(0b0110).with(1) == VarSet(0b0110));
static_assert(VarSet(0b0110).without(1) == VarSet(0b0100));
static_assert((VarSet(0b0110) | VarSet(0b0011)) == VarSet(0b0111));
static_assert((VarSet(0b0110) & VarSet(0b0011)) == VarSet(0b0010));
static_assert((VarSet(0b0110) - VarSet(0b0011)) == VarSet(0b0100));
static_assert(VarSet(0b1101).rank(0) == 0 && VarSet(0b1101).rank(2) == 1);
static_assert(VarSet(0b1101).rank(3) == 2 && VarSet::full().rank(63) == 63);

constexpr auto members_of(auto const& set) {
  std::vector<std::size_t> members;
  for (std::size_t const v : set) members.push_back(v);
  return members;
}
static_assert(members_of(VarSet()).empty());
static_assert(members_of(VarSet::of(0).with(63).with(5)) == std::vector<std::size_t>{0, 5, 63});

constexpr bool changes() {
  VarSet set;
  set.insert(4);
  set.insert(9);
  set.insert(4);
  set |= VarSet::of(1);
  if (set != VarSet(0b10'0001'0010)) return false;
  set.erase_lowest();
  set.erase(9);
  set.erase(9);
  if (set != VarSet::of(4)) return false;
  set &= VarSet::of(3);
  set |= VarSet::first(4);
  set -= VarSet::of(2);
  return set == VarSet(0b1011);
}
static_assert(changes());

/// All subsets of a set, each once.
constexpr bool subsets() {
  VarSet const whole = VarSet(0b10110);
  std::array<int, 32> seen{};
  int count = 0;
  for (VarSet s = whole;; s = s.subset_before(whole)) {
    ++count;
    if (!whole.contains_all(s) || ++seen[s.bits()] > 1) return false;
    if (s.empty()) break;
  }
  return count == 8;
}
static_assert(subsets());

constexpr bool wide() {
  WideVarSet set(200);
  if (!set.empty() || !members_of(set).empty()) return false;
  for (std::size_t const v : {199, 0, 63, 64, 130, 64}) set.insert(v);
  if (set.size() != 5 || set.words().size() != 4) return false;
  if (members_of(set) != std::vector<std::size_t>{0, 63, 64, 130, 199}) return false;
  if (!set.contains(63) || set.contains(62) || set.contains(128)) return false;
  WideVarSet other(200);
  other.insert(62);
  other.insert(131);
  if (set.meets(other) || set.contains_all(other) || !set.contains_all(WideVarSet(200))) return false;
  other |= set;
  if (!other.contains_all(set) || !set.meets(other) || set == other) return false;
  other.erase(62);
  other.erase(131);
  return set == other && members_of(WideVarSet()).empty() && WideVarSet().empty();
}
static_assert(wide());
