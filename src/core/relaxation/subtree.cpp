#include "relaxation/subtree.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <string>
#include <utility>

#include "base/errors.hpp"
#include "cache/cache_builder.hpp"
#include "dual/simple_bound.hpp"

namespace bayesloom {

namespace {

constexpr Variable nowhere = std::numeric_limits<Variable>::max();

/// By variable of the whole: its number in the part, or nowhere.
std::vector<Variable> numbers_in(std::vector<Variable> const& variables, std::size_t n) {
  std::vector<Variable> number(n, nowhere);
  for (std::size_t v = 0; v < variables.size(); ++v)
    number[variables[v]] = static_cast<Variable>(v);
  return number;
}

dual::Cluster renumbered(dual::Cluster const& cluster, auto const& number, std::size_t n) {
  dual::Cluster out{WideVarSet(n), cluster.need, cluster.price, cluster.blocks};
  for (std::size_t const v : cluster.members) out.members.insert(number[v]);
  return out;
}

}  // namespace

PartCache part_cache(ScoreCache const& whole, std::vector<std::size_t> const& candidates) {
  auto const& first = whole.arrays().first;
  std::vector<Variable> variables, owner;
  for (std::size_t const c : candidates) {
    if (c >= whole.candidate_count())
      throw InputError("a part names a candidate that is not there.");
    auto const v =
        static_cast<Variable>(std::upper_bound(first.begin(), first.end(), c) - first.begin() - 1);
    if (variables.empty() || variables.back() < v) variables.push_back(v);
    if (v < variables.back()) throw InputError("the candidates of a part are not ascending.");
    owner.push_back(v);
  }
  auto const number = numbers_in(variables, whole.variable_count());
  std::vector<std::string> names;
  for (Variable const v : variables) names.push_back(whole.name(v));
  CacheBuilder builder(std::move(names));
  // Of sets that differ only in parents that come before, the first is the best.
  std::vector<std::map<std::vector<Variable>, std::size_t>> origins(variables.size());
  std::vector<Variable> parents;
  for (std::size_t k = 0; k < candidates.size(); ++k) {
    parents.clear();
    for (Variable const p : whole.parents(candidates[k]))
      if (number[p] != nowhere) parents.push_back(number[p]);
    Variable const v = number[owner[k]];
    if (origins[v].emplace(parents, candidates[k]).second)
      builder.list(v).add(whole.score(candidates[k]), parents);
  }
  PartCache out{std::move(builder).finish(""), std::move(variables), {}};
  for (std::size_t v = 0; v < out.variables.size(); ++v)
    for (std::size_t c = out.cache.begin(static_cast<Variable>(v));
         c < out.cache.end(static_cast<Variable>(v)); ++c) {
      auto const set = out.cache.parents(c);
      out.origin.push_back(origins[v].at({set.begin(), set.end()}));
    }
  return out;
}

BblpResult search_part(ScoreCache const& whole, std::vector<std::size_t> const& candidates,
                       BblpOptions options, Control& control) {
  PartCache const part = part_cache(whole, candidates);
  std::size_t const n = whole.variable_count(), own = part.variables.size();
  if (!greedy_network(part.cache)) {
    BblpResult none;
    none.bound = none.score = std::numeric_limits<Fixed>::min() / 4;
    return none;
  }
  auto const number = numbers_in(part.variables, n);
  for (auto& list : options.prices) {
    std::erase_if(list, [&](dual::Cluster const& cluster) {  // any of them give a bound
      return std::any_of(cluster.members.begin(), cluster.members.end(),
                         [&](std::size_t v) { return number[v] == nowhere; });
    });
    for (auto& cluster : list) cluster = renumbered(cluster, number, own);
  }
  BblpResult result = bblp(part.cache, options, control);
  for (auto& c : result.candidates) c = part.origin[c];
  for (auto& cluster : result.clusters) cluster = renumbered(cluster, part.variables, n);
  for (auto& open : result.open) {
    for (auto* const list : {&open.candidates, &open.decided})
      for (auto& c : *list) c = part.origin[c];
    std::sort(open.candidates.begin(), open.candidates.end());
    for (auto& cluster : open.clusters) cluster = renumbered(cluster, part.variables, n);
  }
  return result;
}

}  // namespace bayesloom
