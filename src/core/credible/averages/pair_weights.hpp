// Features of pairs of variables that no single choice decides, summed over all networks of a set
//
//   blanket    b is in the Markov blanket of a: parent, child, or other parent of a child
//   ancestor   a directed path leads from a to b
// (listed_sums.hpp).
#pragma once

#include <optional>
#include <vector>

#include "base/control.hpp"
#include "credible/credible.hpp"

namespace bayesloom::credible {

enum class PairFeature : std::uint8_t { blanket, ancestor };

/// At a * n + b the sum of exp(score - best) over the networks with the feature. Nothing if
/// stopped.
std::optional<std::vector<double>> pair_weights(CredibleSet const& set, PairFeature feature,
                                                Control& control);

/// At a * n + b how many of the given networks have the feature; `candidates` holds one candidate per variable,
/// network by network.
std::vector<double> pair_counts(ScoreCache const& cache, std::span<std::uint64_t const> networks,
                                PairFeature feature);

}  // namespace bayesloom::credible
