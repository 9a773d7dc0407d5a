#include "subsets/pattern_database.hpp"

#include <algorithm>

#include "base/errors.hpp"

namespace bayesloom::subsets {

namespace {

/// Least loss of a list by which members of the group are available: subset minima.
std::vector<Fixed> losses_by_available(std::vector<MemberCandidate> const& list, VarSet group,
                                       auto const& index) {
  std::vector<Fixed> table(std::size_t{1} << group.size(), no_candidate);
  for (auto const& candidate : list) {
    Fixed& entry = table[index(candidate.parents)];
    entry = std::min(entry, candidate.loss);
  }
  for (std::size_t bit = 1; bit < table.size(); bit *= 2)
    for (std::size_t base = 0; base < table.size(); base += 2 * bit)
      for (std::size_t i = base; i < base + bit; ++i)
        table[i + bit] = std::min(table[i + bit], table[i]);
  return table;
}

}  // namespace

PatternDatabase::PatternDatabase(MemberLists const& lists, std::vector<VarSet> const& groups,
                                 Control& control) {
  for (auto const members : groups) {
    auto const size = members.size();
    if (size > max_group) throw InternalError("a group of a pattern database is too large.");
    Group group{members, std::vector<Fixed>(std::size_t{1} << size, no_candidate), {}};
    group.places.resize((lists.size() + 7) / 8, std::vector<std::uint32_t>(256, 0));
    std::uint32_t place = 1;
    for (std::size_t const member : members) {
      for (std::size_t byte = 0; byte < 256; ++byte)
        if ((byte >> (member % 8) & 1) != 0) group.places[member / 8][byte] |= place;
      place *= 2;
    }
    auto const index = [&](VarSet set) { return group.index(set); };
    std::vector<std::vector<Fixed>> losses;
    for (std::size_t const x : members) {
      losses.push_back(losses_by_available(lists[x], members, index));
      control.should_stop(0);
    }
    group.loss[0] = 0;
    std::size_t const whole = group.loss.size() - 1;
    for (std::size_t a = 1; a <= whole; ++a)
      for (std::size_t const x : VarSet(a)) {
        group.loss[a] =
            std::min(group.loss[a], losses[x][whole & ~a] + group.loss[a & ~(std::size_t{1} << x)]);
      }
    groups_.push_back(std::move(group));
  }
}

double PatternDatabase::bytes() const {
  double sum = 0;
  for (auto const& group : groups_) sum += static_cast<double>(group.loss.size() * sizeof(Fixed));
  return sum;
}

std::vector<VarSet> tied_groups(MemberLists const& lists, std::size_t most) {
  std::size_t const n = lists.size();
  std::vector<std::vector<Fixed>> tie(n, std::vector<Fixed>(n, 0));
  for (std::size_t x = 0; x < n; ++x)
    for (std::size_t p = 0; p < n; ++p) {
      if (p == x) continue;
      auto const* const without = best_within(lists[x], VarSet::full().without(p));
      Fixed const loss =
          without == nullptr ? no_candidate / 128 : without->loss - lists[x].front().loss;
      tie[x][p] += loss / 128;
      tie[p][x] += loss / 128;
    }
  std::size_t const count = (n + most - 1) / most;
  std::vector<VarSet> groups;
  std::vector<bool> grouped(n, false);
  for (std::size_t g = 0; g < count; ++g) {
    std::size_t const size = n / count + (g < n % count ? 1 : 0);
    VarSet group;
    for (std::size_t step = 0; step < size; ++step) {
      // Tied to the group; for its first member, tied to anything left.
      std::size_t next = n;
      Fixed strongest = -1;
      for (std::size_t x = 0; x < n; ++x) {
        if (grouped[x]) continue;
        Fixed sum = 0;
        for (std::size_t y = 0; y < n; ++y)
          if (group.empty() ? !grouped[y] : group.contains(y)) sum += tie[x][y];
        if (sum > strongest) {
          strongest = sum;
          next = x;
        }
      }
      grouped[next] = true;
      group.insert(next);
    }
    groups.push_back(group);
  }
  return groups;
}

}  // namespace bayesloom::subsets
