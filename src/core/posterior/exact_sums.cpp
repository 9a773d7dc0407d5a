#include "posterior/exact_sums.hpp"

#include <cmath>

#include "base/errors.hpp"
#include "base/parallel.hpp"
#include "posterior/tuning.hpp"

namespace bayesloom::posterior {

/// For one set R: the others, and for every set T of them (a number whose bits stand for others) the set R + T and
/// the signed product of W_i(R) over T with its exponent.
struct ExactSums::Terms {
  std::vector<std::size_t> others;
  std::vector<std::uint32_t> set;
  std::vector<double> product;
  std::vector<std::int64_t> exponent;
  std::vector<double> term;

  std::size_t count() const { return std::size_t{1} << others.size(); }
};

double ExactSums::bytes(std::size_t n) {
  auto const m = static_cast<double>(n);
  double const sets = std::exp2(m);
  return sets * (m / 2 * (16 + 8) + 4 + 16 + 8 * tuning::lanes) + sets * 48;
}

double ExactSums::bytes_of_thread(std::size_t n) {
  // Terms of a set that is not empty; the empty one is alone in its layer.
  return std::exp2(static_cast<double>(n) - 1) * (4 + 3 * 8);
}

ExactSums::ExactSums(Part const& part)
    : part_(&part),
      n_(part.size()),
      size_(std::size_t{1} << n_),
      alpha_(n_),
      slope_(n_),
      unit_(size_, no_exponent),
      before_(size_, 0.0),
      after_(size_, 0.0) {}

std::optional<ExactSums> ExactSums::make(Part const& part, std::size_t threads, Control& control) {
  ExactSums sums(part);
  sums.sum_families(threads, control);
  if (control.stopped() || !sums.forwards(threads, control)) return std::nullopt;
  if (!(sums.before_[sums.size_ - 1] > 0))
    throw InfeasibleError("no acyclic network can be made from the candidates of this cache.");
  if (!sums.backwards(threads, control) || !sums.spread(threads, control)) return std::nullopt;
  return sums;
}

double ExactSums::log_total() const {
  return std::log(before_[size_ - 1]) + static_cast<double>(unit_[size_ - 1]) * std::numbers::ln2;
}

void ExactSums::sum_families(std::size_t threads, Control& control) {
  parallel_for(threads, n_, control, [&](std::size_t v, std::size_t) {
    auto& sums = alpha_[v];
    sums.assign(size_ / 2, {});
    for (auto const& family : part_->families[v]) {
      std::size_t set = 0;
      for (std::uint32_t const p : part_->of(v, family)) set |= std::size_t{1} << p;
      sums[without_bit(set, v)] += Scaled::exp_of(-family.loss);
    }
    for (std::size_t bit = 1; bit < size_ / 2; bit *= 2) {
      for (std::size_t base = 0; base < size_ / 2; base += 2 * bit)
        for (std::size_t set = base; set < base + bit; ++set) sums[set + bit] += sums[set];
      if (control.should_stop(size_ / 2)) return;
    }
  });
  if (control.stopped()) return;
  unit_[0] = 0;
  for (std::size_t set = 1; set < size_; ++set) {
    if (set % tuning::sets_between_looks == 0 && control.should_stop(0)) return;
    for (std::size_t left = set; left != 0; left &= left - 1) {
      std::size_t const rest = set & ~(left & (~left + 1));
      std::int64_t const e = alpha(static_cast<std::size_t>(std::countr_zero(left)), rest).e;
      unit_[set] = std::max({unit_[set], unit_[rest] + e, no_exponent});
    }
  }
}

void ExactSums::terms(std::size_t placed, Terms& out) const {
  out.others.clear();
  for (std::size_t v = 0; v < n_; ++v)
    if ((placed >> v & 1) == 0 && alpha(v, placed).m > 0) out.others.push_back(v);
  std::size_t const count = out.count();
  out.set.resize(count);
  out.product.resize(count);
  out.exponent.resize(count);
  out.term.resize(count);
  out.set[0] = static_cast<std::uint32_t>(placed);
  out.product[0] = -1;
  out.exponent[0] = unit_[placed];
  for (std::size_t j = 0; j < out.others.size(); ++j) {
    std::size_t const half = std::size_t{1} << j;
    auto const bit = std::uint32_t{1} << out.others[j];
    auto const w = alpha(out.others[j], placed);
    for (std::size_t t = 0; t < half; ++t) {
      out.set[half + t] = out.set[t] | bit;
      out.product[half + t] = -out.product[t] * w.m;
      out.exponent[half + t] = out.exponent[t] + w.e;
    }
  }
}

bool ExactSums::forwards(std::size_t threads, Control& control) {
  std::vector<std::vector<std::uint32_t>> by_count(n_ + 1);
  for (std::size_t set = 0; set < size_; ++set)
    by_count[static_cast<std::size_t>(std::popcount(set))].push_back(
        static_cast<std::uint32_t>(set));
  std::vector<std::vector<double>> lanes(tuning::lanes, std::vector<double>(size_, 0.0));
  std::vector<Terms> rooms(threads);
  before_[0] = 1;
  for (std::size_t k = 0; k <= n_; ++k) {
    auto const& layer = by_count[k];
    if (k > 0)
      for (std::uint32_t const set : layer) {
        double sum = 0;
        for (auto const& lane : lanes) sum += lane[set];
        before_[set] = std::max(0.0, sum);
      }
    parallel_for(threads, tuning::lanes, control, [&](std::size_t lane, std::size_t worker) {
      auto& sums = lanes[lane];
      auto& room = rooms[worker];
      std::uint64_t work = 0;
      for (std::size_t at = lane; at < layer.size(); at += tuning::lanes) {
        std::size_t const placed = layer[at];
        double const first = before_[placed];
        if (first == 0) continue;
        terms(placed, room);
        for (std::size_t t = 1; t < room.count(); ++t) {
          std::size_t const set = room.set[t];
          sums[set] += first * room.product[t] * power_of_two(room.exponent[t] - unit_[set]);
        }
        work += room.count();
        if (work >= tuning::products_between_looks) {
          if (control.should_stop(work)) return;
          work = 0;
        }
      }
      control.should_stop(work);
    });
    if (control.stopped()) return false;
  }
  return true;
}

bool ExactSums::backwards(std::size_t threads, Control& control) {
  std::vector<std::vector<std::uint32_t>> by_count(n_ + 1);
  for (std::size_t set = 0; set < size_; ++set)
    by_count[static_cast<std::size_t>(std::popcount(set))].push_back(
        static_cast<std::uint32_t>(set));
  for (auto& slope : slope_) slope.assign(size_ / 2, 0.0);
  std::vector<Terms> rooms(threads);
  after_[size_ - 1] = 1;
  constexpr std::size_t sets_per_task = 64;
  for (std::size_t k = n_; k-- > 0;) {
    auto const& layer = by_count[k];
    std::size_t const tasks = (layer.size() + sets_per_task - 1) / sets_per_task;
    parallel_for(threads, tasks, control, [&](std::size_t task, std::size_t worker) {
      auto& room = rooms[worker];
      std::uint64_t work = 0;
      for (std::size_t at = task * sets_per_task;
           at < std::min(layer.size(), (task + 1) * sets_per_task); ++at) {
        std::size_t const placed = layer[at];
        terms(placed, room);
        std::size_t count = room.count();
        double sum = 0;
        room.term[0] = 0;
        for (std::size_t t = 1; t < count; ++t) {
          std::size_t const set = room.set[t];
          room.term[t] =
              room.product[t] * after_[set] * power_of_two(room.exponent[t] - unit_[set]);
          sum += room.term[t];
        }
        after_[placed] = std::max(0.0, sum);
        // For each bit, the sum of the terms that have it: sum the upper half, then fold it onto the lower.
        for (std::size_t j = room.others.size(); j-- > 0;) {
          std::size_t const half = std::size_t{1} << j;
          double with = 0;
          for (std::size_t t = 0; t < half; ++t) {
            with += room.term[half + t];
            room.term[t] += room.term[half + t];
          }
          slope_[room.others[j]][without_bit(placed, room.others[j])] = before_[placed] * with;
        }
        work += room.count();
        if (work >= tuning::products_between_looks) {
          if (control.should_stop(work)) return;
          work = 0;
        }
      }
      control.should_stop(work);
    });
    if (control.stopped()) return false;
  }
  return true;
}

bool ExactSums::spread(std::size_t threads, Control& control) {
  std::vector<std::size_t> first(n_ + 1, 0);
  for (std::size_t v = 0; v < n_; ++v) first[v + 1] = first[v] + part_->families[v].size();
  families_.assign(first[n_], 0.0);
  std::vector<double> off(n_, 0.0);
  double const total = before_[size_ - 1];
  parallel_for(threads, n_, control, [&](std::size_t v, std::size_t) {
    std::vector<Scaled> sums(size_ / 2);
    for (std::size_t set = 0; set < size_ / 2; ++set) {
      auto const& w = alpha_[v][set];
      if (w.m > 0) sums[set] = Scaled::of(slope_[v][set] / w.m, -w.e);
    }
    for (std::size_t bit = 1; bit < size_ / 2; bit *= 2) {
      for (std::size_t base = 0; base < size_ / 2; base += 2 * bit)
        for (std::size_t set = base; set < base + bit; ++set) sums[set] += sums[set + bit];
      if (control.should_stop(size_ / 2)) return;
    }
    double all = 0;
    for (std::size_t f = 0; f < part_->families[v].size(); ++f) {
      auto const& family = part_->families[v][f];
      std::size_t set = 0;
      for (std::uint32_t const p : part_->of(v, family)) set |= std::size_t{1} << p;
      auto const& slope = sums[without_bit(set, v)];
      auto const weight = Scaled::exp_of(-family.loss);
      double const share = slope.m * weight.m / total * power_of_two(slope.e + weight.e);
      families_[first[v] + f] = std::max(0.0, share);
      all += share;
    }
    off[v] = std::abs(all - 1);
    for (std::size_t f = first[v]; f < first[v + 1]; ++f) families_[f] /= all;
  });
  for (double const one : off) deviation_ = std::max(deviation_, one);
  for (auto& slope : slope_) slope = {};
  return !control.stopped();
}

}  // namespace bayesloom::posterior
