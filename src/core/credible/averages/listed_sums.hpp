// Sums over all networks of a set, listed one after the other.
//
// If networks have ranks, threads sum blocks of fixed size, and the block sums are added in order with compensation,
// so the result does not depend on the number of threads. Otherwise there is one block.
#pragma once

#include <cmath>
#include <optional>
#include <vector>

#include "base/parallel.hpp"
#include "credible/averages/compensated_sum.hpp"
#include "credible/credible.hpp"
#include "credible/tuning.hpp"

namespace bayesloom::credible {

/// `Sums` is made by make() and has add(candidates, weight) for one network, where the weight is
/// exp(score - best), and take(), which returns a vector of `size` sums and sets them to zero.
/// Nothing if stopped.
template <typename Make>
std::optional<std::vector<double>> sum_over_networks(CredibleSet const& set, std::size_t size,
                                                     Make const& make, Control& control) {
  constexpr std::uint64_t block = tuning::block_networks, stride = tuning::listed_between_looks;
  auto const sum_up = [&](NetworkWalk& walk, auto& sums, std::uint64_t most) {
    std::vector<std::uint64_t> candidates(set.cache().variable_count());
    std::uint64_t listed = 0;
    while (listed < most && walk.next()) {
      walk.candidates(candidates);
      sums.add(candidates, std::exp(-to_nats(walk.loss())));
      if (++listed % stride == 0 && control.should_stop(stride)) break;
    }
    return listed;
  };
  if (set.walk_from(0) == nullptr) {
    auto sums = make();
    sum_up(*set.walk(set.max_loss()), sums, ~std::uint64_t{0});
    if (control.stopped()) return std::nullopt;
    return sums.take();
  }
  std::vector<CompensatedSum> total(size);
  std::size_t const at_once = tuning::blocks_per_thread * set.threads();
  std::vector<std::vector<double>> sums(at_once);
  bool more = true;
  for (Count begin = 0; more; begin += Count{at_once} * block) {
    parallel_for(set.threads(), at_once, control, [&](std::size_t task, std::size_t) {
      auto mine = make();
      if (sum_up(*set.walk_from(begin + Count{task} * block), mine, block) > 0)
        sums[task] = mine.take();
    });
    if (control.stopped()) return std::nullopt;
    for (auto& piece : sums) {
      more &= !piece.empty();
      for (std::size_t i = 0; i < piece.size(); ++i) total[i].add(piece[i]);
      piece.clear();
    }
  }
  std::vector<double> out(size);
  for (std::size_t i = 0; i < size; ++i) out[i] = total[i].value();
  return out;
}

/// The weight of every candidate of the cache, by listing. Nothing if stopped.
std::optional<std::vector<double>> listed_candidate_weights(CredibleSet const& set,
                                                            Control& control);

}  // namespace bayesloom::credible
