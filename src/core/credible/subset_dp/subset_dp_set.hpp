// The credible set by dynamic programming over sets of variables.
//
// Four stages: exact completion values (completion.hpp, pruned_layers.hpp); a pass that keeps exactly the candidates
// in use, which splits the variables into components (live_sets.hpp); a count without listing (states.hpp); and a
// traversal that lists each network once in memory O(n) (walk.hpp). All results are exact; the memory for sets of
// variables is the limit.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "cache/orders_as_edges.hpp"
#include "credible/credible.hpp"
#include "credible/subset_dp/states.hpp"
#include "dual/reduced_costs.hpp"

namespace bayesloom::credible {

struct SubsetDpOptions {
  Fixed max_loss = 0;
  std::size_t threads = 1;
  double memory_bytes = 4e9;         ///< for completion values and remembered states, each
  std::vector<Order> orders{};       ///< that the networks keep
  std::vector<std::size_t> known{};  ///< a good network, a candidate per variable, or empty
  /// Up to so many variables completion values of all sets take less time than dual prices do.
  std::size_t dense_up_to = 22;
};

class SubsetDpSet final : public CredibleSet {
 public:
  /// Finds the best score and the candidates in use. Nothing if stopped, or if a component has too
  /// many sets of variables for the memory. Throws InfeasibleError if the candidates allow no
  /// network. `costs` is for the known network, if it is at hand.
  static std::unique_ptr<SubsetDpSet> make(ScoreCache const& cache, SubsetDpOptions const& options,
                                           Control& control,
                                           dual::ReducedCosts const* costs = nullptr);

  char const* backend() const override { return "subset DP"; }
  Fixed best() const override { return best_; }
  Fixed gap() const override { return 0; }
  std::vector<std::size_t> best_network() const override;
  std::vector<Component const*> components() const override;
  std::size_t state_count() const override { return states_.size(); }
  std::span<Part const> parts() const { return parts_; }

  NetworkCount count(Control& control) override;
  bool whole() const override { return total_.has_value(); }
  std::optional<Count> count_within(Fixed loss, Control& control) override;
  CountEstimate estimate(std::uint64_t probes, std::uint64_t seed, Control& control) override;

  /// Nothing is needed: walks find all networks without a count.
  Count find_near_best(std::size_t /*most*/, Control& /*control*/) override {
    return total_ ? total_->count : 1;
  }
  std::unique_ptr<NetworkWalk> walk(Fixed within) const override;
  std::unique_ptr<NetworkWalk> walk_from(Count rank) const override;
  /// Whether all states are counted and remembered, so that networks have ranks.
  bool drawable() const override { return whole() && states_.whole(); }
  std::unique_ptr<NetworkSampler> sampler(bool even, std::uint64_t seed) const override;

  bool listable() const override { return true; }
  /// From the states if all are remembered, else by listing.
  std::optional<std::vector<double>> candidate_weights(Control& control) const override;
  Shares estimated_shares(std::uint64_t draws, std::uint64_t seed, Control& control) override;

  Classes classes(Fixed within, std::uint64_t most, Control& control) const override;

 private:
  SubsetDpSet(ScoreCache cache, SubsetDpOptions const& options, std::vector<Part> parts, Fixed best)
      : CredibleSet(std::move(cache), options.max_loss, options.threads, options.memory_bytes),
        parts_(std::move(parts)),
        best_(best),
        states_(parts_, options.max_loss, options.memory_bytes, options.threads) {}

  std::vector<Part> parts_;
  Fixed best_;
  States states_;
  std::optional<Tally> total_;
};

}  // namespace bayesloom::credible
