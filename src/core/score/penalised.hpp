// Log-likelihood minus a charge per free parameter: what BIC and AIC share.
//
//   s(i, P) = L(i | P) - w (r_i - 1) q_P,        f(S) = l(S) - w q_S
//
//   r_i   states of the child            q_P  joint states of the parents, q of the empty set is 1
//   w     charge: (ln N) / 2 for BIC, 1 for AIC
//
// The two forms agree because q_{P+i} - q_P = (r_i - 1) q_P. A charge beyond 2^29 nats is counted
// as 2^29: such a parent set is worse than any other by more than any likelihood can make up.
//
// Bounds [liao2018 Theorems 1 and 3, put right; decampos2018]:
//   s(i, P') <= fit - w (r_i - 1) q_P               for P' containing P: the charge only grows
//   s(i, P'+j) - s(i, P') <= N min(H(i|P), H(j|P)) - w (r_i - 1) (r_j - 1) q_P
//                                                   the gain is N I(i; j | P'), the charge grows
// with N H(i|P) = -L(i|P) = -s(i, P) - w (r_i - 1) q_P.
#pragma once

#include <algorithm>

#include "score/log_likelihood.hpp"
#include "score/score.hpp"

namespace bayesloom {

class Penalised final : public SetScore {
 public:
  Penalised(std::uint32_t rows, double charge) : log_likelihood_(rows), charge_(charge) {}

  Fixed component(Cells const& cells) override {
    return log_likelihood_(cells) - to_fixed(std::min(charge_ * cells.states, max_charge));
  }

  bool by_components(Cells const& family) const override {
    return charge_ * family.states < max_charge;
  }

  Fixed local_score(Cells const& family, Cells const& parents, std::uint32_t cardinality) override {
    if (by_components(family)) return SetScore::local_score(family, parents, cardinality);
    // Beyond the range the components no longer differ; charge the parameters themselves.
    double const charge = charge_ * parents.states * (cardinality - 1.0);
    return log_likelihood_(family.counts, parents.counts) - to_fixed(std::min(charge, max_charge));
  }

  /// Charges do not add up: w (r - 1) (q_a q_b - q_a - q_b + 1) more is due for the union.
  double interaction(std::uint32_t r_i, double q_a, double q_b) const override {
    return -charge_ * (r_i - 1.0) * (q_a - 1) * (q_b - 1);
  }

  double bound(std::uint32_t r_i, double q, std::size_t /*size*/, double fit) const override {
    return fit - charge_ * (r_i - 1.0) * q;
  }

  double gain_bound(double s_i, std::uint32_t r_i, double s_j, std::uint32_t r_j, double q,
                    std::size_t /*size*/) const override {
    double const entropy_i = -s_i - charge_ * (r_i - 1.0) * q;
    double const entropy_j = -s_j - charge_ * (r_j - 1.0) * q;
    return std::min(entropy_i, entropy_j) - charge_ * (r_i - 1.0) * (r_j - 1.0) * q;
  }

 private:
  static constexpr double max_charge = 536870912.0;  // 2^29 nats
  LogLikelihood log_likelihood_;
  double charge_;
};

}  // namespace bayesloom
