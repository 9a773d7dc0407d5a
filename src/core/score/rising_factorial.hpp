// Tables of ln of rising factorials, the building block of every Dirichlet score.
//
//   G_a(n) = lnGamma(a + n) - lnGamma(a) = sum over m < n of ln(a + m)
//
// One table per pseudo-count a, grown to the largest n asked for: an entry costs one logarithm the
// first time and a look-up after that. Beyond `most_in_factorials` lnGamma is evaluated directly.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "score/cell_sum.hpp"

namespace bayesloom {

class RisingFactorials {
 public:
  explicit RisingFactorials(std::uint32_t rows) : unit_(rows, 710) {}  // ln of the largest double

  /// Sum of G_a(count) over the cells, in fine units.
  std::int64_t operator()(Cells const& cells, double a);

  FineUnit const& unit() const { return unit_; }

 private:
  struct Table {
    std::vector<std::int64_t> terms{0};
    double sum = 0;         // of the last entry, in nats
    double correction = 0;  // what rounding took from it [kahan1965]
  };
  void extend(Table& table, double a, std::uint32_t largest) const;
  std::int64_t beyond(double a, std::uint32_t n) const;

  FineUnit unit_;
  std::unordered_map<double, Table> tables_;
};

}  // namespace bayesloom
