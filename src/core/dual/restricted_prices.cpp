#include "dual/restricted_prices.hpp"

#include <algorithm>

#include "dual/ascent.hpp"
#include "dual/options.hpp"
#include "dual/simple_bound.hpp"

namespace bayesloom::dual {

namespace {

class RestrictedSteps {
 public:
  RestrictedSteps(ScoreCache const& cache, Fixed known, Control& control)
      : universe_(cache),
        control_(control),
        floor_(known - simple_bound(cache)),
        all_(whole_problem(cache, universe_, price_room)),
        least_(all_.bound()),
        within_(cache.candidate_count(), false) {}

  RestrictedPrices run(std::span<std::vector<Cluster> const> given) {
    for (auto const& prices : given) look_at(prices);
    bool everything = given.empty() || given.back().empty();
    Ascent ascent(universe_.n, control_);
    double temperature = scale() * restricted.hottest;
    while (!control_.should_stop() && least_ > floor_) {
      Fixed const before = least_;
      double const coldest = std::max(1.0, scale() * restricted.coldest);
      bool const cold = temperature <= coldest;
      Problem part = within(everything);
      everything = false;
      ascent.run(part, AscentOptions::at(std::max(temperature, coldest), floor_, restricted.rounds,
                                         restricted.passes));
      look_at(part.clusters);
      if (cold && before - least_ <= (before - floor_) / restricted.least_round) break;
      temperature *= restricted.cooling;
    }
    RestrictedPrices out;
    out.last = all_.clusters;
    all_.replace_prices(best_);
    out.gap = least_ - floor_;
    out.clusters = std::move(best_);
    out.reduced_cost.assign(within_.size(), 0);
    for (Index const i : all_.variables)
      for (std::size_t c = all_.begin[i]; c < all_.end[i]; ++c)
        out.reduced_cost[all_.origin[c]] = all_.best[i] - all_.priced[c];
    return out;
  }

 private:
  double scale() const {
    return static_cast<double>(std::max<Fixed>(least_ - floor_, 1)) /
           static_cast<double>(universe_.n);
  }

  /// Finds the bound of prices over all candidates, and keeps them if it is the least.
  void look_at(std::vector<Cluster> const& prices) {
    all_.replace_prices(prices);
    if (Fixed const bound = all_.bound(); bound < least_) {
      least_ = bound;
      best_ = prices;
    }
  }

  /// The best priced candidates of each variable, with those that were among them before.
  Problem within(bool everything) {
    if (everything) return all_.compact();
    std::vector<std::size_t> order;
    for (Index const i : all_.variables) {
      order.clear();
      for (std::size_t c = all_.begin[i]; c < all_.end[i]; ++c) order.push_back(c);
      std::size_t const count = std::min(order.size(), restricted.top);
      std::nth_element(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(count),
                       order.end(), [&](std::size_t a, std::size_t b) {
                         return all_.priced[a] != all_.priced[b] ? all_.priced[a] > all_.priced[b]
                                                                 : a < b;
                       });
      for (std::size_t k = 0; k < count; ++k) within_[all_.origin[order[k]]] = true;
      // Without the last, which is the empty set if that is a candidate, it might have to have parents.
      within_[all_.origin[all_.end[i] - 1]] = true;
    }
    Problem part = all_.compact();
    for (Index const i : part.variables)
      part.remove(i, [&](std::size_t c) { return !within_[part.origin[c]]; });
    return part.compact();
  }

  Universe const universe_;
  Control& control_;
  Fixed const floor_;  // what the known network loses
  Problem all_;
  Fixed least_;
  std::vector<Cluster> best_;
  std::vector<bool> within_;  // by candidate
};

}  // namespace

RestrictedPrices restricted_prices(ScoreCache const& cache, Fixed known,
                                   std::span<std::vector<Cluster> const> given, Control& control) {
  return RestrictedSteps(cache, known, control).run(given);
}

}  // namespace bayesloom::dual
