// What the scores of linear Gaussian networks share: see bic_g.cpp, bge.cpp, dg.cpp.
//
// The penalised likelihood of a multivariate normal distribution over the columns of a set (one
// column for each continuous variable; moments.hpp), in component form:
//
//   f(S) = -(N/2) (k (1 + ln 2 pi) + ln det Sigma_S) - w k (k + 3) / 2        w = (ln N) / 2
//
//   k      columns of S        Sigma_S  their covariance, divided by N (not N - 1), maximised
//   w      times the option `penalty`, where a score has it
//
// so that a variable of k_i columns with K columns of parents pays w (k_i K + k_i (k_i + 3) / 2): a
// coefficient for each pair, and the means, variances and covariances of its own.
//
// Bounds. fit_i = -(N/2) (k_i (1 + ln 2 pi) + ln det of what all other columns leave of Sigma_i) is
// above L(i|P) = s(i, P) + penalty for every P, since what is left only falls with more parents:
//   s(i, Q) <= fit_i - penalty of Q
//   gain of j on any Q that contains P <= min(fit_i - L(i|P), fit_j - L(j|P)) - w k_i k_j
// the second since the gain in likelihood, -(N/2) ln of a ratio of determinants, is the same for i and
// j, and each is at most what is left to gain. With rows <= columns the fit is perfect: no bounds.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "data/tuning.hpp"
#include "score/score.hpp"
#include "score/tuning.hpp"

namespace bayesloom {

class GaussianBic : public SetScore {
 public:
  explicit GaussianBic(std::uint32_t rows, double penalty = 1)
      : rows_(rows), charge_(penalty * std::log(static_cast<double>(rows)) / 2) {}

  Fixed component(Cells const& cells) override {
    Moments const& moments = cells.moments;
    if (moments.singular) return no_score;
    auto const k = static_cast<double>(moments.columns);
    return to_fixed(-rows_ / 2 * (k * (1 + std::log(2 * std::numbers::pi)) + moments.log_det) -
                    charge_ * k * (k + 3) / 2);
  }

  bool by_components(Cells const& /*family*/) const override {
    return false;
  }  // where one is singular

  Fixed local_score(Cells const& family, Cells const& parents, std::uint32_t) override {
    if (family.moments.singular || parents.moments.singular) return no_score;
    return component(family) - component(parents);
  }

  /// What one parameter pays.
  double charge() const { return charge_; }

  /// No parent gains that explains a smaller share of what the others leave of a variable; columns one by one.
  double least_share() const { return -std::expm1(-2 * charge_ / rows_); }

 private:
  double rows_, charge_;
};

inline std::shared_ptr<MomentMatrix const> covariance(EncodedData const& data, bool indicators) {
  auto matrix = std::make_shared<MomentMatrix>();
  matrix->base = correlations(data, indicators);
  for (double const variance : matrix->base->variance)
    matrix->log_diagonal.push_back(std::log(variance));
  matrix->singular_below = tuning::singular_pivot;
  return matrix;
}

/// The matrix that a score reads the moments of; nothing if it reads something else.
std::shared_ptr<MomentMatrix const> moment_matrix(ScoreSpec const& spec, EncodedData const& data);

class GaussianBicBounds final : public FamilyBounds {
 public:
  /// Nothing if there are too many columns, or too few rows for any.
  static std::unique_ptr<FamilyBounds> make(EncodedData const& data, bool indicators,
                                            double penalty = 1) {
    auto const matrix = covariance(data, indicators);
    std::size_t const columns = matrix->columns();
    if (columns > tuning::residuals_up_to || columns >= data.row_count()) return nullptr;
    Residuals const left = residuals(*matrix);
    if (left.least_pivot < tuning::singular_pivot) return nullptr;
    return std::make_unique<GaussianBicBounds>(data, *matrix, left, penalty);
  }

  GaussianBicBounds(EncodedData const& data, MomentMatrix const& matrix, Residuals const& left,
                    double penalty)
      : charge_(penalty * std::log(static_cast<double>(data.row_count())) / 2) {
    double const rows = data.row_count();
    double const error =
        rows * static_cast<double>(matrix.columns()) * tuning::residual_error / left.least_pivot;
    for (std::size_t v = 0; v < left.log_det.size(); ++v) {
      auto const i = static_cast<Variable>(v);
      double scale = 0;
      for (auto c = matrix.begin(i); c < matrix.end(i); ++c) scale += matrix.log_diagonal[c];
      auto const k = static_cast<double>(matrix.end(i) - matrix.begin(i));
      columns_.push_back(k);
      fit_.push_back(
          -rows / 2 * (k * (1 + std::log(2 * std::numbers::pi)) + left.log_det[v] + scale) + error);
      if (data.cardinality(i) > 1) least_columns_ = std::min(least_columns_, k);
    }
    if (!std::isfinite(least_columns_)) least_columns_ = 0;
    for (std::size_t v = 0; v < fit_.size(); ++v) {
      double const k = columns_[v];
      fit_[v] -= charge_ * k * (k + 3) / 2;
      for_parent_.push_back(charge_ * k * least_columns_);
    }
  }

  double of_size(Variable child, std::size_t size) const override {
    return fit_[child] - for_parent_[child] * static_cast<double>(size);
  }
  double of_supersets(Variable child, std::size_t size, Fixed, Fixed) const override {
    return of_size(child, size + 1);
  }
  double of_gain(Variable i, Variable j, std::size_t size, Fixed, Fixed s_i,
                 Fixed s_j) const override {
    return std::min(of_size(i, size) - to_nats(s_i), of_size(j, size) - to_nats(s_j)) -
           charge_ * columns_[i] * columns_[j];
  }
  bool gains_below(Variable i, std::size_t size, std::span<Added const> added,
                   double limit) const override {
    // As `of_gain` of each, with what they share worked out once.
    double const most = of_size(i, size), charge = charge_ * columns_[i];
    for (auto const& a : added) {
      double const gain = std::min(most - to_nats(a.s_i), of_size(a.j, size) - to_nats(a.s_j));
      if (gain - charge * columns_[a.j] < limit && is_score(a.s_j)) return true;
    }
    return false;
  }

 private:
  double charge_;
  /// fit_i less what a variable pays by itself, and what it pays at least for each parent: these may have more columns.
  std::vector<double> fit_, for_parent_;
  std::vector<double> columns_;
  double least_columns_ = std::numeric_limits<double>::infinity();
};

}  // namespace bayesloom
