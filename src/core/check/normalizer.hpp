// The normaliser of the multinomial normalised maximum likelihood: C(n, k), the sum over all data
// sets of n rows of a variable with k states of their maximised likelihoods. Its logarithm is the
// penalty of the scores fNML and qNML.
//
//   C(n, 1) = 1        C(0, k) = 1
//   C(n, 2) = sum over h = 0 .. n of  binom(n, h) (h/n)^h ((n-h)/n)^(n-h)       (0^0 = 1)
//   C(n, k + 2) = C(n, k + 1) + n/k C(n, k)                                     [kontkanen2007]
//
// THE RULE of Bayesloom, which the scores follow as well: for k <= 65,536 the value is exact, by
// the recurrence. Beyond, where k may be the number of joint states of many variables and too
// large to count to, it is the uniform approximation of Szpankowski and Weinberger
// [szpankowski2012], the one Silander et al. use for qNML [silander2018]:
//
//   ln C(n, k) = n (ln a + (a + 2) ln c - 1/c) - ln(c + 2/a) / 2,
//   a = k/n,  c = 1/2 + sqrt(1 + 4/a) / 2
//
// At k = 65,536 it is too large by less than 0.000003 (a test holds it to that), and it comes closer
// as k grows. For a = k/n so large that 1 + 4/a is 1 in the computer, ln c must be taken by log1p, or the
// term a ln c, whose limit is 1, is lost. Exact value and approximation both depend on (n, k) alone,
// so qNML gives equivalent networks equal scores.
#pragma once

#include <cstdint>

namespace bayesloom::check {

inline constexpr long double exact_states = 65536;

/// ln C(n, k) by the rule above; `k` is a whole number, at least 1.
long double log_normalizer(std::uint64_t n, long double k);

/// The approximation alone, for any n >= 1 and k >= 1.
long double log_normalizer_approximation(std::uint64_t n, long double k);

}  // namespace bayesloom::check
