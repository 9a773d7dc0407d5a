// The definitions of block_kernel.hpp, one entry at a time, beside a kernel.
#include <algorithm>
#include <vector>

#include "base/rng.hpp"
#include "subsets/components.hpp"
#include "subsets/block_kernel.hpp"
#include "subsets/block_pool.hpp"

namespace bayesloom::subsets {

namespace {

std::vector<Fixed> closed(std::vector<LowCandidate> const& candidates, std::size_t bits) {
  std::vector<Fixed> table(std::size_t{1} << bits, no_candidate);
  for (std::size_t l = 0; l < table.size(); ++l)
    for (auto const& candidate : candidates)
      if ((candidate.low & ~l) == 0) table[l] = std::min(table[l], candidate.loss);
  return table;
}

}  // namespace

bool block_kernel_is_right(BlockKernel const& kernel, std::size_t bits, std::uint64_t seed) {
  Rng rng(seed);
  std::size_t const size = std::size_t{1} << bits;
  BlockPool pool(bits + 3, size);
  auto const random_candidates = [&](std::size_t own_bits) {
    std::vector<LowCandidate> out;
    for (std::size_t i = 0; i < 2 * bits; ++i)
      out.push_back({static_cast<Fixed>(rng.below(1000)),
                     static_cast<std::uint32_t>(rng.below(std::uint64_t{1} << own_bits))});
    return out;
  };

  std::vector<Fixed*> tables;
  std::vector<std::vector<Fixed>> wanted_tables;
  for (std::size_t x = 0; x < bits; ++x) {
    std::size_t const own_bits = x < 3 ? bits : bits - 1;
    auto candidates = random_candidates(own_bits);
    if (x < 3)
      for (auto& candidate : candidates) candidate.low &= ~(std::uint32_t{1} << x);
    tables.push_back(pool[pool.take()]);
    kernel.clear(tables[x], own_bits);
    kernel.put(tables[x], candidates);
    kernel.close(tables[x], own_bits);
    wanted_tables.push_back(closed(candidates, own_bits));
    if (!std::equal(wanted_tables[x].begin(), wanted_tables[x].end(), tables[x])) return false;
  }

  Fixed* const best = pool[pool.take()];
  Fixed* const before = pool[pool.take()];
  Fixed* const spare = pool[pool.take()];
  std::vector<Fixed> wanted(size);
  auto const candidates = random_candidates(bits);
  auto const table = closed(candidates, bits);
  for (std::size_t l = 0; l < size; ++l) {
    before[l] = rng.below(4) == 0 ? no_candidate : static_cast<Fixed>(rng.below(1000));
    best[l] = static_cast<Fixed>(rng.below(5000));
    wanted[l] = std::min(best[l], before[l] + table[l]);
  }
  kernel.clear(spare, bits);
  kernel.put(spare, candidates);
  kernel.close_and_place(spare, best, before, bits);
  if (!std::equal(wanted.begin(), wanted.end(), best)) return false;

  for (std::size_t l = 0; l < size; ++l)
    for (std::size_t x = 0; x < bits; ++x) {
      std::size_t const bit = std::size_t{1} << x;
      if ((l & bit) == 0) continue;
      std::size_t const rest = l ^ bit;
      std::size_t const at = x < 3 ? rest : (rest >> 1 & ~(bit - 1)) | (rest & (bit - 1));
      wanted[l] = std::min(wanted[l], wanted[rest] + wanted_tables[x][at]);
    }
  Fixed const least = kernel.finish(best, tables.data(), bits, bits);
  return std::equal(wanted.begin(), wanted.end(), best) &&
         least == *std::min_element(wanted.begin(), wanted.end());
}

}  // namespace bayesloom::subsets
