#include "credible/subset_dp/completion.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "base/parallel.hpp"
#include "credible/subset_dp/tuning.hpp"

namespace bayesloom::credible {

namespace {

constexpr std::size_t most_dense = 32;  // variables: 16 GB, whatever is allowed

class DenseCompletion final : public Completion {
 public:
  /// `most` is a loss that no network of interest exceeds.
  DenseCompletion(Component const& component, Fixed most, std::size_t threads)
      : component_(component),
        threads_(threads),
        n_(component.size()),
        low_(std::min(n_, tuning::low_variables)),
        block_(std::size_t{1} << low_),
        unit_(std::min(most, sum_of_losses(component)) / (never - 1) + 1),
        best_(std::size_t{1} << n_, never) {
    for (auto const& choices : component.choices) {
      auto& own = choices_.emplace_back();
      for (auto const& choice : choices)
        own.push_back({static_cast<std::int32_t>(std::min<Fixed>(choice.loss / unit_, never)),
                       choice.set.bits()});
    }
  }

  Fixed value(VarSet set) override {
    std::int32_t const found = best_[set.bits()];
    return found == never ? no_loss : found * unit_;
  }
  Fixed error() const override { return unit_ * static_cast<Fixed>(n_); }

  /// Fills the array, blocks with fewer high variables first; false if stopped.
  bool run(Control& control) {
    best_[0] = 0;
    std::size_t const high = n_ - low_;
    std::vector<std::vector<Word>> by_count(high + 1);
    for (Word h = 0; h < Word{1} << high; ++h) by_count[VarSet(h).size()].push_back(h);
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
  using Word = VarSet::Word;  // sets of low and high variables are places in arrays
  struct Coarse {
    std::int32_t loss;
    Word set;
  };

  static Fixed sum_of_losses(Component const& component) {
    Fixed sum = 0;
    for (auto const& choices : component.choices)
      if (!choices.empty()) sum = std::min(no_loss, sum + choices.back().loss);
    return sum;
  }

  /// t[L] = loss*(x, H + L) for all sets L of low variables.
  void tabulate(std::size_t x, Word high, std::int32_t* t) const {
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

  void fill(Word high, std::vector<std::int32_t>& tables) {
    std::int32_t* const best = best_.data() + high * block_;
    std::int32_t* const spare = tables.data() + low_ * block_;
    for (std::size_t const x : VarSet(high)) {
      Word const rest = VarSet(high).without(x).bits();
      std::int32_t const* const before = best_.data() + rest * block_;
      tabulate(low_ + x, rest, spare);
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

}  // namespace

bool fits_dense(Component const& component, double memory_bytes) {
  double const bytes = std::exp2(static_cast<double>(component.size())) * sizeof(std::int32_t);
  return component.size() <= most_dense && bytes <= memory_bytes;
}

std::unique_ptr<Completion> dense_completion(Component const& component, Fixed most,
                                             std::size_t threads, Control& control) {
  auto dense = std::make_unique<DenseCompletion>(component, most, threads);
  if (!dense->run(control)) return nullptr;
  return dense;
}

}  // namespace bayesloom::credible
