// Independent draws of networks from the exact posterior [talvitie2020].
//
// A network is drawn layer by layer: layer 1 holds the variables without parents; each later layer holds those
// with all parents in earlier layers, at least one of them in the layer just before. Let U be the variables
// placed so far, L the last layer, and h as in exact_sums.hpp. The weight of all completions in which the next
// layer is exactly T is
//
//   prod over i in T of (W_i(U) - W_i(U - L))  times  H(U + T, T)
//   H(U + T, T) = sum over S outside of  (-1)^|S| prod over i in S of W_i(U)  h(U + T + S)
//
// (S ranges over sets of variables that could have joined T). With A_i = W_i(U) and B_i = W_i(U - L) this is
//
//   prod over T of (1 - B_i / A_i)  times  sum over T' containing T of (-1)^|T' - T| prod over T' of A_i h(U + T')
//
// One Moebius transform per U serves all draws that have placed U, so draws advance together, layer by layer.
// Parents are then drawn among the families that the layers allow.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "base/control.hpp"
#include "posterior/exact_sums.hpp"

namespace bayesloom::posterior {

/// For each draw the family number of each member, draw by draw. Nothing if stopped.
std::optional<std::vector<std::uint32_t>> exact_draws(ExactSums const& sums, std::size_t count,
                                                      std::uint64_t seed, std::size_t threads,
                                                      Control& control);

}  // namespace bayesloom::posterior
