#include "subsets/block_maker.hpp"

#include <bit>
#include <span>

namespace bayesloom::subsets {

BlockMaker::Tables::Tables(BlockShape const& shape)
    : pool(shape.bits() + 1, shape.entries()), of(shape.bits()) {
  for (auto& table : of) table = pool[pool.take()];
  spare = pool[pool.take()];
}

BlockShape::BlockShape(Component const& component) : BlockShape(component.size()) {
  std::size_t const n = component.size();
  std::size_t candidates = 0;
  for (auto const& list : component.lists) candidates += list.size();
  while (low > tuning::fewest_low && high < tuning::most_high &&
         candidates * tuning::put_cost <= n << (low - 1)) {
    --low;
    ++high;
  }
}

BlockMaker::BlockMaker(Component const& component, BlockShape const& shape)
    : kernel_(*block_kernel()),
      shape_(shape),
      groups_(component.size()),
      candidates_(component.size()) {
  for (std::size_t x = 0; x < component.size(); ++x) group_candidates(component.lists[x], x);
}

/// Low parts of a low member of at least 3 are stored without its own bit.
void BlockMaker::group_candidates(std::vector<MemberCandidate> list, std::size_t x) {
  auto const high = [&](MemberCandidate const& c) { return c.parents.bits() >> shape_.low; };
  std::stable_sort(list.begin(), list.end(),
                   [&](auto const& a, auto const& b) { return high(a) < high(b); });
  for (auto const& c : list) {
    auto low = static_cast<std::uint32_t>((c.parents & VarSet::first(shape_.low)).bits());
    if (x >= 3 && x < shape_.low) {
      std::uint32_t const below = (std::uint32_t{1} << x) - 1;
      low = (low >> 1 & ~below) | (low & below);
    }
    if (groups_[x].empty() || groups_[x].back().high != high(c))
      groups_[x].push_back({high(c), candidates_[x].size(), candidates_[x].size()});
    candidates_[x].push_back({c.loss, low});
    ++groups_[x].back().end;
  }
}

void BlockMaker::put_candidates(std::size_t x, std::uint64_t high, Fixed* table) const {
  std::span<LowCandidate const> const all = candidates_[x];
  for (auto const& group : groups_[x])
    if ((group.high & ~high) == 0)
      kernel_.put(table, all.subspan(group.begin, group.end - group.begin));
}

Fixed BlockMaker::make(std::uint64_t high, Fixed* best, Tables& tables,
                       std::function<Fixed const*(std::uint64_t)> const& before) const {
  std::size_t const bits = shape_.bits();
  kernel_.clear(best, bits);
  bool reached = high == 0;
  if (reached) best[0] = 0;
  for (std::uint64_t left = high; left != 0; left &= left - 1) {
    std::uint64_t const rest = high & ~(left & -left);
    Fixed const* const source = before(rest);
    if (source == nullptr) continue;
    std::size_t const x = shape_.low + static_cast<std::size_t>(std::countr_zero(left));
    kernel_.clear(tables.spare, bits);
    put_candidates(x, rest, tables.spare);
    kernel_.close_and_place(tables.spare, best, source, bits);
    reached = true;
  }
  if (!reached) return no_candidate;
  for (std::size_t x = 0; x < shape_.low; ++x) {
    std::size_t const table_bits = x < 3 ? bits : bits - 1;
    kernel_.clear(tables.of[x], table_bits);
    put_candidates(x, high, tables.of[x]);
    kernel_.close(tables.of[x], table_bits);
  }
  return kernel_.finish(best, tables.of.data(), shape_.low, bits);
}

}  // namespace bayesloom::subsets
