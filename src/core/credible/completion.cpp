#include "credible/completion.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <optional>

#include "base/parallel.hpp"

namespace bayesloom::credible {

namespace {

constexpr std::size_t low_variables = 12;  // a table of 16 KB stays in the nearest cache
constexpr std::size_t most_dense = 32;

class DenseCompletion final : public Completion {
 public:
  /// `most` is a loss that no network of interest exceeds.
  DenseCompletion(Component const& component, Fixed most, std::size_t threads)
      : component_(component),
        threads_(threads),
        n_(component.size()),
        low_(std::min(n_, low_variables)),
        block_(std::size_t{1} << low_),
        unit_(std::min(most, sum_of_losses(component)) / (never - 1) + 1),
        best_(std::size_t{1} << n_, never) {
    for (auto const& choices : component.choices) {
      auto& own = choices_.emplace_back();
      for (auto const& choice : choices)
        own.push_back(
            {static_cast<std::int32_t>(std::min<Fixed>(choice.loss / unit_, never)), choice.set});
    }
  }

  Fixed value(Set set, Fixed /*limit*/) override {
    return best_[set] == never ? no_loss : best_[set] * unit_;
  }
  Fixed error() const override { return unit_ * static_cast<Fixed>(n_); }

  /// Fills the array, blocks with fewer high variables first; false if stopped.
  bool run(Control& control) {
    best_[0] = 0;
    std::size_t const high = n_ - low_;
    std::vector<std::vector<Set>> by_count(high + 1);
    for (Set h = 0; h < (Set{1} << high); ++h)
      by_count[static_cast<std::size_t>(std::popcount(h))].push_back(h);
    std::vector<std::vector<std::int32_t>> tables(threads_,
                                                  std::vector<std::int32_t>((low_ + 1) * block_));
    for (auto const& blocks : by_count) {
      parallel_for(threads_, blocks.size(), control, [&](std::size_t task, std::size_t worker) {
        fill(blocks[task], tables[worker]);
        control.should_stop(block_);
      });
      if (control.stopped()) return false;
    }
    return true;
  }

 private:
  static constexpr std::int32_t never = (std::int32_t{1} << 30) - 1;  // two of them can be added
  struct Coarse {
    std::int32_t loss;
    Set set;
  };

  static Fixed sum_of_losses(Component const& component) {
    Fixed sum = 0;
    for (auto const& choices : component.choices)
      if (!choices.empty()) sum = std::min(no_loss, sum + choices.back().loss);
    return sum;
  }

  /// t[L] = loss*(x, H + L) for all sets L of low variables.
  void tabulate(std::size_t x, Set high, std::int32_t* t) const {
    std::fill_n(t, block_, never);
    // Supersets by the lowest variables at once: the loops below are then over many neighbours.
    std::size_t const few = std::min<std::size_t>(block_, 8);
    for (auto const& choice : choices_[x]) {
      if ((choice.set >> low_ & ~high) != 0) continue;
      std::size_t const at = choice.set & (block_ - 1), own = at & (few - 1);
      for (std::size_t more = own; more < few; more = (more + 1) | own)
        t[at - own + more] = std::min(t[at - own + more], choice.loss);
    }
    for (std::size_t bit = few; bit < block_; bit *= 2)
      for (std::size_t base = 0; base < block_; base += 2 * bit) {
        std::int32_t const* const from = t + base;
        std::int32_t* const to = t + base + bit;
        for (std::size_t l = 0; l < bit; ++l) to[l] = std::min(to[l], from[l]);
      }
  }

  void fill(Set high, std::vector<std::int32_t>& tables) {
    std::int32_t* const best = best_.data() + high * block_;
    std::int32_t* const spare = tables.data() + low_ * block_;
    for (Set left = high; left != 0; left &= left - 1) {
      Set const bit = left & (~left + 1);
      std::int32_t const* const before = best_.data() + (high & ~bit) * block_;
      tabulate(low_ + static_cast<std::size_t>(std::countr_zero(bit)), high & ~bit, spare);
      for (std::size_t l = 0; l < block_; ++l) best[l] = std::min(best[l], before[l] + spare[l]);
    }
    for (std::size_t x = 0; x < low_; ++x) tabulate(x, high, tables.data() + x * block_);
    if (low_ > 0) take_off(best, tables.data(), 0, low_);
  }

  /// best[L] over the variables below k that may go first, for the 2^k sets from `base` on: those
  /// without variable k - 1, then what taking it off leads to, then the others.
  void take_off(std::int32_t* best, std::int32_t const* tables, std::size_t base,
                std::size_t k) const {
    std::size_t const half = std::size_t{1} << (k - 1);
    if (k <= 3) {
      for (std::size_t l = base + 1; l < base + 2 * half; ++l)
        for (std::size_t x = 0; x < k; ++x)
          if (std::size_t const rest = l & ~(std::size_t{1} << x); rest != l)
            best[l] = std::min(best[l], best[rest] + tables[x * block_ + rest]);
      return;
    }
    take_off(best, tables, base, k - 1);
    std::int32_t const* const table = tables + (k - 1) * block_ + base;
    std::int32_t const* const from = best + base;
    std::int32_t* const to = best + base + half;
    for (std::size_t l = 0; l < half; ++l) to[l] = std::min(to[l], from[l] + table[l]);
    take_off(best, tables, base + half, k - 1);
  }

  Component const& component_;
  std::size_t const threads_, n_, low_, block_;
  Fixed const unit_;
  std::vector<std::vector<Coarse>> choices_;
  std::vector<std::int32_t> best_;
};

class LazyCompletion final : public Completion {
 public:
  LazyCompletion(Component const& component, Control& control)
      : component_(component), control_(control) {
    known_.emplace(0, Known{0, true});
  }

  Fixed value(Set set, Fixed limit) override {
    auto const found = known_.find(set);
    if (found != known_.end() && (found->second.exact || found->second.value > limit))
      return found->second.value;
    if (control_.should_stop()) return no_loss;  // the caller sees that it was stopped

    struct Next {
      Fixed bound, loss;
      Set rest;
    };
    Fixed simple = 0;
    std::vector<Next> next;
    for (Set left = set; left != 0; left &= left - 1) {
      auto const x = static_cast<std::size_t>(std::countr_zero(left));
      Set const rest = set & ~(Set{1} << x);
      Fixed const loss = least(x, rest);
      if (loss < no_loss) next.push_back({0, loss, rest});
      simple = std::min(no_loss, simple + loss);
    }
    if (simple < no_loss) simple += cluster_gain(set);
    if (found != known_.end()) simple = std::max(simple, found->second.value);
    if (simple > limit) return remember(set, simple, false);
    for (auto& step : next) {
      auto const rest = known_.find(step.rest);
      step.bound = step.loss + (rest == known_.end() ? 0 : rest->second.value);
    }
    std::sort(next.begin(), next.end(), [](Next const& a, Next const& b) {
      return a.bound != b.bound ? a.bound < b.bound : a.rest < b.rest;
    });

    Fixed best = no_loss;    // over what was opened
    Fixed beyond = no_loss;  // a bound on what was not
    for (auto const& step : next) {
      Fixed const most = std::min(limit, best - 1);
      Fixed const total = step.loss + value(step.rest, most - step.loss);
      if (control_.stopped()) return no_loss;
      if (total <= most) {
        best = total;
        if (best == simple) break;  // no other can be below
      } else {
        beyond = std::min(beyond, total);
      }
    }
    if (best <= limit) return remember(set, best, true);
    return remember(set, std::max(simple, std::min(best, beyond)), false);
  }

 private:
  struct Known {
    Fixed value;
    bool exact;
  };

  Fixed remember(Set set, Fixed value, bool exact) {
    known_[set] = {value, exact};
    return value;
  }

  Fixed least(std::size_t x, Set within) const {
    for (auto const& choice : component_.choices[x])
      if ((choice.set & ~within) == 0) return choice.loss;
    return no_loss;
  }

  /// What acyclicity adds to the simple bound. In every cluster C of variables some x has no parent
  /// within C [jaakkola2010], so the sum rises by the least that this costs; clusters that do not
  /// meet add up. They are the strong components of the arrows from all least choices within the
  /// set.
  Fixed cluster_gain(Set set) const {
    std::array<Set, 64> up{};
    std::array<Fixed, 64> best{};
    for (Set left = set; left != 0; left &= left - 1) {
      auto const x = static_cast<std::size_t>(std::countr_zero(left));
      best[x] = no_loss;
      for (auto const& choice : component_.choices[x]) {
        if (choice.loss > best[x]) break;
        if ((choice.set & ~set) != 0) continue;
        best[x] = choice.loss;
        up[x] |= choice.set;
      }
    }
    auto const reach = [&](Set from, auto const& arrows) {
      for (Set fresh = from; fresh != 0;) {
        Set next = 0;
        for (; fresh != 0; fresh &= fresh - 1)
          next |= arrows[static_cast<std::size_t>(std::countr_zero(fresh))];
        fresh = next & ~from;
        from |= next;
      }
      return from;
    };
    std::array<Set, 64> down{};
    for (Set left = set; left != 0; left &= left - 1) {
      auto const x = static_cast<std::size_t>(std::countr_zero(left));
      for (Set parents = up[x]; parents != 0; parents &= parents - 1)
        down[static_cast<std::size_t>(std::countr_zero(parents))] |= Set{1} << x;
    }
    Fixed gain = 0;
    for (Set left = set; left != 0;) {
      Set const x = left & (~left + 1);
      Set const cluster = reach(x, up) & reach(x, down);
      left &= ~cluster;
      if (cluster == x) continue;
      Fixed least_gain = no_loss;
      for (Set members = cluster; members != 0 && least_gain > 0; members &= members - 1) {
        auto const y = static_cast<std::size_t>(std::countr_zero(members));
        least_gain = std::min(least_gain, least(y, set & ~cluster) - best[y]);
      }
      gain = std::min(no_loss, gain + least_gain);
    }
    return gain;
  }

  Component const& component_;
  Control& control_;
  std::unordered_map<Set, Known> known_;
};

}  // namespace

std::unique_ptr<Completion> completion(Component const& component, Fixed most, double memory_bytes,
                                       std::size_t threads, Control& control) {
  double const bytes = std::exp2(static_cast<double>(component.size())) * sizeof(std::int32_t);
  if (component.size() > most_dense || bytes > memory_bytes)
    return std::make_unique<LazyCompletion>(component, control);
  auto dense = std::make_unique<DenseCompletion>(component, most, threads);
  if (!dense->run(control)) return nullptr;
  return dense;
}

}  // namespace bayesloom::credible
