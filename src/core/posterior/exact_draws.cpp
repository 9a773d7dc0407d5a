#include "posterior/exact_draws.hpp"

#include <algorithm>
#include <map>

#include "base/parallel.hpp"
#include "base/rng.hpp"

namespace bayesloom::posterior {

namespace {

class Drawing {
 public:
  Drawing(ExactSums const& sums, std::size_t count, std::uint64_t seed)
      : sums_(sums),
        part_(sums.part()),
        n_(part_.size()),
        placed_(count, 0),
        last_(count, 0),
        chosen_(count * n_) {
    Rng const root(seed);
    for (std::size_t d = 0; d < count; ++d) random_.push_back(root.split(d));
    sets_.resize(n_);
    for (std::size_t v = 0; v < n_; ++v)
      for (auto const& family : part_.families[v]) {
        std::uint32_t set = 0;
        for (std::uint32_t const p : part_.of(v, family)) set |= std::uint32_t{1} << p;
        sets_[v].push_back(set);
      }
  }

  bool run(std::size_t threads, Control& control) {
    std::uint32_t const all = static_cast<std::uint32_t>((std::size_t{1} << n_) - 1);
    while (true) {
      std::map<std::uint32_t, std::vector<std::size_t>> groups;
      for (std::size_t d = 0; d < placed_.size(); ++d)
        if (placed_[d] != all) groups[placed_[d]].push_back(d);
      if (groups.empty()) return true;
      std::vector<std::pair<std::uint32_t, std::vector<std::size_t> const*>> tasks;
      for (auto const& [placed, draws] : groups) tasks.emplace_back(placed, &draws);
      parallel_for(threads, tasks.size(), control, [&](std::size_t task, std::size_t) {
        go_on(tasks[task].first, *tasks[task].second, control);
      });
      if (control.stopped()) return false;
    }
  }

  std::vector<std::uint32_t> take() { return std::move(chosen_); }

 private:
  /// Draws the next layer of all draws that have placed the same variables.
  void go_on(std::uint32_t placed, std::vector<std::size_t> const& draws, Control& control) {
    std::vector<std::size_t> others;
    for (std::size_t v = 0; v < n_; ++v)
      if ((placed >> v & 1) == 0 && sums_.alpha(v, placed).m > 0) others.push_back(v);
    std::size_t const count = std::size_t{1} << others.size();
    std::vector<std::uint32_t> sets(count, placed);
    std::vector<double> mass(count, 0.0);
    {
      std::vector<double> product(count, 1.0);
      std::vector<std::int64_t> exponent(count, sums_.unit(placed));
      for (std::size_t j = 0; j < others.size(); ++j) {
        std::size_t const half = std::size_t{1} << j;
        auto const w = sums_.alpha(others[j], placed);
        for (std::size_t t = 0; t < half; ++t) {
          sets[half + t] = sets[t] | std::uint32_t{1} << others[j];
          product[half + t] = product[t] * w.m;
          exponent[half + t] = exponent[t] + w.e;
        }
      }
      for (std::size_t t = 1; t < count; ++t)
        mass[t] = product[t] * sums_.completion(sets[t]) *
                  power_of_two(exponent[t] - sums_.unit(sets[t]));
    }
    for (std::size_t bit = 1; bit < count; bit *= 2)
      for (std::size_t base = 0; base < count; base += 2 * bit)
        for (std::size_t t = base; t < base + bit; ++t) mass[t] -= mass[t + bit];
    mass[0] = 0;
    for (double& one : mass) one = std::max(0.0, one);
    control.should_stop(count * (others.size() + 1));

    std::map<std::uint32_t, std::vector<std::size_t>> by_last;
    for (std::size_t const d : draws) by_last[last_[d]].push_back(d);
    std::vector<double> reached(count);
    for (auto const& [last, mine] : by_last) {
      // Product over T of (1 - B_i / A_i): the share of the weight that has a parent in the last layer.
      reached[0] = 1;
      for (std::size_t j = 0; j < others.size(); ++j) {
        std::size_t const half = std::size_t{1} << j;
        double factor = 1;
        if (placed != 0) {
          auto const& inner = sums_.alpha(others[j], placed & ~last);
          if (inner.m > 0) factor = std::max(0.0, 1.0 - inner.over(sums_.alpha(others[j], placed)));
        }
        for (std::size_t t = 0; t < half; ++t) reached[half + t] = reached[t] * factor;
      }
      double sum = 0;
      reached[0] = 0;
      for (std::size_t t = 1; t < count; ++t) reached[t] = sum += reached[t] * mass[t];
      for (std::size_t const d : mine) {
        auto& random = random_[d];
        double const wanted = random.uniform() * sum;
        auto const at = static_cast<std::size_t>(
            std::upper_bound(reached.begin() + 1, reached.end(), wanted) - reached.begin());
        std::uint32_t const layer = sets[std::min(at, count - 1)] & ~placed;
        for (std::size_t v = 0; v < n_; ++v)
          if (layer >> v & 1) chosen_[d * n_ + v] = family(v, placed, last, random);
        placed_[d] |= layer;
        last_[d] = layer;
      }
      if (control.should_stop(count * mine.size())) return;
    }
  }

  /// Draws a family of v by weight, with all parents placed and at least one of them in the last layer.
  std::uint32_t family(std::size_t v, std::uint32_t placed, std::uint32_t last, Rng& random) const {
    auto const fits = [&](std::uint32_t set) {
      return (set & ~placed) == 0 && (placed == 0 || (set & last) != 0);
    };
    auto const& families = part_.families[v];
    double best = -1, sum = 0;
    for (std::size_t f = 0; f < families.size(); ++f)
      if (fits(sets_[v][f])) {
        if (best < 0) best = families[f].loss;
        sum += std::exp(best - families[f].loss);
      }
    double wanted = random.uniform() * sum;
    std::uint32_t found = 0;
    for (std::size_t f = 0; f < families.size(); ++f)
      if (fits(sets_[v][f])) {
        found = static_cast<std::uint32_t>(f);
        wanted -= std::exp(best - families[f].loss);
        if (wanted < 0) break;
      }
    return found;
  }

  ExactSums const& sums_;
  Part const& part_;
  std::size_t const n_;
  std::vector<std::vector<std::uint32_t>> sets_;
  std::vector<std::uint32_t> placed_, last_;
  std::vector<std::uint32_t> chosen_;
  std::vector<Rng> random_;
};

}  // namespace

std::optional<std::vector<std::uint32_t>> exact_draws(ExactSums const& sums, std::size_t count,
                                                      std::uint64_t seed, std::size_t threads,
                                                      Control& control) {
  Drawing drawing(sums, count, seed);
  if (!drawing.run(threads, control)) return std::nullopt;
  return drawing.take();
}

}  // namespace bayesloom::posterior
