#include "credible/component.hpp"

#include <algorithm>
#include <bit>
#include <numeric>
#include <string>

#include "base/errors.hpp"

namespace bayesloom::credible {

namespace {

/// Strong components [tarjan1972], with an explicit stack: there may be thousands of variables.
class StrongComponents {
 public:
  explicit StrongComponents(std::vector<std::vector<Variable>> const& next)
      : next_(next), found_(next.size(), 0), low_(next.size(), 0), component_(next.size(), none) {
    for (std::size_t v = 0; v < next.size(); ++v)
      if (found_[v] == 0) visit(v);
  }

  std::size_t count() const { return count_; }
  std::size_t component(std::size_t v) const { return component_[v]; }

 private:
  static constexpr std::size_t none = ~std::size_t{0};

  void visit(std::size_t root) {
    std::vector<std::pair<std::size_t, std::size_t>> frames{{root, 0}};
    enter(root);
    while (!frames.empty()) {
      auto& [v, at] = frames.back();
      if (at < next_[v].size()) {
        std::size_t const w = next_[v][at++];
        if (found_[w] == 0) {
          enter(w);
          frames.emplace_back(w, 0);
        } else if (component_[w] == none) {
          low_[v] = std::min(low_[v], found_[w]);
        }
        continue;
      }
      std::size_t const done = v;
      frames.pop_back();
      if (!frames.empty())
        low_[frames.back().first] = std::min(low_[frames.back().first], low_[done]);
      if (low_[done] != found_[done]) continue;
      std::size_t member = none;
      do {
        member = open_.back();
        open_.pop_back();
        component_[member] = count_;
      } while (member != done);
      ++count_;
    }
  }

  void enter(std::size_t v) {
    found_[v] = low_[v] = ++clock_;
    open_.push_back(v);
  }

  std::vector<std::vector<Variable>> const& next_;
  std::vector<std::size_t> found_, low_, component_, open_;
  std::size_t clock_ = 0, count_ = 0;
};

}  // namespace

std::vector<Component> components(ScoreCache const& cache, std::vector<bool> const& keep) {
  std::size_t const n = cache.variable_count();
  std::vector<std::vector<Variable>> parents(n);
  for (std::size_t v = 0; v < n; ++v) {
    auto& list = parents[v];
    for (std::size_t c = cache.begin(static_cast<Variable>(v)); c < cache.end(static_cast<Variable>(v)); ++c)
      if (keep[c]) {
        auto const set = cache.parents(c);
        list.insert(list.end(), set.begin(), set.end());
      }
    std::sort(list.begin(), list.end());
    list.erase(std::unique(list.begin(), list.end()), list.end());
  }
  StrongComponents const strong(parents);

  std::vector<Component> parts(strong.count());
  std::vector<std::size_t> local(n);
  for (std::size_t v = 0; v < n; ++v) {
    auto& part = parts[strong.component(v)];
    local[v] = part.size();
    part.variables.push_back(static_cast<Variable>(v));
  }
  for (auto& part : parts) {
    if (part.size() > 64)
      throw ResourceError(
          "the candidates join " + std::to_string(part.size()) +
          " variables in one strong component, and the credible set can be found for components of "
          "up to 64. A smaller Bayes factor or fewer parents may part them.");
    for (Variable const v : part.variables) {
      auto& list = part.choices.emplace_back();
      Fixed const top = cache.score(cache.begin(v));
      for (std::size_t c = cache.begin(v); c < cache.end(v); ++c) {
        if (!keep[c]) continue;
        Set set = 0;
        for (Variable const p : cache.parents(c))
          if (strong.component(p) == strong.component(v)) set |= Set{1} << local[p];
        list.push_back({top - cache.score(c), set, c});
      }
    }
  }
  std::stable_sort(parts.begin(), parts.end(),
                   [](Component const& a, Component const& b) { return a.size() > b.size(); });
  return parts;
}

std::vector<Component> split(Component const& whole, std::vector<bool> const& keep) {
  std::size_t const n = whole.size();
  std::vector<std::vector<Variable>> parents(n);
  std::size_t flat = 0;
  for (std::size_t x = 0; x < n; ++x) {
    Set up = 0;
    for (auto const& choice : whole.choices[x])
      if (keep[flat++]) up |= choice.set;
    for (; up != 0; up &= up - 1)
      parents[x].push_back(static_cast<Variable>(std::countr_zero(up)));
  }
  StrongComponents const strong(parents);
  std::vector<Component> parts(strong.count());
  std::vector<std::size_t> local(n);
  flat = 0;
  for (std::size_t x = 0; x < n; ++x) {
    auto& part = parts[strong.component(x)];
    local[x] = part.size();
    part.variables.push_back(whole.variables[x]);
    auto& list = part.choices.emplace_back();
    for (auto const& choice : whole.choices[x])
      if (keep[flat++]) list.push_back(choice);
  }
  for (std::size_t x = 0; x < n; ++x)
    for (auto& choice : parts[strong.component(x)].choices[local[x]]) {
      Set set = 0;
      for (Set up = choice.set; up != 0; up &= up - 1) {
        auto const p = static_cast<std::size_t>(std::countr_zero(up));
        if (strong.component(p) == strong.component(x)) set |= Set{1} << local[p];
      }
      choice.set = set;
    }
  return parts;
}

}  // namespace bayesloom::credible
