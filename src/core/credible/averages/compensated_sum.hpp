// A sum that remembers what rounding took from it [neumaier1974]: as exact as one rounding at the
// end, so that millions of small weights do not drown beside a large one.
#pragma once

#include <cmath>

namespace bayesloom::credible {

class CompensatedSum {
 public:
  void add(double term) {
    double const next = sum_ + term;
    lost_ += std::abs(sum_) >= std::abs(term) ? (sum_ - next) + term : (term - next) + sum_;
    sum_ = next;
  }
  double value() const { return sum_ + lost_; }

 private:
  double sum_ = 0, lost_ = 0;
};

}  // namespace bayesloom::credible
