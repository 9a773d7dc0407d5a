// The equivalence classes of a wide set.
//
// Networks are listed and put together by class key (class_key.hpp), component by component: the
// classes of the whole are the products, and are counted by loss without being listed.
//
// A component with too many networks to list may fall apart further. Once all are counted, the
// diagram tells for each choice the least loss of a network with it:
//
//   least with c  =  least loss outside the node  +  loss of c  +  sum of the least of the children
//
// Choices above the limit are in no credible network. Without them the variables may part into
// several strong components, whose products are the same networks.
#include <algorithm>
#include <bit>
#include <unordered_map>
#include <utility>

#include "credible/diagram/diagram_set.hpp"

namespace bayesloom::credible {

namespace {

/// So many networks of a component with too many to list all are listed, for a lower bound.
constexpr std::uint64_t some = 200'000;

constexpr double bytes_per_class = 64;  // and its representative, where it is kept
constexpr std::uint64_t stride = 256;   // networks between two questions whether to stop

struct KeyHash {
  std::size_t operator()(ClassKey const& key) const { return key.a; }
};

/// The key of what a diagram's walk has chosen in one component. From one network to the next few
/// choices change, and only what they have a part in is put together anew.
class RunningKey {
 public:
  RunningKey(ScoreCache const& cache, Component const& component, Diagram const& diagram)
      : component_(component),
        place_(diagram.flat().place),
        keys_(cache, component),
        last_(component.size(), ~std::uint32_t{0}),
        sets_(component.size()),
        parts_(component.size()) {}

  ClassKey of(std::vector<std::uint32_t> const& chosen) {
    Set changed = 0;
    for (std::size_t x = 0; x < last_.size(); ++x) {
      if (chosen[x] == last_[x]) continue;
      last_[x] = chosen[x];
      sets_[x] = component_.choices[x][place_[chosen[x]]].set;
      changed |= Set{1} << x;
    }
    for (std::size_t x = 0; x < last_.size(); ++x) {
      if ((((Set{1} << x) | sets_[x]) & changed) == 0) continue;
      key_ ^= parts_[x];
      parts_[x] = part(x);
      key_ ^= parts_[x];
    }
    return key_;
  }

 private:
  ClassKey part(std::size_t x) const {
    ClassKey key = keys_.alone(x, place_[last_[x]]);
    for (Set up = sets_[x]; up != 0; up &= up - 1) {
      auto const a = static_cast<std::size_t>(std::countr_zero(up));
      key ^= keys_.joined(x, place_[last_[x]], a, place_[last_[a]]);
    }
    return key;
  }

  Component const& component_;
  std::vector<std::uint32_t> const& place_;  // by flat number
  ClassKeys const keys_;
  std::vector<std::uint32_t> last_;  // by variable: its choice
  std::vector<Set> sets_;
  std::vector<ClassKey> parts_;  // by variable: what it adds to the key
  ClassKey key_;
};

/// How many ways there are to take one loss of each list, sorted, with a sum of at most `limit`: at
/// least and at most, where lists of products had to be rounded.
std::pair<Count, Count> products_within(std::vector<std::vector<Fixed>> lists, Fixed limit) {
  if (std::any_of(lists.begin(), lists.end(), [](auto& losses) { return losses.empty(); }))
    return {0, 0};
  // The longest list stays as it is.
  std::swap(lists.back(), *std::max_element(lists.begin(), lists.end(),
                                            [](auto& a, auto& b) { return a.size() < b.size(); }));
  auto const longest = std::move(lists.back());
  lists.pop_back();
  LossList others = LossList::one();
  for (auto const& losses : lists) {
    std::vector<LossList::Entry> entries;
    for (Fixed const loss : losses) entries.push_back({loss, 1});
    others = others.times(LossList(std::move(entries)), limit - longest.front() + LossList::margin);
  }
  auto const count = [&](Fixed most) {
    Count sum = 0;
    for (auto const& entry : others.entries()) {
      auto const fit = std::upper_bound(longest.begin(), longest.end(), most - entry.loss);
      sum =
          checked_sum(sum, checked_product(entry.count, static_cast<Count>(fit - longest.begin())));
    }
    return sum;
  };
  return {count(limit - others.error()), count(limit + others.error())};
}

}  // namespace

WideClasses WideSet::classes(Fixed loss, std::uint64_t most, Control& control) const {
  WideClasses found;
  std::vector<RunningKey> keys;
  for (std::size_t p = 0; p < components_.size(); ++p)
    keys.emplace_back(cache_, components_[p], diagrams_[p]);
  std::unordered_map<ClassKey, std::size_t, KeyHash> known;
  auto walk = walk_within(loss);
  found.whole = counted_ && counted_->whole;
  for (std::uint64_t listed = 0; walk.next(); ++listed) {
    double const bytes = bytes_per_class + 8.0 * static_cast<double>(cache_.variable_count());
    bool const full = bytes * static_cast<double>(known.size()) > memory_bytes_;
    if (listed == most || full || control.should_stop()) {
      found.whole = false;
      break;
    }
    ClassKey key;
    for (std::size_t p = 0; p < components_.size(); ++p) key ^= keys[p].of(walk.chosen()[p]);
    auto const [at, fresh] = known.try_emplace(key, found.classes.size());
    if (fresh) {
      auto& made = found.classes.emplace_back(walk.loss(), 1,
                                              std::vector<std::uint64_t>(cache_.variable_count()));
      candidates(walk.chosen(), made.candidates);
    } else {
      auto& made = found.classes[at->second];
      ++made.members;
      made.loss = std::min(made.loss, walk.loss());
    }
  }
  std::stable_sort(found.classes.begin(), found.classes.end(),
                   [](auto const& a, auto const& b) { return a.loss < b.loss; });
  return found;
}

ClassCount WideSet::count_classes(Fixed loss, std::uint64_t most, Control& control) const {
  ClassCount out{0, counted_ && counted_->whole};
  bool even = true;
  std::vector<std::vector<Fixed>> lists;  // the losses of the classes of each part
  auto const list = [&](Component const& component, Diagram const& diagram, Fixed limit) {
    RunningKey key(cache_, component, diagram);
    std::unordered_map<ClassKey, Fixed, KeyHash> known;
    DiagramWalk walk(std::span(&diagram, 1), limit);
    std::uint64_t const stop = diagram.losses().within(limit) <= most ? most : std::min(most, some);
    // The first is always taken: a component without classes would leave none of the whole.
    for (std::uint64_t listed = 0; walk.next(); ++listed) {
      bool const full = bytes_per_class * static_cast<double>(known.size()) > memory_bytes_;
      bool const ask = listed % stride == stride - 1;
      if (listed > 0 && (listed == stop || full || (ask && control.should_stop(stride)))) {
        out.whole = false;
        break;
      }
      auto const [at, fresh] = known.try_emplace(key.of(walk.chosen()[0]), walk.loss());
      even &= fresh || at->second == walk.loss();
    }
    auto& losses = lists.emplace_back();
    for (auto const& entry : known) losses.push_back(entry.second);
    std::sort(losses.begin(), losses.end());
  };
  for (std::size_t p = 0; p < components_.size(); ++p) {
    Fixed const limit = own_[p] + loss;
    std::vector<Component> parts;
    if (out.whole && diagrams_[p].losses().within(limit) > most)
      parts = split(components_[p], diagrams_[p].used(limit));
    if (parts.size() < 2) {
      list(components_[p], diagrams_[p], limit);
      continue;
    }
    for (auto const& part : parts) {
      Fixed own = 0;
      for (Variable const v : part.variables)
        own += cache_.score(cache_.begin(v)) - cache_.score(network_[v]);
      Diagram diagram(part, fixing_, memory_bytes_);
      Fixed const reach = loss + LossList::margin;
      out.whole &= diagram.build(fixing_.gap + reach, own + reach, control);
      list(part, diagram, own + loss);
    }
  }
  if (!even && lists.size() > 1) {
    auto const listed = classes(loss, most, control);
    return {listed.classes.size(), listed.whole};
  }
  auto const [low, high] = products_within(std::move(lists), least_ + loss);
  out.count = low;
  out.whole = out.whole && low == high;
  return out;
}

}  // namespace bayesloom::credible
