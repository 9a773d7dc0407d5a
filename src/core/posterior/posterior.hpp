// Door of the room `posterior`: the posterior over all networks of a score cache. Where parts (parts.hpp) are
// small it is computed exactly (exact_sums.hpp, exact_draws.hpp), else sampled by Markov chains over networks
// and partitions (network_moves.hpp, partition_chain.hpp).
//
// Every network has the weight exp(score): equal priors. Parts are independent; this file combines their
// results and translates them into candidates of the cache.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "base/control.hpp"
#include "cache/score_cache.hpp"
#include "posterior/exact_sums.hpp"
#include "posterior/exchange.hpp"
#include "posterior/partition_chain.hpp"

namespace bayesloom::posterior {

/// Members of the largest part that exact sums may be asked for.
inline constexpr std::size_t most_exact = 24;

/// How many members the parts of the cache have, largest first.
std::vector<std::size_t> part_sizes(ScoreCache const& cache);

class ExactPosterior {
 public:
  ExactPosterior(ExactPosterior const&) = delete;  // sums point to parts
  ExactPosterior& operator=(ExactPosterior const&) = delete;

  /// Nothing if stopped. Throws ResourceError if a part has more than `most` members or needs too much memory;
  /// of the threads, which need some each, no more work than have room.
  static std::unique_ptr<ExactPosterior> make(ScoreCache const& cache, std::size_t most,
                                              std::size_t threads, double memory_bytes,
                                              Control& control);

  /// ln of the sum of exp(score) over all networks.
  double log_total() const { return log_total_; }
  /// The posterior of each candidate of the cache.
  std::vector<double> const& candidates() const { return candidates_; }
  double deviation() const { return deviation_; }
  /// Draws independent networks: a candidate for each variable, network by network. Nothing if stopped.
  std::optional<std::vector<std::uint64_t>> draw(std::size_t count, std::uint64_t seed,
                                                 std::size_t threads, Control& control) const;

 private:
  ExactPosterior() = default;

  std::size_t variables_ = 0, most_threads_ = 1;
  std::vector<std::unique_ptr<Part>> parts_;
  std::vector<ExactSums> sums_;
  std::vector<double> candidates_;
  double log_total_ = 0, deviation_ = 0;
};

struct ChainOptions {
  std::size_t chains = 4;
  std::size_t temperatures = 5;  ///< per chain, 1 or more
  double step = 0.15;            ///< between inverse temperatures, above 0
  std::size_t block = 6;         ///< members drawn together, 1 to most_block
  double partition_moves = 0.1;  ///< per member and sweep, 0 or more
  std::uint64_t seed = 0;
  std::size_t table_bytes = std::size_t{1} << 28;
};

struct ChainSamples {
  std::size_t count = 0;  ///< samples per chain
  std::vector<std::uint64_t>
      candidates;                   ///< chain by chain, network by network, variable by variable
  std::vector<double> log_weights;  ///< ln weight of each sample's partition, chain by chain
};

class ChainSampler {
 public:
  ChainSampler(ChainSampler const&) = delete;  // chains point to sums, and these to parts
  ChainSampler& operator=(ChainSampler const&) = delete;

  /// `starts` holds one initial network per chain: a candidate for each variable.
  ChainSampler(ScoreCache const& cache, std::span<std::uint64_t const> starts,
               ChainOptions const& options);

  /// Continues all chains: returns `samples` networks of each, `sweeps` sweeps apart. A sweep redraws each member
  /// about once, in a block, at each temperature. If stopped, returns as many as every chain has.
  ChainSamples run(std::size_t samples, std::size_t sweeps, std::size_t threads, Control& control);

  std::size_t chains() const { return options_.chains; }

  /// Resets a chain to the start of chain `number` of a larger run: its random numbers, and a network.
  void begin(std::size_t chain, std::uint64_t number, std::span<std::uint64_t const> start);
  /// The state of a chain, enough to continue it: networks, orders, random numbers and counts at each temperature.
  std::vector<std::uint64_t> state(std::size_t chain) const;
  /// Replaces the state of a chain by one from `state`. Throws InputError if it does not fit this chain.
  void restore(std::size_t chain, std::span<std::uint64_t const> state);
  /// How many moves were tried and accepted at temperature 1.
  MoveCounts counts() const;
  std::uint64_t swaps_tried() const;
  std::uint64_t swaps_accepted() const;

 private:
  struct Rung {
    PartNetwork network;
    HeatedWeights const* weights;
    Rng random;
    MoveCounts counts;
  };
  struct Ladder {
    std::vector<Rung> rungs;  // temperature 1 first
    NetworkMoves moves;
    PartitionChain partitions;
    Exchange exchange;
    Rng random;
    std::uint64_t tried = 0, accepted = 0;
  };

  /// One sweep and the exchanges after it; false if stopped.
  bool sweep(Ladder& ladder, std::size_t part, Control& control) const;

  Ladder ladder_of(std::size_t part, std::span<std::uint32_t const> network,
                   Rng const& random) const;

  ChainOptions const options_;
  std::size_t const variables_;
  std::vector<Part> parts_;
  std::vector<LocalSums> sums_;
  std::vector<Blocks> blocks_;
  std::vector<std::vector<HeatedWeights>> weights_;  // part by part, by temperature
  std::vector<Ladder> ladders_;                      // chain by chain, part by part
};

}  // namespace bayesloom::posterior
