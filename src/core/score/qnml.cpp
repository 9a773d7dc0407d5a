// qNML [silander2018]: the quotient of two one-dimensional NML codes; no option to set.
//
//   s(i, P) = L(i | P)  -  [ ln C(N, q r) - ln C(N, q) ],      f(S) = l(S) - ln C(N, q_S)
//
//   C(n, k)  multinomial regret, see multinomial_regret.hpp;  q, r joint states of parents, states
//   L, l     as in log_likelihood.hpp
//
// The authors use the approximation for every k; we follow the exact recurrence to 65,536 states.
//
// Bounds. h(q) = ln C(N, q r) - ln C(N, q), the charge, never falls with q:
//   C(N, k) = sum_m c_m (k-1) k .. (k+m-2) / m!,   c_m = N! / ((N-m)! N^m)
// (Lagrange inversion of the generating function (1 - T)^-k, T the tree function), and as
// (k-1) k .. (k+m-2) = k .. (k+m-1) - m k .. (k+m-2) this is sum_m (c_m - c_m+1) k .. (k+m-1) / m!
// with c_m >= c_m+1 >= 0. Each k (k+1) .. (k+m-1) is log-convex as a function of ln k, being a
// product of e^t + j; so is their sum; so ln C(N, k) is convex in ln k, and h(q) is its growth over
// a step of ln r that begins at ln q. Hence
//   s(i, P') <= fit - h(q_P)                              for P' containing P
//   s(i, P'+j) - s(i, P') <= N min(H(i|P), H(j|P)) - [h(q' r_j) - h(q')] <= N min(H(i|P), H(j|P))
// with N H(i|P) = -s(i, P) - h(q_P).
#include <algorithm>

#include "score/cell_bounds.hpp"
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
    return log_likelihood_(cells) - to_fixed(ln_regret(cells.states));
  }

  double bound(std::uint32_t r_i, double q, std::size_t /*size*/, double fit) const override {
    return fit - charge(r_i, q) + approximation_error;
  }

  double gain_bound(double s_i, std::uint32_t r_i, double s_j, std::uint32_t r_j, double q,
                    std::size_t /*size*/) const override {
    return std::min(-s_i - charge(r_i, q), -s_j - charge(r_j, q)) + approximation_error;
  }

  std::unique_ptr<CellBounds> cell_bounds(std::uint32_t r_i) const override {
    return fit_cell_bounds(r_i,
                           [this, r_i](double q) { return charge(r_i, q) - approximation_error; });
  }

 private:
  /// What the approximation beyond `exact_states` may be off by in two charges, with room.
  static constexpr double approximation_error = 2e-5;

  double ln_regret(double k) const {
    return k <= exact_states ? ln_regrets_[static_cast<std::size_t>(k)]
                             : ln_regret_approximation(rows_, k);
  }
  double charge(std::uint32_t r, double q) const { return ln_regret(q * r) - ln_regret(q); }

  std::uint32_t rows_;
  LogLikelihood log_likelihood_;
  std::vector<double> ln_regrets_;
};

}  // namespace

BAYESLOOM_SCORE(qnml, ScoreEntry{
                          .title = "qNML",
                          .summary = "quotient normalised maximum likelihood: no parameter to "
                                     "choose.",
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
