// All parent sets of one child that contain given parents, and that can matter among those.
//
//   keep P containing R  iff  s(i, P) >= s(i, Q) - e   for every Q with R inside Q inside P
//
// A set without R may beat P, but a network that must have R cannot use it: so the lists of
// `exhaustive`, which compare with all subsets, are too short for a child with required parents.
// Sets grow by size from R. A set is not grown if the score's bounds show that no superset of it
// can matter, or if that was shown of one of its subsets.
#pragma once

#include "base/control.hpp"
#include "cache/cache_builder.hpp"
#include "data/encoded_data.hpp"
#include "parent_sets/neighbour_sets.hpp"
#include "score/score.hpp"

namespace bayesloom {

struct SupersetResult {
  CandidateList candidates;  ///< all those that were scored and kept
  bool complete = false;     ///< nothing was stopped
  bool cut = false;          ///< a set of `most` parents might have grown further
};

/// Under the rules of the child; `margin` is e above, in nats. Where R itself has no score, the message of
/// the InfeasibleError is to follow the name of the child.
SupersetResult supersets(EncodedData const& data, ScoreSpec const& spec, Variable child,
                         ParentRules const& rules, double margin, Control& control);

}  // namespace bayesloom
