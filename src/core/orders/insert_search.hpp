// Improves an order by inserts: local search around a network that another method found.
//
// First every variable moves to its best place while that gains [lee2017, insert neighbourhood]. Then, repeatedly, a
// few related variables move to random places, every variable that may gain moves to its best place, and the result
// is kept unless it is worse. Unrelated variables do not move together: one failure would undo the gains of the rest.
#pragma once

#include <cstddef>
#include <vector>

#include "base/control.hpp"
#include "base/rng.hpp"
#include "orders/insert_kernel.hpp"

namespace bayesloom::orders {

/// See benchmarks/tables/relaxation/proofs for what a change does; 4 to 16 makes sense for both.
struct InsertSearchOptions {
  std::size_t most_moved = 8;       ///< variables moved at random at a time, 1 or more
  std::size_t near_candidates = 8;  ///< a variable's best candidates whose parents are near it
};

class InsertSearch {
 public:
  explicit InsertSearch(CandidateTable const& table, InsertSearchOptions options = {});

  /// Improves an order, which must be complete. Ends after `looks` looks at the best place of a
  /// variable, or when control says stop. Work: looks.
  void run(std::vector<Variable>& order, std::size_t looks, Rng& rng, Control& control);

 private:
  /// Until no insert gains; false if the looks are used up or control says stop.
  bool climb(Rng& rng, Control& control);
  void move_at_random(Rng& rng);
  /// x and its neighbours: children, and parents in its best candidates.
  std::vector<Variable> near(Variable x) const;

  CandidateTable const& table_;
  InsertSearchOptions const options_;
  InsertKernel kernel_;
  DirtySet dirty_;
  OrderState state_;
  std::size_t looks_left_ = 0;
};

}  // namespace bayesloom::orders
