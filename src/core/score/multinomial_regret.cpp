#include "score/multinomial_regret.hpp"

#include <algorithm>
#include <cmath>

namespace bayesloom {

std::vector<double> ln_regrets(std::uint32_t n, std::size_t states) {
  std::vector<double> ln_c(std::max<std::size_t>(states, 2) + 1, 0.0);
  if (n > 0) {
    double q = 0;
    double term = 1;
    for (std::uint32_t m = 1; m <= n && term > 1e-18 * (1 + q); ++m) {
      q += term;  // n! / ((n - m)! n^m), beginning with 1 for m = 1
      term *= static_cast<double>(n - m) / n;
    }
    double ratio = 1 + q;
    for (std::size_t k = 1; k + 1 < ln_c.size(); ++k) {
      ln_c[k + 1] = ln_c[k] + std::log(ratio);
      ratio = 1 + n / (static_cast<double>(k) * ratio);
    }
  }
  ln_c.resize(states + 1);
  return ln_c;
}

double ln_regret_approximation(std::uint32_t n, double k) {
  if (n == 0) return 0;
  double const a = k / n;
  // c - 1, without the cancellation that would lose a ln c, whose limit is 1, for large a.
  double const excess = 2 / (a * (1 + std::sqrt(1 + 4 / a)));
  double const c = 1 + excess;
  return n * (std::log(a) + (a + 2) * std::log1p(excess) - 1 / c) - 0.5 * std::log(c + 2 / a);
}

}  // namespace bayesloom
