// PNAL [balov2013; bodewes2021]: the penalised node-average likelihood, for tables with missing values.
//
//   s(i, P) = N ( L(i | P) / N_iP  -  lambda k(i, P) )
//
//   N_iP     rows that have a value of i and of every member of P;  N all rows
//   L        maximised log-likelihood of i given P over these rows: of states as in bic.cpp, of a
//            continuous variable a regression in each cell of the discrete parents as in bic_cg.cpp
//   k        parameters: (r - 1) q of a discrete variable, q (c + 2) of one with c continuous parents
//   lambda   max( N^-power / n,  (ln N) / (2 N) ),  n variables, option `power` between 0 and 1/2
//
// Averages over different rows differ by some N^-1/2 even where nothing depends on anything, so a
// consistent charge falls more slowly than that, and BIC's is not one [balov2013]. In nats it is
// N^(1-power) / n for each parameter; never less than BIC's, which N^(1-power) / n is for many variables.
//
// A family with parents counts only if N_iP >= N / (2 N lambda): with fewer rows the fit of noise, half a
// nat for each parameter and row set, is worth more than its charge. Without parents a variable always
// has a score: 0 where it has no value, or where it is continuous and has fewer than `least`. Discrete variables have discrete
// parents only. No component form, not score-equivalent: reversing an edge changes which rows count.
//
// Bounds. Fewer rows and more parents never lower L of states, which is at most 0, so with R the rows
// complete on all variables, for every P' containing P
//
//   s(i, P') <= N L_R(i | all others) / N_i  -  N lambda (r - 1) q_P          (0 in place of L_R is safe too)
//
// because L(i|P') <= L_R(i | all others) <= 0 and N_iP' <= N_i. The gain bound of BIC does not hold. Of a
// continuous variable there are none: only subsets cut off.
#include <algorithm>
#include <cmath>
#include <numbers>

#include "score/log_likelihood.hpp"
#include "score/score.hpp"

namespace bayesloom {

namespace {

class NodeAverage final : public Score {
 public:
  NodeAverage(TableSize size, double power)
      : log_likelihood_(size.rows),
        rows_(size.rows),
        charge_(std::max(std::pow(rows_, 1 - power) / static_cast<double>(size.variables),
                         std::log(rows_) / 2)) {}

  Fixed local_score(Cells const& family, Cells const& parents, std::uint32_t cardinality) override {
    bool const alone = family.variables <= 1;
    if (family.rows == 0 || family.moments.singular) return alone ? 0 : no_score;
    if (!alone && !enough(family)) return no_score;
    double const scale = rows_ / family.rows;
    std::size_t const c = family.moments.columns;
    double const charge =
        charge_ * parents.states *
        (c > 0 ? static_cast<double>(c) + 1 : static_cast<double>(cardinality) - 1);
    if (charge > max_charge) return alone ? -to_fixed(max_charge) : no_score;
    if (c > 0)
      return to_fixed(
          -scale / 2 *
              (family.rows * (1 + std::log(2 * std::numbers::pi)) + family.moments.log_det) -
          charge);
    Fixed const fit = log_likelihood_(family.counts, family.given);
    return (family.rows == rows_ ? fit : to_fixed(scale * to_nats(fit))) - to_fixed(charge);
  }

  bool may_grow(Cells const& family) const override {
    return family.moments.columns > 0 && family.rows > 0 && enough(family);
  }

  double bound(std::uint32_t r_i, double q, std::size_t /*size*/, double fit) const override {
    return fit - std::min(charge_ * (r_i - 1.0) * q, max_charge);
  }

 private:
  bool enough(Cells const& family) const { return 2 * charge_ * family.rows >= rows_; }

  static constexpr double max_charge = 536870912.0;  // 2^29 nats: more than any likelihood makes up
  LogLikelihood log_likelihood_;
  double rows_, charge_;
};

}  // namespace

BAYESLOOM_SCORE(pnal, ScoreEntry{
                          .title = "node-average likelihood",
                          .summary = "for values missing completely at random: each variable by "
                                     "the rows that have it and its "
                                     "parents; discrete variables have discrete parents only.",
                          .formula = "N (L(i|P) / N_iP - k max(N^-power / n, (ln N) / 2N))",
                          .reference = "bodewes2021",
                          .set_function = false,
                          .equivalent = false,
                          .options = {{"least", 5.0, 2.0, 1e9, "as for bic-cg"},
                                      {"power", 0.25, 0.01, 0.49,
                                       "the penalty of a parameter is rows^(1 - power) / "
                                       "variables, or that of BIC if more"}},
                          .statistic = Statistic::families,
                          .kinds = Kinds::any,
                          .discrete_have_discrete_parents = true,
                          .reads_missing = true,
                          .make = [](TableSize size,
                                     std::span<double const> values) -> std::unique_ptr<Score> {
                            return std::make_unique<NodeAverage>(size, values[1]);
                          },
                      });

}  // namespace bayesloom
