// A cluster that changes by one variable at a time, and how far its plain inequality is violated.
//
//   sum   over the members i: the share of i's candidates with fewer than `need` parents inside
//
// The inequality is violated by need - sum. For every candidate the number of its parents inside is
// kept, for every variable the share that is not blocked and, outside the cluster, how much of the
// members' shares it would block by joining. A change costs what it changes, not what the cluster
// has.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "dual/fractional_network.hpp"
#include "dual/problem.hpp"

namespace bayesloom::dual {

class ClusterGrower {
 public:
  explicit ClusterGrower(FractionalNetwork const& shares);

  /// From `start`: adds the variable that lowers the sum most, again and again, goes back to the
  /// least sum met, and leaves out members without which the sum is no higher. Returns that sum.
  double grow(WideVarSet const& start, std::size_t need);
  /// The cluster that was grown last.
  WideVarSet cluster() const;

 private:
  void clear();
  void add(Index x);
  void remove(Index x);
  /// By how much the sum changes if member x is left out.
  double change_without(Index x) const;
  /// Member i's candidate c blocks more (+1) or less (-1) if one of its parents outside joins.
  void change_gain(Index i, std::size_t c, double sign);
  template <typename Body>
  void for_each_holder(Index x, Body&& body) const;

  struct Holder {
    Index child;
    std::size_t candidate;
  };

  FractionalNetwork const& shares_;
  Problem const& problem_;
  std::vector<std::size_t> first_;  // by variable, into holders_
  std::vector<Holder> holders_;     // the candidates that hold a variable
  std::size_t need_ = 1;
  double sum_ = 0;
  std::vector<Index> members_;         // in the order in which they joined
  std::vector<bool> inside_;           // by variable
  std::vector<std::size_t> touching_;  // by candidate: parents inside
  std::vector<double> open_;           // by variable: the share that is not blocked
  std::vector<double> gain_;           // by variable outside
  std::vector<Index> near_;            // variables that had a gain
};

}  // namespace bayesloom::dual
