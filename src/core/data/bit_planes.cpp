#include "data/bit_planes.hpp"

#include <bit>

namespace bayesloom {

BitPlanes::BitPlanes(EncodedData const& data) : words_((data.unique_row_count() + 63) / 64) {
  std::size_t const n = data.variable_count();
  first_.assign(n + 1, 0);
  for (std::size_t v = 0; v < n; ++v) {
    auto const r = data.cardinality(static_cast<Variable>(v));
    bool const planes = r <= max_states && !data.lacks(static_cast<Variable>(v));
    first_[v + 1] = first_[v] + (planes ? r : 0);
  }

  planes_.assign(first_[n] * words_, 0);
  for (std::size_t v = 0; v < n; ++v) {
    if (!has(static_cast<Variable>(v))) continue;
    std::visit(
        [&](auto const& states) {
          for (std::size_t u = 0; u < states.size(); ++u)
            planes_[(first_[v] + states[u]) * words_ + u / 64] |= std::uint64_t{1} << (u % 64);
        },
        data.column(static_cast<Variable>(v)));
  }

  auto const weights = data.weights();
  std::size_t const digits = static_cast<std::size_t>(std::bit_width(weights.front()));
  std::vector<std::uint64_t> digit_rows(digits * words_, 0);
  for (std::size_t b = 0; b < digits; ++b) {
    std::size_t length = 0;
    for (std::size_t u = 0; u < weights.size(); ++u)
      if ((weights[u] >> b) & 1U) {
        digit_rows[b * words_ + u / 64] |= std::uint64_t{1} << (u % 64);
        length = u / 64 + 1;
      }
    slice_first_.push_back(slice_words_);
    slice_length_.push_back(length);
    slice_words_ += length;
  }
  if (!data.weighted()) return;
  slices_.resize(first_[n] * slice_words_);
  for (std::size_t p = 0; p < first_[n]; ++p)
    for (std::size_t b = 0; b < digits; ++b)
      for (std::size_t w = 0; w < slice_length_[b]; ++w)
        slices_[p * slice_words_ + slice_first_[b] + w] =
            planes_[p * words_ + w] & digit_rows[b * words_ + w];
}

}  // namespace bayesloom
