#include "posterior/network_moves.hpp"

#include <cmath>

#include "posterior/tuning.hpp"

namespace bayesloom::posterior {

NetworkMoves::NetworkMoves(LocalSums const& sums, Blocks const& blocks)
    : sums_(sums), blocks_(blocks), draw_(sums.part()) {}

void NetworkMoves::draw_block(PartNetwork& network, std::size_t size, HeatedWeights const& weights,
                              Rng& random, MoveCounts& counts) {
  blocks_.choose(size, random, block_);
  old_.clear();
  for (std::uint32_t const i : block_) old_.push_back(network.family[i]);
  ++counts.tried[static_cast<std::size_t>(Move::block)];
  if (!draw_.draw(network, block_, weights, random)) return;
  for (std::size_t b = 0; b < block_.size(); ++b)
    if (old_[b] != network.family[block_[b]]) {
      ++counts.accepted[static_cast<std::size_t>(Move::block)];
      return;
    }
}

void NetworkMoves::walk(PartNetwork& network, double heat, Rng& random, MoveCounts& counts) {
  auto const& part = sums_.part();
  auto& family = network.family;
  edges_.clear();
  for (std::size_t v = 0; v < family.size(); ++v)
    for (std::uint32_t const u : part.of(v, part.families[v][family[v]]))
      edges_.emplace_back(u, static_cast<std::uint32_t>(v));
  if (edges_.empty()) return;
  ++counts.tried[static_cast<std::size_t>(Move::walk)];
  bool turned = false;
  for (std::size_t left = tuning::walk_length * edges_.size(); left > 0; --left) {
    auto& [u, v] = edges_[random.below(edges_.size())];
    auto const &of_u = part.families[u][family[u]], &of_v = part.families[v][family[v]];
    if ((of_v.key ^ key_of(part.variables[u])) != of_u.key) continue;  // not covered
    auto const with = sums_.find(u, of_u.key ^ key_of(part.variables[v]));
    auto const without = sums_.find(v, of_u.key);
    if (!with || !without) continue;
    double const gain = heat * (of_u.loss + of_v.loss - part.families[u][*with].loss -
                                part.families[v][*without].loss);
    if (gain < 0 && random.uniform() >= std::exp(gain)) continue;
    family[u] = *with;
    family[v] = *without;
    std::swap(u, v);
    turned = true;
  }
  if (!turned) return;
  ++counts.accepted[static_cast<std::size_t>(Move::walk)];
  network.sort(part);
}

}  // namespace bayesloom::posterior
