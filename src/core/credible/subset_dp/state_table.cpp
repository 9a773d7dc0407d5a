#include "credible/subset_dp/state_table.hpp"

#include <algorithm>
#include <utility>

namespace bayesloom::credible {

StateTable::Slot const* StateTable::Shard::slot(std::uint64_t hash, std::uint32_t u,
                                                VarSet barred) const {
  std::size_t const mask = slots.size() - 1;
  for (std::size_t at = hash & mask;; at = (at + 1) & mask) {
    Slot const& found = slots[at];
    if (found.u == none || (found.u == u && found.barred == barred)) return &found;
  }
}

Tally const* StateTable::Shard::find(std::uint64_t hash, std::uint32_t u, VarSet barred,
                                     Fixed t) const {
  Slot const* const found = slot(hash, u, barred);
  for (std::uint32_t at = found->head; at != none; at = next[at]) {
    Tally const& known = tallies[at];
    if (known.from <= t && t < known.below) return &known;
  }
  return nullptr;
}

void StateTable::Shard::grow() {
  std::vector<Slot> old(slots.size() * 2);
  old.swap(slots);
  for (auto const& moved : old)
    if (moved.u != none)
      *const_cast<Slot*>(slot(StateTable::hash(moved.u, moved.barred), moved.u, moved.barred)) =
          moved;
}

Tally const* StateTable::find(std::uint32_t u, VarSet barred, Fixed t) const {
  std::uint64_t const h = hash(u, barred);
  return shards_[h >> (64 - shard_bits)].find(h, u, barred, t);
}

bool StateTable::dead(std::uint32_t u, VarSet barred, Fixed t) const {
  std::uint64_t const h = hash(u, barred);
  return t < shards_[h >> (64 - shard_bits)].slot(h, u, barred)->dead_below;
}

std::optional<Tally> StateTable::known(std::uint32_t u, VarSet barred, Fixed t) {
  std::uint64_t const h = hash(u, barred);
  Shard& here = shard(h);
  std::unique_lock lock(here.mutex, std::defer_lock);
  if (shared_) lock.lock();
  if (Tally const* const found = here.find(h, u, barred, t)) return *found;
  return std::nullopt;
}

void StateTable::remember(std::uint32_t u, VarSet barred, Tally const& tally) {
  std::uint64_t const h = hash(u, barred);
  Shard& here = shard(h);
  std::unique_lock lock(here.mutex, std::defer_lock);
  if (shared_) lock.lock();
  auto* const slot = const_cast<Slot*>(here.slot(h, u, barred));
  for (std::uint32_t at = slot->head; at != none; at = here.next[at])
    if (here.tallies[at].from == tally.from && here.tallies[at].count == tally.count) {
      // The same networks, seen from further away: the interval is longer than was known.
      here.tallies[at].below = std::max(here.tallies[at].below, tally.below);
      if (tally.count == 0) slot->dead_below = std::max(slot->dead_below, tally.below);
      return;
    }
  double const bytes =
      2.0 * static_cast<double>(here.slots.size()) * sizeof(Slot) +
      static_cast<double>(here.tallies.capacity()) * (sizeof(Tally) + sizeof here.next[0]);
  bool const full = bytes > memory_bytes_ / static_cast<double>(shards_.size());
  if (here.tallies.size() == none - 1 || (full && here.tallies.size() == here.tallies.capacity())) {
    whole_.store(false, std::memory_order_relaxed);
    return;
  }
  if (slot->u == none) {
    *slot = {barred, u, none, 0};
    ++here.used;
  }
  if (tally.count == 0) slot->dead_below = std::max(slot->dead_below, tally.below);
  here.next.push_back(slot->head);
  slot->head = static_cast<std::uint32_t>(here.tallies.size());
  here.tallies.push_back(tally);
  if (2 * here.used > here.slots.size()) here.grow();
}

std::size_t StateTable::size() const {
  std::size_t total = 0;
  for (auto const& shard : shards_) total += shard.tallies.size();
  return total;
}

}  // namespace bayesloom::credible
