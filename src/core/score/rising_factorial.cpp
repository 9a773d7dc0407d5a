#include "score/rising_factorial.hpp"

#include <cmath>

#include "base/ln_gamma.hpp"
#include "score/tuning.hpp"

namespace bayesloom {

namespace {}  // namespace

std::int64_t RisingFactorials::operator()(Cells const& cells, double a) {
  Table& table = tables_[a];
  std::uint32_t largest = 1;
  for (auto const count : cells.counts)
    if (count > largest) largest = count;
  extend(table, a, std::min(largest, tuning::most_in_factorials));

  std::int64_t sum = cells.ones * table.terms[1];
  if (largest <= tuning::most_in_factorials)
    for (auto const count : cells.counts) sum += table.terms[count];
  else
    for (auto const count : cells.counts)
      sum += count <= tuning::most_in_factorials ? table.terms[count] : beyond(a, count);
  return sum;
}

void RisingFactorials::extend(Table& table, double a, std::uint32_t largest) const {
  for (auto n = static_cast<std::uint32_t>(table.terms.size()); n <= largest; ++n) {
    double const term = std::log(a + (n - 1)) - table.correction;
    double const sum = table.sum + term;
    table.correction = (sum - table.sum) - term;
    table.sum = sum;
    table.terms.push_back(unit_.from_nats(sum));
  }
}

std::int64_t RisingFactorials::beyond(double a, std::uint32_t n) const {
  return unit_.from_nats(ln_gamma(a + n) - ln_gamma(a));
}

}  // namespace bayesloom
