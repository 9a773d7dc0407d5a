// Acyclic selection [scanagatta2015 section 4]: go through an order from the last variable to the
// first; each takes its best candidate that closes no cycle with the choices so far. Parents may
// come later in the order, so the network is never worse than the best one for that order (Theorem
// 3): variables before V have chosen nothing yet, hence are no descendants of V, hence every
// candidate with all its parents before V is open.
//
// A candidate of V closes a cycle if and only if it contains a descendant of V. The paper keeps an
// n x n matrix of descendants; one search from V over the edges so far finds them without it. Cost
// O(candidates looked at * k + n * edges).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "orders/order_state.hpp"

namespace bayesloom::order_search {

using namespace orders;

class AcyclicSelection {
 public:
  explicit AcyclicSelection(CandidateTable const& table);

  /// The choice of every variable. The order must be complete.
  std::vector<Rank> const& select(std::span<Variable const> order);

 private:
  void mark_descendants(Variable v, std::uint32_t stamp);

  CandidateTable const& table_;
  std::vector<Rank> choice_;
  std::vector<std::vector<Variable>> chosen_by_;
  std::vector<std::uint32_t> seen_;
  std::vector<Variable> queue_;
};

}  // namespace bayesloom::order_search
