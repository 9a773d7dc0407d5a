// BDs [scutari2016]: BDeu whose prior is spread over the parent states that were seen.
//
//   s(i, P) = sum_j [ lnG(a/q') - lnG(n_ij + a/q')  +  sum_k ( lnG(n_ijk + a/q'r) - lnG(a/q'r) ) ]
//
//   q'     parent states j with n_ij > 0;  the sums run over those;  a, r, n as in bdeu.cpp
//
// q' belongs to the parents, not to the family, so there is no component form, and networks of one
// equivalence class may score differently.
// Bounds by parent state for all supersets: cell_bounds.hpp; x = a / q', and q' never falls with
// more parents.
#include "score/cell_bounds.hpp"
#include "score/rising_factorial.hpp"
#include "score/score.hpp"

namespace bayesloom {

namespace {

class Bds final : public Score {
 public:
  Bds(std::uint32_t rows, double ess) : rising_(rows), ess_(ess) {}

  Fixed local_score(Cells const& family, Cells const& parents, std::uint32_t cardinality) override {
    double const a = ess_ / static_cast<double>(parents.seen());
    return rising_.unit().to_fixed(rising_(family, a / cardinality) - rising_(parents, a));
  }

  std::unique_ptr<CellBounds> cell_bounds(std::uint32_t r_i) const override {
    return bds_cell_bounds(r_i, ess_);
  }

 private:
  RisingFactorials rising_;
  double ess_;
};

}  // namespace

BAYESLOOM_SCORE(
    bds, ScoreEntry{
             .title = "BDs",
             .summary =
                 "BDeu with the prior spread over the parent states that occur: for sparse tables.",
             .formula = "BDeu with q' seen parent states in place of q",
             .reference = "scutari2016",
             .set_function = false,
             .equivalent = false,
             .options = {{"ess", 1.0, 1e-9, 1e9, "equivalent sample size"}},
             .make = [](TableSize size, std::span<double const> values) -> std::unique_ptr<Score> {
               return std::make_unique<Bds>(size.rows, values[0]);
             },
         });

}  // namespace bayesloom
