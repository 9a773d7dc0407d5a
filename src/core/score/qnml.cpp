// qNML [silander2018]: the quotient of two one-dimensional NML codes; no option to set.
//
//   s(i, P) = L(i | P)  -  [ ln C(N, q r) - ln C(N, q) ],      f(S) = l(S) - ln C(N, q_S)
//
//   C(n, k)  multinomial regret, see multinomial_regret.hpp;  q, r joint states of parents, states
//   L, l     as in log_likelihood.hpp
//
// The authors use the approximation for every k; we follow the exact recurrence to 65,536 states.
#include "score/log_likelihood.hpp"
#include "score/multinomial_regret.hpp"
#include "score/score.hpp"

namespace bayesloom {

namespace {

class Qnml final : public SetScore {
 public:
  explicit Qnml(std::uint32_t rows)
      : rows_(rows), log_likelihood_(rows), ln_regrets_(ln_regrets(rows, exact_states)) {}

  Fixed component(Cells const& cells) override {
    double const k = cells.states;
    return log_likelihood_(cells) - to_fixed(k <= exact_states
                                                 ? ln_regrets_[static_cast<std::size_t>(k)]
                                                 : ln_regret_approximation(rows_, k));
  }

 private:
  std::uint32_t rows_;
  LogLikelihood log_likelihood_;
  std::vector<double> ln_regrets_;
};

}  // namespace

BAYESLOOM_SCORE(qnml, ScoreEntry{
                          .title = "qNML",
                          .summary = "quotient normalised maximum likelihood: no parameter to "
                                     "choose, equivalent networks score alike.",
                          .formula = "sum n_ijk ln(n_ijk / n_ij) - ln C(N, q r) + ln C(N, q)",
                          .reference = "silander2018",
                          .set_function = true,
                          .equivalent = true,
                          .options = {},
                          .make = [](TableSize size, auto) -> std::unique_ptr<Score> {
                            return std::make_unique<Qnml>(size.rows);
                          },
                      });

}  // namespace bayesloom
