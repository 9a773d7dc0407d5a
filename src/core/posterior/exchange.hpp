// Exchanges between two chains at different temperatures: of all families, or of those of a region.
//
// Scores are sums over members. So two networks may exchange the families of any set S of members, if both stay
// without a cycle; at inverse temperatures b and c it is accepted with
//
//   min(1, exp((b - c) * (loss of S in the first - loss of S in the second)))
//
// All of them at once is the exchange of [geyer1991], for which temperatures must lie the closer the more
// members there are. A region needs no more of them on a thousand members than on twenty. S must be as likely
// afterwards as before: it is grown, from a member at random, over the graph that joins i and j if one is a
// parent of the other in either network, within the members whose families differ; neither changes when
// families are exchanged.
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

  /// Tries to exchange all, and then regions, so many times. Returns how many were accepted, of `tried`.
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
