// check: the independent verifier. The functions take raw columns and raw arrays; bayesloom.verify
// is the way to call them.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/variant.h>
#include <nanobind/stl/vector.h>

#include "base/errors.hpp"
#include "bindings.hpp"
#include "check/local_score.hpp"
#include "check/network_check.hpp"
#include "check/normalizer.hpp"
#include "check/sets_check.hpp"
#include "control.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace bayesloom {

namespace {

template <typename T>
using Array = nb::ndarray<T const, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using RawColumn = std::variant<Array<std::uint8_t>, Array<std::uint16_t>, Array<double>>;

std::vector<double> local_scores(std::vector<RawColumn> const& columns,
                                 std::vector<std::uint32_t> cardinalities,
                                 std::vector<std::size_t> const& variables,
                                 check::ParentLists const& parents, std::string const& score,
                                 double ess, double gamma,
                                 std::optional<Array<std::uint32_t>> const& weights,
                                 double alpha_mu, double degrees, double least, double power,
                                 double penalty, bool gaps) {
  check::Table table{{}, std::move(cardinalities)};
  if (weights) table.weights = {weights->data(), weights->size()};
  table.gaps = gaps;
  for (RawColumn const& column : columns)
    std::visit(
        [&](auto const& codes) {
          table.columns.emplace_back(std::span(codes.data(), codes.size()));
        },
        column);
  if (variables.size() != parents.size())
    throw InputError("there must be one parent list for each variable.");
  check::ScoreOptions const given{ess, gamma, alpha_mu, degrees, least, power, penalty};
  nb::gil_scoped_release const release;
  check::check_table(table);
  std::vector<double> scores;
  for (std::size_t i = 0; i < variables.size(); ++i)
    scores.push_back(check::local_score(table, variables[i], parents[i], score, given));
  return scores;
}

check::RawCache raw_cache(Array<std::uint64_t> const& first, Array<std::int64_t> const& scores,
                          Array<std::uint64_t> const& parent_first,
                          Array<std::uint32_t> const& parents) {
  check::RawCache const cache{{first.data(), first.size()},
                              {scores.data(), scores.size()},
                              {parent_first.data(), parent_first.size()},
                              {parents.data(), parents.size()}};
  check::check_arrays(cache);
  return cache;
}

std::vector<std::optional<std::int64_t>> candidate_scores(Array<std::uint64_t> const& first,
                                                          Array<std::int64_t> const& scores,
                                                          Array<std::uint64_t> const& parent_first,
                                                          Array<std::uint32_t> const& parents,
                                                          check::ParentLists const& chosen) {
  auto const cache = raw_cache(first, scores, parent_first, parents);
  nb::gil_scoped_release const release;
  std::vector<std::optional<std::int64_t>> found;
  for (std::size_t v = 0; v < chosen.size(); ++v)
    found.push_back(check::candidate_score(cache, v, chosen[v]));
  return found;
}

std::int64_t best_score(Array<std::uint64_t> const& first, Array<std::int64_t> const& scores,
                        Array<std::uint64_t> const& parent_first,
                        Array<std::uint32_t> const& parents, check::Orders const& orders) {
  auto const cache = raw_cache(first, scores, parent_first, parents);
  nb::gil_scoped_release const release;
  return check::best_score(cache, orders);
}

/// What is wrong, how many sets were looked at, and whether Ctrl-C came.
std::tuple<std::string, std::uint64_t, bool> sets_verdict(Array<std::uint64_t> const& first,
                                                          Array<std::int64_t> const& scores,
                                                          Array<std::uint64_t> const& parents,
                                                          Array<std::int64_t> const& prices,
                                                          Array<std::int64_t> const& needs,
                                                          Array<std::int16_t> const& weights,
                                                          std::int64_t goal, double memory_bytes) {
  check::Choices const choices{{first.data(), first.size()},
                               {scores.data(), scores.size()},
                               {parents.data(), parents.size()}};
  check::PricedRules const rules{{prices.data(), prices.size()},
                                 {needs.data(), needs.size()},
                                 {weights.data(), weights.size()}};
  PyControl control({std::nullopt, std::nullopt}, std::nullopt);
  auto const found =
      control.run([&] { return check::check_sets(choices, rules, goal, memory_bytes, control); });
  return {found.problem, found.sets, control.interrupted()};
}

}  // namespace

void bind_check(nb::module_& m) {
  m.def(
      "check_score_names",
      [] {
        auto const names = check::score_names();
        return std::vector<std::string>(names.begin(), names.end());
      },
      "The scores that the verifier knows.");
  m.def("check_local_scores", &local_scores, "columns"_a.noconvert(), "cardinalities"_a,
        "variables"_a, "parents"_a, "score"_a, "ess"_a = 1.0, "gamma"_a = 1.0,
        "weights"_a.none() = nb::none(), "alpha_mu"_a = 1.0, "degrees"_a = 2.0, "least"_a = 5.0,
        "power"_a = 0.25, "penalty"_a = 1.0, "gaps"_a = false,
        "The local score of each variable with its parents.");
  m.def(
      "check_log_normalizer",
      [](std::uint64_t n, double k, bool approximate) {
        auto const value =
            approximate ? check::log_normalizer_approximation(n, k) : check::log_normalizer(n, k);
        return static_cast<double>(value);
      },
      "n"_a, "k"_a, "approximate"_a = false, "ln C(n, k) of the multinomial NML.");
  m.def("check_cycle", &check::find_cycle, "parents"_a,
        "Variables along a cycle, each a parent of the next; empty if acyclic.");
  m.def("check_candidates", &candidate_scores, "first"_a, "scores"_a, "parent_first"_a, "parents"_a,
        "chosen"_a,
        "For each variable the score of the candidate with the chosen parents, or None.");
  m.def("check_best_score", &best_score, "first"_a, "scores"_a, "parent_first"_a, "parents"_a,
        "orders"_a = check::Orders{},
        "The best score of all networks over a score cache of at most 16 variables, of those that "
        "some\n"
        "order fits in which the first of each pair comes before the second.");
  m.def("check_sets", &sets_verdict, "first"_a, "scores"_a, "parents"_a, "prices"_a, "needs"_a,
        "weights"_a, "goal"_a, "memory_bytes"_a,
        "The record `sets` of a certificate: what is wrong, if anything, how many sets were looked "
        "at, and\n"
        "whether Ctrl-C came.");
}

}  // namespace bayesloom
