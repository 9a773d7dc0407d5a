// Numbers m * 2^e with a 32-bit exponent: weights of networks differ by thousands of nats, more than a double
// can hold.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <numbers>

namespace bayesloom::posterior {

inline constexpr int no_exponent =
    -(1 << 28);  // the exponent of zero; sums of a few of them fit into an int

/// 2^exponent; 0 below the range of a double, its largest power of two above.
inline double power_of_two(int exponent) {
  if (exponent < -1022) return 0;
  return std::bit_cast<double>(static_cast<std::uint64_t>(std::min(exponent, 1023) + 1023) << 52);
}

/// m * 2^e with |m| in [1, 2), or zero.
struct Scaled {
  double m = 0;
  std::int32_t e = no_exponent;

  static Scaled exp_of(double nats) {
    double const bits = nats / std::numbers::ln2, whole = std::floor(bits);
    if (whole < -1e8) return {};
    return {std::exp2(bits - whole), static_cast<int>(whole)};
  }
  static Scaled of(double value, int exponent) {
    if (value == 0) return {};
    int own = 0;
    double const m = std::frexp(value, &own);
    return {2 * m, exponent + own - 1};
  }
  void operator+=(Scaled const& other) {
    int const top = std::max(e, other.e);
    *this = of(m * power_of_two(e - top) + other.m * power_of_two(other.e - top), top);
  }
  double over(Scaled const& other) const { return m / other.m * power_of_two(e - other.e); }
};

}  // namespace bayesloom::posterior
