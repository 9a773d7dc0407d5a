#include "data/row_classes.hpp"

#include <numeric>

namespace bayesloom {

RowClasses::RowClasses(EncodedData const& data, std::span<Variable const> numbered)
    : number_(data.variable_count(), numbered.size()),
      order_(data.unique_row_count()),
      classes_((numbered.size() + 1) * order_.size()),
      count_(numbered.size() + 1) {
  for (std::size_t k = 0; k < numbered.size(); ++k) number_[numbered[k]] = k;
  std::iota(order_.begin(), order_.end(), 0U);
  std::size_t const rows = order_.size();
  std::size_t classes = 1;
  count_[0] = 1;  // class_0: nothing to come, all rows alike
  std::vector<std::uint32_t> sorted(rows), first;
  for (std::size_t k = 0; k < numbered.size(); ++k) {
    // Splits every class by the next variable: a stable counting sort by (class, state).
    std::uint32_t const* const before = classes_.data() + k * rows;
    std::uint32_t* const after = classes_.data() + (k + 1) * rows;
    std::size_t const states = data.cardinality(numbered[k]);
    std::visit(
        [&](auto const& column) {
          // Stable by state first, then by class: two passes that need no table of pairs.
          first.assign(states + 1, 0);
          for (auto const u : order_) ++first[column[u] + 1U];
          std::partial_sum(first.begin(), first.end(), first.begin());
          for (auto const u : order_) sorted[first[column[u]]++] = u;
          first.assign(classes + 1, 0);
          for (auto const u : sorted) ++first[before[u] + 1U];
          std::partial_sum(first.begin(), first.end(), first.begin());
          for (auto const u : sorted) order_[first[before[u]]++] = u;
          classes = 0;
          for (std::size_t i = 0; i < rows; ++i) {
            auto const u = order_[i];
            if (i > 0 && (before[u] != before[order_[i - 1]] || column[u] != column[order_[i - 1]]))
              ++classes;
            after[u] = static_cast<std::uint32_t>(classes);
          }
          ++classes;
        },
        data.column(numbered[k]));
    count_[k + 1] = classes;
  }
}

}  // namespace bayesloom
