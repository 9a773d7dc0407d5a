#include "credible/classes/classes.hpp"

#include <map>

#include "credible/classes/class_listing.hpp"

namespace bayesloom::credible {

Classes Classes::make(ScoreCache const& cache, std::span<Part const> parts, Fixed slack,
                      States const* states, std::size_t threads, double memory_bytes,
                      Control& control) {
  Classes classes;
  classes.slack_ = slack;
  bool even = true;
  auto const add = [&](std::span<Part const> some, States const* known) {
    auto found = list_classes(cache, some, slack, known, threads, memory_bytes, control);
    classes.whole_ &= found.whole;
    even &= found.even;
    classes.parts_.push_back(std::move(found.classes));
  };
  // The states of the whole know what follows a part too; they are of use where nothing follows.
  for (std::size_t p = 0; p < parts.size(); ++p)
    add(parts.subspan(p, 1), parts.size() == 1 ? states : nullptr);
  if (!even && parts.size() > 1) {
    classes.parts_.clear();
    classes.joint_ = true;
    classes.whole_ = true;
    add(parts, states);
  }
  return classes;
}

Count Classes::count() const {
  // Number of classes by loss, over the parts so far; the smallest parts come last.
  std::map<Fixed, Count> sums{{0, 1}};
  for (std::size_t p = parts_.size(); p-- > 1;) {
    std::map<Fixed, Count> next;
    for (auto const& [loss, number] : sums)
      for (auto const& entry : parts_[p].entries) {
        if (loss + entry.loss > slack_) break;
        next[loss + entry.loss] += number;
      }
    sums = std::move(next);
  }
  Count total = 0;
  auto const& first = parts_[0].entries;
  std::size_t fit = first.size();
  for (auto const& [loss, number] : sums) {
    while (fit > 0 && first[fit - 1].loss + loss > slack_) --fit;
    total += number * fit;
  }
  return total;
}

ClassWalk::ClassWalk(Classes const& classes) : classes_(classes), at_(classes.parts().size(), 0) {}

bool ClassWalk::next() {
  if (ended_) return false;
  if (!begun_) {
    begun_ = true;
    loss_ = 0;
    return true;
  }
  // The best of each part has loss 0, so what fits with them is all that must be looked at.
  for (std::size_t p = at_.size(); p-- > 0;) {
    auto const& entries = classes_.parts()[p].entries;
    Fixed const without = loss_ - entries[at_[p]].loss;
    if (at_[p] + 1 < entries.size() && without + entries[at_[p] + 1].loss <= classes_.slack()) {
      ++at_[p];
      loss_ = without + entries[at_[p]].loss;
      return true;
    }
    loss_ = without;
    at_[p] = 0;
  }
  ended_ = true;
  return false;
}

Count ClassWalk::members() const {
  Count product = 1;
  for (std::size_t p = 0; p < at_.size(); ++p)
    product *= classes_.parts()[p].entries[at_[p]].members;
  return product;
}

}  // namespace bayesloom::credible
