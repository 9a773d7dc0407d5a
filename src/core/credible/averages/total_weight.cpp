#include "credible/averages/total_weight.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <string>
#include <vector>

#include "base/errors.hpp"
#include "base/parallel.hpp"
#include "base/scaled.hpp"
#include "credible/component.hpp"
#include "dual/simple_bound.hpp"

namespace bayesloom::credible {

namespace {

class Layers {
 public:
  Layers(Component const& component, std::size_t threads)
      : n_(component.size()), threads_(threads), size_(std::size_t{1} << n_), ternary_(size_, 0) {
    std::size_t power = 1;
    for (std::size_t v = 0; v < n_; ++v, power *= 3)
      for (std::size_t low = 0; low < std::size_t{1} << v; ++low)
        ternary_[low | std::size_t{1} << v] = ternary_[low] + power;
    mass_.assign(power, 0.0);
    alpha_.assign(n_, std::vector<Scaled>(size_));
    for (std::size_t v = 0; v < n_; ++v) {
      auto& sums = alpha_[v];
      for (auto const& choice : component.lists[v])
        sums[choice.parents.bits()] += Scaled::exp_of(-to_nats(choice.loss));
      for (std::size_t bit = 1; bit < size_; bit *= 2)
        for (std::size_t base = 0; base < size_; base += 2 * bit)
          for (std::size_t set = base; set < base + bit; ++set) sums[set + bit] += sums[set];
    }
    unit_.assign(size_, no_exponent);
    unit_[0] = 0;
    for (std::size_t set = 1; set < size_; ++set)
      for (std::size_t left = set; left != 0; left &= left - 1) {
        std::size_t const rest = set & ~(left & (~left + 1));
        std::int64_t const e = alpha_[static_cast<std::size_t>(std::countr_zero(left))][rest].e;
        unit_[set] = std::max({unit_[set], unit_[rest] + e, no_exponent});
      }
  }

  /// ln of the sum, or nothing if stopped.
  std::optional<double> run(Control& control) {
    std::vector<std::vector<std::size_t>> by_count(n_ + 1);
    for (std::size_t set = 0; set < size_; ++set)
      by_count[static_cast<std::size_t>(std::popcount(set))].push_back(set);
    std::vector<Room> rooms(threads_);
    for (auto const& sets : by_count) {
      parallel_for(threads_, sets.size(), control, [&](std::size_t task, std::size_t worker) {
        extend(sets[task], rooms[worker], control);
      });
      if (control.stopped()) return std::nullopt;
    }
    double sum = n_ == 0 ? 1.0 : 0.0;
    for (std::size_t last = size_ - 1; last != 0; last = (last - 1) & (size_ - 1))
      sum += mass(size_ - 1, last);
    if (sum == 0)
      throw InfeasibleError("no acyclic network can be made from the candidates of this cache.");
    return std::log(sum) + static_cast<double>(unit_[size_ - 1]) * std::numbers::ln2;
  }

 private:
  struct Room {
    std::vector<double> rows, columns, sums;
  };
  static constexpr std::size_t at_once = 8;  // layers L whose products are added in one pass

  double& mass(std::size_t placed, std::size_t last) {
    return mass_[ternary_[placed] + ternary_[last]];
  }

  /// All products over the subsets of some factors: out[T] = first * product of factors in T.
  static void products(double first, double const* factors, std::size_t count, double* out) {
    out[0] = first;
    for (std::size_t j = 0; j < count; ++j)
      for (std::size_t t = 0; t < std::size_t{1} << j; ++t)
        out[t + (std::size_t{1} << j)] = out[t] * factors[j];
  }

  /// Finds f(U + T, T) for U = `placed` and every next layer T.
  void extend(std::size_t placed, Room& room, Control& control) {
    std::vector<std::size_t> next;
    for (std::size_t v = 0; v < n_; ++v)
      if ((placed >> v & 1) == 0 && alpha_[v][placed].m > 0) next.push_back(v);
    if (next.empty()) return;
    std::size_t const high = next.size() / 2, low = next.size() - high;
    std::size_t const tall = std::size_t{1} << high, wide = std::size_t{1} << low;
    room.rows.resize(at_once * tall);
    room.columns.resize(at_once * wide);
    room.sums.assign(tall * wide, 0.0);
    std::vector<double> factors(next.size());
    std::size_t filled = 0;
    std::uint64_t work = 0;
    auto const add = [&](double first) {
      products(1.0, factors.data(), low, room.columns.data() + filled * wide);
      products(first, factors.data() + low, high, room.rows.data() + filled * tall);
      if (++filled == at_once) flush(room, tall, wide, filled);
    };
    if (placed == 0) {
      std::fill(factors.begin(), factors.end(), 1.0);
      add(1.0);
    }
    for (std::size_t last = placed; last != 0; last = (last - 1) & placed) {
      double const first = mass(placed, last);
      if (first == 0) continue;
      for (std::size_t j = 0; j < next.size(); ++j) {
        auto const& alpha = alpha_[next[j]];
        factors[j] = std::max(0.0, 1.0 - alpha[placed & ~last].over(alpha[placed]));
      }
      add(first);
      if ((++work & 1023) == 0 && control.should_stop(1024 * tall * wide)) return;
    }
    if (filled > 0) flush(room, tall, wide, filled);
    control.should_stop((work & 1023) * tall * wide + 1);

    // From units of f(U, L) times all alpha_v(U) to those of U + T.
    for (std::size_t t = 1; t < tall * wide; ++t) {
      double product = room.sums[t];
      if (product == 0) continue;
      std::int64_t exponent = unit_[placed];
      std::size_t layer = 0;
      for (std::size_t left = t; left != 0; left &= left - 1) {
        std::size_t const v = next[static_cast<std::size_t>(std::countr_zero(left))];
        layer |= std::size_t{1} << v;
        product *= alpha_[v][placed].m;
        exponent += alpha_[v][placed].e;
      }
      mass(placed | layer, layer) = product * power_of_two(exponent - unit_[placed | layer]);
    }
  }

  /// sums[row][column] += rows * columns of the layers gathered.
  static void flush(Room& room, std::size_t tall, std::size_t wide, std::size_t& filled) {
    std::fill(room.rows.begin() + static_cast<std::ptrdiff_t>(filled * tall), room.rows.end(), 0.0);
    if (filled < at_once)
      std::fill(room.columns.begin() + static_cast<std::ptrdiff_t>(filled * wide),
                room.columns.end(), 0.0);
    double const* const c = room.columns.data();
    for (std::size_t row = 0; row < tall; ++row) {
      double const* const r = room.rows.data() + row;
      double* const sums = room.sums.data() + row * wide;
      double const a0 = r[0], a1 = r[tall], a2 = r[2 * tall], a3 = r[3 * tall];
      double const a4 = r[4 * tall], a5 = r[5 * tall], a6 = r[6 * tall], a7 = r[7 * tall];
      for (std::size_t k = 0; k < wide; ++k)
        sums[k] +=
            ((a0 * c[k] + a1 * c[k + wide]) + (a2 * c[k + 2 * wide] + a3 * c[k + 3 * wide])) +
            ((a4 * c[k + 4 * wide] + a5 * c[k + 5 * wide]) +
             (a6 * c[k + 6 * wide] + a7 * c[k + 7 * wide]));
    }
    filled = 0;
  }

  std::size_t const n_, threads_, size_;
  std::vector<std::size_t> ternary_;        // sum of 3^v over a set
  std::vector<double> mass_;                // f(U, L) at ternary U + ternary L
  std::vector<std::vector<Scaled>> alpha_;  // by variable, then U
  std::vector<std::int64_t> unit_;          // E(U)
};

}  // namespace

std::optional<double> log_total_weight(ScoreCache const& cache, Fixed reference,
                                       std::size_t threads, double memory_bytes, Control& control) {
  auto const parts = components(cache, std::vector<bool>(cache.candidate_count(), true));
  double log_total = to_nats(simple_bound(cache) - reference);
  for (auto const& part : parts) {
    auto const n = static_cast<double>(part.size());
    if (part.size() > most_for_total)
      throw ResourceError("the mass of all networks is summed for components of up to " +
                          std::to_string(most_for_total) + " variables; the largest here has " +
                          std::to_string(part.size()) + ".");
    double const bytes = 8 * std::pow(3, n) + (16 + 16 * n) * std::exp2(n);
    if (bytes > memory_bytes)
      throw ResourceError("the mass of all networks over " + std::to_string(part.size()) +
                          " variables needs " +
                          std::to_string(static_cast<std::uint64_t>(bytes / 1e6)) +
                          " MB of memory, and less is allowed.");
    auto const found = Layers(part, threads).run(control);
    if (!found) return std::nullopt;
    log_total += *found;
  }
  return log_total;
}

}  // namespace bayesloom::credible
