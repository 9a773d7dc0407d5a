// The .jkl format, also called .scores: the exchange format of GOBNILP, BLIP, pygobnilp and MINOBS.
//
//   2                      number of variables
//   rain 1                 a variable and the number of its candidates
//   -12.5 0                a candidate: local score, number of parents, their names
//   wet 2
//   -7.25 1 rain
//   -13.75 0
//
// The order of the blocks is the order of the variables; candidates come in any order; a parent may
// be named before its own block. Parents are names. Where no name of the file is a whole number,
// parents may all be positions 0 .. n-1 instead, as some writers give them. One line per variable
// and per candidate: a line that is too short or too long is refused, and so is anything after the
// last block. BLIP's '#' lines and blank lines are skipped wherever they are.
//
// The format has no room for cardinalities and info; a cache read from it has none.
#pragma once

#include <string>
#include <string_view>

#include "cache/score_cache.hpp"
#include "cache/text_lines.hpp"

namespace bayesloom {

/// Throws InputError with file, line and column where the text is not a valid file.
ScoreCache read_jkl(std::string_view text, std::string const& file);

/// Scores as the shortest decimals that read back unchanged; no comments, which GOBNILP refuses.
void write_jkl(ScoreCache const& cache, TextSink& out);

}  // namespace bayesloom
