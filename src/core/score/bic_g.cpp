// BIC of linear Gaussian networks [schwarz1978]: each variable a linear regression on its parents.
//
//   s(i, P) = -(N/2) (1 + ln 2 pi + ln v(i|P)) - l (ln N)/2 (|P| + 2)
//
//   v(i|P)   residual variance of the regression, the sum of squares divided by N
//   l        option `penalty`, 1: how many times the charge of BIC a parameter pays
//
// The maximised likelihood; bnlearn's score of the same name divides by N - |P| - 1 in v and is
// lower by about (|P| + 1)^2 / (4 N) for each variable. Component form and bounds: gaussian.hpp.
#include "score/gaussian.hpp"

namespace bayesloom {

BAYESLOOM_SCORE_NAMED(
    bic_g, "bic-g",
    ScoreEntry{
        .title = "Gaussian BIC",
        .summary = "BIC of linear regressions, each variable on its parents.",
        .formula = "-(N/2) (1 + ln 2pi + ln v(i|P)) - l (ln N)/2 (p + 2)",
        .reference = "schwarz1978",
        .set_function = true,
        .equivalent = true,
        .options = {{"penalty", 1.0, 0.01, 10000.0,
                     "how many times the charge of BIC a parameter pays"}},
        .statistic = Statistic::moments,
        .kinds = Kinds::continuous,
        .needs_rows = true,
        .matrix = [](EncodedData const& data, auto) { return covariance(data, false); },
        .bounds = [](EncodedData const& data,
                     std::span<double const> values) -> std::unique_ptr<FamilyBounds> {
          return GaussianBicBounds::make(data, false, values[0]);
        },
        .make = [](TableSize size, std::span<double const> values) -> std::unique_ptr<Score> {
          return std::make_unique<GaussianBic>(size.rows, values[0]);
        },
    });

}  // namespace bayesloom
