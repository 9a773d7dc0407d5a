// BIC of conditional linear Gaussian networks [lauritzen1989]: discrete variables have discrete parents,
// continuous ones a linear regression on their continuous parents in each cell of the discrete ones.
//
//   f(S) = sum_z [ n_z ln(n_z / N) - (n_z / 2) (c (1 + ln 2 pi) + ln det Sigma_z) ]
//          - l (ln N)/2 (q c (c + 3) / 2 + q - 1)
//
//   z       cells of the discrete members of S, q of them are possible;  n_z rows in z
//   c       continuous members of S;    Sigma_z their covariance in z, divided by n_z
//   l       option `penalty`, 1: how many times the charge of BIC a parameter pays
//
// so that a continuous variable with p continuous parents and q cells pays for q (p + 2) parameters and a
// discrete one for (r - 1) q: all cells that are possible count, as in `bic`. A family in which a discrete
// variable has a continuous parent has no score, and neither has one with a cell of few rows
// (cell_moments.hpp), option `least`. Without the first rule f is the score of [andrews2018]. Equivalent
// networks that are both allowed score equal. No bounds: only subsets cut off what contains them.
#include <cmath>
#include <numbers>

#include "score/log_likelihood.hpp"
#include "score/score.hpp"

namespace bayesloom {

namespace {

class ConditionalGaussian final : public SetScore {
 public:
  ConditionalGaussian(std::uint32_t rows, double penalty)
      : log_likelihood_(rows),
        rows_(rows),
        charge_(penalty * std::log(static_cast<double>(rows)) / 2) {}

  Fixed component(Cells const& cells) override {
    Moments const& moments = cells.moments;
    auto const c = static_cast<double>(moments.columns);
    double const charge = charge_ * cells.states * (c * (c + 3) / 2 + 1);
    if (moments.singular || charge > max_charge) return no_score;
    return log_likelihood_(cells) - to_fixed(charge) -
           to_fixed((rows_ * c * (1 + std::log(2 * std::numbers::pi)) + moments.log_det) / 2);
  }

  Fixed local_score(Cells const& family, Cells const& parents, std::uint32_t) override {
    Fixed const both = component(family);
    Fixed const without = component(parents);
    return is_score(both) && is_score(without) ? both - without : no_score;
  }

 private:
  static constexpr double max_charge =
      536870912.0;  // 2^29 nats: worse than any likelihood makes up
  LogLikelihood log_likelihood_;
  double rows_, charge_;
};

}  // namespace

BAYESLOOM_SCORE_NAMED(
    bic_cg, "bic-cg",
    ScoreEntry{
        .title = "conditional Gaussian BIC",
        .summary =
            "BIC with a linear regression for each combination of states of the discrete parents; "
            "discrete variables have discrete parents only, so an edge between the two kinds "
            "points to the number and counts as compelled.",
        .formula = "f(P + i) - f(P), f(S) = sum_z l(z) - l (ln N)/2 (q c (c + 3)/2 + q - 1)",
        .reference = "lauritzen1989",
        .set_function = true,
        .equivalent = true,
        .options = {{"least", 5.0, 2.0, 1e9,
                     "fewest rows of each such combination that occurs; a parent set with fewer "
                     "has no score"},
                    {"penalty", 1.0, 0.01, 10000.0,
                     "how many times the charge of BIC a parameter pays"}},
        .statistic = Statistic::cell_moments,
        .kinds = Kinds::any,
        .discrete_have_discrete_parents = true,
        .make = [](TableSize size, std::span<double const> values) -> std::unique_ptr<Score> {
          return std::make_unique<ConditionalGaussian>(size.rows, values[1]);
        },
    });

}  // namespace bayesloom
