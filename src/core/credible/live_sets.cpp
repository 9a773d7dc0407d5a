#include "credible/live_sets.hpp"

#include <algorithm>
#include <bit>
#include <tuple>
#include <unordered_map>
#include <utility>

namespace bayesloom::credible {

namespace {

/// Visits the live sets, larger ones first, and every step between two of them.
///   enter(U)                      once per live set
///   step(x, i, rest, delta)       choice i of x leads from the set last entered to `rest`
/// False if stopped.
template <typename Enter, typename OnStep>
bool sweep(Component const& component, Completion& values, Fixed slack, Control& control,
           Enter&& enter, OnStep&& step) {
  Set const all = component.all();
  std::unordered_map<Set, Fixed> layer{{all, 0}};  // excess of G[U] + D[U] over the best
  std::vector<std::pair<Set, Fixed>> sorted;
  while (!layer.empty()) {
    sorted.assign(layer.begin(), layer.end());
    std::sort(sorted.begin(), sorted.end());  // the order of a hash map is not the same everywhere
    layer.clear();
    for (auto const& [set, excess] : sorted) {
      enter(set);
      if (set == 0) return true;
      Fixed const here = values.value(set, no_loss);
      std::uint64_t work = 1;
      for (Set left = set; left != 0; left &= left - 1) {
        auto const x = static_cast<std::size_t>(std::countr_zero(left));
        Set const rest = set & ~(Set{1} << x);
        Fixed const limit = here + slack - excess;
        Fixed const there = values.value(rest, limit);
        if (there > limit) continue;
        auto const& choices = component.choices[x];
        for (std::size_t i = 0; i < choices.size() && choices[i].loss + there <= limit; ++i) {
          if ((choices[i].set & ~rest) != 0) continue;
          Fixed const delta = choices[i].loss + there - here;
          step(x, i, rest, delta);
          auto const [at, fresh] = layer.try_emplace(rest, excess + delta);
          if (!fresh) at->second = std::min(at->second, excess + delta);
          ++work;
        }
      }
      if (control.should_stop(work)) return false;
    }
  }
  return true;
}

}  // namespace

std::optional<LiveSets> LiveSets::make(Component const& component, Completion& values, Fixed slack,
                                       Control& control) {
  LiveSets live;
  std::unordered_map<Set, std::uint32_t> numbers;
  std::vector<Set> left;  // by each step
  bool const done = sweep(
      component, values, slack, control,
      [&](Set set) {
        numbers.emplace(set, live.size());
        live.sets_.push_back(set);
        live.first_.push_back(live.steps_.size());
      },
      [&](std::size_t x, std::size_t i, Set rest, Fixed delta) {
        live.steps_.push_back({delta, component.choices[x][i].set, 0, static_cast<std::uint32_t>(i),
                               static_cast<std::uint8_t>(x)});
        left.push_back(rest);
      });
  if (!done) return std::nullopt;
  live.first_.push_back(live.steps_.size());
  for (std::size_t i = 0; i < left.size(); ++i) live.steps_[i].child = numbers.at(left[i]);
  for (std::size_t u = 0; u < live.sets_.size(); ++u)
    std::sort(live.steps_.begin() + static_cast<std::ptrdiff_t>(live.first_[u]),
              live.steps_.begin() + static_cast<std::ptrdiff_t>(live.first_[u + 1]),
              [](Step const& a, Step const& b) {
                return std::tie(a.delta, a.x, a.choice) < std::tie(b.delta, b.x, b.choice);
              });
  return live;
}

std::optional<std::vector<std::vector<bool>>> used_choices(Component const& component,
                                                           Completion& values, Fixed slack,
                                                           Control& control) {
  std::vector<std::vector<bool>> used;
  for (auto const& choices : component.choices) used.emplace_back(choices.size(), false);
  bool const done = sweep(
      component, values, slack, control, [](Set) {},
      [&](std::size_t x, std::size_t i, Set, Fixed) { used[x][i] = true; });
  if (!done) return std::nullopt;
  return used;
}

}  // namespace bayesloom::credible
