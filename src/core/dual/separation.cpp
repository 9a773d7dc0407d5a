#include "dual/separation.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "base/errors.hpp"
#include "dual/fractional_network.hpp"
#include "dual/violated.hpp"

namespace bayesloom::prices {

Separation::Separation(ScoreCache const& cache, std::span<std::size_t const> candidates)
    : universe_(cache) {
  if (!std::is_sorted(candidates.begin(), candidates.end(), std::less_equal<>{}) ||
      (!candidates.empty() && candidates.back() >= cache.candidate_count()))
    throw InputError("candidates must be numbers of candidates of the cache, ascending.");
  Node all = root_node(cache, universe_, std::numeric_limits<Fixed>::max());
  for (Index const i : all.variables)
    all.remove(i, [&](std::size_t c) {
      return !std::binary_search(candidates.begin(), candidates.end(), all.origin[c]);
    });
  if (all.infeasible()) throw InputError("candidates must name at least one of each variable.");
  node_ = all.compact();
}

Row Separation::row(Cluster const& rule) const {
  Row out;
  out.least = static_cast<double>(rule.need);
  LocalRule const& local = node_.local(rule);
  std::vector<std::int32_t> free, blocked;
  for (auto const& member : local.members) {
    free.clear();
    blocked.clear();
    with_test(node_.masks.data(), local.masks.data() + member.first, universe_.words, member.test,
              [&](auto&& is_blocked) {
                for (std::size_t c = node_.begin[member.variable]; c < node_.end[member.variable];
                     ++c)
                  (is_blocked(c) ? blocked : free).push_back(static_cast<std::int32_t>(c));
              });
    bool const by_blocked = blocked.size() < free.size();
    auto const& shorter = by_blocked ? blocked : free;
    if (by_blocked) out.least -= 1;
    out.columns.insert(out.columns.end(), shorter.begin(), shorter.end());
    out.values.insert(out.values.end(), shorter.size(), by_blocked ? -1.0 : 1.0);
  }
  return out;
}

void Separation::add(std::vector<Cluster> rules) {
  for (auto& rule : rules) node_.clusters.push_back(std::move(rule));
}

std::vector<Cluster> Separation::violated(std::span<double const> shares, double least,
                                          Control& control) const {
  constexpr double least_share = 1e-6;
  if (shares.size() != columns()) throw InputError("shares must have one number for each column.");
  std::vector<double> weights(shares.begin(), shares.end());
  for (double& weight : weights) weight = std::max(weight, 0.0);
  Shares fractional(node_);
  for (Index const i : node_.variables) {
    std::span<double const> const own(weights.data() + node_.begin[i],
                                      node_.end[i] - node_.begin[i]);
    if (!(*std::max_element(own.begin(), own.end()) > 0))
      throw InputError("shares of each variable must add up to 1.");
    fractional.add(i, own, node_.mask(node_.begin[i]), least_share);
  }
  auto found = violated_rules(fractional, 2, nullptr, control, {least, 1});
  if (found.empty()) found = violated_rules(fractional, 2, nullptr, control, {least, 1000});
  return found;
}

}  // namespace bayesloom::prices
