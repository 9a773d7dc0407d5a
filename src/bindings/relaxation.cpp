// relaxation: bounds from cluster prices, and the best network.
#include "relaxation/relaxation.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>

#include "base/errors.hpp"
#include "bindings.hpp"
#include "control.hpp"
#include "dual/reduction.hpp"
#include "dual/simple_bound.hpp"
#include "dual_prices.hpp"
#include "linear_program.hpp"
#include "orders/order_state.hpp"
#include "relaxation/cut_proof.hpp"
#include "relaxation/order_proof.hpp"
#include "relaxation/subtree.hpp"
#include "solve_result.hpp"

namespace bayesloom {

namespace {

Report to_dict(BblpResult const& result, PyControl const& control) {
  Report out = to_dict(static_cast<SolveResult const&>(result), control);
  nb::list trace;
  for (auto const& point : result.trace)
    trace.append(
        nb::make_tuple(point.seconds, point.work, to_nats(point.score), to_nats(point.bound)));
  out["trace"] = trace;
  out["nodes"] = result.nodes;
  out["cuts"] = result.cuts;
  out["root_bound"] = result.root_bound;
  out["clusters"] = inequalities_of(result.clusters);
  nb::list fixes;
  for (auto const& clusters : result.fixes) fixes.append(inequalities_of(clusters));
  out["fixes"] = fixes;
  return out;
}

/// Some of the candidates of a cache, a bit for each.
nb::bytes bits_of(std::vector<std::size_t> const& candidates, std::size_t count) {
  std::string bits((count + 7) / 8, '\0');
  for (std::size_t const c : candidates) bits[c / 8] = static_cast<char>(bits[c / 8] | 1 << c % 8);
  return nb::bytes(bits.data(), bits.size());
}

std::vector<std::size_t> numbers_of(nb::bytes const& bits, std::size_t count) {
  if (bits.size() != (count + 7) / 8)
    throw InputError("the candidates of a part must be a bit for each candidate of the cache.");
  std::vector<std::size_t> out;
  for (std::size_t c = 0; c < 8 * bits.size(); ++c)
    if ((bits.c_str()[c / 8] >> c % 8 & 1) != 0) out.push_back(c);
  if (out.empty()) throw InputError("a part must have candidates.");
  return out;
}

/// What is open: (candidates, decided, prices, bound).
nb::list to_list(std::vector<OpenPart> const& open, std::size_t count) {
  nb::list out;
  for (auto const& part : open)
    out.append(nb::make_tuple(bits_of(part.candidates, count), part.decided,
                              inequalities_of(part.clusters), part.bound));
  return out;
}

BblpOptions::Sets sets_of(std::string const& sets) {
  if (sets != "in turns" && sets != "never" && sets != "only")
    throw InputError("sets must be 'in turns', 'never' or 'only'.");
  return sets == "never"  ? BblpOptions::Sets::never
         : sets == "only" ? BblpOptions::Sets::only
                          : BblpOptions::Sets::in_turns;
}

}  // namespace

void bind_relaxation(nb::module_& m) {
  m.def(
      "greedy_order",
      [](ScoreCache const& cache) {
        auto const greedy = greedy_network(cache);
        return greedy ? orders::order_of(cache, *greedy) : std::vector<Variable>();
      },
      nb::arg("cache"), "The order of a greedy network; empty if there is no network.");
  m.def(
      "bblp",
      [](ScoreCache const& cache, std::uint64_t seed, std::size_t moves, bool branch,
         double target_gap, std::vector<std::size_t> start, std::optional<double> seconds,
         std::optional<std::uint64_t> work, Progress progress, std::string const& sets,
         double memory_bytes, Exchange* exchange, std::size_t threads, std::size_t threads_beside,
         std::size_t least_shared, std::vector<std::vector<Inequality>> const& prices,
         std::uint64_t cuts, bool components, nb::object const& program,
         std::uint64_t program_after, std::uint64_t first_turn) {
        PyControl control({seconds, work}, std::move(progress));
        control.watch(exchange, 0);
        PyProgram linear(program, control);
        BblpOptions options;
        if (!program.is_none()) options.program = &linear;
        options.cut_tree.after = program_after;
        options.turns.first = std::max<std::uint64_t>(1, first_turn);
        options.sets = sets_of(sets);
        options.memory_bytes = memory_bytes;
        options.exchange = exchange;
        options.threads = std::max<std::size_t>(1, threads);
        options.threads_beside = std::clamp<std::size_t>(threads_beside, 1, options.threads);
        options.set_search.least_shared = least_shared;
        options.cuts.wanted = cuts > 0;
        options.cuts.after = cuts;
        options.seed = seed;
        options.moves = moves;
        options.branch = branch;
        options.target_gap = target_gap;
        options.start = std::move(start);
        options.prices = clusters_of(prices, cache.variable_count());
        if (components) options.division = {relaxation::DivisionOptions::Into::components, 0, 0};
        auto const result = control.run([&] { return bblp(cache, options, control); });
        bool const interrupted = linear.raise();
        Report out = to_dict(result, control);
        if (interrupted) out["interrupted"] = true;
        out["open"] = to_list(result.open, cache.candidate_count());
        out["closed"] = result.closed;
        return out;
      },
      nb::arg("cache"), nb::arg("seed") = 0, nb::arg("moves") = BblpOptions{}.moves,
      nb::arg("branch") = true, nb::arg("target_gap") = 0.0,
      nb::arg("start") = std::vector<std::size_t>{}, nb::arg("seconds").none() = nb::none(),
      nb::arg("work").none() = nb::none(), nb::arg("progress").none() = nb::none(),
      nb::arg("sets") = "in turns", nb::arg("memory_bytes") = BblpOptions{}.memory_bytes,
      nb::arg("exchange").none() = nb::none(), nb::arg("threads") = 1,
      nb::arg("threads_beside") = 1,
      nb::arg("least_shared") = relaxation::SetsOptions{}.least_shared,
      nb::arg("prices") = std::vector<std::vector<Inequality>>{},
      nb::arg("cuts") = relaxation::CutOptions{}.after, nb::arg("components") = false,
      nb::arg("program").none() = nb::none(),
      nb::arg("program_after") = relaxation::CutTreeOptions{}.after,
      nb::arg("first_turn") = relaxation::TurnOptions{}.first,
      "Cluster prices with branch and bound; with a `program` (solvers/highs.py) branching goes by "
      "it after so many first turns. Zero-half cuts begin after so many first turns (a "
      "power of two), or never if 0. With `components`, what a limit left open is listed by "
      "component: "
      "(candidates, decided, prices, bound), and `closed` is the bound of the rest.");
  m.def(
      "cut_proof",
      [](ScoreCache const& cache, std::int64_t known, nb::object const& program,
         std::vector<std::vector<Inequality>> const& prices, std::uint64_t seed,
         std::optional<double> seconds, std::optional<std::uint64_t> work, Progress progress) {
        PyControl control({seconds, work}, std::move(progress));
        PyProgram linear(program, control);
        auto const lists = clusters_of(prices, cache.variable_count());
        auto const found =
            control.run([&] { return cut_proof(cache, known, lists, seed, {}, linear, control); });
        bool const interrupted = linear.raise();
        Report out;
        out["bound"] = found.bound;
        out["found"] = found.found;
        out["score"] = found.score;
        out["candidates"] = found.candidates;
        out["nodes"] = found.nodes;
        out["cuts"] = found.cuts;
        out["body"] = found.body;
        out["finer"] = found.finer;
        out["work"] = control.work();
        out["interrupted"] = interrupted || control.interrupted();
        return out;
      },
      nb::arg("cache"), nb::arg("known"), nb::arg("program"),
      nb::arg("prices") = std::vector<std::vector<Inequality>>{}, nb::arg("seed") = 0,
      nb::arg("seconds").none() = nb::none(), nb::arg("work").none() = nb::none(),
      nb::arg("progress").none() = nb::none(),
      "Branch and cut for networks above the known score. If there are none, `body` is the proof, "
      "for a certificate (with prices that many bits `finer` than units); else there is the best "
      "of them.");
  m.def(
      "bblp_part",
      [](ScoreCache const& cache, nb::bytes const& candidates,
         std::vector<Inequality> const& prices, std::int64_t floor, std::uint64_t seed,
         std::size_t moves, std::string const& sets, double memory_bytes, std::size_t threads,
         std::size_t subtrees, std::optional<double> seconds, std::optional<std::uint64_t> work,
         Progress progress) {
        PyControl control({seconds, work}, std::move(progress));
        BblpOptions options;
        options.sets = sets_of(sets);
        options.memory_bytes = memory_bytes;
        options.threads = options.threads_beside = std::max<std::size_t>(1, threads);
        options.seed = seed;
        options.moves = moves;
        options.floor = floor;
        options.prices = clusters_of({prices}, cache.variable_count());
        options.division.into = relaxation::DivisionOptions::Into::subtrees;
        options.division.subtrees = std::max<std::size_t>(2, subtrees);
        std::size_t const count = cache.candidate_count();
        auto const kept = numbers_of(candidates, count);
        auto const result =
            control.run([&] { return search_part(cache, kept, std::move(options), control); });
        Report out = to_dict(result, control);
        out["open"] = to_list(result.open, count);
        out["late"] = control.stop_reason() == StopReason::time_limit;
        return out;
      },
      nb::arg("cache"), nb::arg("candidates"), nb::arg("prices"), nb::arg("floor"),
      nb::arg("seed") = 0, nb::arg("moves") = BblpOptions{}.moves, nb::arg("sets") = "in turns",
      nb::arg("memory_bytes") = BblpOptions{}.memory_bytes, nb::arg("threads") = 1,
      nb::arg("subtrees") = relaxation::DivisionOptions{}.subtrees,
      nb::arg("seconds").none() = nb::none(), nb::arg("work").none() = nb::none(),
      nb::arg("progress").none() = nb::none(),
      "`bblp` over some candidates of a cache (a bit for each) and the variables that have any; "
      "parents "
      "outside come before. Only scores above `floor` count. What a limit left open: parts, of "
      "which one has "
      "what is above score and floor.");
  m.def(
      "set_search",
      [](ScoreCache const& cache, std::vector<std::vector<Inequality>> const& prices,
         std::vector<std::pair<std::uint64_t, Fixed>> const& steps, std::size_t threads) {
        if (cache.variable_count() > relaxation::OrderProof::most_variables || steps.empty())
          throw InputError("set_search is for at most 64 variables and one step or more.");
        Fixed const top = simple_bound(cache);
        dual::Universe const universe(cache);
        auto const lists = clusters_of(prices, cache.variable_count());
        auto [node, least] = dual::priced_problem(cache, universe, steps.front().second, lists);
        relaxation::SetsOptions options;
        options.least_shared = 1;
        relaxation::OrderProof sets(node, steps.front().second - top, 1e9, threads, options);
        for (auto const& [work, floor] : steps) {
          dual::fix_by_reduced_cost(node, floor - top);
          sets.narrow(node, floor - top);
          Control control({std::nullopt, work});
          sets.run(control, threads);
        }
        auto const result = sets.result();
        std::vector<std::size_t> candidates;
        for (auto const& [variable, candidate] : result.choice) candidates.push_back(candidate);
        std::sort(candidates.begin(), candidates.end());
        Report out;
        out["proved"] = sets.proved();
        out["bound"] = result.bound + top;
        out["candidates"] = candidates;
        return out;
      },
      nb::arg("cache"), nb::arg("prices"), nb::arg("steps"), nb::arg("threads") = 1,
      "The search over sets of `bblp` by itself, in steps of work and a floor that rises: whether "
      "it "
      "came to its end, what no network is better than, unless it is at most the floor, and the "
      "candidates of the best network above the floor, if there is one.");
}

}  // namespace bayesloom
