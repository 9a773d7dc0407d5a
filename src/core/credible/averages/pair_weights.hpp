// Features of pairs of variables that no single choice decides, summed over the listed networks:
//
//   blanket    b is in the Markov blanket of a: parent, child, or other parent of a child
//   ancestor   a directed path leads from a to b
//
// Networks are listed in blocks of fixed size, each summed by itself, and the sums are added up in
// the order of the blocks, with compensation: the result does not depend on the number of threads.
#pragma once

#include <optional>
#include <vector>

#include "base/control.hpp"
#include "credible/subset_dp/subset_dp_set.hpp"

namespace bayesloom::credible {

enum class PairFeature : std::uint8_t { blanket, ancestor };

/// At a * n + b the sum of exp(score - best) over the networks with the feature. Nothing if
/// stopped.
std::optional<std::vector<double>> pair_masses(CredibleSet const& set, PairFeature feature,
                                               Control& control);

/// The same of single networks: at a * n + b how many of some networks have it, one candidate per
/// variable of each, one network after the other.
std::vector<double> pair_counts(ScoreCache const& cache, std::span<std::uint64_t const> networks,
                                PairFeature feature);

}  // namespace bayesloom::credible
