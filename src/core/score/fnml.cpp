// fNML [silander2008]: one NML code per parent state.
//
//   s(i, P) = L(i | P)  -  sum_j ln C(n_ij, r)
//
//   C(n, k)  multinomial regret, see multinomial_regret.hpp;  r states of the child
//   n_ij     rows under parent state j;  L as in log_likelihood.hpp
//
// The charge depends on the parents' counts and the child's states together, so there is no
// component form; not score-equivalent. ln C(n, r) is computed once for each (n, r) that occurs.
// Bounds by parent state for all supersets: cell_bounds.hpp.
#include <unordered_map>

#include "score/cell_bounds.hpp"
#include "score/log_likelihood.hpp"
#include "score/multinomial_regret.hpp"
#include "score/score.hpp"

namespace bayesloom {

namespace {

class Fnml final : public Score {
 public:
  explicit Fnml(std::uint32_t rows) : log_likelihood_(rows), unit_(rows, 16) {}

  Fixed local_score(Cells const& family, Cells const& parents, std::uint32_t cardinality) override {
    auto& known = regrets_[cardinality];
    std::int64_t const charge = sum_over_cells(parents, [&](std::uint32_t n) {
      auto const [entry, fresh] = known.try_emplace(n, 0);
      if (fresh) entry->second = unit_.from_nats(ln_regrets(n, cardinality).back());
      return entry->second;
    });
    return log_likelihood_(family.counts, parents.counts) - unit_.to_fixed(charge);
  }

  std::unique_ptr<CellBounds> cell_bounds(std::uint32_t r_i) const override {
    return fnml_cell_bounds(r_i);
  }

 private:
  LogLikelihood log_likelihood_;
  FineUnit unit_;
  std::unordered_map<std::uint32_t, std::unordered_map<std::uint32_t, std::int64_t>> regrets_;
};

}  // namespace

BAYESLOOM_SCORE(fnml, ScoreEntry{
                          .title = "fNML",
                          .summary = "factorised normalised maximum likelihood: no parameter to "
                                     "choose.",
                          .formula = "sum n_ijk ln(n_ijk / n_ij) - sum_j ln C(n_ij, r)",
                          .reference = "silander2008",
                          .set_function = false,
                          .equivalent = false,
                          .options = {},
                          .make = [](TableSize size, auto) -> std::unique_ptr<Score> {
                            return std::make_unique<Fnml>(size.rows);
                          },
                      });

}  // namespace bayesloom
