// BIC, the Bayesian information criterion [schwarz1978]; minus BIC is the description length MDL
// of [malone2011].
//
//   s(i, P) = sum_jk n_ijk ln(n_ijk / n_ij)  -  l (ln N)/2 (r_i - 1) q_P
//
//   n_ijk  rows with child state k under parent state j;  n_ij their sum over k
//   N      rows of the table;  r_i, q_P as in penalised.hpp
//   l      option `penalty`, 1: how many times the charge of BIC a parameter pays
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
        .formula = "sum n_ijk ln(n_ijk / n_ij) - l (ln N)/2 (r_i - 1) q_P",
        .reference = "schwarz1978",
        .set_function = true,
        .equivalent = true,
        .options = {{"penalty", 1.0, 0.01, 10000.0,
                     "how many times the charge of BIC a parameter pays"}},
        .make = [](TableSize size, std::span<double const> values) -> std::unique_ptr<Score> {
          return std::make_unique<Penalised>(
              size.rows, values[0] * std::log(static_cast<double>(size.rows)) / 2);
        },
    });

}  // namespace bayesloom
