// Lowers the bound of a node by raising and adjusting cluster prices [jaakkola2010, section 5].
//
// A coordinate step moves one price to where the bound is least (Eqs. 8 to 11). With
//
//   delta_i = best priced score of i touching C - best priced score of i outside C, without C's
//   price
//
// for the members i of C, the bound falls until the price reaches the smallest delta, is level up
// to the second smallest, and rises afterwards. We go to the middle of the level part. For a rule
// of need k the same holds with the k-th smallest delta and the one after it.
//
// Which cluster has a step with gain is answered exactly, not by cycle search and greedy growth as
// in the paper: call a candidate tight if its priced score is within `tolerance` of its variable's
// best. Place every variable that has a tight candidate among the placed ones, as long as there is
// one. If all get placed, no cluster gains more than the tolerance: of any cluster, the member
// placed first has a tight candidate outside it. Otherwise every tight candidate of an unplaced
// variable touches the unplaced set: it is a cluster, and so are smaller ones grown inside it along
// tight candidates. The tolerance starts coarse and is divided until it reaches `least_gain`: large
// gains first.
#pragma once

#include <cstdint>
#include <vector>

#include "base/control.hpp"
#include "base/rng.hpp"
#include "prices/node.hpp"

namespace bayesloom::prices {

struct AscentLimits {
  Fixed floor = 0;               ///< stop once the bound is at most this
  Fixed least_gain = 1;          ///< of a step that is worth making
  double first_temperature = 0;  ///< of the smoothed steps (smooth.hpp); 0 for none
  double last_temperature = 0;
  double cooling = 0.5;
  std::size_t rounds = 3;  ///< at each temperature: new clusters, then sweeps
  Fixed worthwhile = 0;  ///< if > 0: more rounds at the last temperature, while each gains as much
  std::size_t additions = 20;  ///< attempts at new clusters per round
  std::size_t sweeps = 10;
  std::size_t most_need = 2;    ///< rules with up to this need are looked for
  double reach = 3;             ///< tolerance in temperatures when new clusters are looked for
  Set const* around = nullptr;  ///< prices are balanced but for these variables: steps begin there
};

class Ascent {
 public:
  Ascent(std::uint64_t seed, Control& control) : rng_(seed), control_(control) {}

  /// Lowers the bound until it reaches the floor, no step gains enough, or control says stop.
  void run(Node& node, AscentLimits const& limits);

  /// Moves the price of cluster k to its best place; returns by how much the bound fell.
  Fixed step(Node& node, std::size_t k);

  /// The variables that cannot be placed with tight candidates only; empty if no cluster gains.
  Set unplaced(Node const& node, Fixed tolerance);

  /// A small cluster inside `pool` for the same tolerance, reached from `start`; empty if a
  /// variable on the way has a tight candidate outside the pool, or if it gets too large. No member
  /// can be left out of it.
  Set grow(Node const& node, Set const& pool, Index start, Fixed tolerance);

 private:
  bool price_new_clusters(Node& node, AscentLimits const& limits, Fixed tolerance);
  void minimise(Node const& node, Set& cluster, Fixed tolerance);
  Index pick_parent(Node const& node, Index i, std::size_t c, Set const& pool);

  Rng rng_;
  Control& control_;
  Set moved_;                // variables whose prices have changed in this run
  std::vector<Word> local_;  // scratch: placed variables in everyone's own bits
  std::vector<Word> scratch_;
  std::vector<Fixed> deltas_;
};

}  // namespace bayesloom::prices
