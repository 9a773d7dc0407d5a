// Scores of a table in which some variables were set from outside in some rows (interventions).
//
// A row in which a variable was set says nothing about what the variable otherwise depends on, so the local score
// of a child is computed from the rows in which it was not set: its part of the table (EncodedData::part_of). Every
// part has its own score, counter and number of rows. The scores of two children no longer come from one function
// of sets, so there is no component form; bounds are those of the child's part, or the largest of all parts if the
// child is not known.
#pragma once

#include <memory>

#include "score/score.hpp"

namespace bayesloom {

// Of one part, as if nothing had been set (score.cpp):
std::unique_ptr<Score> make_plain_score(ScoreSpec const& spec, EncodedData const& data);
SetCounter make_plain_counter(ScoreSpec const& spec, EncodedData const& data,
                              BitPlanes const& planes, RowClasses const* classes);
std::unique_ptr<FamilyBounds> make_plain_bounds(ScoreSpec const& spec, EncodedData const& data);

/// A score for each part.
std::unique_ptr<Score> score_of_parts(ScoreSpec const& spec, EncodedData const& data);
/// A counter for each part, made when it is needed.
std::unique_ptr<MomentReader> counter_of_parts(ScoreSpec const& spec, EncodedData const& data);
/// Bounds of each part; nothing if the score has none.
std::unique_ptr<FamilyBounds> bounds_of_parts(ScoreSpec const& spec, EncodedData const& data);

}  // namespace bayesloom
