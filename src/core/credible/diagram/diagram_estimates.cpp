// Estimates of a wide set by random walks in company (sequential_monte_carlo.hpp).
//
// Companies grow from a few walks to many, so that there is something to say soon. Their estimates
// z differ in how much they count, by their sizes m:
//
//   count = sum of m z / sum of m,    error^2 = K / (K - 1) * sum of m^2 (z - count)^2 / (sum of
//   m)^2
//
// for K companies, and `effective` is (count / error)^2: so many draws from an even pot would be as
// good.
#include <algorithm>
#include <cmath>
#include <limits>

#include "credible/diagram/sequential_monte_carlo.hpp"
#include "credible/diagram/diagram_set.hpp"

namespace bayesloom::credible {

namespace {

constexpr std::size_t fewest = 16, most = 8192;  // walks of a company
constexpr std::size_t of_each = 4;               // companies of one size, then twice as many walks
constexpr std::size_t for_shares = 64;           // copies of one walk say little more than it does

}  // namespace

CountEstimate DiagramSet::estimate(std::uint64_t probes, std::uint64_t seed, Control& control) {
  Rng rng(seed);
  Population population(diagrams_, own_, fixing_.gap + slack_, slack_, false);
  std::vector<std::pair<double, double>> found;  // size and estimate
  double sum = 0, walks = 0;
  while (walks < static_cast<double>(probes) && !control.stopped()) {
    std::size_t const size = std::min(most, fewest << found.size() / of_each);
    auto const walkers = population.walk(size, rng, control);
    if (!walkers) break;
    double weights = 0;
    for (auto const& walker : *walkers) weights += walker.weight;
    auto const m = static_cast<double>(size);
    found.emplace_back(m, weights / m);
    sum += weights;
    walks += m;
  }
  CountEstimate out{.count = walks > 0 ? sum / walks : 0,
                    .error = std::numeric_limits<double>::infinity(),
                    .probes = static_cast<std::uint64_t>(walks),
                    .effective = 0};
  auto const companies = static_cast<double>(found.size());
  if (companies < 2 || sum <= 0) return out;  // walks that all fail say nothing
  double squares = 0;
  for (auto const& [m, z] : found) squares += m * m * (z - out.count) * (z - out.count);
  out.error = std::sqrt(companies / (companies - 1) * squares) / walks;
  out.effective = std::min(walks, out.count * out.count / (out.error * out.error));
  return out;
}

Shares DiagramSet::estimated_shares(std::uint64_t draws, std::uint64_t seed, Control& control) {
  Shares out{std::vector<double>(cache_.candidate_count(), 0.0)};
  std::vector<std::uint64_t> network(cache_.variable_count());
  double sum = 0, squares = 0;  // of the weight of networks drawn alone, or of particle systems
  auto const add = [&](double weight) {
    for (auto const c : network) out.of_candidate[c] += weight;
  };
  if (whole()) {
    auto const sampler = this->sampler(false, seed);
    for (std::uint64_t i = 0; i < draws && !control.should_stop(); ++i) {
      if (!sampler->draw(network)) break;
      add(1);
      sum += 1;
      squares += 1;
    }
  } else {
    Rng rng(seed);
    Population population(diagrams_, own_, fixing_.gap + slack_, slack_, true);
    for (std::uint64_t walks = 0; walks < draws && !control.stopped(); walks += for_shares) {
      auto const walkers = population.walk(for_shares, rng, control);
      if (!walkers) break;
      double company = 0;
      for (auto const& walker : *walkers) {
        candidates(walker.chosen, network);
        double const weight = walker.weight * std::exp(-to_nats(slack_ - walker.spare.loss));
        add(weight);
        company += weight;
      }
      sum += company;
      squares += company * company;
    }
  }
  if (sum > 0)
    for (double& share : out.of_candidate) share /= sum;
  out.effective = squares > 0 ? sum * sum / squares : 0.0;
  return out;
}

}  // namespace bayesloom::credible
