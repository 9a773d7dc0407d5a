// The node-average likelihood of missing values, row by row: the verifier's own way.
//
//   pnal   N ( L / M - lambda k )                                                     [bodewes2021]
//
//   N      rows;   M   rows that have a value of the variable and of all its parents
//   L      log-likelihood over these M rows: sum over parent states j and states k of N_jk ln(N_jk / N_j)
//          of a discrete variable; sum over the cells z of discrete parents of -(n_z/2) (1 + ln 2 pi + ln v_z)
//          of a continuous one, v_z as in gaussian_score.hpp
//   k      (r - 1) q, or q (p + 2) with p continuous parents that vary
//   lambda the larger of N^-power / n and (ln N) / (2 N), n columns
//
// 0 for a variable that is constant, or has no parents and no value, or is continuous with fewer than
// `least` of them. Refused where there is none: too few rows (2 N lambda M < N, with parents), a cell of a continuous
// variable with fewer rows than p + 3 or option `least`, a discrete variable with a continuous parent.
#pragma once

#include <cstddef>
#include <span>

#include "check/local_score.hpp"

namespace bayesloom::check {

long double node_average(Table const& table, std::size_t variable,
                         std::span<std::size_t const> parents, ScoreOptions const& options);

}  // namespace bayesloom::check
