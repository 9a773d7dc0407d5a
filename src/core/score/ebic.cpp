// Extended BIC [chen2008, foygel2010]: BIC with a prior on edges, for tables of many columns.
//
//   s(i, P) = BIC(i, P) - lam |P|,     lam = gamma ln(n - 1)
//
//   n      variables of the table, each of which could be a parent of each other
//   gamma  option; 0 gives BIC
//
// A single false edge passes BIC with a small probability; among n^2 / 2 pairs of columns many do.
// A charge of ln(n - 1) for each edge is what it takes to name one of n - 1 parents, and at gamma 1
// the expected number of false edges falls as n grows.
//
// In component form f(S) = f_BIC(S) - lam |S| (|S| - 1) / 2, so the score is the same for all
// networks of an equivalence class: they have equally many edges. lam is rounded once, and an edge
// costs exactly that.
//
// Bounds: those of BIC (penalised.hpp) less lam for each parent. A gain is less by lam; the
// entropies in its bound are told from s, which lacks lam |P| here.
#include <algorithm>
#include <cmath>

#include "score/penalised.hpp"

namespace bayesloom {

namespace {

class Ebic final : public SetScore {
 public:
  Ebic(TableSize size, double gamma)
      : bic_(size.rows, std::log(static_cast<double>(size.rows)) / 2),
        edge_(to_fixed(gamma * std::log(std::max(1.0, static_cast<double>(size.variables) - 1)))),
        lam_(to_nats(edge_)) {}

  Fixed component(Cells const& cells) override {
    auto const k = static_cast<Fixed>(std::min(cells.variables, most_in_component));
    return bic_.component(cells) - edge_ * (k * (k - 1) / 2);
  }

  bool by_components(Cells const& family) const override { return bic_.by_components(family); }

  Fixed local_score(Cells const& family, Cells const& parents, std::uint32_t cardinality) override {
    return bic_.local_score(family, parents, cardinality) -
           edge_ * static_cast<Fixed>(parents.variables);
  }

  double interaction(std::uint32_t r_i, double q_a, double q_b) const override {
    return bic_.interaction(r_i, q_a, q_b);
  }

  double bound(std::uint32_t r_i, double q, std::size_t size, double fit) const override {
    return bic_.bound(r_i, q, size, fit) - lam_ * static_cast<double>(size);
  }

  double gain_bound(double s_i, std::uint32_t r_i, double s_j, std::uint32_t r_j, double q,
                    std::size_t size) const override {
    double const paid = lam_ * static_cast<double>(size);
    return bic_.gain_bound(s_i + paid, r_i, s_j + paid, r_j, q, size) - lam_;
  }

 private:
  // Sets that share their counting have a few dozen variables; beyond this f could leave its range.
  static constexpr std::size_t most_in_component = 512;

  Penalised bic_;
  Fixed edge_;  // lam in fixed point
  double lam_;
};

}  // namespace

BAYESLOOM_SCORE(
    ebic, ScoreEntry{
              .title = "extended BIC",
              .summary = "BIC with a penalty for each edge on top: for many columns and few rows.",
              .formula = "BIC - gamma ln(n - 1) |P|",
              .reference = "foygel2010",
              .set_function = true,
              .equivalent = true,
              .options = {{"gamma", 1.0, 0.0, 100.0,
                           "weight of the penalty of ln(variables - 1) for each edge"}},
              .make = [](TableSize size, std::span<double const> values) -> std::unique_ptr<Score> {
                return std::make_unique<Ebic>(size, values[0]);
              },
          });

}  // namespace bayesloom
