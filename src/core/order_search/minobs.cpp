// A population of local optima [lee2017 section 5, Algorithm 3].
//
//   population <- climbs from random orders
//   repeat
//     offspring: climbs from crossovers of two members, and from shaken-up members
//     population <- the best of both, no score twice
//     if the mean score has hardly changed for some generations, keep a few and draw the rest anew
//
// Differs from the paper: each new member is polished, that is shaken by single inserts and climbed
// again for a while, keeping what is not worse. One such trial costs a thousandth of a climb from a
// crossover, and crossover of well-polished members is what a population is for.
#include <algorithm>
#include <cmath>
#include <deque>
#include <functional>

#include "order_search/archipelago.hpp"
#include "order_search/crossover.hpp"
#include "order_search/shake.hpp"

namespace bayesloom {

using namespace order_search;

namespace {

struct Member {
  std::vector<Variable> order;
  Fixed score;
};

class Population {
 public:
  Population(Island& island, MinobsOptions const& options)
      : island_(island),
        options_(options),
        climber_(island, Selection::hybrid),
        mutation_times_(shake_times(options.mutation_power, island.table.size())),
        polish_(static_cast<std::size_t>(
            std::llround(options.polish * static_cast<double>(island.table.size())))) {}

  void run(std::vector<Variable> const& start) {
    if (!add(start)) return;
    refill();
    std::deque<double> means;
    while (!island_.stopped()) {
      if (!generation()) return;
      means.push_back(mean());
      if (means.size() <= options_.diversify_after) continue;
      bool const stuck =
          std::abs(means.back() - means.front()) <= options_.diversify_change * fixed_units_per_nat;
      means.pop_front();
      if (!stuck) continue;
      means.clear();
      members_.resize(std::min(members_.size(), options_.diversify_keep));
      refill();
    }
  }

 private:
  /// Climbs from an order and adds what comes out; false if stopped.
  bool add(std::vector<Variable> const& order) {
    climber_.reset(order);
    bool const done = climber_.climb() && !island_.stopped() && polish();
    members_.push_back({climber_.state().order, climber_.state().score});
    return done;
  }

  /// Single inserts until `polish_` of them in a row brought nothing; false if stopped.
  bool polish() {
    current_ = climber_.state();
    for (std::size_t stale = 0; stale < polish_; ++stale) {
      bool const done = disturb_and_climb();
      if (climber_.state().score > current_.score) stale = 0;
      if (climber_.state().score >= current_.score) {
        current_ = climber_.state();
      } else {
        climber_.restore(current_);
      }
      if (!done) return false;
    }
    return true;
  }

  bool disturb_and_climb() {
    if (options_.neutral > 0 && ++trials_ % options_.neutral == 0) {
      neutral_move(climber_, island_, current_);
    } else {
      shake(climber_, island_.rng, Shake::inserts, 1);
    }
    return climber_.climb() && !island_.stopped();
  }

  void refill() {
    while (members_.size() < options_.population && !island_.stopped())
      add(island_.table.random_order(island_.rng));
    prune();
  }

  bool generation() {
    if (auto const order = island_.better_elsewhere(); !order.empty() && !add(order)) return false;
    std::size_t const parents = members_.size();
    auto const any = [&] { return island_.rng.below(parents); };
    for (std::size_t i = 0; i < options_.crossovers; ++i) {
      std::size_t const a = any(), b = any();
      auto child = cross(options_.crossover, members_[a].order, members_[b].order, island_.rng);
      if (!island_.table.any_order()) child = island_.table.repaired(child);
      if (!add(child)) return false;
    }
    for (std::size_t i = 0; i < options_.mutations; ++i) {
      auto mutant = members_[any()].order;
      for (std::size_t k = 0; k < mutation_times_; ++k)
        std::swap(mutant[island_.rng.below(mutant.size())],
                  mutant[island_.rng.below(mutant.size())]);
      if (!island_.table.any_order()) mutant = island_.table.repaired(mutant);
      if (!add(mutant)) return false;
    }
    prune();
    return true;
  }

  /// Best first, one of each score, no more than the population may have.
  void prune() {
    std::ranges::stable_sort(members_, std::greater<>(), &Member::score);
    auto const twins = std::ranges::unique(members_, {}, &Member::score);
    members_.erase(twins.begin(), twins.end());
    if (members_.size() > options_.population) members_.resize(options_.population);
  }

  double mean() const {
    double const first = static_cast<double>(members_.front().score);
    double sum = 0;
    for (Member const& m : members_) sum += static_cast<double>(m.score) - first;
    return first + sum / static_cast<double>(members_.size());
  }

  Island& island_;
  MinobsOptions const& options_;
  Climber climber_;
  std::size_t const mutation_times_, polish_;
  std::size_t trials_ = 0;
  OrderState current_;
  std::vector<Member> members_;
};

}  // namespace

OrderSearchResult minobs(ScoreCache const& cache, MinobsOptions const& options,
                         OrderSearchLimits const& limits, Control& control) {
  return run_islands(cache, limits, control, [&](Island& island, auto const& start) {
    Population(island, options).run(start);
  });
}

}  // namespace bayesloom
