// The parent sets of one child that may matter under a penalised likelihood of regressions. Private to the room.
//
// Best subset regression by branch and bound [furnival1974], asked for every set that no subset beats. A node has
// parents I that are in and variables C that are undecided; all others are out. Its sets P, I inside P inside I + C, have
//
//   s(i, P) <= L(i | I + C) - charge of |P| parents        L: log-likelihood; it only rises with parents
//
// so none of them but I matters if L(i | I + C) less the charge of one more parent is below the best subset of I. And
// k in C is in no set that matters, if what it brings to any of them is less than its charge: for I inside Q inside I + C - k
//
//   gain of k on Q <= N/2 ln( v(k|I) / v(k | I + C - k + i) ) - charge of one
//
// since the gain in likelihood is the same for i and k. Branching: the k of C that explains most of i beside I; first
// without it, then with it. So every subset of a set is met before the set, or some subset of that subset beats it and all
// that follow from it. Sets that beat their subsets are listed by their members, best first: the best subset of P + k is
// that of P, or has k in it.
//
// Two square matrices over C + i say all: A, what I leaves of products, and M, the inverse of the matrix of I + C + i. To
// take k in is a step of elimination in A, and k is struck out of M; to leave k out is a step in M, and k is struck out of A.
//
//   A' = A - a a' / A_kk     v(k|I) = A_kk        M' = M - m m' / M_kk     v(k | all others) = 1 / M_kk
//
// Against the enumeration by levels: that must leave a set alive until all other variables together bring less than the
// charge, and a set without the true parents is alive until it has as many proxies as there are. Here what is left out
// stays out.
//
// Rounding: the diagonal of M carries an error of at most about n^3 2^-52 trace(M)^2; bounds are raised by what four
// times that makes of a score. Where it is more than a small part of the charge the levels do the work.
#pragma once

#include <span>

#include "base/control.hpp"
#include "data/bit_planes.hpp"
#include "data/encoded_data.hpp"
#include "parent_sets/child_search.hpp"
#include "parent_sets/parent_sets.hpp"
#include "score/score.hpp"

namespace bayesloom {

/// Whether `search_regressions` can be used: the score is a penalised likelihood of one column for each variable, there
/// are at most 64 that vary, and rounding is small.
bool searches_regressions(EncodedData const& data, ScoreSpec const& spec);

/// Finds the sets of `useful` variables that may matter to a child. Stopped, it is without meaning.
ChildResult search_regressions(EncodedData const& data, BitPlanes const& planes,
                               ScoreSpec const& spec, ExhaustiveOptions const& options,
                               std::span<Variable const> useful, Variable child, Control& control);

}  // namespace bayesloom
