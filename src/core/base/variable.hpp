// A variable is its column number. Sixteen bits halve the memory of parent sets, which is what
// search at ten thousand variables is bound by; more than 65,535 variables are refused at the door.
#pragma once

#include <cstddef>
#include <cstdint>

namespace bayesloom {

using Variable = std::uint16_t;

inline constexpr std::size_t max_variables = 65535;
inline constexpr std::uint32_t max_cardinality = 65536;  // states are stored in at most 16 bits

}  // namespace bayesloom
