// BGe, the marginal likelihood of linear Gaussian networks under a normal-Wishart prior
// [geiger1994], with the normalisation put right [kuipers2014].
//
//   f(S) = (k/2) ln(m/(N+m)) - (k N/2) ln pi + sum_{j=1..k} [ lnG((N+a+j)/2) - lnG((a+j)/2) ]
//          + (k/2) (a+k) ln t - (1/2) (N+a+k) ln det R_S
//
//   k  variables of S          m  weight of the prior mean in rows, option `alpha_mu`
//   a  degrees of freedom of the prior beyond the number of variables, option `degrees`, above 1
//   t = m (a - 1) / (m + 1)    R = t I + N Sigma, the prior mean being the mean of the table
//
// (bnlearn and others: alpha_w = n + a.) R is positive definite, so no set is singular, however few
// the rows are, unless t is next to nothing beside the variance of a column that others determine: then
// det R_S is rounding, and the set has no score. Constant columns carry no information and count as nothing.
//
// Bounds. With R' = R / t >= I, v' residual variances of R', m'_i = v'(i | all others) >= 1 and
// G(q) = lnG((N+a+q+1)/2) - lnG((a+q+1)/2),
//
//   s(i, Q) = (1/2) ln(m/(N+m)) - (N/2) ln(pi t) + G(q) - (1/2) ln det R'_Q - (1/2) (N+a+q+1) ln v'(i|Q)
//
// For Q of q = p + e parents that contains P put m'_i for v'(i|Q), and for ln det R'_Q ln det R'_P plus
// the e smallest ln m'_j: every v' is at least its m'. Concave in e: the largest is where it falls.
// The gain of j on Q, |Q| = q, is at most G(q+1) - G(q) - (ln m'_i + ln m'_j)/2 + (N+a+q+1)/2 mu with
// mu = min(ln v'(i|P)/m'_i, ln v'(j|P)/m'_j), convex in q: the larger of its ends.
#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include "data/tuning.hpp"
#include "score/score.hpp"
#include "score/tuning.hpp"

namespace bayesloom {

namespace {

/// What is the same for all sets of one size.
struct Prior {
  double rows, mean_weight, degrees, t;

  Prior(std::uint32_t n, std::span<double const> values)
      : rows(n),
        mean_weight(values[0]),
        degrees(values[1]),
        t(mean_weight * (degrees - 1) / (mean_weight + 1)) {}

  /// lnG((N+a+j)/2) - lnG((a+j)/2)
  double ratio(std::size_t j) const {
    double const d = degrees + static_cast<double>(j);
    return std::lgamma((rows + d) / 2) - std::lgamma(d / 2);
  }
  /// f(S) = of_size(k) - (N+a+k)/2 ln det R_S, the sum of ratios apart
  double of_size(std::size_t size) const {
    auto const k = static_cast<double>(size);
    return k / 2 * std::log(mean_weight / (rows + mean_weight)) -
           k * rows / 2 * std::log(std::numbers::pi) + k / 2 * (degrees + k) * std::log(t);
  }
};

class Bge final : public SetScore {
 public:
  explicit Bge(Prior prior) : prior_(prior) {}

  Fixed component(Cells const& cells) override {
    if (cells.moments.singular) return no_score;
    std::size_t const k = cells.moments.columns;
    while (of_size_.size() <= k) {
      std::size_t const j = of_size_.size();
      if (j > 0) ratios_ += prior_.ratio(j);
      of_size_.push_back(prior_.of_size(j) + ratios_);
    }
    return to_fixed(of_size_[k] - (prior_.rows + prior_.degrees + static_cast<double>(k)) / 2 *
                                      cells.moments.log_det);
  }

 private:
  Prior prior_;
  double ratios_ = 0;
  std::vector<double> of_size_;
};

std::shared_ptr<MomentMatrix const> posterior(EncodedData const& data,
                                              std::span<double const> values) {
  Prior const prior(data.row_count(), values);
  auto matrix = std::make_shared<MomentMatrix>();
  matrix->base = correlations(data, false);
  matrix->singular_below = tuning::singular_pivot;
  for (double const variance : matrix->base->variance) {
    double const sum = prior.rows * variance;
    matrix->log_diagonal.push_back(std::log(sum + prior.t));
    matrix->factor.push_back(std::sqrt(sum / (sum + prior.t)));
    matrix->floor.push_back(prior.t / (sum + prior.t));
  }
  return matrix;
}

class BgeBounds final : public FamilyBounds {
 public:
  BgeBounds(Prior prior, MomentMatrix const& matrix, Residuals const& left) : prior_(prior) {
    std::size_t const n = matrix.columns();
    double const error = static_cast<double>(n) * tuning::residual_error / left.least_pivot;
    slack_ = prior.rows * error;  // what rounding may have done to scores
    std::vector<double> all;
    for (std::size_t v = 0; v < left.log_det.size(); ++v) {
      auto const i = static_cast<Variable>(v);
      if (matrix.begin(i) == matrix.end(i)) {
        log_m_.push_back(0);
        continue;
      }
      double const value =
          left.log_det[v] + matrix.log_diagonal[matrix.begin(i)] - std::log(prior.t) - error;
      log_m_.push_back(std::max(0.0, value));
      all.push_back(log_m_.back());
    }
    std::ranges::sort(all);
    smallest_.push_back(0);
    for (double const one : all) smallest_.push_back(smallest_.back() + one);
    most_ = all.empty() ? 0 : all.size() - 1;
    double ratios = 0;
    for (std::size_t k = 0; k <= most_ + 2; ++k) {
      g_.push_back(prior.ratio(k + 1));
      if (k > 0) ratios += prior.ratio(k);
      of_size_.push_back(prior.of_size(k) + ratios);
    }
    base_ = std::log(prior.mean_weight / (prior.rows + prior.mean_weight)) / 2 -
            prior.rows / 2 * std::log(std::numbers::pi * prior.t);
  }

  double of_size(Variable child, std::size_t size) const override {
    return best(child, size, 0, 0);
  }
  double of_supersets(Variable child, std::size_t size, Fixed f, Fixed) const override {
    return best(child, size, 1, std::max(log_det(f, size), smallest(size)));
  }
  double of_gain(Variable i, Variable j, std::size_t size, Fixed f, Fixed s_i,
                 Fixed s_j) const override {
    double const parents = log_det(f, size);
    double const mu = std::min(log_det(f + s_i, size + 1) - parents - log_m_[i],
                               log_det(f + s_j, size + 1) - parents - log_m_[j]);
    auto const at = [&](std::size_t q) {
      return g_[std::min(q + 1, g_.size() - 1)] - g_[std::min(q, g_.size() - 1)] -
             (log_m_[i] + log_m_[j]) / 2 +
             (prior_.rows + prior_.degrees + static_cast<double>(q) + 1) / 2 * std::max(mu, 0.0);
    };
    return std::max(at(size), at(std::max(size, most_ > 0 ? most_ - 1 : 0))) + slack_;
  }

 private:
  double smallest(std::size_t count) const {
    return smallest_[std::min(count, smallest_.size() - 1)];
  }

  /// ln det R'_S from f(S), |S| = k
  double log_det(Fixed f, std::size_t k) const {
    auto const size = static_cast<double>(k);
    std::size_t const at = std::min(k, of_size_.size() - 1);
    return (of_size_[at] - to_nats(f)) * 2 / (prior_.rows + prior_.degrees + size) -
           size * std::log(prior_.t);
  }

  /// Over sets of size + e parents, e >= `least`, with ln det R' of `size` of them at least
  /// `parents` (0: nothing is known).
  double best(Variable child, std::size_t size, std::size_t least, double parents) const {
    double bound = -std::numeric_limits<double>::infinity();
    for (std::size_t e = least; size + e <= most_; ++e) {
      double const others = parents > 0 ? parents + smallest(e) : smallest(size + e);
      double const here =
          base_ + g_[size + e] - others / 2 -
          (prior_.rows + prior_.degrees + static_cast<double>(size + e) + 1) / 2 * log_m_[child];
      if (here <= bound) break;
      bound = here;
    }
    return bound + slack_;
  }

  Prior prior_;
  std::size_t most_ = 0;  // parents that a variable can have
  double base_ = 0, slack_ = 0;
  std::vector<double> log_m_, smallest_, g_, of_size_;
};

std::unique_ptr<FamilyBounds> bounds(EncodedData const& data, std::span<double const> values) {
  auto const matrix = posterior(data, values);
  if (matrix->columns() > tuning::residuals_up_to) return nullptr;
  Residuals const left = residuals(*matrix);
  if (left.least_pivot < tuning::singular_pivot) return nullptr;
  return std::make_unique<BgeBounds>(Prior(data.row_count(), values), *matrix, left);
}

}  // namespace

BAYESLOOM_SCORE(
    bge,
    ScoreEntry{
        .title = "BGe",
        .summary =
            "Bayesian evidence of linear regressions, each variable on its parents. Columns are "
            "not standardised: their units matter.",
        .formula = "f(P + i) - f(P), f(S) = c(k) - (N+a+k)/2 ln det R_S, R = t I + N Sigma",
        .reference = "kuipers2014",
        .set_function = true,
        .equivalent = true,
        .options = {{"alpha_mu", 1.0, 1e-9, 1e9,
                     "weight in rows of the prior mean, which is the mean of the table"},
                    {"degrees", 2.0, 1.000001, 1e9,
                     "degrees of freedom a of the prior beyond the number of variables; its scale "
                     "matrix is alpha_mu (a - 1) / (alpha_mu + 1) times the identity"}},
        .statistic = Statistic::moments,
        .kinds = Kinds::continuous,
        .matrix = &posterior,
        .bounds = &bounds,
        .make = [](TableSize size, std::span<double const> values) -> std::unique_ptr<Score> {
          return std::make_unique<Bge>(Prior(size.rows, values));
        },
    });

}  // namespace bayesloom
