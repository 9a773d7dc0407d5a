// BIC of the degenerate Gaussian [andrews2019]: mixed tables as if all columns were normal.
//
// A discrete variable stands for an indicator of each of its seen states but one, a continuous one for
// itself, and f is that of gaussian.hpp over all columns of a set. Which state has no indicator does
// not matter. Score-equivalent, any variable may be a parent of any, and a variable of k_i columns
// pays (ln N)/2 (k_i K + k_i (k_i + 3) / 2) for parents of K columns. It sees what is linear in the
// indicators; a fitted network of this kind is no model of states.
#include "score/gaussian.hpp"

namespace bayesloom {

BAYESLOOM_SCORE(
    dg,
    ScoreEntry{
        .title = "degenerate Gaussian BIC",
        .summary =
            "BIC of linear regressions, each state taken for a column of 0 and 1, so rougher "
            "than bic-cg; any variable may be a parent of any.",
        .formula = "f(P + i) - f(P), f(S) = Gaussian BIC of all columns of S",
        .reference = "andrews2019",
        .set_function = true,
        .equivalent = true,
        .options = {},
        .statistic = Statistic::moments,
        .kinds = Kinds::any,
        .needs_rows = true,
        .matrix = [](EncodedData const& data, auto) { return covariance(data, true); },
        .bounds = [](EncodedData const& data, auto) { return GaussianBicBounds::make(data, true); },
        .make = [](TableSize size, auto) -> std::unique_ptr<Score> {
          return std::make_unique<GaussianBic>(size.rows);
        },
    });

}  // namespace bayesloom
