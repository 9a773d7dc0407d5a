#include "dual/given_prices.hpp"

#include <algorithm>
#include <string>

#include "base/errors.hpp"
#include "dual/inequalities_of_four.hpp"
#include "dual/reduction.hpp"
#include "dual/simple_bound.hpp"

namespace bayesloom::dual {

namespace {

Cluster checked(GivenInequality const& inequality, std::size_t n) {
  Cluster out{WideVarSet(n)};
  for (auto const v : inequality.members) {
    if (v < 0 || v >= static_cast<std::int64_t>(n))
      throw InputError("an inequality names variable " + std::to_string(v) +
                       ", but the cache has " + std::to_string(n) + ", numbered from 0.");
    if (out.members.contains(static_cast<std::size_t>(v)))
      throw InputError("an inequality names variable " + std::to_string(v) + " twice.");
    out.members.insert(static_cast<std::size_t>(v));
  }
  if (inequality.price < 0)
    throw InputError("the price of an inequality must be at least 0, got " +
                     std::to_string(inequality.price) + ".");
  if (inequality.need < 1 ||
      inequality.need >= static_cast<std::int64_t>(inequality.members.size()))
    throw InputError(
        "the need of an inequality must be at least 1 and less than its members, got " +
        std::to_string(inequality.need) + " of " + std::to_string(inequality.members.size()) + ".");
  out.need = static_cast<std::size_t>(inequality.need);
  out.price = inequality.price;
  if (inequality.blocks.empty()) return out;
  bool known =
      inequality.need == 2 && inequality.members.size() == 4 && inequality.blocks.size() == 4;
  for (std::size_t k = 0; k < 4 && known; ++k) {
    known = inequality.blocks[k] >= 0 && inequality.blocks[k] < 256;
    out.blocks[k] = static_cast<std::uint8_t>(inequality.blocks[k]);
  }
  auto const& fours = inequalities_of_four();
  if (!known || std::find(fours.begin(), fours.end(), out.blocks) == fours.end())
    throw InputError(
        "the blocks of an inequality are not those of an inequality of four that every network "
        "obeys.");
  return out;
}

}  // namespace

std::vector<Cluster> checked_inequalities(std::span<GivenInequality const> inequalities,
                                          std::size_t n) {
  std::vector<Cluster> out;
  Fixed left = price_room;
  for (auto const& inequality : inequalities) {
    out.push_back(checked(inequality, n));
    if (inequality.price > left / inequality.need)
      throw InputError("the prices of the inequalities are too high to add up.");
    left -= inequality.need * inequality.price;
  }
  return out;
}

std::vector<GivenInequality> given_inequalities(std::span<Cluster const> clusters) {
  std::vector<GivenInequality> out;
  for (auto const& cluster : clusters) {
    GivenInequality inequality{{}, static_cast<std::int64_t>(cluster.need), cluster.price, {}};
    for (std::size_t const v : cluster.members)
      inequality.members.push_back(static_cast<std::int64_t>(v));
    if (!cluster.plain()) inequality.blocks.assign(cluster.blocks.begin(), cluster.blocks.end());
    out.push_back(std::move(inequality));
  }
  return out;
}

PricedProblem priced_problem(ScoreCache const& cache, Universe const& universe, Fixed known,
                             std::span<std::vector<Cluster> const> lists) {
  Fixed const floor = known - simple_bound(cache);
  Problem problem = whole_problem(cache, universe, -floor);
  Fixed least = problem.bound();
  std::vector<Cluster> const* best = nullptr;
  for (auto const& list : lists) {
    problem.replace_prices(list);
    if (Fixed const bound = problem.bound(); bound < least) {
      best = &list;
      least = bound;
    }
    if (problem.bound() <= floor) break;
    fix_by_reduced_cost(problem, floor);
  }
  if (!lists.empty() && best != &lists.back())
    problem.replace_prices(best ? *best : std::vector<Cluster>{});
  return {std::move(problem), std::max(floor, least)};
}

GivenBound given_bound(ScoreCache const& cache, Fixed known,
                       std::span<std::vector<Cluster> const> lists) {
  Universe const universe(cache);
  auto const [problem, bound] = priced_problem(cache, universe, known, lists);
  GivenBound out{bound + simple_bound(cache), {}, {}};
  for (auto const i : problem.variables)
    for (std::size_t c = problem.begin[i]; c < problem.end[i]; ++c) {
      out.kept.push_back(problem.origin[c]);
      out.reduced_cost.push_back(problem.best[i] - problem.priced[c]);
    }
  return out;
}

}  // namespace bayesloom::dual
