// BIC, the Bayesian information criterion [schwarz1978]; minus BIC is the description length MDL
// of [malone2011].
//
//   s(i, P) = sum_jk n_ijk ln(n_ijk / n_ij)  -  (ln N)/2 (r_i - 1) q_P
//
//   n_ijk  rows with child state k under parent state j;  n_ij their sum over k
//   N      rows of the table;  r_i, q_P as in penalised.hpp
//
// Natural log, larger is better. r counts declared states, seen or not.
#include <cmath>

#include "score/penalised.hpp"

namespace bayesloom {

BAYESLOOM_SCORE(
    bic,
    ScoreEntry{
        .title = "BIC",
        .summary =
            "Bayesian information criterion (MDL): fit minus half of ln(rows) for each parameter.",
        .formula = "sum n_ijk ln(n_ijk / n_ij) - (ln N)/2 (r_i - 1) q_P",
        .reference = "schwarz1978",
        .set_function = true,
        .equivalent = true,
        .options = {},
        .make = [](TableSize size, auto) -> std::unique_ptr<Score> {
          return std::make_unique<Penalised>(size.rows,
                                             std::log(static_cast<double>(size.rows)) / 2);
        },
    });

}  // namespace bayesloom
