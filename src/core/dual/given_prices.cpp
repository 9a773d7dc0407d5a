#include "dual/given_prices.hpp"

#include <algorithm>
#include <string>

#include "base/errors.hpp"
#include "dual/simple_bound.hpp"
#include "dual/reduction.hpp"
#include "dual/inequalities_of_four.hpp"

namespace bayesloom::prices {

namespace {

Cluster checked(GivenRule const& rule, std::size_t n) {
  Cluster out{WideVarSet(n)};
  for (auto const v : rule.members) {
    if (v < 0 || v >= static_cast<std::int64_t>(n))
      throw InputError("a rule names variable " + std::to_string(v) + ", but the cache has " +
                       std::to_string(n) + ", numbered from 0.");
    if (out.members.contains(static_cast<std::size_t>(v)))
      throw InputError("a rule names variable " + std::to_string(v) + " twice.");
    out.members.insert(static_cast<std::size_t>(v));
  }
  if (rule.price < 0)
    throw InputError("the price of a rule must be at least 0, got " + std::to_string(rule.price) +
                     ".");
  if (rule.need < 1 || rule.need >= static_cast<std::int64_t>(rule.members.size()))
    throw InputError("the need of a rule must be at least 1 and less than its members, got " +
                     std::to_string(rule.need) + " of " + std::to_string(rule.members.size()) +
                     ".");
  out.need = static_cast<std::size_t>(rule.need);
  out.price = rule.price;
  if (rule.blocks.empty()) return out;
  bool known = rule.need == 2 && rule.members.size() == 4 && rule.blocks.size() == 4;
  for (std::size_t k = 0; k < 4 && known; ++k) {
    known = rule.blocks[k] >= 0 && rule.blocks[k] < 256;
    out.blocks[k] = static_cast<std::uint8_t>(rule.blocks[k]);
  }
  auto const& fours = rules_of_four();
  if (!known || std::find(fours.begin(), fours.end(), out.blocks) == fours.end())
    throw InputError(
        "the blocks of a rule are not those of a rule of four that every network obeys.");
  return out;
}

}  // namespace

std::vector<Cluster> checked_rules(std::span<GivenRule const> rules, std::size_t n) {
  std::vector<Cluster> out;
  Fixed left = price_room;
  for (auto const& rule : rules) {
    out.push_back(checked(rule, n));
    if (rule.price > left / rule.need)
      throw InputError("the prices of the rules are too high to add up.");
    left -= rule.need * rule.price;
  }
  return out;
}

std::vector<GivenRule> given_rules(std::span<Cluster const> clusters) {
  std::vector<GivenRule> out;
  for (auto const& cluster : clusters) {
    GivenRule rule{{}, static_cast<std::int64_t>(cluster.need), cluster.price, {}};
    for (std::size_t const v : cluster.members) rule.members.push_back(static_cast<std::int64_t>(v));
    if (!cluster.plain()) rule.blocks.assign(cluster.blocks.begin(), cluster.blocks.end());
    out.push_back(std::move(rule));
  }
  return out;
}

PricedRoot priced_root(ScoreCache const& cache, Universe const& universe, Fixed known,
                       std::span<std::vector<Cluster> const> lists) {
  Fixed const floor = known - simple_bound(cache);
  Node node = root_node(cache, universe, -floor);
  Fixed least = node.bound();
  std::vector<Cluster> const* best = nullptr;
  for (auto const& list : lists) {
    node.replace_prices(list);
    if (Fixed const bound = node.bound(); bound < least) {
      best = &list;
      least = bound;
    }
    if (node.bound() <= floor) break;
    fix(node, floor);
  }
  if (!lists.empty() && best != &lists.back())
    node.replace_prices(best ? *best : std::vector<Cluster>{});
  return {std::move(node), std::max(floor, least)};
}

}  // namespace bayesloom::prices
