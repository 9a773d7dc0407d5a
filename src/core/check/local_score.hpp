// Local scores from their textbook definitions, row by row: the verifier's own arithmetic.
//
// It shares no code with data/ and score/, on purpose: what computes the scores is what it checks.
// It counts with a hash map of parent states, sums in long double, and is slow. A row with a weight
// is that many rows.
//
//   N      rows                       N_j    rows with parent state j
//   r      states of the variable     N_jk   rows with parent state j and state k of the variable
//   q      joint parent states, the product of the parents' cardinalities (1 for no parents)
//   q'     joint parent states that occur;    a  equivalent sample size, option `ess`, default 1
//   n      columns of the table;   |P|  parents;   g  option `gamma`, default 1
//   LL     sum_jk N_jk ln(N_jk / N_j), the maximised log-likelihood
//   lnG    the logarithm of the gamma function;  C(n, k) as in normalizer.hpp
//
//   bic    LL - (ln N)/2 (r - 1) q                                                  [schwarz1978]
//   ebic   LL - (ln N)/2 (r - 1) q - g ln(n - 1) |P|                               [foygel2010]
//   aic    LL - (r - 1) q                                                           [akaike1974]
//   bdeu   sum_j [ lnG(a/q) - lnG(N_j + a/q) + sum_k ( lnG(N_jk + a/qr) - lnG(a/qr) ) ]
//                                                                       [heckerman1995]
//   bds    the same with q' in place of q                                           [scutari2016]
//   k2     sum_j [ lnG(r) - lnG(N_j + r) + sum_k lnG(N_jk + 1) ]                    [cooper1992]
//   fnml   LL - sum_j ln C(N_j, r)                                                  [silander2008]
//   qnml   LL - ( ln C(N, q r) - ln C(N, q) )                                       [silander2018]
//
// Scores of continuous variables are in gaussian_score.hpp, that of missing values in node_average.hpp.
//
// Sums over j need only the parent states that occur: the others contribute exactly 0.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <variant>
#include <vector>

namespace bayesloom::check {

/// One state number per row, or one number.
using Column = std::variant<std::span<std::uint8_t const>, std::span<std::uint16_t const>,
                            std::span<double const>>;

struct Table {
  std::vector<Column> columns;
  std::vector<std::uint32_t> cardinalities;  ///< not looked at where there are numbers
  std::span<std::uint32_t const> weights{};  ///< how often each row is there; if empty, once
  bool gaps = false;  ///< whether NaN and a state equal to the cardinality are missing values
};

/// The names above, in that order, then those of gaussian_score.hpp and node_average.hpp.
std::span<char const* const> score_names();

/// Throws InputError for a table without rows or columns, columns or weights of different lengths,
/// a weight of 0, a number that is not finite, or a state that is not below the cardinality of its column.
void check_table(Table const& table);

/// Options of the scores; each is read by the scores that have it.
struct ScoreOptions {
  double ess = 1;
  double gamma = 1;
  double alpha_mu = 1;
  double degrees = 2;
  double least = 5;
  double power = 0.25;
  double penalty = 1;
};

/// The local score of `variable` with these parents (any order) in a checked table. Throws
/// InputError for an unknown score, an `ess` that is not positive, a `gamma` that is negative, a
/// variable out of range, or so many joint parent states that the score is not a finite number.
double local_score(Table const& table, std::size_t variable, std::span<std::size_t const> parents,
                   std::string const& score, ScoreOptions const& options);

}  // namespace bayesloom::check
