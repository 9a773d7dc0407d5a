// The credible set: all networks within a Bayes factor F of the best [liao2018].
//
//   credible  =  { G : score(G) >= best - ln F }
//
// The paper lets an integer program collect them one by one and stops at 150,000. Here: exact
// completion values (completion.hpp, pruned_layers.hpp), a sweep that keeps exactly the candidates in use
// and parts the variables into components (live_sets.hpp, component.hpp), a count that does not
// list (states.hpp), and a walk that lists each network once in memory O(n) (walk.hpp). Scores are
// whole numbers, so the threshold is exact: `slack` is ln F in units of 2^-30 nat, rounded up, and
// a network that ties with the limit is in. What the set proves is about the cache; a cache that is
// complete for F holds every candidate of every credible network.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "base/control.hpp"
#include "base/rng.hpp"
#include "cache/score_cache.hpp"
#include "credible/classes/classes.hpp"
#include "credible/subset_dp/probe.hpp"
#include "credible/subset_dp/states.hpp"
#include "credible/subset_dp/walk.hpp"
#include "credible/with_orders.hpp"
#include "dual/reduced_costs.hpp"

namespace bayesloom::credible {

struct CredibleOptions {
  Fixed slack = 0;
  std::size_t threads = 1;
  double memory_bytes = 4e9;     ///< for completion values and remembered states, each
  std::vector<Order> orders{};   ///< that the networks keep
  std::vector<Variable> good{};  ///< an order of all variables with a good network, or empty
  /// Up to so many variables completion values of all sets take less time than cluster prices do.
  std::size_t dense_up_to = 22;
};

class CredibleSet {
 public:
  /// Finds the best score and the candidates in use. Nothing if stopped, or if a component has too
  /// many sets of variables for the memory. Throws InfeasibleError if the candidates allow no
  /// network. `fixing` is for the network of the good order, if it is at hand.
  static std::unique_ptr<CredibleSet> make(ScoreCache const& cache, CredibleOptions const& options,
                                           Control& control,
                                           dual::ReducedCosts const* fixing = nullptr);

  ScoreCache const& cache() const { return cache_; }
  Fixed best() const { return best_; }
  Fixed slack() const { return options_.slack; }
  std::size_t threads() const { return options_.threads; }
  std::span<Part const> parts() const { return parts_; }
  /// One best network: a candidate per variable.
  std::vector<std::size_t> best_network() const;

  /// Counts the networks; nothing if stopped. Asked again after that it goes on with what it knows.
  std::optional<Tally> count(Control& control);
  /// Those at most `loss` below the best, where that is at most the slack.
  std::optional<Tally> count_within(Fixed loss, Control& control) {
    return states_.count(loss, control);
  }
  bool counted() const { return total_.has_value(); }
  /// Whether the networks can be listed from any rank, and drawn.
  bool ranked() const { return counted() && states_.whole(); }
  std::size_t state_count() const { return states_.size(); }
  /// By random walks, see probe.hpp.
  CountEstimate estimate(std::uint64_t probes, Rng& rng, Control& control) const {
    return estimate_count(parts_, options_.slack, probes, rng, control);
  }

  /// The networks, one after the other.
  Walk walk() const { return walk_within(options_.slack); }
  /// Those at most `loss` below the best.
  Walk walk_within(Fixed loss) const { return Walk(parts_, loss, &states_); }
  /// Candidates of the walk's current network, by variable of the cache.
  void candidates(Walk const& walk, std::span<std::uint64_t> out) const;

  /// The mass of every candidate of the cache: the sum of exp(score - best) over the credible
  /// networks that use it. Nothing if stopped. From the states if all are remembered, else by
  /// listing.
  std::optional<std::vector<double>> candidate_masses(Control& control) const;
  /// The shares of all candidates of the cache in the mass, estimated by random walks, and how many
  /// networks drawn by mass would be as good.
  std::pair<std::vector<double>, double> estimated_shares(std::uint64_t probes, Rng& rng,
                                                          Control& control) const;

  /// The classes of the networks at most `loss` below the best, as far as found; see classes.hpp.
  Classes classes(Fixed loss, Control& control) const;

 private:
  CredibleSet(ScoreCache cache, CredibleOptions const& options, std::vector<Part> parts, Fixed best)
      : cache_(std::move(cache)),
        options_(options),
        parts_(std::move(parts)),
        best_(best),
        states_(parts_, options.slack, options.memory_bytes, options.threads) {}

  ScoreCache cache_;
  CredibleOptions options_;
  std::vector<Part> parts_;
  Fixed best_;
  States states_;
  std::optional<Tally> total_;
};

}  // namespace bayesloom::credible
