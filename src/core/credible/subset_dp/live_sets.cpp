#include "credible/subset_dp/live_sets.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

#include "base/set_table.hpp"
#include "credible/subset_dp/tuning.hpp"

namespace bayesloom::credible {

std::optional<LiveSets> LiveSets::make(Component const& component, Completion& values,
                                       Fixed max_loss, double memory_bytes, Control& control) {
  // A vector that grows is there twice for a moment.
  constexpr double bytes_per_step = 2 * (sizeof(Step) + sizeof(VarSet));
  LiveSets live;
  VarSet const all = component.all();
  Fixed const least = values.value(all);
  if (control.stopped()) return std::nullopt;
  if (least >= no_loss) return live;
  Fixed const limit = least + max_loss;
  SetTable<Fixed, no_loss> layer;  // G[U]
  layer.insert(all, 0);
  SetTable<std::uint32_t, ~std::uint32_t{0}> numbers;
  std::vector<std::pair<VarSet, Fixed>> sorted;
  std::vector<VarSet> left;  // by each step
  while (!layer.empty()) {
    sorted.clear();
    layer.for_each([&](VarSet set, Fixed lost) { sorted.emplace_back(set, lost); });
    std::sort(sorted.begin(), sorted.end());
    layer = {};
    for (auto const& [set, lost] : sorted) {
      numbers.insert(set, live.size());
      live.sets_.push_back(set);
      live.first_.push_back(live.steps_.size());
      std::uint64_t work = 1;
      for (std::size_t const x : set) {
        VarSet const rest = set.without(x);
        Fixed const there = values.value(rest);
        if (there > limit - lost) continue;
        auto const& choices = component.lists[x];
        Fixed nearest = no_loss;
        for (std::size_t i = 0; i < choices.size() && lost + choices[i].loss + there <= limit;
             ++i) {
          if (!rest.contains_all(choices[i].parents)) continue;
          nearest = std::min(nearest, choices[i].loss);
          live.steps_.push_back({choices[i].loss, choices[i].parents, 0,
                                 static_cast<std::uint32_t>(i), static_cast<std::uint8_t>(x)});
          left.push_back(rest);
          ++work;
        }
        if (nearest == no_loss) continue;
        layer.insert_least(rest, lost + nearest);
      }
      if (control.should_stop(work)) return std::nullopt;
      if (bytes_per_step * static_cast<double>(live.steps_.size()) >
          std::max(memory_bytes, tuning::at_hand))
        return std::nullopt;
    }
  }
  live.first_.push_back(live.steps_.size());
  for (std::size_t i = 0; i < left.size(); ++i) live.steps_[i].child = *numbers.find(left[i]);
  live.make_exact(max_loss);
  return live;
}

void LiveSets::make_exact(Fixed max_loss) {
  std::size_t const count = sets_.size();
  std::vector<Fixed> on(count, no_loss), lost(count, no_loss);  // D and G
  for (std::size_t u = count; u-- > 0;) {
    if (sets_[u].empty()) on[u] = 0;
    for (std::size_t i = first_[u]; i < first_[u + 1]; ++i)
      on[u] = std::min(on[u], steps_[i].delta + on[steps_[i].child]);
  }
  best_ = on[0];
  if (best_ >= no_loss) {
    *this = {};
    return;
  }
  lost[0] = 0;
  constexpr auto gone = static_cast<std::uint32_t>(-1);
  std::vector<std::uint32_t> number(count, gone);
  std::uint32_t sets = 0;
  std::size_t steps = 0;
  for (std::size_t u = 0; u < count; ++u) {
    std::size_t const from = first_[u], end = first_[u + 1];
    if (lost[u] >= no_loss) continue;  // no live set leads here
    number[u] = sets;
    std::size_t const begin = steps;
    for (std::size_t i = from; i < end; ++i) {
      Step step = steps_[i];
      Fixed const way = lost[u] + step.delta;
      if (on[step.child] >= no_loss || way + on[step.child] > best_ + max_loss) continue;
      lost[step.child] = std::min(lost[step.child], way);
      step.delta += on[step.child] - on[u];
      steps_[steps++] = step;
    }
    std::sort(steps_.begin() + static_cast<std::ptrdiff_t>(begin),
              steps_.begin() + static_cast<std::ptrdiff_t>(steps),
              [](Step const& a, Step const& b) {
                return std::tie(a.delta, a.x, a.choice) < std::tie(b.delta, b.x, b.choice);
              });
    sets_[sets] = sets_[u];
    first_[sets++] = begin;
  }
  sets_.resize(sets);
  first_.resize(sets + std::size_t{1});
  first_[sets] = steps;
  steps_.resize(steps);
  for (auto& step : steps_) step.child = number[step.child];
  sets_.shrink_to_fit();
  steps_.shrink_to_fit();
}

std::vector<std::vector<bool>> LiveSets::used(Component const& component) const {
  std::vector<std::vector<bool>> flags;
  for (auto const& choices : component.lists) flags.emplace_back(choices.size(), false);
  for (auto const& step : steps_) flags[step.x][step.choice] = true;
  return flags;
}

void LiveSets::tidy(Component& component) {
  if (sets_.empty()) return;
  std::size_t const m = component.size();
  std::vector<std::uint8_t> place(m);
  std::size_t last = m;
  for (std::uint32_t u = 0; !sets_[u].empty(); u = steps(u).front().child)
    place[steps(u).front().x] = static_cast<std::uint8_t>(--last);
  auto const renamed = [&](VarSet set) {
    VarSet out;
    for (std::size_t const x : set) out.insert(place[x]);
    return out;
  };
  auto const flags = used(component);
  std::vector<std::vector<std::uint32_t>> number(m);
  Component tidied{std::vector<Variable>(m), std::vector<std::vector<Choice>>(m)};
  for (std::size_t x = 0; x < m; ++x) {
    tidied.variables[place[x]] = component.variables[x];
    auto& own = tidied.lists[place[x]];
    for (std::size_t i = 0; i < component.lists[x].size(); ++i) {
      number[x].push_back(static_cast<std::uint32_t>(own.size()));
      Choice const& choice = component.lists[x][i];
      if (flags[x][i]) own.push_back({renamed(choice.parents), choice.loss, choice.index});
    }
  }
  for (auto& set : sets_) set = renamed(set);
  for (auto& step : steps_) {
    step.choice = number[step.x][step.choice];
    step.set = renamed(step.set);
    step.x = place[step.x];
  }
  component = std::move(tidied);
}

}  // namespace bayesloom::credible
