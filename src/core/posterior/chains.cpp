// Parallel tempering [geyer1991]: several independent chains, each with copies of itself at higher temperatures
// with which it exchanges states.
//
// Each chain of each part is a task with its own random numbers, so the result does not depend on how threads
// share them.
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <string>

#include "base/errors.hpp"
#include "base/parallel.hpp"
#include "posterior/posterior.hpp"
#include "posterior/tuning.hpp"

namespace bayesloom::posterior {

namespace {

constexpr std::size_t rng_words = sizeof(Rng) / sizeof(std::uint64_t);
using RngWords = std::array<std::uint64_t, rng_words>;

/// The number of a family of a member, by its candidate.
std::uint32_t family_of(Part const& part, std::size_t member, std::uint64_t candidate) {
  auto const& families = part.families[member];
  std::uint64_t const first = families.front().candidate;
  if (candidate < first || candidate >= first + families.size())
    throw InputError("an initial network has a parent set that the cache does not have.");
  return static_cast<std::uint32_t>(candidate - first);
}

/// A network of given families in a given order; checks that the order has every member once, parents first.
PartNetwork network_of(Part const& part, std::span<std::uint64_t const> families,
                       std::span<std::uint64_t const> order) {
  std::size_t const size = part.size();
  std::vector<std::uint32_t> family(size);
  for (std::size_t v = 0; v < size; ++v) {
    if (families[v] >= part.families[v].size())
      throw InputError("the state of a chain has a parent set that the cache does not have.");
    family[v] = static_cast<std::uint32_t>(families[v]);
  }
  PartNetwork network(part, family);
  std::vector<std::size_t> place(size, size);
  for (std::size_t k = 0; k < size; ++k) {
    if (order[k] >= size || place[order[k]] != size)
      throw InputError("the state of a chain has an order that lacks a variable.");
    place[order[k]] = k;
    network.order[k] = static_cast<std::uint32_t>(order[k]);
  }
  for (std::size_t v = 0; v < size; ++v) {
    auto const& held = part.families[v][family[v]];
    for (std::size_t e = held.first; e < held.end; ++e)
      if (place[part.parents[v][e]] > place[v])
        throw InputError("the state of a chain has an order with a parent after its child.");
  }
  return network;
}

}  // namespace

ChainSampler::ChainSampler(ScoreCache const& cache, std::span<std::uint64_t const> starts,
                           ChainOptions const& options)
    : options_(options), variables_(cache.variable_count()), parts_(parts_of(cache)) {
  if (options.chains == 0 || options.temperatures == 0)
    throw InputError("at least one chain and one temperature are needed.");
  if (starts.size() != options.chains * variables_)
    throw InputError("each chain needs an initial network.");
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
  Rng const none(0);
  for (std::size_t chain = 0; chain < options.chains; ++chain)
    for (std::size_t p = 0; p < parts_.size(); ++p) {
      auto const& part = parts_[p];
      std::vector<std::uint32_t> network(part.size());
      for (std::size_t v = 0; v < part.size(); ++v)
        network[v] = family_of(part, v, starts[chain * variables_ + part.variables[v]]);
      ladders_.push_back(ladder_of(p, network, none));
    }
  for (std::size_t chain = 0; chain < options.chains; ++chain)
    begin(chain, chain, starts.subspan(chain * variables_, variables_));
}

ChainSampler::Ladder ChainSampler::ladder_of(std::size_t part,
                                             std::span<std::uint32_t const> network,
                                             Rng const& random) const {
  Ladder ladder{{},
                NetworkMoves(sums_[part], blocks_[part]),
                PartitionChain(sums_[part]),
                Exchange(parts_[part]),
                random.split(0),
                0,
                0};
  for (std::size_t r = 0; r < weights_[part].size(); ++r)
    ladder.rungs.push_back(
        {PartNetwork(parts_[part], network), &weights_[part][r], random.split(1 + r), {}});
  return ladder;
}

void ChainSampler::begin(std::size_t chain, std::uint64_t number,
                         std::span<std::uint64_t const> start) {
  if (chain >= options_.chains || start.size() != variables_)
    throw InputError("a chain needs an initial network.");
  Rng const root = Rng(options_.seed).split(number);
  for (std::size_t p = 0; p < parts_.size(); ++p) {
    auto const& part = parts_[p];
    auto& ladder = ladders_[chain * parts_.size() + p];
    Rng const random = root.split(p);
    ladder.random = random.split(0);
    ladder.tried = ladder.accepted = 0;
    std::vector<std::uint32_t> network(part.size());
    for (std::size_t v = 0; v < part.size(); ++v)
      network[v] = family_of(part, v, start[part.variables[v]]);
    for (std::size_t r = 0; r < ladder.rungs.size(); ++r) {
      auto& rung = ladder.rungs[r];
      rung.network = PartNetwork(part, network);
      rung.random = random.split(1 + r);
      rung.counts = {};
    }
  }
}

std::vector<std::uint64_t> ChainSampler::state(std::size_t chain) const {
  if (chain >= options_.chains) throw InputError("there is no such chain.");
  std::vector<std::uint64_t> out;
  auto const put = [&out](auto const& values) {
    out.insert(out.end(), values.begin(), values.end());
  };
  for (std::size_t p = 0; p < parts_.size(); ++p) {
    auto const& ladder = ladders_[chain * parts_.size() + p];
    put(std::bit_cast<RngWords>(ladder.random));
    out.push_back(ladder.tried);
    out.push_back(ladder.accepted);
    for (auto const& rung : ladder.rungs) {
      put(std::bit_cast<RngWords>(rung.random));
      put(rung.counts.tried);
      put(rung.counts.accepted);
      put(rung.network.family);
      put(rung.network.order);
    }
  }
  return out;
}

void ChainSampler::restore(std::size_t chain, std::span<std::uint64_t const> state) {
  std::size_t size = 0;
  for (std::size_t p = 0; p < parts_.size(); ++p)
    size +=
        rng_words + 2 + weights_[p].size() * (rng_words + 2 * move_kinds + 2 * parts_[p].size());
  if (chain >= options_.chains || state.size() != size)
    throw InputError("this is not the state of a chain over this cache.");
  auto const take = [&state](auto& values) {
    std::copy_n(state.begin(), values.size(), values.begin());
    state = state.subspan(values.size());
  };
  for (std::size_t p = 0; p < parts_.size(); ++p) {
    auto const& part = parts_[p];
    auto& ladder = ladders_[chain * parts_.size() + p];
    RngWords words{};
    take(words);
    ladder.random = std::bit_cast<Rng>(words);
    std::array<std::uint64_t, 2> swaps{};
    take(swaps);
    ladder.tried = swaps[0];
    ladder.accepted = swaps[1];
    for (auto& rung : ladder.rungs) {
      take(words);
      rung.random = std::bit_cast<Rng>(words);
      take(rung.counts.tried);
      take(rung.counts.accepted);
      std::vector<std::uint64_t> families(part.size()), order(part.size());
      take(families);
      take(order);
      rung.network = network_of(part, families, order);
    }
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
