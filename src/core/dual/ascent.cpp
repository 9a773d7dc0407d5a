#include "dual/ascent.hpp"

#include <algorithm>

#include "dual/cut.hpp"
#include "dual/options.hpp"
#include "dual/smoothed_bound.hpp"
#include "dual/violated.hpp"
#include "dual/zero_half.hpp"

namespace bayesloom::dual {

AscentOptions AscentOptions::at(double temperature, Fixed floor, std::size_t rounds,
                                std::size_t passes) {
  AscentOptions out;
  out.floor = floor;
  out.first_temperature = out.last_temperature = std::max(1.0, temperature);
  out.least_gain = std::max<Fixed>(1, static_cast<Fixed>(out.last_temperature));
  out.rounds = rounds;
  out.passes = passes;
  return out;
}

Fixed Ascent::step(Problem& problem, std::size_t k) {
  Cluster const& cluster = problem.clusters[k];
  Fixed const price = cluster.price;
  std::size_t const need = cluster.need;
  LocalInequality const& inequality = problem.local(cluster);
  // `nothing` and its negative stand for minus and plus infinity.
  deltas_.clear();
  Fixed room = price_room;
  for (auto const& member : inequality.members) {
    Index const i = member.variable;
    Fixed inside = nothing, outside = nothing;
    with_test(problem.masks.data(), inequality.masks.data() + member.first, problem.universe->words,
              member.test, [&](auto&& is_blocked) {
                for (std::size_t c = problem.begin[i]; c < problem.end[i]; ++c) {
                  Fixed const value = problem.priced[c];
                  bool const in = is_blocked(c);
                  inside = std::max(inside, in ? value : nothing);
                  outside = std::max(outside, in ? nothing : value);
                }
              });
    deltas_.push_back(inside == nothing    ? nothing
                      : outside == nothing ? -nothing
                                           : inside - (outside - price));
    room = std::min(room, price_room - problem.paid[i] + price);
  }
  std::sort(deltas_.begin(), deltas_.end());
  if (deltas_[need - 1] == -nothing) {
    // Too many members need parents inside: no network does that.
    problem.close();
    return 0;
  }
  Fixed const low = std::max<Fixed>(deltas_[need - 1], 0);
  Fixed const high = need < deltas_.size() ? std::max<Fixed>(deltas_[need], 0) : -nothing;
  Fixed target = deltas_[need - 1] == nothing ? 0 : high == -nothing ? low : low + (high - low) / 2;
  target = std::min(target, std::max<Fixed>(room, 0));
  // From price to target the bound changes by the piecewise slope; measured, not derived, is
  // simplest.
  Fixed const before = problem.bound();
  problem.reprice(k, target - price);
  return before - problem.bound();
}

bool Ascent::price_new_clusters(Problem& problem, AscentOptions const& limits, Fixed tolerance) {
  WideVarSet pool = tight_.unplaced(problem, tolerance);
  if (pool.empty()) return false;
  std::vector<Index> starts;
  for (std::size_t const v : pool) {
    if (!limits.around || moved_.contains(v)) starts.push_back(static_cast<Index>(v));
  }
  rng_.shuffle(std::span<Index>(starts));
  Fixed const before = problem.bound();
  // Clusters that share no variable keep each other's gain, so one pool serves many.
  WideVarSet used(problem.universe->n);
  for (Index const start : starts) {
    if (used.contains(start)) continue;
    WideVarSet cluster = tight_.grow(problem, pool, start, tolerance);
    if (control_.should_stop()) break;
    if (cluster.empty()) continue;
    for (std::size_t const v : cluster) {
      used.insert(v);
      moved_.insert(v);
      pool.erase(v);
    }
    Cluster fresh{std::move(cluster)};
    std::size_t k = 0;
    while (k < problem.clusters.size() && !problem.clusters[k].same_inequality(fresh)) ++k;
    if (k == problem.clusters.size()) problem.clusters.push_back(std::move(fresh));
    step(problem, k);
    if (control_.should_stop() || problem.bound() <= limits.floor) break;
  }
  return problem.bound() < before;
}

void Ascent::run(Problem& problem, AscentOptions const& limits) {
  if (problem.variables.size() < 2) return;
  auto const done = [&] { return control_.stopped() || problem.bound() <= limits.floor; };
  auto const add_clusters = [&](Fixed tolerance, std::size_t rounds) {
    for (std::size_t r = 0; r < rounds && !done() && price_new_clusters(problem, limits, tolerance);
         ++r) {
    }
  };
  moved_ = limits.around ? *limits.around : WideVarSet(problem.universe->n);
  WideVarSet const* const moved = limits.around ? &moved_ : nullptr;
  if (limits.first_temperature > 0) {
    for (double t = limits.first_temperature; !done();
         t = std::max(t * limits.cooling, limits.last_temperature)) {
      Fixed gained = 0;
      auto const go_on = [&](std::size_t round) {
        return round < limits.rounds || (limits.worthwhile > 0 && t <= limits.last_temperature &&
                                         gained >= limits.worthwhile);
      };
      for (std::size_t round = 0; go_on(round) && !done(); ++round) {
        std::size_t const before = problem.clusters.size();
        Fixed const bound = problem.bound();
        add_clusters(static_cast<Fixed>(t * limits.reach), limits.additions);
        if (done()) break;
        std::size_t const added = problem.clusters.size() - before;
        std::vector<Cluster> violated;
        std::vector<std::shared_ptr<CutRule const>> cuts;
        for (std::size_t s = 0; s < limits.passes;) {
          SmoothedBound smooth(problem, t, moved);
          while (s < limits.passes && !smooth.stale()) {
            ++s;
            if (smooth.pass(control_) < smoothing.least_change) s = limits.passes;
          }
          smooth.add_moved(problem, moved_);
          if (s >= limits.passes && (limits.most_need > 0 || limits.whole)) {
            FractionalNetwork const shares = smooth.fractional_network(problem);
            if (limits.most_need > 0)
              violated = violated_inequalities(shares, limits.most_need, moved, control_);
            if (limits.whole)
              cuts = zero_half_cuts(shares, *limits.whole, limits.cuts, rng_, control_);
          }
          smooth.apply(problem);
        }
        problem.drop_free_clusters();
        problem.clusters.insert(problem.clusters.end(), violated.begin(), violated.end());
        for (auto const& cut : cuts) problem.add_cut(cut);
        gained = bound - problem.bound();
        if (added + violated.size() + cuts.size() == 0) break;
      }
      if (t <= limits.last_temperature) break;
    }
  }
  // Exact coordinate steps take what is left.
  Fixed tolerance = std::max(limits.least_gain, static_cast<Fixed>(limits.last_temperature));
  while (!done()) {
    add_clusters(tolerance, limits.around ? limits.additions : static_cast<std::size_t>(-1));
    if (tolerance <= limits.least_gain) break;
    tolerance = std::max(limits.least_gain, tolerance / finer);
  }
  problem.drop_free_clusters();
}

}  // namespace bayesloom::dual
