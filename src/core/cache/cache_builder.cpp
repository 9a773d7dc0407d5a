#include "cache/cache_builder.hpp"

#include <algorithm>
#include <cmath>
#include <unordered_set>
#include <utility>

#include "cache/parent_set_index.hpp"
#include "cache/quoted.hpp"

namespace bayesloom {

namespace {

/// The vectors behind the spans of a cache that was built in memory.
struct OwnedArrays {
  std::vector<std::uint64_t> first{0};
  std::vector<Fixed> scores;
  std::vector<std::uint64_t> parent_first{0};
  std::vector<Variable> parents;
};

/// A candidate's score beside its position in the list, so that sorting rarely looks at the list.
struct Entry {
  Fixed score;
  std::size_t position;
};

/// Canonical order: best first, then fewer parents, then lexicographic.
std::vector<Entry> canonical_order(CandidateList const& list) {
  std::vector<Entry> order(list.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = {list.scores[i], i};
  auto const before = [&](Entry const& x, Entry const& y) {
    if (x.score != y.score) return x.score > y.score;
    auto const a = list.set(x.position), b = list.set(y.position);
    if (a.size() != b.size()) return a.size() < b.size();
    return std::ranges::lexicographical_compare(a, b);
  };
  if (!std::ranges::is_sorted(order, before)) std::ranges::sort(order, before);
  return order;
}

}  // namespace

void check_names(std::span<std::string const> names, std::string const& where) {
  if (names.empty()) throw InputError(where + "a score cache needs at least one variable.");
  if (names.size() > max_variables)
    throw InputError(where + std::to_string(names.size()) + " variables are more than the " +
                     max_variables_text + " that Bayesloom works with.");
  std::unordered_set<std::string_view> seen;
  for (std::string const& name : names) {
    if (name.empty()) throw InputError(where + "the name of a variable is empty.");
    if (!is_utf8(name) || name.find('\0') != std::string::npos)
      throw InputError(where + "the name of a variable, " + in_quotes(name) +
                       ", is not UTF-8 text without NUL characters.");
    if (!seen.insert(name).second)
      throw InputError(where + "two variables have the name " + in_quotes(name) + ".");
  }
}

void check_score_range(CacheArrays const& arrays, std::string const& where) {
  double sum = 0;  // lists are sorted, so the largest magnitude is at one of the two ends
  for (std::size_t v = 0; v + 1 < arrays.first.size(); ++v)
    sum += std::max(std::abs(to_nats(arrays.scores[arrays.first[v]])),
                    std::abs(to_nats(arrays.scores[arrays.first[v + 1] - 1])));
  if (sum > max_nats)
    throw InputError(where + "the largest local scores of the variables sum to " +
                     std::to_string(sum) +
                     " nats, outside the range of -2^31 to 2^31 that Bayesloom works with.");
}

CacheBuilder::CacheBuilder(std::vector<std::string> names, std::vector<std::uint32_t> cardinalities)
    : names_(std::move(names)), cardinalities_(std::move(cardinalities)), lists_(names_.size()) {
  check_names(names_, "");
  if (cardinalities_.empty()) cardinalities_.resize(names_.size());
  if (cardinalities_.size() != names_.size())
    throw InputError("there are " + std::to_string(names_.size()) + " variables, but " +
                     std::to_string(cardinalities_.size()) + " cardinalities.");
  for (std::size_t v = 0; v < names_.size(); ++v)
    if (cardinalities_[v] > max_cardinality)
      throw InputError("variable " + in_quotes(names_[v]) + " has " +
                       std::to_string(cardinalities_[v]) +
                       " states; expected at most 65,536, or 0 where their number is not known.");
}

void CacheBuilder::check(Variable v) const {
  CandidateList const& list = lists_[v];
  std::string const variable = "variable " + in_quotes(names_[v]);
  if (list.size() == 0)
    throw InputError(variable +
                     " has no candidate. Give it at least one parent set; the empty one will do.");
  for (std::size_t i = 0; i < list.size(); ++i) {
    auto const set = list.set(i);
    std::string problem;
    if (std::abs(to_nats(list.scores[i])) > max_nats)
      problem = "its score is outside the range of -2^31 to 2^31 nats";
    for (std::size_t k = 0; k < set.size() && problem.empty(); ++k) {
      if (set[k] >= names_.size())
        problem = "parent " + std::to_string(set[k]) + " is not among the " +
                  std::to_string(names_.size()) + " variables";
      else if (set[k] == v)
        problem = "the variable is its own parent";
      else if (k > 0 && set[k - 1] == set[k])
        problem = "parent " + in_quotes(names_[set[k]]) + " is there twice";
      else if (k > 0 && set[k - 1] > set[k])
        problem = "the parents are not in ascending order";
    }
    if (!problem.empty())
      throw InputError(variable + ", candidate " + std::to_string(i + 1) + ": " + problem + ".");
  }
}

ScoreCache CacheBuilder::finish(std::string info, std::string const& where) && {
  auto const arrays = std::make_shared<OwnedArrays>();
  std::size_t candidates = 0, parents = 0;
  for (CandidateList const& list : lists_) {
    candidates += list.size();
    parents += list.parents.size();
  }
  arrays->first.reserve(lists_.size() + 1);
  arrays->scores.reserve(candidates);
  arrays->parent_first.reserve(candidates + 1);
  arrays->parents.reserve(parents);

  CandidateList const* current = nullptr;
  ParentSetIndex index([&current](std::size_t i) { return current->set(i); });
  for (std::size_t v = 0; v < lists_.size(); ++v) {
    check(static_cast<Variable>(v));
    CandidateList list = std::exchange(lists_[v], {});  // freed at the end of this turn
    for (Fixed& score : list.scores) score = to_fixed(to_nats(score));

    current = &list;
    index.reset(list.size());
    for (std::size_t i = 0; i < list.size(); ++i)
      if (auto const earlier = index.insert(i))
        throw DuplicateCandidate("variable " + in_quotes(names_[v]) + ": candidates " +
                                     std::to_string(*earlier + 1) + " and " +
                                     std::to_string(i + 1) + " have the same parents.",
                                 static_cast<Variable>(v), *earlier, i);
    for (auto const& [score, position] : canonical_order(list)) {
      arrays->scores.push_back(score);
      auto const set = list.set(position);
      arrays->parents.insert(arrays->parents.end(), set.begin(), set.end());
      arrays->parent_first.push_back(arrays->parents.size());
    }
    arrays->first.push_back(arrays->scores.size());
  }
  CacheArrays const views{arrays->first, arrays->scores, arrays->parent_first, arrays->parents};
  check_score_range(views, where);
  return {CacheLabels{std::move(names_), std::move(cardinalities_), std::move(info)}, views,
          arrays};
}

ScoreCache cache_from_arrays(std::vector<std::string> names,
                             std::vector<std::uint32_t> cardinalities, GivenArrays const& given,
                             std::string info) {
  std::size_t const n = names.size(), m = given.scores.size();
  auto const fit = [](std::span<std::uint64_t const> offsets, std::size_t count, std::size_t end) {
    return offsets.size() == count + 1 && offsets[0] == 0 && offsets[count] == end &&
           std::ranges::is_sorted(offsets);
  };
  if (!fit(given.first, n, m) || !fit(given.parent_first, m, given.parents.size()))
    throw InputError(
        "the offsets of candidates or parents do not start at 0, ascend, and end at their number.");
  CacheBuilder builder(std::move(names), std::move(cardinalities));
  for (std::size_t v = 0; v < n; ++v) {
    CandidateList& list = builder.list(static_cast<Variable>(v));
    for (std::size_t c = given.first[v]; c < given.first[v + 1]; ++c) {
      double const score = given.scores[c];
      if (!std::isfinite(score))
        throw InputError("a score is " + std::to_string(score) + "; expected a finite number.");
      std::uint64_t const at = given.parent_first[c];
      list.add(to_fixed(score), given.parents.subspan(at, given.parent_first[c + 1] - at));
    }
  }
  return std::move(builder).finish(std::move(info));
}

ScoreCache cache_from_lists(std::vector<std::string> names,
                            std::span<std::uint32_t const> cardinalities,
                            std::vector<CandidateList> lists) {
  CacheBuilder builder(std::move(names), {cardinalities.begin(), cardinalities.end()});
  for (std::size_t v = 0; v < lists.size(); ++v)
    builder.list(static_cast<Variable>(v)) = std::move(lists[v]);
  return std::move(builder).finish("{}");
}

}  // namespace bayesloom
