// Numbers m * 2^e with a 64-bit exponent, for weights of networks: these differ by thousands of nats, more than a
// double can hold, and where scores are as large as they may be by more than a 32-bit exponent can hold.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <numbers>

namespace bayesloom {

/// The exponent of zero, far below that of any product of weights: a loss is at most 2^33 bits (fixed_point.hpp).
inline constexpr std::int64_t no_exponent = -(std::int64_t{1} << 56);

/// 2^exponent; 0 below the range of a double, its largest power of two above.
inline double power_of_two(std::int64_t exponent) {
  if (exponent < -1022) return 0;
  return std::bit_cast<double>(
      static_cast<std::uint64_t>(std::min<std::int64_t>(exponent, 1023) + 1023) << 52);
}

/// m * 2^e with |m| in [1, 2), or zero.
struct Scaled {
  double m = 0;
  std::int64_t e = no_exponent;

  static Scaled exp_of(double nats) {
    double const bits = nats / std::numbers::ln2, whole = std::floor(bits);
    return {std::exp2(bits - whole), static_cast<std::int64_t>(whole)};
  }
  static Scaled of(double value, std::int64_t exponent) {
    if (value == 0) return {};
    int own = 0;
    double const m = std::frexp(value, &own);
    return {2 * m, exponent + own - 1};
  }
  void operator+=(Scaled const& other) {
    std::int64_t const top = std::max(e, other.e);
    *this = of(m * power_of_two(e - top) + other.m * power_of_two(other.e - top), top);
  }
  double over(Scaled const& other) const { return m / other.m * power_of_two(e - other.e); }
};

}  // namespace bayesloom
