#include "parent_sets/set_store.hpp"

#include <algorithm>
#include <utility>

#include "cache/parent_set_index.hpp"

namespace bayesloom {

namespace {

std::uint64_t hash(std::span<Variable const> set) {
  std::uint64_t sum = 0x51ed270b0a1f39c1ULL;
  for (Variable const v : set) sum += variable_hash(v);
  return sum ^ (sum >> 32);
}

}  // namespace

std::size_t SetStore::slot_of(std::span<Variable const> set) const {
  std::size_t const mask = slots_.size() - 1;
  for (std::size_t slot = hash(set) & mask;; slot = (slot + 1) & mask)
    if (slots_[slot] == 0 || std::ranges::equal(list_.set(slots_[slot] - 1), set)) return slot;
}

std::size_t SetStore::find(std::span<Variable const> set) const {
  std::uint32_t const entry = slots_[slot_of(set)];
  return entry == 0 ? none : entry - 1;
}

std::size_t SetStore::add(std::span<Variable const> set, Fixed score) {
  std::size_t slot = slot_of(set);
  if (slots_[slot] != 0) return slots_[slot] - 1;
  if (2 * (list_.size() + 1) > slots_.size()) {
    grow();
    slot = slot_of(set);
  }
  list_.add(score, set);
  expansion_.push_back(0);
  slots_[slot] = static_cast<std::uint32_t>(list_.size());
  return list_.size() - 1;
}

void SetStore::grow() {
  slots_.assign(slots_.size() * 2, 0);
  for (std::size_t i = 0; i < list_.size(); ++i)
    slots_[slot_of(list_.set(i))] = static_cast<std::uint32_t>(i + 1);
}

std::vector<Addition> const& SetStore::set_additions(std::size_t number,
                                                     std::vector<Addition> additions) {
  addition_count_ += additions.size();
  additions_.push_back(std::move(additions));
  expansion_[number] = static_cast<std::uint32_t>(additions_.size());
  return additions_.back();
}

void SetStore::more_additions(std::size_t number, std::span<Addition const> more) {
  auto& list = additions_[expansion_[number] - 1];
  list.insert(list.end(), more.begin(), more.end());
  std::ranges::sort(list, better);
  addition_count_ += more.size();
}

std::size_t SetStore::bytes() const {
  return list_.scores.capacity() * sizeof(Fixed) + list_.ends.capacity() * sizeof(std::uint64_t) +
         list_.parents.capacity() * sizeof(Variable) +
         (expansion_.capacity() + slots_.capacity()) * sizeof(std::uint32_t) +
         addition_count_ * sizeof(Addition) + additions_.size() * sizeof(std::vector<Addition>);
}

}  // namespace bayesloom
