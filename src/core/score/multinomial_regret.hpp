// The normaliser of the multinomial NML distribution: how much the best code for n rows over k
// states loses against the best fit in hindsight.
//
//   C(n, k) = sum over n_1 + .. + n_k = n of  n! / (n_1! .. n_k!)  prod (n_i / n)^n_i
//
//   C(n, 1) = 1
//   C(n, 2) = 1 + Q(n),   Q(n) = sum_{m >= 1} n! / ((n - m)! n^m)     Ramanujan's Q: O(sqrt n) terms
//   C(n, k + 2) = C(n, k + 1) + (n / k) C(n, k)                      [kontkanen2007]
//
// The recurrence runs on the ratios R_k = C(n, k+1) / C(n, k), R_{k+1} = 1 + n / (k R_k), which
// neither overflow nor cancel. Up to `exact_states` states it is followed exactly; a set with more
// joint states than that (they may be astronomically many) gets the approximation of
// [szpankowski2012], which is too large by less than 3e-6 nats there and comes closer beyond.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace bayesloom {

/// Largest k for which the recurrence is followed.
inline constexpr std::size_t exact_states = 65536;

/// ln C(n, k) for k = 1 .. states, at index k; index 0 is unused. `states` <= exact_states.
std::vector<double> ln_regrets(std::uint32_t n, std::size_t states);

/// ln C(n, k) by [szpankowski2012]; k may exceed 64 bits.
double ln_regret_approximation(std::uint32_t n, double k);

}  // namespace bayesloom
