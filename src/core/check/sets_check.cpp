#include "check/sets_check.hpp"

#include <algorithm>
#include <bit>
#include <numeric>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/errors.hpp"

namespace bayesloom::check {

namespace {

__extension__ using Wide = __int128;
constexpr std::size_t bytes_of_set = 64;  // in a layer, roughly

struct Choice {
  std::uint64_t parents;
  Wide score, most;                                // `most` with all that rules may add
  std::vector<std::pair<std::size_t, Wide>> paid;  // by which rule, how much
};
using List = std::vector<Choice>;

/// The largest value of a list that begins with the largest `most`, where value(choice) is at most
/// choice.most, or nothing.
template <typename Value>
std::optional<Wide> best_of(List const& list, Value&& value) {
  std::optional<Wide> best;
  for (auto const& choice : list) {
    if (best && choice.most <= *best) break;
    if (std::optional<Wide> const found = value(choice); found && (!best || *found > *best))
      best = found;
  }
  return best;
}

struct Placing {
  std::vector<List> lists;                        // by variable
  std::vector<std::vector<Wide>> largest_weight;  // by rule, by variable
  PricedRules const& rules;

  Placing(Choices const& choices, PricedRules const& given) : rules(given) {
    std::size_t const n = choices.first.size() - 1, all = choices.scores.size();
    largest_weight.assign(rules.prices.size(), std::vector<Wide>(n, -(Wide{1} << 20)));
    for (std::size_t v = 0; v < n; ++v) {
      auto& list = lists.emplace_back();
      for (auto c = choices.first[v]; c < choices.first[v + 1]; ++c) {
        list.push_back({choices.parents[c], choices.scores[c], choices.scores[c], {}});
        for (std::size_t r = 0; r < rules.prices.size(); ++r) {
          Wide const weight = rules.weights[r * all + c], paid = weight * rules.prices[r];
          largest_weight[r][v] = std::max(largest_weight[r][v], weight);
          list.back().most += std::max<Wide>(paid, 0);
          if (paid != 0) list.back().paid.emplace_back(r, paid);
        }
      }
      std::ranges::stable_sort(list, [](auto& a, auto& b) { return a.most > b.most; });
    }
  }

  /// What the variables outside `set` add at most, once those inside come first.
  Wide rest(std::uint64_t set) const {
    Wide total = 0;
    std::vector<char> asks(rules.prices.size());
    for (std::size_t r = 0; r < asks.size(); ++r) {
      Wide need = rules.needs[r];
      for (auto left = set; left != 0; left &= left - 1)
        need -= largest_weight[r][static_cast<std::size_t>(std::countr_zero(left))];
      asks[r] = need > 0;
      if (need > 0) total -= need * rules.prices[r];
    }
    for (std::size_t v = 0; v < lists.size(); ++v)
      if ((set >> v & 1) == 0)
        total += *best_of(lists[v], [&](Choice const& choice) {
          Wide value = choice.score;
          for (auto const& [r, paid] : choice.paid)
            if (asks[r] != 0) value += paid;
          return std::optional(value);
        });
    return total;
  }
};

}  // namespace

SetsVerdict check_sets(Choices const& choices, PricedRules const& rules, std::int64_t goal,
                       double memory_bytes, Control& control) {
  std::size_t const n = choices.first.empty() ? 65 : choices.first.size() - 1;
  std::size_t const all = choices.scores.size();
  if (n > 64 || choices.first.front() != 0 || choices.parents.size() != all ||
      choices.first.back() != all || !std::ranges::is_sorted(choices.first) ||
      rules.needs.size() != rules.prices.size() ||
      rules.weights.size() != rules.prices.size() * all)
    throw InputError("the choices and rules do not fit together.");
  Placing const placing(choices, rules);
  SetsVerdict verdict;
  if (std::ranges::any_of(placing.lists, [](List const& list) { return list.empty(); }))
    return verdict;  // there is no network
  std::unordered_map<std::uint64_t, Wide> layer{{0, 0}}, next;
  for (std::size_t placed = 0; placed < n; ++placed) {
    next.clear();
    for (auto const& [set, score] : layer) {
      ++verdict.sets;
      if (control.should_stop()) return {"the check was stopped", verdict.sets};
      if (score + placing.rest(set) <= goal) continue;
      for (std::size_t v = 0; v < n; ++v) {
        if ((set >> v & 1) != 0) continue;
        auto const best = best_of(placing.lists[v], [&, here = set](Choice const& choice) {
          return (choice.parents & ~here) == 0 ? std::optional(choice.score) : std::nullopt;
        });
        if (!best) continue;
        Wide& there = next.try_emplace(set | std::uint64_t{1} << v, score + *best).first->second;
        there = std::max(there, score + *best);
      }
      if (static_cast<double>(next.size() * bytes_of_set) > memory_bytes)
        return {"its sets do not fit the memory", verdict.sets};
    }
    std::swap(layer, next);
  }
  for (auto const& [set, score] : layer)
    if (score > goal) verdict.problem = "a network over these lists scores above the goal";
  return verdict;
}

}  // namespace bayesloom::check
