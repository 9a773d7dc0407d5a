// Clusters whose price can be raised with gain, found along tight candidates.
//
// A candidate is tight if its priced score is within `tolerance` of its variable's best. Place
// every variable that has a tight candidate among the placed ones, as long as there is one. If all
// get placed, no cluster gains more than the tolerance: of any cluster, the member placed first has
// a tight candidate outside it. Otherwise every tight candidate of an unplaced variable touches the
// unplaced set: it is a cluster, and so are smaller ones grown inside it. This answers exactly what
// the paper's cycle search and greedy growth look for [jaakkola2010, section 5.2].
//
// A cluster is grown from one variable: as long as a member has a tight candidate that touches no
// member, one of its parents joins. Then members are left out: without x, whoever has a tight
// candidate that touches nothing any more goes as well, and so on; if somebody stays, those are the
// cluster. Both take time proportional to the tight candidates of the cluster, however large it is;
// clusters of hundreds of variables are found in caches with long chains, where they matter most.
#pragma once

#include <cstddef>
#include <vector>

#include "base/rng.hpp"
#include "dual/problem.hpp"

namespace bayesloom::dual {

class TightClusters {
 public:
  explicit TightClusters(Rng& rng) : rng_(rng) {}

  /// The variables that cannot be placed with tight candidates only; empty if no cluster gains.
  WideVarSet unplaced(Problem const& problem, Fixed tolerance);

  /// A small cluster inside `pool` for the same tolerance, reached from `start`; empty if a
  /// variable on the way has a tight candidate outside the pool. No member can be left out of it.
  WideVarSet grow(Problem const& problem, WideVarSet const& pool, Index start, Fixed tolerance);

 private:
  /// Leaves out members, in random order.
  WideVarSet minimise(Problem const& problem, std::vector<Index> const& members, Fixed tolerance);
  /// Leaves out member x and all that go with it. If nobody stays, nothing is changed.
  void leave_out(std::size_t x);

  Rng& rng_;
  std::vector<Word> local_;  // scratch: placed variables or members, in everyone's own bits
  // Scratch for a cluster that is made smaller; members and tight candidates are numbered from 0.
  std::vector<std::size_t> number_;            // by variable
  std::vector<std::size_t> owner_, touching_;  // by candidate: its member, how many members it has
  std::vector<std::size_t> first_, holders_;   // by member: the candidates that hold it
  std::vector<bool> gone_;                     // by member
  std::size_t staying_ = 0;
  std::vector<std::size_t> leaving_, changed_;  // members and candidates of one attempt
};

}  // namespace bayesloom::dual
