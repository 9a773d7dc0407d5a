// BDeu [buntine1991, heckerman1995]: the marginal likelihood under a uniform Dirichlet prior.
//
//   s(i, P) = sum_j [ lnG(a/q) - lnG(n_ij + a/q)  +  sum_k ( lnG(n_ijk + a/qr) - lnG(a/qr) ) ]
//
//   a      equivalent sample size, option `ess`
//   q, r   joint states of the parents, states of the child;  n_ijk, n_ij counts as in bic.cpp
//
// In component form f(S) = sum over cells of G_{a/q_S}(n), with G as in rising_factorial.hpp: a
// cell without rows adds nothing, so the sum runs over seen cells only. [liao2018] prints a and
// a/r_i for the pseudo-counts; that is not score-equivalent, and not BDeu. No structure prior.
//
// Bound [liao2018 Theorem 4, for every a > 0]: take the rows of one parent state one after another;
// the first row of each child state is predicted with probability at most 1/r, every other with at
// most 1. So s(i, P') <= -(cells of P + i that hold a row) ln r for every P' that contains P.
// Bounds by parent state for all supersets: cell_bounds.hpp; x = a / q.
#include "score/cell_bounds.hpp"
#include "score/rising_factorial.hpp"
#include "score/score.hpp"

namespace bayesloom {

namespace {

class Bdeu final : public SetScore {
 public:
  Bdeu(std::uint32_t rows, double ess) : rising_(rows), ess_(ess) {
    Cells none;
    none.counts = {rows};
    if (rising_.unit().coarse()) all_ = rising_(none, ess_);
  }

  Fixed component(Cells const& cells) override {
    return rising_.unit().to_fixed(rising_(cells, ess_ / cells.states) - all_);
  }

  double bound_counted(std::uint32_t r_i, std::size_t seen, double fit) const override {
    return std::min(fit, -static_cast<double>(seen) * std::log(static_cast<double>(r_i)));
  }

  std::unique_ptr<CellBounds> cell_bounds(std::uint32_t r_i) const override {
    return bdeu_cell_bounds(r_i, ess_);
  }

 private:
  RisingFactorials rising_;
  double ess_;
  std::int64_t all_ = 0;  // f({}), where that may be out of range
};

}  // namespace

BAYESLOOM_SCORE(
    bdeu,
    ScoreEntry{
        .title = "BDeu",
        .summary =
            "Bayesian evidence of a network, with a prior worth `ess` rows in all, spread evenly.",
        .formula = "sum_j lnG(a/q) - lnG(n_ij + a/q) + sum_jk lnG(n_ijk + a/qr) - lnG(a/qr)",
        .reference = "heckerman1995",
        .set_function = true,
        .equivalent = true,
        .options = {{"ess", 1.0, 1e-9, 1e9,
                     "equivalent sample size; 1 to 10 are usual, and more gives more edges"}},
        .make = [](TableSize size, std::span<double const> values) -> std::unique_ptr<Score> {
          return std::make_unique<Bdeu>(size.rows, values[0]);
        },
    });

}  // namespace bayesloom
