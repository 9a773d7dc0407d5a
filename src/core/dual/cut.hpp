// Zero-half cuts: inequalities made of others by halving and rounding up.
//
// An inequality r gives every candidate a weight u_r(i, P), a whole number of at least 0, and says of
// every network that the weights of what its variables take add up to need_r at least; that of a
// cluster has weight 1 where P does not block i. For any set R of them and any f_i in {0, 1} every
// network obeys, because every variable takes one candidate,
//
//   sum over i, P of  ceil( (sum over r in R of u_r(i, P) + f_i) / 2 ) x(i, P)
//       >=  ceil( (sum over r in R of need_r + sum over i of f_i) / 2 )
//
// since the left side is at least half of a sum that is at least the sum of the needs, and is whole
// [caprara1996]. It is stronger than half of the sum of R where the sum of the needs and of f is odd.
// Then the least weight of each variable is taken off both sides. R may hold earlier cuts.
//
// A cut holds for all networks. Its weights are kept by candidate, for those of the problem it was
// made in (`whole`): problems that are smaller use the same cut.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "dual/problem.hpp"

namespace bayesloom::dual {

struct CutRule {
  struct Member {
    Index variable;
    std::size_t begin;  ///< of its candidates in the cache
    std::size_t first;  ///< of their weights
    unsigned most;      ///< of its weights, at least 1
  };
  std::vector<Cluster> clusters;  ///< R, with
  std::vector<std::shared_ptr<CutRule const>> cuts;
  std::vector<Index> halved;                          ///< the variables with f = 1, ascending
  std::vector<std::pair<Index, std::int64_t>> taken;  ///< by variable: the least weight, if not 0
  std::int64_t need = 0;                              ///< at least 1
  std::vector<Member> members;  ///< variables whose weights are not all 0, ascending
  std::vector<std::uint8_t> weights;

  /// Of a member's candidate, by its number in the cache.
  std::uint8_t weight(Member const& member, std::size_t candidate) const {
    return weights[member.first + (candidate - member.begin)];
  }
  /// Of any variable; the candidate is one of the problem the cut was made in.
  unsigned weight(Index variable, std::size_t candidate) const;
  bool same_weights(CutRule const& other) const;
  std::uint64_t hash() const;  ///< of members, weights and need
};

/// The cut of these inequalities and f over the candidates of `whole`, or null if it says nothing or
/// has a weight above `most_weight`.
std::shared_ptr<CutRule const> make_cut(Problem const& whole, std::vector<Cluster> clusters,
                                        std::vector<std::shared_ptr<CutRule const>> cuts,
                                        std::vector<Index> halved, unsigned most_weight);

}  // namespace bayesloom::dual
