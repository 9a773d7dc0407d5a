#include "check/normalizer.hpp"

#include <cmath>
#include <numbers>

namespace bayesloom::check {

namespace {

/// ln(m!) - m ln m + m, which grows only like ln(m)/2: what is left of a term of C(n, 2) once the
/// large parts of its factorials and powers have cancelled on paper instead of in the computer.
long double factorial_rest(std::uint64_t m) {
  if (m == 0) return 0;
  auto const x = static_cast<long double>(m);
  if (m < 32) return std::lgamma(x + 1) - x * std::log(x) + x;
  long double const y = 1 / (x * x);  // Stirling's series
  return std::log(2 * std::numbers::pi_v<long double> * x) / 2 +
         (1 / 12.0L - (1 / 360.0L - (1 / 1260.0L - (1 / 1680.0L - y / 1188) * y) * y) * y) / x;
}

/// C(n, 2) for n >= 1; the terms of h and n - h are equal.
long double two_states(std::uint64_t n) {
  long double const all = factorial_rest(n);
  long double sum = 0;
  for (std::uint64_t h = 0; h < n - h; ++h)
    sum += 2 * std::exp(all - factorial_rest(h) - factorial_rest(n - h));
  if (n % 2 == 0) sum += std::exp(all - 2 * factorial_rest(n / 2));
  return sum;
}

}  // namespace

long double log_normalizer_approximation(std::uint64_t n, long double k) {
  auto const rows = static_cast<long double>(n);
  long double const a = k / rows;
  // ln c is ln(1 + small) for large a, so take it by log1p: c - 1 = (sqrt(1 + 4/a) - 1) / 2.
  long double const excess = 2 / a / (std::sqrt(1 + 4 / a) + 1);
  long double const c = 1 + excess;
  return rows * (std::log(a) + (a + 2) * std::log1p(excess) - 1 / c) - std::log(c + 2 / a) / 2;
}

long double log_normalizer(std::uint64_t n, long double k) {
  if (n == 0 || k <= 1) return 0;
  if (k > exact_states) return log_normalizer_approximation(n, k);
  auto const rows = static_cast<long double>(n);
  // `before` and `now` are C(n, i) and C(n, i + 1) divided by exp(scale), which keeps them small.
  long double before = 1, now = two_states(n), scale = 0;
  for (int i = 1; i + 1 < static_cast<int>(k); ++i) {
    long double const next = now + rows / i * before;
    before = now;
    now = next;
    if (now > 1e100L) {
      scale += std::log(now);
      before /= now;
      now = 1;
    }
  }
  return scale + std::log(now);
}

}  // namespace bayesloom::check
