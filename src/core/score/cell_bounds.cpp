#include "score/cell_bounds.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/ln_gamma.hpp"
#include "score/multinomial_regret.hpp"
#include "score/tuning.hpp"

namespace bayesloom {

namespace {

/// ln of the rising factorial a (a + 1) .. (a + n - 1), in doubles.
class LnRising {
 public:
  explicit LnRising(double a) : a_(a) {}

  double operator()(std::uint64_t n) {
    if (n > tuning::most_in_factorials) return ln_gamma(a_ + static_cast<double>(n)) - ln_gamma(a_);
    while (sums_.size() <= n)
      sums_.push_back(sums_.back() + std::log(a_ + static_cast<double>(sums_.size() - 1)));
    return sums_[n];
  }

 private:
  double a_;
  std::vector<double> sums_{0.0};
};

/// Splits a cell into atoms and adds up what all bounds use.
class AtomBounds : public CellBounds {
 public:
  explicit AtomBounds(std::uint32_t r)
      : r_(r), ln_r_(std::log(static_cast<double>(r))), seen_(r, 0), alone_(r, 0) {}

  double cell(std::span<AtomItem const> atoms) override {
    if (r_ <= 64) {  // most cells have atoms of one child state each
      std::uint64_t values = 0, rows = 0;
      std::uint32_t largest = 0;
      bool alone = true;
      for (auto const& item : atoms) {
        values |= std::uint64_t{1} << item.value;
        rows += item.weight;
        largest = std::max(largest, item.weight);
        alone = alone && item.opens;
      }
      if (alone) {
        itself_ = of_own(static_cast<std::size_t>(std::popcount(values)), rows, largest);
        return std::exchange(itself_, whole_cell(atoms, itself_));
      }
    }
    values_.clear();
    mixed_.clear();
    rows_ = 0;
    fit_ = 0;
    own_ = 0;
    largest_own_ = nullptr;
    for (std::size_t first = 0; first < atoms.size();) {
      std::size_t last = first + 1;
      while (last < atoms.size() && !atoms[last].opens) ++last;
      for (std::size_t i = first; i < last; ++i) {
        rows_ += atoms[i].weight;
        if (!seen_[atoms[i].value]) {
          seen_[atoms[i].value] = 1;
          values_.push_back(atoms[i].value);
        }
      }
      if (last == first + 1) {
        own_ += alone_[atoms[first].value] == 0;
        alone_[atoms[first].value] = 1;
        if (!largest_own_ || atoms[first].weight > largest_own_->weight)
          largest_own_ = &atoms[first];
      } else {
        mixed_.push_back({atoms.subspan(first, last - first), fit_of(atoms, first, last)});
        fit_ += mixed_.back().fit;
      }
      first = last;
    }
    double const bound = combine();
    itself_ = whole_cell(atoms, std::max(bound, combine_with_itself(bound)));
    for (auto const value : values_) seen_[value] = alone_[value] = 0;
    return bound;
  }

 protected:
  struct Mixed {
    std::span<AtomItem const> items;
    double fit;  // ML
  };

  virtual double combine() = 0;
  virtual double combine_with_itself(double bound) { return bound; }
  /// The most that a cell adds to the set itself, if no more than `bound` to that or any superset.
  virtual double whole_cell(std::span<AtomItem const> /*atoms*/, double bound) { return bound; }
  /// The same as `combine` where each atom has one child state: how many states, rows, and rows of the largest atom.
  virtual double of_own(std::size_t values, std::uint64_t rows, std::uint32_t largest) = 0;

  double n_ln_n(std::uint64_t n) {
    if (n >= tuning::most_in_factorials) {
      auto const x = static_cast<double>(n);
      return x * std::log(x);
    }
    while (n_ln_n_.size() <= n) {
      auto const x = static_cast<double>(n_ln_n_.size());
      n_ln_n_.push_back(x * std::log(x));
    }
    return n_ln_n_[n];
  }

  std::uint32_t r_;
  double ln_r_;
  std::vector<std::uint16_t> values_;  // that occur in the cell
  std::vector<std::uint8_t> seen_;     // one entry per value: occurs in the cell
  std::vector<std::uint8_t> alone_;    // one entry per value: has an atom of its own
  std::vector<Mixed> mixed_;           // atoms of several values
  AtomItem const* largest_own_ = nullptr;
  std::uint64_t rows_ = 0;
  double fit_ = 0;       // sum of ML
  std::size_t own_ = 0;  // values with an atom of their own

 private:
  double fit_of(std::span<AtomItem const> atoms, std::size_t first, std::size_t last) {
    std::uint64_t rows = 0;
    double sum = 0;
    for (std::size_t i = first; i < last; ++i) {
      rows += atoms[i].weight;
      sum += n_ln_n(atoms[i].weight);
    }
    return sum - n_ln_n(rows);
  }

  std::vector<double> n_ln_n_{0.0};
};

class DirichletBounds : public AtomBounds {
 public:
  using AtomBounds::AtomBounds;

 protected:
  /// An upper bound on ln B(A, x) for every x that occurs.
  virtual double sup(std::span<AtomItem const> atom) = 0;

  double of_own(std::size_t values, std::uint64_t, std::uint32_t largest) override {
    return std::min(-ln_r_, pure(largest)) - static_cast<double>(values - 1) * ln_r_;
  }

  double combine() override {
    double best = std::min(-static_cast<double>(values_.size()) * ln_r_,
                           fit_ - static_cast<double>(own_) * ln_r_);
    if (largest_own_) best = std::min(best, with_first({largest_own_, 1}, 0));
    for (auto const& atom : mixed_) best = std::min(best, with_first(atom.items, atom.fit));
    return best;
  }

 private:
  double with_first(std::span<AtomItem const> atom, double fit) {
    std::size_t others = own_;
    for (auto const& item : atom) others -= alone_[item.value];
    return sup(atom) - fit + fit_ - static_cast<double>(others) * ln_r_;
  }
};

/// x at most al, which changes with the parent set.
class SmallPriorBounds : public DirichletBounds {
 public:
  SmallPriorBounds(std::uint32_t r, double ess) : DirichletBounds(r), ess_(ess), factorial_(1.0) {}

  double pure(std::uint32_t) override { return -ln_r_; }

 protected:
  void set_prior(double al) {
    cell_ = &table(al);
    value_ = &table(al / r_);
  }

  double combine_with_itself(double bound) override {
    if (largest_prior_ == prior_) return bound;
    set_prior(largest_prior_);
    double const wider = combine();
    set_prior(prior_);
    return wider;
  }

  double sup(std::span<AtomItem const> atom) override {
    if (atom.size() == 1) return -ln_r_;
    counts_.clear();
    for (auto const& item : atom) counts_.push_back(item.weight);
    std::sort(counts_.begin(), counts_.end(), std::greater<>());
    double sum = -ln_r_;
    std::uint64_t before = counts_.front();
    for (std::size_t k = 1; k < counts_.size(); ++k) {
      std::uint64_t const n = counts_[k];
      // Rows m = 0 .. rising have their largest probability at x = al, later ones at x = 0.
      std::uint64_t const rising = std::min<std::uint64_t>(n - 1, (before - 1) / (r_ - 1));
      sum += (*value_)(rising + 1) - ((*cell_)(before + rising + 1) - (*cell_)(before));
      sum += (factorial_(n - 1) - factorial_(rising)) -
             (factorial_(before + n - 1) - factorial_(before + rising));
      before += n;
    }
    return sum;
  }

  double ess_;
  double prior_ = 0, largest_prior_ = 0;  // al: of proper supersets, and with the set itself

 private:
  LnRising& table(double a) { return tables_.try_emplace(a, a).first->second; }

  LnRising factorial_;
  std::unordered_map<double, LnRising> tables_;
  LnRising* cell_ = nullptr;
  LnRising* value_ = nullptr;
  std::vector<std::uint32_t> counts_;
};

class BdeuBounds final : public SmallPriorBounds {
 public:
  using SmallPriorBounds::SmallPriorBounds;
  void start(double states, std::size_t, std::uint32_t least) override {
    largest_prior_ = ess_ / states;
    set_prior(prior_ = largest_prior_ / least);
  }
};

class BdsBounds final : public SmallPriorBounds {
 public:
  using SmallPriorBounds::SmallPriorBounds;
  void start(double, std::size_t seen, std::uint32_t) override {
    set_prior(prior_ = largest_prior_ = ess_ / static_cast<double>(seen));
  }
};

class K2Bounds final : public DirichletBounds {
 public:
  explicit K2Bounds(std::uint32_t r) : DirichletBounds(r), factorial_(1.0), cell_(r) {}

  void start(double, std::size_t, std::uint32_t) override {}
  double pure(std::uint32_t n) override { return factorial_(n) - cell_(n); }

 protected:
  double sup(std::span<AtomItem const> atom) override {
    double sum = 0;
    std::uint64_t rows = 0;
    for (auto const& item : atom) {
      sum += factorial_(item.weight);
      rows += item.weight;
    }
    return sum - cell_(rows);
  }

 private:
  LnRising factorial_, cell_;
};

class FnmlBounds final : public AtomBounds {
 public:
  using AtomBounds::AtomBounds;

  void start(double, std::size_t, std::uint32_t) override {}
  double pure(std::uint32_t n) override { return -regret(n); }

 protected:
  double combine() override { return fit_ - regret(static_cast<std::uint32_t>(rows_)); }
  double of_own(std::size_t, std::uint64_t rows, std::uint32_t) override {
    return -regret(static_cast<std::uint32_t>(rows));
  }

 private:
  double regret(std::uint32_t n) {
    auto const [entry, fresh] = regrets_.try_emplace(n, 0.0);
    if (fresh) entry->second = ln_regrets(n, r_).back();
    return entry->second;
  }

  std::unordered_map<std::uint32_t, double> regrets_;
};

class FitBounds final : public AtomBounds {
 public:
  FitBounds(std::uint32_t r, std::function<double(double)> charge)
      : AtomBounds(r), charge_(std::move(charge)) {}

  void start(double, std::size_t, std::uint32_t) override {}
  double pure(std::uint32_t) override { return 0; }
  double whole(double states) const override { return -charge_(states); }

 protected:
  double combine() override { return fit_; }
  double of_own(std::size_t, std::uint64_t, std::uint32_t) override { return 0; }
  double whole_cell(std::span<AtomItem const> atoms, double bound) override {
    totals_.resize(r_, 0);
    std::uint64_t rows = 0;
    for (auto const& item : atoms) totals_[item.value] += item.weight;
    double sum = 0;
    for (auto const& item : atoms) {
      auto const n = std::exchange(totals_[item.value], 0);
      rows += n;
      sum += n_ln_n(n);
    }
    return std::min(bound, sum - n_ln_n(rows));
  }

 private:
  std::vector<std::uint64_t> totals_;  // one entry per value; 0 between calls
  std::function<double(double)> charge_;
};

}  // namespace

std::unique_ptr<CellBounds> fit_cell_bounds(std::uint32_t r, std::function<double(double)> charge) {
  return std::make_unique<FitBounds>(r, std::move(charge));
}

std::unique_ptr<CellBounds> bdeu_cell_bounds(std::uint32_t r, double ess) {
  return std::make_unique<BdeuBounds>(r, ess);
}

std::unique_ptr<CellBounds> bds_cell_bounds(std::uint32_t r, double ess) {
  return std::make_unique<BdsBounds>(r, ess);
}

std::unique_ptr<CellBounds> k2_cell_bounds(std::uint32_t r) {
  return std::make_unique<K2Bounds>(r);
}

std::unique_ptr<CellBounds> fnml_cell_bounds(std::uint32_t r) {
  return std::make_unique<FnmlBounds>(r);
}

}  // namespace bayesloom
