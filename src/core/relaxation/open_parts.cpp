#include "relaxation/open_parts.hpp"

#include <algorithm>
#include <iterator>
#include <numeric>
#include <utility>

namespace bayesloom::relaxation {

namespace {

void add_candidates(dual::Problem const& node, OpenPart& part) {
  for (Index const i : node.variables)
    for (std::size_t c = node.begin[i]; c < node.end[i]; ++c)
      part.candidates.push_back(node.origin[c]);
  std::sort(part.candidates.begin(), part.candidates.end());
  std::copy_if(node.clusters.begin(), node.clusters.end(), std::back_inserter(part.clusters),
               [](dual::Cluster const& cluster) { return cluster.price > 0; });
}

}  // namespace

OpenPart open_component(Components const& components, std::size_t k, Fixed best) {
  OpenPart part;
  part.bound = best + components.bounds[k];
  add_candidates(components.problems[k], part);
  return part;
}

OpenPart open_subtree(Components const& components, std::size_t k, OpenNode node, Fixed trivial) {
  OpenPart part;
  part.candidates = std::move(node.candidates);
  for (auto const& [variable, candidate] : node.decided) part.decided.push_back(candidate);
  part.clusters = std::move(node.clusters);
  part.bound = trivial + std::min(node.bound, components.bounds[k]);
  for (std::size_t j = 0; j < components.problems.size(); ++j) {
    if (j == k) continue;
    part.bound += components.bounds[j];
    if (components.bounds[j] > components.own[j]) {
      add_candidates(components.problems[j], part);
    } else {
      for (Index const i : components.problems[j].variables)
        part.decided.push_back(components.network[i]);
    }
  }
  std::sort(part.candidates.begin(), part.candidates.end());
  part.candidates.erase(std::unique(part.candidates.begin(), part.candidates.end()),
                        part.candidates.end());
  return part;
}

OpenPart open_whole(Components const& components, Fixed bound) {
  OpenPart whole;
  whole.candidates.resize(components.cache.candidate_count());
  std::iota(whole.candidates.begin(), whole.candidates.end(), std::size_t{0});
  for (auto const& problem : components.problems)
    whole.clusters.insert(whole.clusters.end(), problem.clusters.begin(), problem.clusters.end());
  whole.bound = bound;
  return whole;
}

}  // namespace bayesloom::relaxation
