// Several chains, each with others at higher temperatures beside it that it exchanges states with
// [geyer1991].
//
// Chains and parts do not know each other, and each has random numbers of its own: threads share them, and
// the result does not depend on how.
#include <algorithm>
#include <cmath>

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
  std::size_t const bytes = std::min(options.table_bytes, tuning::table_bytes);
  for (auto const& part : parts_) sums_.emplace_back(part, bytes / variables_ * part.size());
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
      Ladder ladder{{}, {}, random.split(0), 0, 0};
      double const step =
          std::min(options.most_step, options.step / std::sqrt(static_cast<double>(part.size())));
      std::size_t const rungs = part.size() < 3 ? 1 : options.temperatures;
      for (std::size_t r = 0; r < rungs; ++r) {
        double const heat = std::max(0.05, 1 - step * static_cast<double>(r));
        ladder.heats.push_back(heat);
        ladder.rungs.emplace_back(sums_[p], network, heat, random.split(1 + r));
      }
      ladders_.push_back(std::move(ladder));
    }
}

bool ChainSampler::sweep(Ladder& ladder, std::size_t size, Control& control) const {
  for (auto& rung : ladder.rungs)
    for (std::uint64_t left = size; left > 0;) {
      std::uint64_t const now = std::min<std::uint64_t>(left, tuning::moves_between_looks);
      for (std::uint64_t k = 0; k < now; ++k) rung.step();
      left -= now;
      if (control.should_stop(now)) return false;
    }
  for (auto& rung : ladder.rungs) rung.walk();
  for (std::size_t r = ladder.rungs.size(); r-- > 1;) {
    auto &hot = ladder.rungs[r], &cold = ladder.rungs[r - 1];
    double const log_chance =
        (ladder.heats[r - 1] - ladder.heats[r]) * (hot.log_weight() - cold.log_weight());
    ++ladder.tried;
    if (log_chance < 0 && ladder.random.uniform() >= std::exp(log_chance)) continue;
    PartitionChain::exchange(hot, cold);
    ++ladder.accepted;
  }
  return true;
}

ChainSamples ChainSampler::run(std::size_t samples, std::size_t sweeps, std::size_t threads,
                               Control& control) {
  std::size_t const chains = options_.chains;
  ChainSamples out;
  std::vector<std::uint64_t> drawn(chains * samples * variables_);
  std::vector<double> weights(ladders_.size() * samples);
  std::size_t const per_round = tuning::samples_per_round;
  for (std::size_t begin = 0; begin < samples; begin += per_round) {
    std::size_t const end = std::min(samples, begin + per_round);
    parallel_for(threads, ladders_.size(), control, [&](std::size_t task, std::size_t) {
      std::size_t const chain = task / parts_.size(), p = task % parts_.size();
      auto const& part = parts_[p];
      auto& ladder = ladders_[task];
      std::vector<std::uint32_t> network(part.size());
      for (std::size_t s = begin; s < end; ++s) {
        for (std::size_t k = 0; k < sweeps && part.size() > 1; ++k)
          if (!sweep(ladder, part.size(), control)) return;
        for (auto& rung : ladder.rungs) rung.add_up();
        ladder.rungs.front().draw(network);
        weights[task * samples + s] = ladder.rungs.front().log_weight();
        for (std::size_t v = 0; v < part.size(); ++v)
          drawn[(chain * samples + s) * variables_ + part.variables[v]] =
              part.families[v][network[v]].candidate;
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
      all.tried[k] += ladder.rungs.front().counts().tried[k];
      all.accepted[k] += ladder.rungs.front().counts().accepted[k];
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
