#include "cache/score_cache.hpp"

#include <algorithm>

#include "base/checksum.hpp"

namespace bayesloom {

std::size_t ScoreCache::max_parents_seen() const {
  std::uint64_t most = 0;
  for (std::size_t c = 0; c < candidate_count(); ++c)
    most = std::max(most, arrays_.parent_first[c + 1] - arrays_.parent_first[c]);
  return most;
}

std::optional<std::size_t> ScoreCache::find(Variable v, std::span<Variable const> wanted) const {
  for (std::size_t c = begin(v); c < end(v); ++c)
    if (std::ranges::equal(parents(c), wanted)) return c;
  return std::nullopt;
}

std::optional<std::size_t> ScoreCache::best_within(Variable v,
                                                   std::span<bool const> allowed) const {
  for (std::size_t c = begin(v); c < end(v); ++c)
    if (std::ranges::all_of(parents(c), [&](Variable p) { return allowed[p]; })) return c;
  return std::nullopt;
}

ScoreCache ScoreCache::with_info(std::string info) const {
  return {CacheLabels{labels_->names, labels_->cardinalities, std::move(info)}, arrays_, storage_};
}

std::uint64_t ScoreCache::digest() const {
  Xxh64 sum;
  auto const add = [&](auto const& values) {
    std::uint64_t const count = values.size();
    sum.update(&count, sizeof count);
    sum.update(values.data(), values.size() * sizeof(*values.data()));
  };
  for (std::string const& name : names()) add(name);
  add(cardinalities());
  add(arrays_.first);
  add(arrays_.scores);
  add(arrays_.parent_first);
  if (variable_count() > max_narrow_variables)
    add(arrays_.parents);
  else
    add(std::vector<std::uint16_t>(arrays_.parents.begin(), arrays_.parents.end()));
  return sum.digest();
}

bool operator==(ScoreCache const& a, ScoreCache const& b) {
  return std::ranges::equal(a.names(), b.names()) &&
         std::ranges::equal(a.cardinalities(), b.cardinalities()) && a.info() == b.info() &&
         std::ranges::equal(a.arrays_.first, b.arrays_.first) &&
         std::ranges::equal(a.arrays_.scores, b.arrays_.scores) &&
         std::ranges::equal(a.arrays_.parent_first, b.arrays_.parent_first) &&
         std::ranges::equal(a.arrays_.parents, b.arrays_.parents);
}

}  // namespace bayesloom
