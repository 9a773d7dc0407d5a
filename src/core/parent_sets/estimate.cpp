// How much work `exhaustive` can be at most, told before it starts.
//
// A parent set P of i is scored only if the score's bound leaves room for it to beat the empty set:
// bound(r_i, q_P) >= s(i, {}) - margin. The bound falls with q_P, so what counts is how many sets
// have at most so many joint states. Variables with equally many states are alike: with n_c
// variables of c states, a set with m_c of each has prod c^m_c joint states, and there are prod
// C(n_c, m_c) of them. The true work is less, often far less: sets are also cut off by what their
// subsets score.
#include <cmath>
#include <limits>
#include <map>

#include "data/bit_planes.hpp"
#include "data/set_counter.hpp"
#include "parent_sets/parent_sets.hpp"

namespace bayesloom {

namespace {

struct Kind {
  double cardinality;
  std::size_t count;
};

double choose(std::size_t n, std::size_t m) {
  return std::exp(std::lgamma(static_cast<double>(n) + 1) -
                  std::lgamma(static_cast<double>(m) + 1) -
                  std::lgamma(static_cast<double>(n - m) + 1));
}

/// Sets of at most `size` variables with at most `states` joint states, over kinds from `k` on.
double count_sets(std::vector<Kind> const& kinds, std::size_t k, std::size_t size, double states) {
  if (k == kinds.size()) return 1;
  double sum = 0;
  double used = 1;
  for (std::size_t m = 0; m <= std::min(size, kinds[k].count) && used <= states; ++m) {
    sum += choose(kinds[k].count, m) * count_sets(kinds, k + 1, size - m, states / used);
    used *= kinds[k].cardinality;
  }
  return sum;
}

/// The largest number of joint states for which the bound leaves room; infinity if it never ends.
double largest_states(Score const& score, std::uint32_t r, double least) {
  double const never = 1e300;
  if (score.bound(r, never, 0, 0) >= least) return std::numeric_limits<double>::infinity();
  double low = 1;
  double high = 2;
  while (score.bound(r, high, 0, 0) >= least) high *= 2;
  while (high - low > 0.5) {
    double const middle = (low + high) / 2;
    (score.bound(r, middle, 0, 0) >= least ? low : high) = middle;
  }
  return low + 0.5;
}

}  // namespace

ExhaustiveEstimate estimate_exhaustive(EncodedData const& data, ScoreSpec const& spec,
                                       ExhaustiveOptions const& options) {
  auto const score = make_score(spec, data);
  BitPlanes const planes(data);
  SetCounter counter = make_counter(spec, data, planes);
  Statistic const statistic = find_score(spec).statistic;
  bool const by_states = statistic == Statistic::cells ||
                         (statistic == Statistic::families && data.continuous_count() == 0);
  std::size_t const most =
      std::min(options.max_parents.value_or(data.variable_count()), data.variable_count() - 1);
  auto const bounds = make_bounds(spec, data);
  std::map<std::uint32_t, std::size_t> by_cardinality;
  for (auto const r : data.cardinalities())
    if (r > 1) ++by_cardinality[r];

  Cells none;
  Cells family;
  ExhaustiveEstimate estimate;
  for (std::size_t v = 0; v < data.variable_count(); ++v) {
    auto const child = static_cast<Variable>(v);
    auto const r = data.cardinality(child);
    if (r == 1 || !options.shard.has(v)) continue;
    counter.family(child, none, family);
    double const empty = to_nats(score->local_score(family, none, r));
    if (!by_states) {
      std::size_t size = 0;
      while (size < most && (!bounds || bounds->of_size(child, size + 1) >= empty - options.margin))
        ++size;
      for (std::size_t m = 0; m <= size; ++m)
        estimate.local_scores += choose(data.variable_count() - 1, m);
      estimate.largest_set = std::max(estimate.largest_set, size);
      continue;
    }
    double const states = largest_states(*score, r, empty - options.margin);
    std::vector<Kind> kinds;
    for (auto const& [cardinality, count] : by_cardinality)
      kinds.push_back({static_cast<double>(cardinality), count - (cardinality == r ? 1 : 0)});
    std::size_t const limit = options.max_parents.value_or(data.variable_count());
    estimate.local_scores += count_sets(kinds, 0, limit, states);
    // The largest set takes the smallest cardinalities first.
    double used = 1;
    std::size_t largest = 0;
    for (auto const& kind : kinds)
      for (std::size_t m = 0;
           m < kind.count && largest < limit && used * kind.cardinality <= states; ++m) {
        used *= kind.cardinality;
        ++largest;
      }
    estimate.largest_set = std::max(estimate.largest_set, largest);
  }
  return estimate;
}

}  // namespace bayesloom
