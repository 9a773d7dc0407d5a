#include "dual/separation.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "base/errors.hpp"
#include "dual/fractional_network.hpp"
#include "dual/violated.hpp"

namespace bayesloom::dual {

Separation::Separation(ScoreCache const& cache, std::span<std::size_t const> candidates)
    : universe_(cache) {
  if (!std::is_sorted(candidates.begin(), candidates.end(), std::less_equal<>{}) ||
      (!candidates.empty() && candidates.back() >= cache.candidate_count()))
    throw InputError("candidates must be numbers of candidates of the cache, ascending.");
  Problem all = whole_problem(cache, universe_, std::numeric_limits<Fixed>::max());
  for (Index const i : all.variables)
    all.remove(i, [&](std::size_t c) {
      return !std::binary_search(candidates.begin(), candidates.end(), all.origin[c]);
    });
  if (all.infeasible()) throw InputError("candidates must name at least one of each variable.");
  problem_ = all.compact();
}

void Separation::put_row(Cluster const& inequality, Rows& out) const {
  auto least = static_cast<double>(inequality.need);
  LocalInequality const& local = problem_.local(inequality);
  std::vector<std::int32_t> free, blocked;
  for (auto const& member : local.members) {
    free.clear();
    blocked.clear();
    with_test(problem_.masks.data(), local.masks.data() + member.first, universe_.words,
              member.test, [&](auto&& is_blocked) {
                for (std::size_t c = problem_.begin[member.variable];
                     c < problem_.end[member.variable]; ++c)
                  (is_blocked(c) ? blocked : free).push_back(static_cast<std::int32_t>(c));
              });
    bool const by_blocked = blocked.size() < free.size();
    auto const& shorter = by_blocked ? blocked : free;
    if (by_blocked) least -= 1;
    out.columns.insert(out.columns.end(), shorter.begin(), shorter.end());
    out.values.insert(out.values.end(), shorter.size(), by_blocked ? -1.0 : 1.0);
  }
  out.first.push_back(static_cast<std::int32_t>(out.columns.size()));
  out.least.push_back(least);
}

Rows Separation::add(std::vector<Cluster> inequalities) {
  Rows out;
  for (auto const& inequality : inequalities) put_row(inequality, out);
  for (auto& inequality : inequalities) problem_.clusters.push_back(std::move(inequality));
  return out;
}

std::vector<Cluster> Separation::violated(std::span<double const> shares, double least,
                                          Control& control) const {
  if (shares.size() != columns()) throw InputError("shares must have one number for each column.");
  std::vector<double> weights(shares.begin(), shares.end());
  for (double& weight : weights) weight = std::max(weight, 0.0);
  FractionalNetwork fractional(problem_);
  for (Index const i : problem_.variables) {
    std::span<double const> const own(weights.data() + problem_.begin[i],
                                      problem_.end[i] - problem_.begin[i]);
    if (!(*std::max_element(own.begin(), own.end()) > 0))
      throw InputError("shares of each variable must add up to 1.");
    fractional.add(i, own, problem_.mask(problem_.begin[i]), fractions.given_share);
  }
  auto found = violated_inequalities(fractional, 2, nullptr, control, {least, 1});
  if (found.empty())
    found = violated_inequalities(fractional, 2, nullptr, control, {least, fractions.many_starts});
  return found;
}

}  // namespace bayesloom::dual
