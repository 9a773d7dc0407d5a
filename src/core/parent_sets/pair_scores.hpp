// Scores of all single parents, each pair of variables counted once for both its ends.
//
//   s(i, {j}) = f({i, j}) - f({j}),     s(j, {i}) = f({i, j}) - f({i})
//
// The r_i x r_j table of a pair takes (r_i - 1)(r_j - 1) ANDs of bit planes; the rest follows from
// the counts of the single variables. All planes of one variable are held against those of several
// others at a time, which are read once for all of its states. Pairs are taken in square tiles, so that the planes of a tile
// stay in the near cache. Each variable keeps its best parents only: at ten thousand variables all
// of them would fill gigabytes, and beyond the first few hundred they are noise.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/control.hpp"
#include "base/fixed_point.hpp"
#include "base/variable.hpp"
#include "data/bit_planes.hpp"
#include "data/encoded_data.hpp"
#include "parent_sets/shard.hpp"
#include "score/score.hpp"

namespace bayesloom {

struct SingleParent {
  Variable parent;
  Fixed score;  ///< s(child, {parent})
};

struct PairScores {
  std::vector<Fixed> empty;                        ///< s(i, {})
  std::vector<std::vector<SingleParent>> parents;  ///< per child, best first, ties by parent
};

/// The best `keep` single parents of every variable. Variables with one state are left out, as
/// parents and as children; children of other shards have empty lists. Stopped early, the lists are
/// valid but miss pairs.
PairScores pair_scores(EncodedData const& data, BitPlanes const& planes, ScoreSpec const& spec,
                       std::size_t keep, std::size_t threads, Control& control,
                       Shard const& shard = {});

}  // namespace bayesloom
