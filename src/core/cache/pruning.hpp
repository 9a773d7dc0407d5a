// Smaller caches from larger ones.
//
// A candidate P of a variable is dominated if one of its other candidates Q, a subset of P, scores
// better by more than a margin:
//
//   Q subset of P, Q != P  and  score(Q) - margin > score(P)
//
// Replacing P by Q keeps any network acyclic and raises its score by more than the margin, so no
// network that uses P comes within the margin of the best one. With margin ln(F) the networks within
// Bayes factor F of the best keep all their candidates, those that reach exactly F included: that
// is why the comparison is strict, and why at margin 0 a superset that merely equals its subset
// stays. With `ties` dropped the comparison is >=: one best network survives, but not all of them.
#pragma once

#include <span>

#include "cache/score_cache.hpp"

namespace bayesloom {

enum class Ties : bool { keep, drop };

/// The candidates c of `cache` with keep[c]; throws InputError if a variable would have none left.
ScoreCache select(ScoreCache const& cache, std::span<bool const> keep);

/// The candidates that are not dominated. Looks up the subsets of each candidate, or scans those
/// that score better, whichever is less work.
ScoreCache without_dominated(ScoreCache const& cache, Fixed margin, Ties ties);

}  // namespace bayesloom
