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

CountEstimate WideSet::estimate(std::uint64_t probes, std::uint64_t seed, Control& control) {
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

std::pair<std::vector<double>, double> WideSet::shares(std::uint64_t networks, std::uint64_t seed,
                                                       Control& control) {
  std::vector<double> shares(cache_.candidate_count(), 0.0);
  std::vector<std::uint64_t> network(cache_.variable_count());
  double sum = 0, squares = 0;  // of the mass of networks drawn alone, or of companies
  auto const add = [&](double mass) {
    for (auto const c : network) shares[c] += mass;
  };
  if (counted_ && counted_->whole) {
    auto drawing = this->drawing(false, seed);
    for (std::uint64_t i = 0; i < networks && !control.should_stop(); ++i) {
      if (!drawing.draw(network)) break;
      add(1);
      sum += 1;
      squares += 1;
    }
  } else {
    Rng rng(seed);
    Population population(diagrams_, own_, fixing_.gap + slack_, slack_, true);
    for (std::uint64_t walks = 0; walks < networks && !control.stopped(); walks += for_shares) {
      auto const walkers = population.walk(for_shares, rng, control);
      if (!walkers) break;
      double company = 0;
      for (auto const& walker : *walkers) {
        candidates(walker.chosen, network);
        double const mass = walker.weight * std::exp(-to_nats(slack_ - walker.spare.loss));
        add(mass);
        company += mass;
      }
      sum += company;
      squares += company * company;
    }
  }
  if (sum > 0)
    for (double& share : shares) share /= sum;
  return {std::move(shares), squares > 0 ? sum * sum / squares : 0.0};
}

double CountedNear::count(Fixed loss) const {
  return static_cast<double>(set_.count_within(std::min(loss, slack)).nearest);
}

double CountedNear::mass(double rate) const { return set_.mass(rate); }

std::vector<NearNetworks::Drawn> CountedNear::draw(double rate, std::size_t size, Rng& rng) const {
  WideSet::Drawing drawing(set_, rate, false, rng());
  std::vector<Drawn> out;
  for (std::size_t i = 0; i < size; ++i) {
    Drawn drawn{std::vector<std::uint64_t>(set_.cache().variable_count()), 0};
    auto const score = drawing.draw(drawn.candidates);
    if (!score) break;
    drawn.loss = set_.best() - *score;
    out.push_back(std::move(drawn));
  }
  return out;
}

}  // namespace bayesloom::credible
