#include "credible/subset_dp/live_sets.hpp"

#include <algorithm>
#include <atomic>
#include <numeric>
#include <span>
#include <tuple>
#include <utility>

#include "base/atomic_place.hpp"
#include "base/parallel.hpp"
#include "base/set_table.hpp"
#include "credible/subset_dp/tuning.hpp"

namespace bayesloom::credible {

namespace {

using Reached = std::pair<VarSet, Fixed>;  // a set, and G of it as far as is known

/// What some sets of a layer lead to.
struct Ahead {
  std::vector<Step> steps;        // their children numbered as in `next`
  std::vector<std::size_t> ends;  // of each set's steps
  std::vector<Reached> next;      // sets of the next layer, sorted
};

/// Looks at sets of a layer: steps to sets that are live as far as completion values tell.
Ahead look_ahead(std::span<Reached const> sets, Component const& component, Completion& values,
                 Fixed limit, Control& control) {
  Ahead ahead;
  SetTable<std::uint32_t, ~std::uint32_t{0}> numbers;
  for (auto const& [set, lost] : sets) {
    std::uint64_t work = 1;
    for (std::size_t const x : set) {
      VarSet const rest = set.without(x);
      Fixed const there = values.value(rest);
      if (there > limit - lost) continue;
      auto const& choices = component.lists[x];
      Fixed nearest = no_loss;
      auto const fresh = static_cast<std::uint32_t>(ahead.next.size());
      std::size_t const begin = ahead.steps.size();
      for (std::size_t i = 0; i < choices.size() && lost + choices[i].loss + there <= limit; ++i) {
        if (!rest.contains_all(choices[i].parents)) continue;
        nearest = std::min(nearest, choices[i].loss);
        ahead.steps.push_back({choices[i].loss, choices[i].parents, fresh,
                               static_cast<std::uint32_t>(i), static_cast<std::uint8_t>(x)});
        ++work;
      }
      if (nearest == no_loss) continue;
      if (auto const* const known = numbers.find(rest)) {
        ahead.next[*known].second = std::min(ahead.next[*known].second, lost + nearest);
        for (std::size_t i = begin; i < ahead.steps.size(); ++i) ahead.steps[i].child = *known;
      } else {
        numbers.insert(rest, fresh);
        ahead.next.emplace_back(rest, lost + nearest);
      }
    }
    ahead.ends.push_back(ahead.steps.size());
    if (control.should_stop(work)) return ahead;
  }
  std::vector<std::uint32_t> order(ahead.next.size()), place(ahead.next.size());
  std::iota(order.begin(), order.end(), 0U);
  std::ranges::sort(order, {}, [&](std::uint32_t i) { return ahead.next[i].first; });
  std::vector<Reached> sorted;
  sorted.reserve(order.size());
  for (std::uint32_t const i : order) {
    place[i] = static_cast<std::uint32_t>(sorted.size());
    sorted.push_back(ahead.next[i]);
  }
  ahead.next = std::move(sorted);
  for (auto& step : ahead.steps) step.child = place[step.child];
  return ahead;
}

auto from(std::vector<Reached> const& sorted, VarSet set) {
  return std::ranges::lower_bound(sorted, set, {}, &Reached::first);
}

/// The sets that parts of a layer lead to, each once, with the least G, sorted. They are shared out by
/// what sets are between, so that threads need not wait for each other.
std::vector<Reached> joined(std::vector<Ahead> const& parts, std::size_t threads,
                            Control& control) {
  if (parts.size() == 1) return parts.front().next;
  std::vector<VarSet> some;
  for (auto const& part : parts)
    for (std::size_t i = 0; i < part.next.size(); i += tuning::sets_between_samples)
      some.push_back(part.next[i].first);
  std::ranges::sort(some);
  std::size_t const shards = std::clamp<std::size_t>(some.size() / 4, 1, tuning::live_shards);
  std::vector<std::vector<Reached>> found(shards);
  parallel_for(threads, shards, control, [&](std::size_t shard, std::size_t) {
    auto& own = found[shard];
    for (auto const& part : parts) {
      auto const at = [&](std::size_t k) {
        if (k == 0) return part.next.begin();
        if (k == shards) return part.next.end();
        return from(part.next, some[k * some.size() / shards]);
      };
      own.insert(own.end(), at(shard), at(shard + 1));
    }
    std::ranges::sort(own);  // the least G of each set first
    auto const twice = std::ranges::unique(own, {}, &Reached::first);
    own.erase(twice.begin(), twice.end());
    control.should_stop(own.size());
  });
  std::vector<Reached> all;
  for (auto const& own : found) all.insert(all.end(), own.begin(), own.end());
  return all;
}

/// Calls `body(i)` for every i below `count`; a short job.
template <typename Body>
void in_pieces(std::size_t count, std::size_t threads, Body const& body) {
  constexpr std::size_t each = tuning::weights_per_task;
  auto const piece = [&](std::size_t task, std::size_t) {
    for (std::size_t i = task * each; i < std::min(count, (task + 1) * each); ++i) body(i);
  };
  if (count <= 4 * each)
    for (std::size_t task = 0; task * each < count; ++task) piece(task, 0);
  else
    parallel_for(threads, (count + each - 1) / each, piece);
}

}  // namespace

std::optional<LiveSets> LiveSets::make(Component const& component, Completion& values,
                                       Fixed max_loss, double memory_bytes, std::size_t threads,
                                       Control& control) {
  // Steps are there twice for a moment.
  constexpr double bytes_per_step = 2 * sizeof(Step);
  LiveSets live;
  VarSet const all = component.all();
  Fixed const least = values.value(all);
  if (control.stopped()) return std::nullopt;
  if (least >= no_loss) return live;
  Fixed const limit = least + max_loss;
  std::atomic<std::size_t> steps = 0;
  std::atomic<bool> full = false;
  std::vector<std::size_t> layers;          // where each begins
  std::vector<std::vector<Step>> held;      // as tasks found them
  std::vector<std::span<Step const>> ways;  // of each set
  for (std::vector<Reached> layer{{all, 0}}; !layer.empty();) {
    layers.push_back(live.sets_.size());
    for (auto const& [set, lost] : layer) live.sets_.push_back(set);
    std::size_t const each = tuning::live_per_task;
    std::vector<Ahead> parts((layer.size() + each - 1) / each);
    parallel_for(threads, parts.size(), control, [&](std::size_t task, std::size_t) {
      if (full) return;
      std::size_t const begin = task * each, count = std::min(each, layer.size() - begin);
      parts[task] =
          look_ahead(std::span(layer).subspan(begin, count), component, values, limit, control);
      double const bytes = bytes_per_step * static_cast<double>(steps += parts[task].steps.size());
      if (bytes > std::max(memory_bytes, tuning::at_hand)) full = true;
    });
    if (full || control.stopped()) return std::nullopt;
    auto next = joined(parts, threads, control);
    if (control.stopped()) return std::nullopt;
    std::size_t const first_child = live.sets_.size();
    parallel_for(threads, parts.size(), control, [&](std::size_t task, std::size_t) {
      auto& part = parts[task];
      std::vector<std::uint32_t> number;
      number.reserve(part.next.size());
      if (!part.next.empty()) {
        auto at = from(next, part.next.front().first);
        for (auto const& [set, lost] : part.next) {
          while (at->first != set) ++at;
          number.push_back(static_cast<std::uint32_t>(first_child +
                                                      static_cast<std::size_t>(at - next.begin())));
        }
      }
      for (Step& step : part.steps) step.child = number[step.child];
      control.should_stop(0);
    });
    if (control.stopped()) return std::nullopt;
    for (auto& part : parts) {
      auto const& own = held.emplace_back(std::move(part.steps));
      std::size_t begin = 0;
      for (std::size_t const end : part.ends) {
        ways.push_back(std::span(own).subspan(begin, end - begin));
        begin = end;
      }
    }
    layer = std::move(next);
  }
  layers.push_back(live.sets_.size());
  live.make_exact(max_loss, layers, ways, threads, control);
  if (control.stopped()) return std::nullopt;
  return live;
}

void LiveSets::make_exact(Fixed max_loss, std::span<std::size_t const> layers,
                          std::span<std::span<Step const> const> ways, std::size_t threads,
                          Control& control) {
  std::size_t const count = sets_.size();
  std::vector<Fixed> on(count, no_loss), lost(count, no_loss);  // D and G
  auto const each_of = [&](std::size_t begin, std::size_t end, auto const& body) {
    std::size_t const each = tuning::live_per_task;
    parallel_for(threads, (end - begin + each - 1) / each, control,
                 [&](std::size_t task, std::size_t) {
                   std::size_t const from = begin + task * each;
                   for (std::size_t u = from; u < std::min(end, from + each); ++u) body(u);
                   control.should_stop(0);
                 });
  };
  for (std::size_t k = layers.size() - 1; k-- > 0;)
    each_of(layers[k], layers[k + 1], [&](std::size_t u) {
      if (sets_[u].empty()) on[u] = 0;
      for (Step const& step : ways[u]) on[u] = std::min(on[u], step.delta + on[step.child]);
    });
  if (control.stopped()) return;
  best_ = on[0];
  if (best_ >= no_loss) {
    *this = {};
    return;
  }
  lost[0] = 0;
  auto const kept = [&](std::size_t u, Step const& step) {
    return on[step.child] < no_loss && lost[u] + step.delta + on[step.child] <= best_ + max_loss;
  };
  std::vector<std::size_t> left(count, 0);  // steps that are kept
  for (std::size_t k = 0; k + 1 < layers.size(); ++k)
    each_of(layers[k], layers[k + 1], [&](std::size_t u) {
      if (lost[u] >= no_loss) return;  // no live set leads here
      for (Step const& step : ways[u]) {
        if (!kept(u, step)) continue;
        ++left[u];
        AtomicPlace const there(lost[step.child]);
        Fixed const way = lost[u] + step.delta;
        Fixed known = there.load();
        while (way < known && !there.replace(known, way)) {
        }
      }
    });
  if (control.stopped()) return;
  std::vector<std::uint32_t> number(count, 0);
  std::vector<std::size_t> first;
  std::vector<VarSet> sets;
  std::size_t steps = 0;
  for (std::size_t u = 0; u < count; ++u) {
    if (lost[u] >= no_loss) continue;
    number[u] = static_cast<std::uint32_t>(sets.size());
    sets.push_back(sets_[u]);
    first.push_back(steps);
    steps += left[u];
  }
  first.push_back(steps);
  std::vector<Step> exact(steps);
  each_of(0, count, [&](std::size_t u) {
    if (lost[u] >= no_loss) return;
    std::size_t at = first[number[u]];
    for (Step step : ways[u]) {
      if (!kept(u, step)) continue;
      step.delta += on[step.child] - on[u];
      step.child = number[step.child];
      exact[at++] = step;
    }
    std::sort(exact.begin() + static_cast<std::ptrdiff_t>(first[number[u]]),
              exact.begin() + static_cast<std::ptrdiff_t>(at), [](Step const& a, Step const& b) {
                return std::tie(a.delta, a.x, a.choice) < std::tie(b.delta, b.x, b.choice);
              });
  });
  sets_ = std::move(sets);
  first_ = std::move(first);
  steps_ = std::move(exact);
}

std::vector<std::vector<bool>> LiveSets::used(Component const& component,
                                              std::size_t threads) const {
  std::vector<std::vector<std::atomic<bool>>> found;
  for (auto const& choices : component.lists) found.emplace_back(choices.size());
  in_pieces(steps_.size(), threads, [&](std::size_t i) {
    auto& flag = found[steps_[i].x][steps_[i].choice];
    if (!flag.load(std::memory_order_relaxed)) flag.store(true, std::memory_order_relaxed);
  });
  std::vector<std::vector<bool>> flags;
  for (auto const& own : found) {
    auto& out = flags.emplace_back();
    for (auto const& flag : own) out.push_back(flag);
  }
  return flags;
}

void LiveSets::tidy(Component& component, std::size_t threads) {
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
  auto const flags = used(component, threads);
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
  in_pieces(sets_.size(), threads, [&](std::size_t u) { sets_[u] = renamed(sets_[u]); });
  in_pieces(steps_.size(), threads, [&](std::size_t i) {
    Step& step = steps_[i];
    step.choice = number[step.x][step.choice];
    step.x = place[step.x];
    step.set = tidied.lists[step.x][step.choice].parents;
  });
  component = std::move(tidied);
}

}  // namespace bayesloom::credible
