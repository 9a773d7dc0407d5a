// Several chains, each with others at higher temperatures beside it that it exchanges states with
// [geyer1991].
//
// Chains and parts do not know each other, and each has random numbers of its own: threads share them, and
// the result does not depend on how.
#include <algorithm>
#include <cmath>
#include <string>

#include "base/errors.hpp"
#include "base/parallel.hpp"
#include "posterior/posterior.hpp"
#include "posterior/tuning.hpp"

namespace bayesloom::posterior {

ChainSampler::ChainSampler(ScoreCache const& cache, std::span<std::uint64_t const> starts,
                           ChainOptions const& options)
    : options_(options), variables_(cache.variable_count()), parts_(parts_of(cache)) {
  if (options.chains == 0 || options.temperatures == 0)
    throw InputError("there must be a chain and a temperature at least.");
  if (starts.size() != options.chains * variables_)
    throw InputError("each chain needs a network to begin with.");
  if (options.block == 0 || options.block > most_block)
    throw InputError("blocks have 1 to " + std::to_string(most_block) + " members.");
  std::size_t const bytes = std::min(options.table_bytes, tuning::table_bytes);
  for (auto const& part : parts_) {
    sums_.emplace_back(part, bytes / variables_ * part.size());
    blocks_.emplace_back(part);
    std::size_t const rungs = part.size() <= options.block ? 1 : options.temperatures;
    auto& weights = weights_.emplace_back();
    for (std::size_t r = 0; r < rungs; ++r)
      weights.emplace_back(part,
                           std::max(tuning::least_heat, 1 - options.step * static_cast<double>(r)));
  }
  Rng const root(options.seed);
  for (std::size_t chain = 0; chain < options.chains; ++chain)
    for (std::size_t p = 0; p < parts_.size(); ++p) {
      auto const& part = parts_[p];
      std::vector<std::uint32_t> network(part.size());
      for (std::size_t v = 0; v < part.size(); ++v) {
        Variable const x = part.variables[v];
        std::uint64_t const c = starts[chain * variables_ + x];
        if (c < cache.begin(x) || c >= cache.end(x))
          throw InputError("a network to begin with is not over the candidates of the cache.");
        network[v] = static_cast<std::uint32_t>(c - cache.begin(x));
      }
      Rng random = root.split(chain).split(p);
      Ladder ladder{{},
                    NetworkMoves(sums_[p], blocks_[p]),
                    PartitionChain(sums_[p]),
                    Exchange(part),
                    random.split(0),
                    0,
                    0};
      for (std::size_t r = 0; r < weights_[p].size(); ++r)
        ladder.rungs.push_back(
            {PartNetwork(part, network), &weights_[p][r], random.split(1 + r), {}});
      ladders_.push_back(std::move(ladder));
    }
}

bool ChainSampler::sweep(Ladder& ladder, std::size_t part, Control& control) const {
  std::size_t const size = parts_[part].size(), block = std::min(size, options_.block);
  std::size_t const blocks = (size + block - 1) / block;
  for (auto& rung : ladder.rungs) {
    for (std::size_t k = 0; k < blocks; ++k) {
      ladder.moves.draw_block(rung.network, block, *rung.weights, rung.random, rung.counts);
      if (control.should_stop(1)) return false;
    }
    ladder.moves.walk(rung.network, rung.weights->heat(), rung.random, rung.counts);
  }
  auto& cold = ladder.rungs.front();
  if (size > 1 && options_.partition_moves > 0 && ladder.partitions.begin(cold.network)) {
    for (auto left = static_cast<std::uint64_t>(
             std::ceil(options_.partition_moves * static_cast<double>(size)));
         left > 0;) {
      std::uint64_t const now = std::min<std::uint64_t>(left, tuning::moves_between_looks);
      for (std::uint64_t k = 0; k < now; ++k) ladder.partitions.step(cold.random, cold.counts);
      left -= now;
      if (control.should_stop(now)) return false;
    }
    ladder.partitions.draw(cold.network, cold.random);
  }
  for (std::size_t r = ladder.rungs.size(); r-- > 1;) {
    auto &hot = ladder.rungs[r], &warm = ladder.rungs[r - 1];
    ladder.accepted +=
        ladder.exchange.run(warm.network, warm.weights->heat(), hot.network, hot.weights->heat(),
                            1 + size / tuning::members_per_exchange, ladder.random, ladder.tried);
    if (control.should_stop(1)) return false;
  }
  return true;
}

ChainSamples ChainSampler::run(std::size_t samples, std::size_t sweeps, std::size_t threads,
                               Control& control) {
  std::size_t const chains = options_.chains;
  ChainSamples out;
  std::vector<std::uint64_t> drawn(chains * samples * variables_);
  std::vector<double> weights(ladders_.size() * samples);
  std::size_t const per_round = std::clamp<std::size_t>(tuning::variables_per_round / variables_, 1,
                                                        tuning::samples_per_round);
  for (std::size_t begin = 0; begin < samples; begin += per_round) {
    std::size_t const end = std::min(samples, begin + per_round);
    parallel_for(threads, ladders_.size(), control, [&](std::size_t task, std::size_t) {
      std::size_t const chain = task / parts_.size(), p = task % parts_.size();
      auto const& part = parts_[p];
      auto& ladder = ladders_[task];
      auto const& network = ladder.rungs.front().network;
      for (std::size_t s = begin; s < end; ++s) {
        for (std::size_t k = 0; k < sweeps; ++k)
          if (!sweep(ladder, p, control)) return;
        ladder.partitions.begin(network);
        weights[task * samples + s] = ladder.partitions.log_weight();
        for (std::size_t v = 0; v < part.size(); ++v)
          drawn[(chain * samples + s) * variables_ + part.variables[v]] =
              part.families[v][network.family[v]].candidate;
      }
    });
    if (control.stopped()) break;
    out.count = end;
  }
  for (std::size_t chain = 0; chain < chains; ++chain)
    for (std::size_t s = 0; s < out.count; ++s) {
      auto const at =
          drawn.begin() + static_cast<std::ptrdiff_t>((chain * samples + s) * variables_);
      out.candidates.insert(out.candidates.end(), at, at + static_cast<std::ptrdiff_t>(variables_));
      double sum = 0;
      for (std::size_t p = 0; p < parts_.size(); ++p)
        sum += weights[(chain * parts_.size() + p) * samples + s];
      out.log_weights.push_back(sum);
    }
  return out;
}

MoveCounts ChainSampler::counts() const {
  MoveCounts all;
  for (auto const& ladder : ladders_)
    for (std::size_t k = 0; k < move_kinds; ++k) {
      all.tried[k] += ladder.rungs.front().counts.tried[k];
      all.accepted[k] += ladder.rungs.front().counts.accepted[k];
    }
  return all;
}

std::uint64_t ChainSampler::swaps_tried() const {
  std::uint64_t all = 0;
  for (auto const& ladder : ladders_) all += ladder.tried;
  return all;
}

std::uint64_t ChainSampler::swaps_accepted() const {
  std::uint64_t all = 0;
  for (auto const& ladder : ladders_) all += ladder.accepted;
  return all;
}

}  // namespace bayesloom::posterior
