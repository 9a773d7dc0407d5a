// Lowers the bound of a problem by raising and adjusting cluster prices [jaakkola2010, section 5].
//
// A coordinate step moves one price to where the bound is least (Eqs. 8 to 11). With
//
//   delta_i = best priced value of i touching C - best priced value of i outside C,
//             both without the price of C
//
// for the members i of C, the bound falls until the price reaches the smallest delta, is level up
// to the second smallest, and rises afterwards. We go to the middle of the level part. For an
// inequality of need k the same holds with the k-th smallest delta and the one after it.
//
// Which cluster has a step with gain is answered exactly (tight_clusters.hpp), not by cycle search
// and greedy growth as in the paper. The tolerance starts coarse and is divided until it reaches
// `least_gain`: large gains first.
#pragma once

#include <cstdint>
#include <vector>

#include "base/control.hpp"
#include "base/rng.hpp"
#include "dual/options.hpp"
#include "dual/problem.hpp"
#include "dual/tight_clusters.hpp"

namespace bayesloom::dual {

struct AscentOptions {
  /// Rounds at one temperature, then exact steps that gain as much as it.
  static AscentOptions at(double temperature, Fixed floor, std::size_t rounds, std::size_t passes);

  Fixed floor = 0;               ///< stop once the bound is at most this
  Fixed least_gain = 1;          ///< of a step that is worth making
  double first_temperature = 0;  ///< of the smoothed steps (smooth.hpp); 0 for none
  double last_temperature = 0;
  double cooling = 0.5;
  std::size_t rounds = 3;  ///< at each temperature: new clusters, then passes
  Fixed worthwhile = 0;  ///< if > 0: more rounds at the last temperature, while each gains as much
  std::size_t additions = 20;  ///< attempts at new clusters per round
  std::size_t passes = 10;
  std::size_t most_need = 2;  ///< violated inequalities with up to this need are looked for
  double reach = 3;           ///< tolerance in temperatures when new clusters are looked for
  Problem const* whole =
      nullptr;  ///< zero-half cuts are looked for, with weights for its candidates
  ZeroHalfOptions cuts = zero_half;
  WideVarSet const* around =
      nullptr;  ///< prices are balanced but for these variables: steps begin there
};

class Ascent {
 public:
  Ascent(std::uint64_t seed, Control& control) : rng_(seed), control_(control) {}
  Ascent(Ascent const&) = delete;
  Ascent& operator=(Ascent const&) = delete;

  /// Lowers the bound until it reaches the floor, no step gains enough, or control says stop.
  void run(Problem& problem, AscentOptions const& limits);

  /// Moves the price of cluster k to its best place; returns by how much the bound fell.
  Fixed step(Problem& problem, std::size_t k);

 private:
  bool price_new_clusters(Problem& problem, AscentOptions const& limits, Fixed tolerance);

  Rng rng_;
  Control& control_;
  TightClusters tight_{rng_};
  WideVarSet moved_;  // variables whose prices have changed in this run
  std::vector<Fixed> deltas_;
};

}  // namespace bayesloom::dual
