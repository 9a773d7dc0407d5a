#include "credible/subset_dp/pruned_layers.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <utility>
#include <vector>

#include "base/parallel.hpp"
#include "base/set_table.hpp"
#include "credible/subset_dp/tuning.hpp"
#include "dual/remaining_bound.hpp"

namespace bayesloom::credible {

namespace {

using dual::RemainingBound;

RemainingBound remaining_bound_of(Component const& component, Prices const& prices) {
  std::vector<std::vector<RemainingBound::Candidate>> lists(component.size());
  for (std::size_t x = 0; x < component.size(); ++x)
    for (auto const& choice : component.lists[x])
      lists[x].push_back({choice.parents, -choice.loss});
  std::vector<RemainingBound::Inequality> inequalities;
  for (auto const& cluster : *prices)
    inequalities.push_back(
        {VarSet(cluster.members.words()[0]), cluster.need, cluster.price, cluster.blocks});
  return {lists, std::move(inequalities)};
}

/// Losses of sets, in shards so that threads can fill them: what one thread finds, by shard.
constexpr std::size_t shard_count = 64;
using Losses = SetTable<Fixed, no_loss>;
using Shards = std::array<Losses, shard_count>;

std::size_t shard_of(VarSet set) { return hash_of(set) >> 58; }

class PrunedLayers final : public Completion {
 public:
  PrunedLayers(Component const& component, Prices const& prices, Fixed limit, std::size_t threads)
      : component_(component),
        limit_(limit),
        remaining_(threads, remaining_bound_of(component, prices)),
        kept_(component.size() + 1) {}

  Fixed value(VarSet set) override {
    auto const* const found = kept_[set.size()][shard_of(set)].find(set);
    return found == nullptr ? no_loss : *found;
  }

  bool run(std::size_t most_sets, Control& control) {
    std::vector<std::pair<VarSet, Fixed>> layer{{VarSet(), 0}};
    kept_[0][shard_of(VarSet())].insert(VarSet(), 0);
    std::size_t kept = 1;
    for (std::size_t k = 0; k < component_.size(); ++k) {
      std::vector<Shards> found(remaining_.size());
      std::atomic<std::size_t> fresh = 0;
      std::size_t const tasks =
          (layer.size() + tuning::grown_per_task - 1) / tuning::grown_per_task;
      parallel_for(remaining_.size(), tasks, control, [&](std::size_t task, std::size_t worker) {
        std::size_t const end = std::min(layer.size(), (task + 1) * tuning::grown_per_task);
        for (std::size_t i = task * tuning::grown_per_task; i < end; ++i) {
          fresh += grow(layer[i].first, layer[i].second, remaining_[worker], found[worker]);
          if (control.should_stop(component_.size())) return;
        }
        if (kept + fresh > most_sets) full_ = true;
      });
      if (control.stopped() || full_) return false;
      layer.clear();
      for (std::size_t s = 0; s < shard_count; ++s) {
        for (std::size_t t = 1; t < found.size(); ++t)
          found[t][s].for_each(
              [&](VarSet set, Fixed loss) { found[0][s].insert_least(set, loss); });
        found[0][s].for_each([&](VarSet set, Fixed loss) { layer.emplace_back(set, loss); });
      }
      kept += layer.size();
      kept_[k + 1] = std::move(found[0]);
    }
    return true;
  }

 private:
  /// One more variable; how many sets are new.
  std::size_t grow(VarSet set, Fixed loss, RemainingBound& remaining, Shards& found) const {
    if (full_) return 0;
    std::size_t fresh = 0;
    remaining.of(set);
    for (std::size_t const x : component_.all() - set) {
      Fixed const total = loss + least(x, set);
      if (total >= no_loss) continue;
      VarSet const grown = set.with(x);
      Losses& shard = found[shard_of(grown)];
      if (Fixed* const known = shard.find(grown)) {
        *known = std::min(*known, total);
        continue;
      }
      // A set that is too far off this way may be reached by a better one.
      Fixed const rest = -remaining.after(x, total - limit_ - 1);
      if (total + rest > limit_) continue;
      shard.insert(grown, total);
      ++fresh;
    }
    return fresh;
  }

  Fixed least(std::size_t x, VarSet within) const {
    for (auto const& choice : component_.lists[x])
      if (within.contains_all(choice.parents)) return choice.loss;
    return no_loss;
  }

  Component const& component_;
  Fixed const limit_;
  std::vector<RemainingBound> remaining_;  // by thread
  std::vector<Shards> kept_;               // by the number of variables
  std::atomic<bool> full_ = false;
};

}  // namespace

std::unique_ptr<Completion> pruned_layers(Component const& component, Prices const& prices,
                                          Fixed limit, std::size_t most_sets, std::size_t threads,
                                          Control& control) {
  auto layers = std::make_unique<PrunedLayers>(component, prices, limit, threads);
  if (!layers->run(most_sets, control)) return nullptr;
  return layers;
}

}  // namespace bayesloom::credible
