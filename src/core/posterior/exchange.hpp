// Exchanges between two chains at different temperatures: of all families, or of those of a region.
//
// Scores are sums over members, so two networks can exchange the families of any set S of members, provided both
// stay acyclic. At inverse temperatures b and c the exchange is accepted with probability
//
//   min(1, exp((b - c) * (loss of S in the first - loss of S in the second)))
//
// Exchanging all members is the classical exchange [geyer1991]; it needs more temperatures the more members there
// are. Exchanging regions needs no more for a thousand members than for twenty.
//
// Detailed balance requires that S is as probable after the exchange as before. S is grown from a random member
// within the members whose families differ, over the graph that joins i and j if one is a parent of the other in
// either network. An exchange changes neither these members nor this graph, and lists of neighbours are built in
// an order that does not depend on which network has which family.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/rng.hpp"
#include "posterior/block_draw.hpp"

namespace bayesloom::posterior {

class Exchange {
 public:
  explicit Exchange(Part const& part);

  /// Tries one exchange of all members, then `times` exchanges of regions. Returns how many were accepted and
  /// adds to `tried` how many were tried.
  std::uint64_t run(PartNetwork& first, double first_heat, PartNetwork& second, double second_heat,
                    std::size_t times, Rng& random, std::uint64_t& tried);

 private:
  void join(PartNetwork const& first, PartNetwork const& second);
  void grow(std::size_t size, Rng& random);

  Part const& part_;
  std::vector<std::uint32_t> differing_, region_;
  std::vector<std::uint8_t> state_;  // of each member: 1 differs, 2 is in the region
  std::vector<std::uint32_t> first_, around_;
  std::vector<std::uint32_t> edge_;
  PartNetwork::Room room_;
};

}  // namespace bayesloom::posterior
