// The credible set: all networks within a Bayes factor F of the best [liao2018].
//
//   credible  =  { G : score(G) >= best - ln F }
//
// The loss of a network is best - score(G) >= 0, and a network is credible if its loss is at most
// ln F. Scores are whole numbers (base/fixed_point.hpp), so the limit is exact: `max_loss` is ln F in
// units of 2^-30 nat, rounded up, and a network that ties with the limit is in. What a set proves is
// about the cache; a cache that is complete for F holds every candidate of every credible network.
//
// Two backends implement this interface: subset_dp/subset_dp_set.hpp is dynamic programming over sets of
// variables, diagram/diagram_set.hpp eliminates variables one at a time. Callers need not know which one
// they have.
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

/// To find the classes of a component, diagrams list at most this many of its networks.
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
  /// Draws a network: its candidates and its loss. Nothing if many attempts in a row were rejected.
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
  /// The best known score; it is the best of all once counting is complete, or if it was proved before.
  virtual Fixed best() const = 0;
  /// How far the bound by dual prices is above it.
  virtual Fixed gap() const = 0;
  /// The reduced cost of each candidate; null if no dual was solved.
  virtual dual::ReducedCosts const* reduced_costs() const { return nullptr; }
  /// One network of that score: a candidate per variable.
  virtual std::vector<std::size_t> best_network() const = 0;
  /// The independent parts. Their choices are all candidates that a listed network can have.
  virtual std::vector<Component const*> components() const = 0;
  /// States or nodes that are remembered.
  virtual std::size_t state_count() const = 0;

  // How many

  /// Counts the networks as far as the control allows. A second call continues from there.
  virtual NetworkCount count(Control& control) = 0;
  /// Whether they are counted to the end.
  virtual bool whole() const = 0;
  /// The number of networks with a loss of at most `loss` <= `max_loss`, from rounded losses if counting had to
  /// round them; nothing if it is not known.
  virtual std::optional<Count> count_within(Fixed loss, Control& control) = 0;
  /// An unbiased estimate by random walks.
  virtual CountEstimate estimate(std::uint64_t probes, std::uint64_t seed, Control& control) = 0;

  // Which

  /// For an incomplete count: searches up to `most` networks near the best, so that some can be listed. Returns a
  /// proved lower bound on the number of networks.
  virtual Count find_near_best(std::size_t most, Control& control) = 0;
  /// Lists the networks with a loss of at most `within`; if the count is incomplete, those found so far, at
  /// least the best.
  virtual std::unique_ptr<NetworkWalk> walk(Fixed within) const = 0;
  /// The same for `max_loss`, skipping the first `rank` networks; null if networks have no ranks.
  virtual std::unique_ptr<NetworkWalk> walk_from(Count rank) const = 0;
  /// Whether networks can be drawn.
  virtual bool drawable() const = 0;
  /// Draws with probability proportional to exp(score), or uniformly if `even`. Throws ResourceError unless
  /// `drawable`.
  virtual std::unique_ptr<NetworkSampler> sampler(bool even, std::uint64_t seed) const = 0;

  // On average

  /// Whether the networks are few enough to list them all for one sum.
  virtual bool listable() const = 0;
  /// The weight of every candidate of the cache: the sum of exp(score - best) over the networks that
  /// use it. Nothing if stopped or not `listable`.
  virtual std::optional<std::vector<double>> candidate_weights(Control& control) const = 0;
  /// Estimates the same, as shares of the weight of all networks.
  virtual Shares estimated_shares(std::uint64_t draws, std::uint64_t seed, Control& control) = 0;

  /// The equivalence classes of the networks with a loss of at most `within`, as far as found. At most `most`
  /// networks of each component are listed for this.
  virtual Classes classes(Fixed within, std::uint64_t most, Control& control) const = 0;

 protected:
  ScoreCache cache_;
  Fixed const max_loss_;
  std::size_t const threads_;
  double const memory_bytes_;
};

}  // namespace bayesloom::credible
