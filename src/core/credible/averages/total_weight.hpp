// The total weight of all networks, credible or not: the sum of exp(score) over every acyclic choice of candidates.
//
// It tells what share of the posterior a credible set covers. A sum over orders would count a network once per
// order; a sum over layers counts it once [talvitie2019]: layer 1 holds the variables without parents, each later
// layer those whose parents lie in earlier layers, at least one of them in the layer just before. With U the
// variables placed, L the last layer and T the next,
//
//   f(U + T, T) = sum over L in U of  f(U, L) * product over v in T of  beta_v(U, L)
//   beta_v(U, L) = alpha_v(U) - alpha_v(U - L),   alpha_v(U) = sum of exp(-loss(v, P)) over P in U
//   total = sum over L of f(V, L)
//
// Every term is positive, unlike in inclusion and exclusion over variables without parents [tian2009], whose terms
// are up to 2^n times their sum; the price is 4^n products instead of 3^n. For fixed U the sum is a matrix product:
// T is split into two halves, which number the rows and the columns.
//
// Weights differ by thousands of nats, so each number is m * 2^e: f(U, .) is stored in units of 2^E(U) with
// E(U) = max over x in U of E(U - x) + e(alpha_x(U - x)), about the weight of the best network on U. What
// underflows is less than 2^-1000 of the weight of U, and it cannot matter later: every completion of a network on
// U is one of the best network on U too.
#pragma once

#include <cstddef>
#include <optional>

#include "base/control.hpp"
#include "cache/score_cache.hpp"

namespace bayesloom::credible {

/// The most variables in one component.
inline constexpr std::size_t most_for_total = 18;

/// ln of the sum over all networks of exp(score - reference). Components multiply. Nothing if
/// stopped. Throws ResourceError for a component of more than `most_for_total` variables or beyond
/// the memory, and InfeasibleError if the candidates allow no network.
std::optional<double> log_total_weight(ScoreCache const& cache, Fixed reference,
                                       std::size_t threads, double memory_bytes, Control& control);

}  // namespace bayesloom::credible
