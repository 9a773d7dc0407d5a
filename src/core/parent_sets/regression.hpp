// The regression of one variable on others from moments, and what one parent more or less would change. Private to
// the room; for climbing over orders, which has the formulas (order_climb.hpp).
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "base/fixed_point.hpp"
#include "base/variable.hpp"
#include "data/moments.hpp"
#include "score/gaussian.hpp"

namespace bayesloom {

/// Gains below this are rounding: units of 2^-30 nat.
inline constexpr Fixed least_gain = 1024;

inline bool gains(Fixed to, Fixed from) { return to > from + least_gain; }

inline bool has_bit(std::span<std::uint64_t const> bits, Variable v) {
  return ((bits[v / 64U] >> (v % 64U)) & 1U) != 0;
}
inline void put_bit(std::span<std::uint64_t> bits, Variable v) {
  bits[v / 64U] |= std::uint64_t{1} << (v % 64U);
}
inline void take_bit(std::span<std::uint64_t> bits, Variable v) {
  bits[v / 64U] &= ~(std::uint64_t{1} << (v % 64U));
}

/// What is eliminated, with every element where it is read: columns in the order of variables.
struct Dense {
  explicit Dense(MomentMatrix const& given) : matrix(given), n(given.columns()), rows(n * n) {
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j <= i; ++j) rows[i * n + j] = rows[j * n + i] = given.element(i, j);
  }
  double const* row(std::size_t i) const { return rows.data() + i * n; }
  bool singular(double pivot) const { return !(pivot > 0) || pivot < matrix.singular_below; }

  MomentMatrix const& matrix;
  std::size_t n;
  std::vector<double> rows;
};

/// The regression of one child on some parents, and what one more of them would change.
class Regression {
 public:
  Regression(Dense const& dense, SetScore& score) : dense_(&dense), score_(&score) {
    if (auto const* const penalised = dynamic_cast<GaussianBic*>(&score)) {
      monotone_ = true;
      least_share_ = penalised->least_share();
    }
  }

  /// Factors the parents; whether child and parents have a score together.
  bool set(Variable child, std::vector<Variable> const& parents) {
    MomentMatrix const& matrix = dense_->matrix;
    k_ = parents.size();
    child_ = matrix.begin(child);
    chosen_.resize(k_);
    lower_.resize(k_ * k_);
    inverse_.resize(k_);
    z_.resize(k_);
    y_.resize(k_);
    logs_ = 0;
    double product = 1;
    fine_ = false;
    for (std::size_t a = 0; a < k_; ++a) {
      std::size_t const column = chosen_[a] = matrix.begin(parents[a]);
      double const left = matrix.pivot(solve(column, a, y_), column);
      if (dense_->singular(left)) return false;
      for (std::size_t b = 0; b < a; ++b) lower_[a * k_ + b] = y_[b];
      inverse_[a] = 1 / std::sqrt(left);
      product *= left;
      if (product < 1e-200) logs_ += std::log(std::exchange(product, 1.0));
      logs_ += matrix.log_diagonal[column];
    }
    logs_ += std::log(product);
    left_ = solve(child_, k_, z_);
    fine_ = !dense_->singular(matrix.pivot(left_, child_));
    if (fine_) own_ = score_of(0, 1, left_);
    return fine_;
  }

  Fixed own() const { return fine_ ? own_ : no_score; }

  /// The best parent to do without, as a place among them, and the score then; `size` if the score is no better without
  /// any of them, unless one has to go.
  std::pair<std::size_t, Fixed> best_removal(bool has_to) {
    // The inverse of L, by rows; column j of it gives what the others leave of parent j.
    inverted_.resize(k_ * k_);
    for (std::size_t a = 0; a < k_; ++a) {
      for (std::size_t b = 0; b < a; ++b) {
        double sum = 0;
        for (std::size_t c = b; c < a; ++c) sum += lower_[a * k_ + c] * inverted_[c * k_ + b];
        inverted_[a * k_ + b] = -sum * inverse_[a];
      }
      inverted_[a * k_ + a] = inverse_[a];
    }
    std::size_t chosen = k_;
    Fixed best = has_to ? no_score : own_;
    double least = has_to ? std::numeric_limits<double>::infinity() : least_share_;
    for (std::size_t j = 0; j < k_; ++j) {
      double precision = 0, slope = 0;
      for (std::size_t a = j; a < k_; ++a) {
        precision += inverted_[a * k_ + j] * inverted_[a * k_ + j];
        slope += inverted_[a * k_ + j] * z_[a];
      }
      double const lost = slope * slope / precision, left = left_ + lost;
      if (monotone_ && lost > least * left) continue;
      double const parents = logs_ + std::log(precision) - dense_->matrix.log_diagonal[chosen_[j]];
      double const pivot = dense_->matrix.pivot(left, child_);
      Fixed const score = f(k_, parents + std::log(pivot) + dense_->matrix.log_diagonal[child_]) -
                          f(k_ - 1, parents);
      if (is_score(best) && !gains(score, best)) continue;
      best = score;
      chosen = j;
      least = lost / left;
    }
    return {chosen, best};
  }

  /// What all parents leave of all variables, and of their products with the child, at once. Rows of the parents that
  /// come first, and are those of the scan before, are kept.
  void scan() {
    std::size_t const n = dense_->n;
    auto const kept =
        static_cast<std::size_t>(std::ranges::mismatch(chosen_, scanned_).in1 - chosen_.begin());
    bool const longer = kept == scanned_.size() && !rest_.empty();
    bool const same = longer && scanned_child_ == child_;
    all_.resize(k_ * n);
    rest_.resize(n);
    if (!longer)
      for (std::size_t u = 0; u < n; ++u) rest_[u] = dense_->row(u)[u];
    if (!same) both_.assign(dense_->row(child_), dense_->row(child_) + n);
    for (std::size_t a = 0; a < k_; ++a) {
      double* const y = all_.data() + a * n;
      if (a >= kept) make_row(a);
      if (a >= kept || !longer)
        for (std::size_t u = 0; u < n; ++u) rest_[u] -= y[u] * y[u];
      double const z = z_[a];
      if (a >= kept || !same)
        for (std::size_t u = 0; u < n; ++u) both_[u] -= y[u] * z;
    }
    scanned_ = chosen_;
    scanned_child_ = child_;
  }

  /// After a scan, sets the bits of all variables that raise the score as one more parent.
  void mark_gains(std::vector<Variable> const& all, std::span<std::uint64_t> bits) const {
    std::ranges::fill(bits, 0);
    for (Variable const u : all) {
      std::size_t const column = dense_->matrix.begin(u);
      double const both = both_[column], rest = rest_[column];
      if (monotone_ && !(both * both >= least_share_ * left_ * rest)) continue;
      if (column == child_ || dense_->singular(rest) || !gains(with(column, rest, both), own_))
        continue;
      put_bit(bits, u);
    }
  }

  /// After a scan, the best of some parents to add, and the score then; `child` if none gains.
  template <typename Allowed>
  std::pair<Variable, Fixed> best_addition(Variable child, std::vector<Variable> const& all,
                                           Allowed const& allowed) {
    Variable chosen = child;
    Fixed best = own_;
    double most = least_share_ * left_;
    for (Variable const u : all) {
      std::size_t const column = dense_->matrix.begin(u);
      double const share = both_[column] * both_[column] / rest_[column];
      // Under a penalised likelihood the parent that explains most is the best.
      if (monotone_ && !(share > most)) continue;
      if (u == child || dense_->singular(rest_[column]) || !allowed(u)) continue;
      if (monotone_) {
        if (dense_->singular(left_ - share)) continue;
        most = share;
        chosen = u;
        continue;
      }
      Fixed const score = with(column, rest_[column], both_[column]);
      if (gains(score, best)) {
        best = score;
        chosen = u;
      }
    }
    if (monotone_ && chosen != child) {
      std::size_t const column = dense_->matrix.begin(chosen);
      best = with(column, rest_[column], both_[column]);
      if (!gains(best, own_)) chosen = child;
    }
    return {chosen, best};
  }

 private:
  /// Row a of what a scan keeps: what the parents before it leave of all products with parent a, scaled.
  void make_row(std::size_t a) {
    std::size_t const n = dense_->n;
    double* const y = all_.data() + a * n;
    std::copy_n(dense_->row(chosen_[a]), n, y);
    for (std::size_t b = 0; b < a; ++b) {
      double const part = lower_[a * k_ + b];
      double const* const other = all_.data() + b * n;
      for (std::size_t u = 0; u < n; ++u) y[u] -= part * other[u];
    }
    for (std::size_t u = 0; u < n; ++u) y[u] *= inverse_[a];
  }

  /// L^-1 of a column over the first `size` parents; what they leave of it.
  double solve(std::size_t column, std::size_t size, std::vector<double>& out) const {
    double const* const given = dense_->row(column);
    double left = given[column];
    for (std::size_t a = 0; a < size; ++a) {
      double value = given[chosen_[a]];
      double const* const row = lower_.data() + a * k_;
      for (std::size_t b = 0; b < a; ++b) value -= row[b] * out[b];
      out[a] = value * inverse_[a];
      left -= out[a] * out[a];
    }
    return left;
  }

  /// The score of the child beside the parents and a column of which they leave `rest`.
  Fixed with(std::size_t column, double rest, double both) const {
    MomentMatrix const& matrix = dense_->matrix;
    double const pivot = matrix.pivot(rest, column);
    if (dense_->singular(pivot)) return no_score;
    double const left = left_ - both * both / pivot;
    if (dense_->singular(matrix.pivot(left, child_))) return no_score;
    return score_of(std::log(pivot) + matrix.log_diagonal[column], 2, left);
  }

  Fixed score_of(double more, std::size_t count, double left) const {
    MomentMatrix const& matrix = dense_->matrix;
    double const parents = logs_ + more;
    return f(k_ + count,
             parents + std::log(matrix.pivot(left, child_)) + matrix.log_diagonal[child_]) -
           f(k_ + count - 1, parents);
  }

  Fixed f(std::size_t columns, double log_det) const {
    cells_.moments = {log_det, columns, false};
    return score_->component(cells_);
  }

  Dense const* dense_;
  SetScore* score_;
  bool monotone_ = false;  // under a penalised likelihood what explains most is best
  double least_share_ = 0;
  bool fine_ = false;
  std::size_t k_ = 0, child_ = 0;
  double logs_ = 0, left_ = 1;
  Fixed own_ = 0;
  std::vector<std::size_t> chosen_, scanned_;
  std::size_t scanned_child_ = 0;
  std::vector<double> lower_, inverse_, z_, y_;
  std::vector<double> all_, rest_, both_, inverted_;
  mutable Cells cells_;
};

}  // namespace bayesloom
