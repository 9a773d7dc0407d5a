// K2 [cooper1992]: the marginal likelihood with one pseudo-count per child state.
//
//   s(i, P) = sum_j [ lnG(r) - lnG(n_ij + r)  +  sum_k lnG(n_ijk + 1) ]
//
//   r      states of the child;  n_ijk, n_ij counts as in bic.cpp
//
// lnG(n + 1) = G_1(n) and lnG(n + r) - lnG(r) = G_r(n) in the terms of rising_factorial.hpp.
// r belongs to the child, so there is no component form; not score-equivalent.
// Bounds by parent state for all supersets: cell_bounds.hpp; x = r whatever the parents are.
#include "score/cell_bounds.hpp"
#include "score/rising_factorial.hpp"
#include "score/score.hpp"

namespace bayesloom {

namespace {

class K2 final : public Score {
 public:
  explicit K2(std::uint32_t rows) : rising_(rows) {}

  Fixed local_score(Cells const& family, Cells const& parents, std::uint32_t cardinality) override {
    return rising_.unit().to_fixed(rising_(family, 1.0) - rising_(parents, cardinality));
  }

  std::unique_ptr<CellBounds> cell_bounds(std::uint32_t r_i) const override {
    return k2_cell_bounds(r_i);
  }

 private:
  RisingFactorials rising_;
};

}  // namespace

BAYESLOOM_SCORE(k2, ScoreEntry{
                        .title = "K2",
                        .summary = "Bayesian evidence of a network, with a prior worth one row for "
                                   "each state of a variable and each parent state.",
                        .formula = "sum_j lnG(r) - lnG(n_ij + r) + sum_jk lnG(n_ijk + 1)",
                        .reference = "cooper1992",
                        .set_function = false,
                        .equivalent = false,
                        .options = {},
                        .make = [](TableSize size, auto) -> std::unique_ptr<Score> {
                          return std::make_unique<K2>(size.rows);
                        },
                    });

}  // namespace bayesloom
