// The credible set: all networks within a Bayes factor F of the best [liao2018].
//
//   credible  =  { G : score(G) >= best - ln F }
//
// The loss of a network is best - score(G) >= 0, and a network is credible if its loss is at most
// ln F. Scores are whole numbers (base/fixed_point.hpp), so the limit is exact: `max_loss` is ln F in
// units of 2^-30 nat, rounded up, and a network that ties with the limit is in. What a set proves is
// about the cache; a cache that is complete for F holds every candidate of every credible network.
//
// Two backends implement it: subset_dp/subset_dp_set.hpp goes over sets of variables and
// diagram/diagram_set.hpp eliminates variables one at a time. Whoever uses a set need not know
// which it is.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "base/control.hpp"
#include "cache/score_cache.hpp"
#include "credible/component.hpp"
#include "credible/count.hpp"

namespace bayesloom::dual {
struct ReducedCosts;
}

namespace bayesloom::credible {

class Classes;

/// Networks of a component that diagrams list for its classes; of more, some only.
inline constexpr std::uint64_t most_for_classes = 20'000'000;

/// Networks one after the other.
class NetworkWalk {
 public:
  virtual ~NetworkWalk() = default;
  /// Goes to the next network; false if there is none left.
  virtual bool next() = 0;
  /// Of the current network.
  virtual Fixed loss() const = 0;
  /// Its candidates, by variable of the cache.
  virtual void candidates(std::span<std::uint64_t> out) const = 0;
};

/// Networks drawn independently, with repetition.
class NetworkSampler {
 public:
  virtual ~NetworkSampler() = default;
  /// Draws a network: its candidates and its loss. Nothing if many tries in a row failed.
  virtual std::optional<Fixed> draw(std::span<std::uint64_t> out) = 0;
};

/// For each candidate of the cache its share of the weight; and the effective sample size.
struct Shares {
  std::vector<double> of_candidate;
  double effective = 0;
};

class CredibleSet {
 public:
  CredibleSet(ScoreCache cache, Fixed max_loss, std::size_t threads, double memory_bytes)
      : cache_(std::move(cache)),
        max_loss_(max_loss),
        threads_(threads),
        memory_bytes_(memory_bytes) {}
  CredibleSet(CredibleSet const&) = delete;
  CredibleSet& operator=(CredibleSet const&) = delete;
  virtual ~CredibleSet() = default;

  ScoreCache const& cache() const { return cache_; }
  Fixed max_loss() const { return max_loss_; }
  std::size_t threads() const { return threads_; }

  /// "subset DP" or "diagram".
  virtual char const* backend() const = 0;
  /// The best score that is known: the best of all once counted, or if it was proved before.
  virtual Fixed best() const = 0;
  /// How far the bound by dual prices is above it.
  virtual Fixed gap() const = 0;
  /// What the dual says of each candidate; null if it was not asked.
  virtual dual::ReducedCosts const* reduced_costs() const { return nullptr; }
  /// One network of that score: a candidate per variable.
  virtual std::vector<std::size_t> best_network() const = 0;
  /// The independent parts. Their choices are all candidates that a listed network can have.
  virtual std::vector<Component const*> components() const = 0;
  /// States or nodes that are remembered.
  virtual std::size_t state_count() const = 0;

  // How many

  /// Counts the networks as far as the control allows. Asked again, it goes on with what it knows.
  virtual NetworkCount count(Control& control) = 0;
  /// Whether they are counted to the end.
  virtual bool whole() const = 0;
  /// Those with a loss of at most `loss`, where that is at most `max_loss`, by rounded losses if
  /// these were; nothing if that is not known.
  virtual std::optional<Count> count_within(Fixed loss, Control& control) = 0;
  /// An unbiased estimate by random walks.
  virtual CountEstimate estimate(std::uint64_t probes, std::uint64_t seed, Control& control) = 0;

  // Which

  /// For a count that did not end: finds up to `most` networks near the best, so that there is
  /// something to list. How many networks there are for certain.
  virtual Count find_near_best(std::size_t most, Control& control) = 0;
  /// The networks with a loss of at most `within`; if not all are counted those found by then, at
  /// least the best.
  virtual std::unique_ptr<NetworkWalk> walk(Fixed within) const = 0;
  /// The same for `max_loss`, beginning after `rank` networks; null where there are no ranks.
  virtual std::unique_ptr<NetworkWalk> walk_from(Count rank) const = 0;
  /// Whether networks can be drawn.
  virtual bool drawable() const = 0;
  /// Draws with probability proportional to exp(score); or, with `even`, each as likely as the
  /// other. Throws ResourceError unless `drawable`.
  virtual std::unique_ptr<NetworkSampler> sampler(bool even, std::uint64_t seed) const = 0;

  // On average

  /// Whether going through all networks for one sum is worth while: they are few enough.
  virtual bool listable() const = 0;
  /// The weight of every candidate of the cache: the sum of exp(score - best) over the networks that
  /// use it. Nothing if stopped or not `listable`.
  virtual std::optional<std::vector<double>> candidate_weights(Control& control) const = 0;
  /// The same as shares of the weight of all, estimated.
  virtual Shares estimated_shares(std::uint64_t draws, std::uint64_t seed, Control& control) = 0;

  /// The equivalence classes of the networks with a loss of at most `within`, as far as found. Where
  /// a component has more than `most` networks, only some of them are looked at.
  virtual Classes classes(Fixed within, std::uint64_t most, Control& control) const = 0;

 protected:
  ScoreCache cache_;
  Fixed const max_loss_;
  std::size_t const threads_;
  double const memory_bytes_;
};

}  // namespace bayesloom::credible
