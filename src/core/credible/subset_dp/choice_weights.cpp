// The weight of every choice, by a pass over the remembered states from the root on.
#include <algorithm>
#include <cmath>
#include <functional>
#include <map>

#include "base/errors.hpp"
#include "credible/averages/compensated_sum.hpp"
#include "credible/subset_dp/states.hpp"

namespace bayesloom::credible {

std::optional<std::vector<std::vector<std::vector<double>>>> States::choice_weights(
    Control& control) const {
  // From the root on: `arrived` is the weight of all ways into a state, so that a step from it has
  // the weight arrived * exp(-delta) * (weight below). Within a part, states with larger U come first.
  std::vector<std::vector<std::vector<CompensatedSum>>> sums(parts_.size());
  std::map<Fixed, CompensatedSum> begins{{max_loss_, {}}};  // t at the part's beginning -> arrived
  begins.begin()->second.add(1.0);

  struct Arrival {
    std::uint32_t u;
    VarSet barred;
    Fixed t;
    double weight;
  };
  for (std::size_t p = 0; p < parts_.size(); ++p) {
    auto const& live = parts_[p].live;
    for (auto const& choices : parts_[p].component.lists) sums[p].emplace_back(choices.size());
    // Arrivals at one tally are merged: any t of its interval stands for all.
    std::vector<Arrival> layer, below;
    std::map<Fixed, CompensatedSum> ends;
    for (auto const& [t, weight] : begins) layer.push_back({0, VarSet(), t, weight.value()});
    while (!layer.empty() && !live.last(layer.front().u)) {
      std::vector<std::pair<Tally const*, std::size_t>> order;
      for (std::size_t i = 0; i < layer.size(); ++i) {
        Tally const* const at = layer[i].u == 0 ? beginnings_[p].find(layer[i].t)
                                                : find(p, layer[i].u, layer[i].barred, layer[i].t);
        if (at == nullptr) throw InternalError("a state of the credible set was not counted.");
        order.emplace_back(at, i);
      }
      std::sort(order.begin(), order.end(), [](auto const& a, auto const& b) {
        return std::less<Tally const*>()(a.first, b.first) ||
               (a.first == b.first && a.second < b.second);
      });
      below.clear();
      for (std::size_t i = 0; i < order.size();) {
        Tally const* const here = order[i].first;
        Arrival const& state = layer[order[i].second];
        CompensatedSum arrived;
        for (; i < order.size() && order[i].first == here; ++i)
          arrived.add(layer[order[i].second].weight);
        if (here->count == 0) continue;
        auto const steps = live.steps(state.u);
        for (auto const& step : steps) {
          if (step.delta > state.t) break;
          if (state.barred.contains(step.x)) continue;
          VarSet next;
          if (!bar_after(live.set(state.u), state.barred, step, next)) continue;
          Fixed const t = state.t - step.delta;
          double const weight = arrived.value() * std::exp(-to_nats(step.delta));
          double behind = 1.0;
          if (!live.last(step.child)) {
            Tally const* const child = find(p, step.child, next, t);
            if (child == nullptr)
              throw InternalError("a state of the credible set was not counted.");
            behind = child->weight;
            if (child->count != 0) below.push_back({step.child, next, t, weight});
          } else {
            if (p + 1 < parts_.size()) {
              Tally const* const rest = beginnings_[p + 1].find(t);
              if (rest == nullptr)
                throw InternalError("a state of the credible set was not counted.");
              behind = rest->weight;
              // One t per interval is enough here too.
              ends[rest->from].add(weight);
            }
          }
          sums[p][step.x][step.choice].add(weight * behind);
        }
        if (control.should_stop(steps.size())) return std::nullopt;
      }
      layer.swap(below);
    }
    begins = std::move(ends);
  }

  std::vector<std::vector<std::vector<double>>> weights(parts_.size());
  for (std::size_t p = 0; p < parts_.size(); ++p)
    for (auto const& choices : sums[p]) {
      auto& list = weights[p].emplace_back();
      for (auto const& sum : choices) list.push_back(sum.value());
    }
  return weights;
}

}  // namespace bayesloom::credible
