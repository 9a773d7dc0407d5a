// A variable is its column number. In files of caches that sixteen bits are enough for it has sixteen.
#pragma once

#include <cstddef>
#include <cstdint>

namespace bayesloom {

using Variable = std::uint32_t;

inline constexpr std::size_t max_variables = 1'000'000;
inline constexpr char max_variables_text[] = "1,000,000";
inline constexpr std::size_t max_narrow_variables = 65535;  ///< whose numbers have sixteen bits
inline constexpr std::uint32_t max_cardinality = 65536;     // states are stored in at most 16 bits

}  // namespace bayesloom
