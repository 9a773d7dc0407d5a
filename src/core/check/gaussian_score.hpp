// Local scores of continuous and mixed variables, by regression on the rows: the verifier's own way.
//
// No covariance matrix and no determinant is formed: columns are made orthogonal to those before them,
// one after the other (modified Gram-Schmidt, twice), in long double, and what is left of a column is
// the residual sum of squares RSS of its regression.
//
//   N      rows                        p      parents
//   v      RSS of the variable on its parents and a constant, divided by N
//   m      option `alpha_mu`, 1;       a      option `degrees`, 2;      t = m (a - 1) / (m + 1)
//   W_P    product of the RSS of the parents, each on those before it, with a row sqrt(t) e_j added for
//          each column j, so that RSS has t in it; W_iP that of the variable and its parents
//
//   bic-g  -(N/2) (1 + ln 2 pi + ln v) - l (ln N)/2 (p + 2)    l: option `penalty`, 1  [schwarz1978]
//   bge    (1/2) ln(m/(N+m)) - (N/2) ln pi + lnG((N+a+p+1)/2) - lnG((a+p+1)/2) + (a+2p+1)/2 ln t
//          - (N+a+p+1)/2 ln W_iP + (N+a+p)/2 ln W_P                                   [kuipers2014]
//
//   dg     -(1/2) sum over the columns c of i of N (1 + ln 2 pi + ln v_c) - (ln N)/2 (k K + k (k+3)/2)
//          k columns of i, K of its parents: an indicator of each seen state but the last for a discrete
//          variable; v_c of column c on those of the parents and the columns of i before it [andrews2019]
//   bic-cg of a continuous variable: sum over the cells z of its discrete parents that hold n_z rows of
//          -(n_z/2) (1 + ln 2 pi + ln v_z), less (ln N)/2 q (p + 2), p continuous parents, q cells that are
//          possible, v_z within the rows of z; of a discrete one with discrete parents bic [lauritzen1989]
//
// A constant variable scores 0 and counts as no parent.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "check/local_score.hpp"

namespace bayesloom::check {

bool is_gaussian(std::string const& score);

/// As `local_score`, for the scores above.
long double gaussian_score(Table const& table, std::size_t variable,
                           std::span<std::size_t const> parents, std::string const& score,
                           ScoreOptions const& options);

/// The residual variance of the last of some columns of numbers by the others, over some rows.
long double residual_variance(Table const& table, std::span<std::size_t const> family,
                              std::span<std::size_t const> rows);

}  // namespace bayesloom::check
