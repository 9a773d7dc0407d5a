// AIC, Akaike's information criterion [akaike1974], on the scale of a log-likelihood.
//
//   s(i, P) = sum_jk n_ijk ln(n_ijk / n_ij)  -  (r_i - 1) q_P
//
// Akaike's own value is -2 times this one; we keep "larger is better".
#include "score/penalised.hpp"

namespace bayesloom {

BAYESLOOM_SCORE(
    aic, ScoreEntry{
             .title = "AIC",
             .summary = "Akaike's criterion: fit minus the number of parameters; keeps many edges.",
             .formula = "sum n_ijk ln(n_ijk / n_ij) - (r_i - 1) q_P",
             .reference = "akaike1974",
             .set_function = true,
             .equivalent = true,
             .options = {},
             .make = [](TableSize size, auto) -> std::unique_ptr<Score> {
               return std::make_unique<Penalised>(size.rows, 1.0);
             },
         });

}  // namespace bayesloom
