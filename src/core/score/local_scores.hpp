// Local scores of given parent sets, on demand: for a whole network, or for any list of families.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/control.hpp"
#include "base/fixed_point.hpp"
#include "base/variable.hpp"
#include "data/encoded_data.hpp"
#include "score/score.hpp"

namespace bayesloom {

struct FamilyList {
  std::span<Variable const> children;
  std::span<std::uint64_t const> first;  ///< parents of family f: parents[first[f] .. first[f+1])
  std::span<Variable const> parents;
};

/// s(child, parents) of each family, in the order given; `no_score` where there is none. Parents may
/// come in any order.
std::vector<Fixed> local_scores(EncodedData const& data, ScoreSpec const& spec,
                                FamilyList const& families, std::size_t threads, Control& control);

}  // namespace bayesloom
