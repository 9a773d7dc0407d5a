#include "credible/diagram/near_best.hpp"

#include <map>
#include <set>
#include <utility>

#include "base/rng.hpp"

namespace bayesloom::credible {

namespace {

using Word = std::uint64_t;

class Search {
 public:
  Search(ScoreCache const& cache, std::vector<Component> const& components)
      : cache_(cache), components_(components) {
    Rng rng(0);
    for (std::size_t v = 0; v < cache.variable_count(); ++v) words_.push_back(rng());
    for (std::size_t c = 0; c < cache.candidate_count(); ++c) keys_.emplace_back(rng(), rng());
    for (std::size_t p = 0; p < components.size(); ++p)
      for (std::size_t x = 0; x < components[p].size(); ++x)
        for (auto const& choice : components[p].lists[x])
          by_parents_[{components[p].variables[x], parents_word(choice.index)}] = &choice;
  }

  NearNetworks run(std::vector<std::size_t> const& network, Fixed max_loss, std::size_t most,
                   Control& control) {
    out_.width = cache_.variable_count();
    most_ = most;
    max_loss_ = max_loss;
    std::vector<Word> first(network.begin(), network.end());
    add(first, 0);
    for (std::size_t at = 0; at < out_.size() && out_.size() < most_ && !control.should_stop();
         ++at)
      expand(at);
    return std::move(out_);
  }

 private:
  Word parents_word(std::size_t candidate) const {
    Word word = 0;
    for (Variable const p : cache_.parents(candidate)) word ^= words_[p];
    return word;
  }

  void add(std::vector<Word> const& network, Fixed loss) {
    std::pair<Word, Word> key{0, 0};
    for (auto const c : network) {
      key.first ^= keys_[c].first;
      key.second ^= keys_[c].second;
    }
    if (out_.size() == most_ || !seen_.insert(key).second) return;
    out_.candidates.insert(out_.candidates.end(), network.begin(), network.end());
    out_.losses.push_back(loss);
  }

  void expand(std::size_t at) {
    auto const begin = out_.candidates.begin() + static_cast<std::ptrdiff_t>(at * out_.width);
    std::vector<Word> network(begin, begin + static_cast<std::ptrdiff_t>(out_.width));
    Fixed const loss = out_.losses[at];
    for (auto const& component : components_) {
      std::vector<VarSet> up(component.size());
      for (std::size_t x = 0; x < component.size(); ++x) {
        Variable const v = component.variables[x];
        up[x] = by_parents_.at({v, parents_word(network[v])})->parents;
      }
      for (std::size_t x = 0; x < component.size(); ++x) {
        Variable const v = component.variables[x];
        Word const before = network[v];
        change(component, up, x, network, loss);
        // Covered edges a -> v.
        for (std::size_t const y : up[x]) {
          Variable const a = component.variables[y];
          Word const of_v = parents_word(before), of_a = parents_word(network[a]);
          if (of_v != (of_a ^ words_[a])) continue;
          auto const new_v = by_parents_.find({v, of_a}),
                     new_a = by_parents_.find({a, of_a ^ words_[v]});
          if (new_v == by_parents_.end() || new_a == by_parents_.end()) continue;
          Word const before_a = network[a];
          Fixed const now = loss + cache_.score(before) + cache_.score(before_a) -
                            cache_.score(new_v->second->index) - cache_.score(new_a->second->index);
          if (now > max_loss_) continue;
          // Without orders an edge that is covered can always be turned.
          std::vector<VarSet> turned = up;
          turned[x] = new_v->second->parents;
          turned[y] = new_a->second->parents;
          if (descendants(turned, y).contains(x)) continue;
          network[v] = new_v->second->index;
          network[a] = new_a->second->index;
          add(network, now);
          network[v] = before;
          network[a] = before_a;
        }
      }
    }
  }

  /// A variable and those below it, by the sets of all.
  static VarSet descendants(std::vector<VarSet> const& up, std::size_t x) {
    VarSet below = VarSet::of(x);
    for (bool grows = true; grows;) {
      grows = false;
      for (std::size_t y = 0; y < up.size(); ++y)
        if (!below.contains(y) && up[y].meets(below)) {
          below.insert(y);
          grows = true;
        }
    }
    return below;
  }

  /// All other parent sets of x that close no cycle.
  void change(Component const& component, std::vector<VarSet> const& up, std::size_t x,
              std::vector<Word>& network, Fixed loss) {
    Variable const v = component.variables[x];
    Word const before = network[v];
    VarSet const below = descendants(up, x);
    for (auto const& choice : component.lists[x]) {
      Fixed const now = loss + cache_.score(before) - cache_.score(choice.index);
      if (now > max_loss_) break;  // smallest loss first
      if (choice.index == before || choice.parents.meets(below)) continue;
      network[v] = choice.index;
      add(network, now);
    }
    network[v] = before;
  }

  ScoreCache const& cache_;
  std::vector<Component> const& components_;
  std::vector<Word> words_;                  // by variable
  std::vector<std::pair<Word, Word>> keys_;  // by candidate
  std::map<std::pair<Variable, Word>, Choice const*> by_parents_;
  std::set<std::pair<Word, Word>> seen_;
  NearNetworks out_;
  std::size_t most_ = 0;
  Fixed max_loss_ = 0;
};

}  // namespace

NearNetworks networks_near_best(ScoreCache const& cache, std::vector<Component> const& components,
                                std::vector<std::size_t> const& network, Fixed max_loss,
                                std::size_t most, Control& control) {
  return Search(cache, components).run(network, max_loss, most, control);
}

}  // namespace bayesloom::credible
