#include "order_graph/improve.hpp"

#include <algorithm>
#include <optional>
#include <vector>

#include "base/rng.hpp"

namespace bayesloom {

namespace {

class InsertSearch {
 public:
  InsertSearch(Component const& component, std::uint64_t tests, Control& control)
      : lists_(component.lists),
        tests_left_(tests),
        control_(control),
        known_(std::size_t{1} << memo_bits) {}

  bool exhausted() const { return tests_left_ == 0 || control_.stopped(); }

  /// Descends until no insert helps or the effort is used up; returns the loss.
  Fixed descend(std::vector<std::size_t>& order) {
    Fixed loss = loss_of(order);
    for (bool improved = true; improved && !exhausted();) {
      improved = false;
      for (std::size_t x = 0; x < order.size() && !exhausted(); ++x) {
        Fixed const gained = best_insert(order, x);
        loss -= gained;
        improved = improved || gained > 0;
      }
      control_.should_stop(0);
    }
    return loss;
  }

  Fixed loss_of(std::vector<std::size_t> const& order) {
    Fixed sum = 0;
    Members before = 0;
    for (auto const x : order) {
      sum = std::min(sum + loss(x, before), no_candidate);
      before |= Members{1} << x;
    }
    return sum;
  }

  /// Around a good order the same is asked again and again: answers are remembered, the later one
  /// in the place of the earlier.
  Fixed loss(std::size_t x, Members before) {
    std::uint64_t const hash = (before ^ x * 0xd6e8feb86659fd93ULL) * 0x9e3779b97f4a7c15ULL;
    Known& known = known_[hash >> (64 - memo_bits)];
    if (tests_left_ > 0) --tests_left_;
    if (known.member != x || known.before != before) known = {before, look_up(x, before), x};
    return known.loss;
  }

 private:
  /// Moves x to its best place by neighbour swaps first one way, then the other; returns the gain.
  Fixed best_insert(std::vector<std::size_t>& order, std::size_t x) {
    auto const at =
        static_cast<std::size_t>(std::find(order.begin(), order.end(), x) - order.begin());
    std::vector<Members> before(order.size() + 1, 0);
    for (std::size_t i = 0; i < order.size(); ++i)
      before[i + 1] = before[i] | Members{1} << order[i];
    Members const own = Members{1} << x;
    Fixed best_gain = 0;
    std::size_t best_place = at;
    Fixed const here = loss(x, before[at]);
    Fixed others = 0;  // what the members passed gain
    for (std::size_t i = at + 1; i < order.size(); ++i) {
      std::size_t const y = order[i];
      others += loss(y, before[i]) - loss(y, before[i] & ~own);
      Fixed const gain = others + here - loss(x, before[i + 1] & ~own);
      if (gain > best_gain) {
        best_gain = gain;
        best_place = i;
      }
    }
    others = 0;
    for (std::size_t i = at; i-- > 0;) {
      std::size_t const y = order[i];
      others += loss(y, before[i]) - loss(y, before[i] | own);
      Fixed const gain = others + here - loss(x, before[i]);
      if (gain > best_gain) {
        best_gain = gain;
        best_place = i;
      }
    }
    move(order, at, best_place);
    return best_gain;
  }

 public:
  static void move(std::vector<std::size_t>& order, std::size_t from, std::size_t to) {
    auto const at = [&](std::size_t i) { return order.begin() + static_cast<std::ptrdiff_t>(i); };
    if (from < to) std::rotate(at(from), at(from + 1), at(to + 1));
    if (to < from) std::rotate(at(to), at(from), at(from + 1));
  }

 private:
  struct Known {
    Members before = 0;
    Fixed loss = 0;
    std::size_t member = ~std::size_t{0};
  };
  static constexpr std::size_t memo_bits = 14;

  Fixed look_up(std::size_t x, Members before) {
    for (auto const& candidate : lists_[x]) {
      if (tests_left_ > 0) --tests_left_;
      if ((candidate.parents & ~before) == 0) return candidate.loss;
    }
    return no_candidate / 128;  // so that sums over all members stay in range
  }

  MemberLists const& lists_;
  std::uint64_t tests_left_;
  Control& control_;
  std::vector<Known> known_;
};

/// An order in which parents come first; members with the lowest number first.
std::vector<std::size_t> order_of(Component const& component, ComponentResult const& known) {
  std::size_t const n = component.size();
  std::vector<Members> parents(n, 0);
  for (std::size_t x = 0; x < n; ++x)
    for (auto const& candidate : component.lists[x])
      if (candidate.index == known.candidates[x]) parents[x] = candidate.parents;
  std::vector<std::size_t> order;
  Members placed = 0;
  while (order.size() < n)
    for (std::size_t x = 0; x < n; ++x)
      if ((placed >> x & 1) == 0 && (parents[x] & ~placed) == 0) {
        placed |= Members{1} << x;
        order.push_back(x);
        break;
      }
  return order;
}

}  // namespace

ComponentResult improved(Component const& component, ComponentResult const& known,
                         std::uint64_t tests, Control& control) {
  std::size_t const n = component.size();
  if (n < 2 || known.loss == known.bound) return known;
  InsertSearch search(component, tests, control);
  auto best = order_of(component, known);
  Fixed least = search.descend(best);
  Rng rng(n);
  for (std::size_t restart = 0; restart < 20 * n && !search.exhausted(); ++restart) {
    auto order = best;
    for (std::size_t k = 0; k < 2 + n / 8; ++k)
      InsertSearch::move(order, rng.below(n), rng.below(n));
    Fixed const loss = search.descend(order);
    if (loss <= least && !search.exhausted()) {
      least = loss;
      best = std::move(order);
    }
  }
  ComponentResult out;
  out.bound = known.bound;
  out.candidates.resize(n);
  Members before = 0;
  for (auto const x : best) {
    auto const* const candidate = best_within(component.lists[x], before);
    if (candidate == nullptr) return known;
    out.candidates[x] = candidate->index;
    out.loss += candidate->loss;
    before |= Members{1} << x;
  }
  return out.loss < known.loss ? out : known;
}

}  // namespace bayesloom
