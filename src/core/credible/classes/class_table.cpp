#include "credible/classes/class_table.hpp"

#include <tuple>

namespace bayesloom::credible {

void ClassTable::add_all(ClassTable const& other) {
  for (auto const& slot : other.slots_)
    if (slot.members != 0)
      add(slot.key, slot.loss, slot.members, slot.order,
          std::span(other.choices_).subspan(slot.first, width_));
  even_ &= other.even_;
}

PartClasses ClassTable::take_choices() {
  using Entry = PartClasses::Entry;
  PartClasses found;
  found.choices = std::move(choices_);
  found.even = even_;
  found.entries.reserve(used_);
  for (auto const& slot : slots_)
    if (slot.members != 0)
      found.entries.push_back({slot.loss, slot.members, slot.order, slot.first});
  slots_.clear();
  std::sort(found.entries.begin(), found.entries.end(), [](Entry const& a, Entry const& b) {
    return std::tie(a.loss, a.order) < std::tie(b.loss, b.order);
  });
  return found;
}

void ClassTable::grow() {
  std::vector<Slot> old(2 * slots_.size());
  old.swap(slots_);
  for (auto const& slot : old)
    if (slot.members != 0) find(slot.key) = slot;
}

}  // namespace bayesloom::credible
