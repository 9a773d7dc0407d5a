#include "credible/sweep.hpp"

#include <algorithm>
#include <bit>
#include <utility>
#include <vector>

#include "prices/ahead.hpp"

namespace bayesloom::credible {

namespace {

using prices::Ahead;

/// Sets with a loss, by open addressing.
class SetTable {
 public:
  struct Entry {
    Set set = 0;
    Fixed loss = no_loss;  // of a free slot
  };

  SetTable() : entries_(1024) {}
  std::size_t size() const { return count_; }
  std::vector<Entry> const& entries() const { return entries_; }

  Entry const* find(Set set) const {
    Entry const& here = entries_[slot(set)];
    return here.loss == no_loss ? nullptr : &here;
  }
  Entry* find(Set set) { return const_cast<Entry*>(std::as_const(*this).find(set)); }
  /// Of a set that is not there.
  void insert(Entry const& entry) {
    if (4 * (count_ + 1) > 3 * entries_.size()) {
      std::vector<Entry> old(2 * entries_.size());
      old.swap(entries_);
      for (auto const& here : old)
        if (here.loss != no_loss) entries_[slot(here.set)] = here;
    }
    entries_[slot(entry.set)] = entry;
    ++count_;
  }

 private:
  std::size_t slot(Set set) const {
    std::size_t const mask = entries_.size() - 1;
    std::uint64_t const hash = (set + 1) * 0x9e3779b97f4a7c15ULL;
    std::size_t at = (hash ^ hash >> 29) & mask;
    while (entries_[at].loss != no_loss && entries_[at].set != set) at = (at + 1) & mask;
    return at;
  }

  std::vector<Entry> entries_;
  std::size_t count_ = 0;
};

Ahead ahead_of(Component const& component, Prices const& prices) {
  std::vector<std::vector<Ahead::Candidate>> lists(component.size());
  for (std::size_t x = 0; x < component.size(); ++x)
    for (auto const& choice : component.choices[x]) lists[x].push_back({choice.set, -choice.loss});
  std::vector<Ahead::Rule> rules;
  for (auto const& cluster : *prices)
    rules.push_back({cluster.members.words()[0], cluster.need, cluster.price, cluster.blocks});
  return {lists, std::move(rules)};
}

class SweptCompletion final : public Completion {
 public:
  SweptCompletion(Component const& component, Prices const& prices, Fixed limit)
      : component_(component), limit_(limit), ahead_(ahead_of(component, prices)) {}

  Fixed value(Set set, Fixed /*limit*/) override {
    auto const* const found = kept_.find(set);
    return found == nullptr ? no_loss : found->loss;
  }

  bool run(std::size_t most_sets, Control& control) {
    std::vector<SetTable::Entry> layer{{0, 0}};
    kept_.insert({0, 0});
    for (std::size_t k = 0; k < component_.size(); ++k) {
      SetTable next;
      for (auto const& [set, loss] : layer) {
        grow(set, loss, next);
        if (control.should_stop(component_.size()) || kept_.size() + next.size() > most_sets)
          return false;
      }
      layer.clear();
      for (auto const& entry : next.entries())
        if (entry.loss != no_loss) {
          layer.push_back(entry);
          kept_.insert(entry);
        }
    }
    return true;
  }

 private:
  void grow(Set set, Fixed loss, SetTable& next) {
    ahead_.of(set);
    for (Set left = component_.all() & ~set; left != 0; left &= left - 1) {
      auto const x = static_cast<std::size_t>(std::countr_zero(left));
      Fixed const total = loss + least(x, set);
      if (total >= no_loss) continue;
      Set const grown = set | Set{1} << x;
      if (auto* const known = next.find(grown)) {
        known->loss = std::min(known->loss, total);
        continue;
      }
      // A set that is too far off this way may be reached by a better one.
      Fixed const rest = -ahead_.after(x, total - limit_ - 1);
      if (total + rest <= limit_) next.insert({grown, total});
    }
  }

  Fixed least(std::size_t x, Set within) const {
    for (auto const& choice : component_.choices[x])
      if ((choice.set & ~within) == 0) return choice.loss;
    return no_loss;
  }

  Component const& component_;
  Fixed const limit_;
  Ahead ahead_;
  SetTable kept_;
};

}  // namespace

std::unique_ptr<Completion> sweep(Component const& component, Prices const& prices, Fixed limit,
                                  std::size_t most_sets, Control& control) {
  auto swept = std::make_unique<SweptCompletion>(component, prices, limit);
  if (!swept->run(most_sets, control)) return nullptr;
  return swept;
}

}  // namespace bayesloom::credible
