// The logarithm of the gamma function of a positive number, without the global sign that std::lgamma writes on POSIX.
#pragma once

#include <cmath>

namespace bayesloom {

inline double ln_gamma(double x) {
#ifdef _WIN32
  return std::lgamma(x);
#else
  int sign = 0;
  return ::lgamma_r(x, &sign);
#endif
}

}  // namespace bayesloom
