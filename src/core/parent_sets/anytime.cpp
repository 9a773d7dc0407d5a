// Anytime search for all children: pair scores first, then each child within its budget.
//
// Children are shared among threads one by one. A child may use its share of time; one whose open
// list runs empty, or which has found nothing worth keeping for long, leaves the rest to a common
// pool, and one that still finds at the end of its share may draw on the pool. So time goes where
// scores still improve, the total is kept, and no state of a child outlives its turn.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <limits>
#include <memory>
#include <mutex>

#include "base/atomic_place.hpp"
#include "base/clock.hpp"
#include "base/errors.hpp"
#include "base/parallel.hpp"
#include "parent_sets/growing_sets.hpp"
#include "parent_sets/looks.hpp"
#include "parent_sets/parent_sets.hpp"
#include "parent_sets/tuning.hpp"

namespace bayesloom {

namespace {

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

void save(std::string const& path, std::uint64_t fingerprint, AnytimeResult const& result,
          std::vector<std::uint8_t> const& done, std::uint64_t scored, bool cut) {
  CheckpointWriter out(path, fingerprint);
  out.put(done);
  out.put(result.certified);
  out.put(scored);
  out.put(std::uint64_t{cut});
  for (std::size_t v = 0; v < done.size(); ++v)
    if (done[v]) {
      out.put(result.candidates[v].scores);
      out.put(result.candidates[v].ends);
      out.put(result.candidates[v].parents);
    }
  out.commit();
}

void restore(std::string const& path, std::uint64_t fingerprint, AnytimeResult& result,
             std::vector<std::uint8_t>& done, std::uint64_t& scored, bool& cut) {
  CheckpointReader in(path, fingerprint);
  in.get(done);
  in.get(result.certified);
  scored = in.get();
  cut = in.get() != 0;
  for (std::size_t v = 0; v < done.size(); ++v) {
    if (!done[v]) {
      result.certified[v] = 0;  // said of a list that is not kept
      continue;
    }
    in.get(result.candidates[v].scores);
    in.get(result.candidates[v].ends);
    in.get(result.candidates[v].parents);
  }
}

}  // namespace

AnytimeResult anytime_parent_sets(EncodedData const& data, ScoreSpec const& spec,
                                  AnytimeOptions const& options, Control& control) {
  make_score(spec, data);  // refuses a table of other kinds
  if (!(options.margin >= 0)) throw InputError("the margin must be 0 or more.");
  std::size_t const n = data.variable_count();
  std::size_t const threads = thread_count(options.threads);
  std::size_t const keep = std::min(options.parents_considered, max_grown_parents);
  BitPlanes const planes(data);
  auto const start = Clock::now();
  PairScores pairs = pair_scores(data, planes, spec, keep, threads, control, options.shard);

  AnytimeResult result;
  result.pair_seconds = seconds_since(start);
  result.candidates.resize(n);
  result.certified.assign(n, 0);
  std::size_t useful = 0;
  std::size_t children = 0;  // that have parents, of this shard
  for (std::size_t v = 0; v < n; ++v) {
    bool const varies = data.cardinality(static_cast<Variable>(v)) > 1;
    useful += varies;
    children += varies && options.shard.has(v);
  }
  bool const all_parents = useful <= keep + 1 && !control.stopped();

  // Seconds per child: what was asked for, or an equal part of what is left in all.
  double share = options.seconds_per_variable.value_or(std::numeric_limits<double>::infinity());
  if (options.seconds_in_all) {
    double const left = std::max(0.0, *options.seconds_in_all - result.pair_seconds);
    auto const among = static_cast<double>(std::max<std::size_t>(children, 1));
    share = std::min(share, left * static_cast<double>(std::min(threads, useful + 1)) / among);
  }
  std::uint64_t const most_sets =
      options.sets_per_variable.value_or(std::numeric_limits<std::uint64_t>::max());

  std::uint64_t const sets_in_memory =
      options.memory_bytes > 0
          ? static_cast<std::uint64_t>(options.memory_bytes / static_cast<double>(threads) /
                                       tuning::bytes_per_set)
          : std::numeric_limits<std::uint64_t>::max();

  GrowOptions const grow{options.strategy, std::min<std::size_t>(options.max_parents, 12),
                         options.conditional, options.margin};
  auto const bounds = make_bounds(spec, data);
  std::vector<std::unique_ptr<GrowingSets>> workers(threads);
  std::atomic<double> pool{0};
  std::uint64_t scored = 0;
  std::atomic<std::size_t> out_of_memory{0};
  bool cut = false;
  std::vector<std::uint8_t> done(n, 0);
  // Not the time in all: that is how long one may work, not on what, and what is left of it differs.
  std::uint64_t const fingerprint = work_fingerprint(
      data, spec,
      {options.margin, static_cast<double>(options.strategy),
       static_cast<double>(options.conditional), static_cast<double>(options.max_parents),
       static_cast<double>(keep), static_cast<double>(options.shard.index),
       static_cast<double>(options.shard.count), options.seconds_per_variable.value_or(-1),
       options.sets_per_variable ? static_cast<double>(*options.sets_per_variable) : -1});
  if (checkpoint_exists(options.checkpoint))
    restore(options.checkpoint.path, fingerprint, result, done, scored, cut);
  CheckpointTimer timer(options.checkpoint);
  std::mutex finishing;
  std::uint64_t const sets_between_looks =
      countings_between_looks(data, tuning::sets_between_looks);
  parallel_for(threads, n, control, [&](std::size_t v, std::size_t w) {
    if (done[v] || !options.shard.has(v)) return;
    if (!workers[w])
      workers[w] = std::make_unique<GrowingSets>(data, planes, spec, grow, bounds.get());
    auto const child = static_cast<Variable>(v);
    auto const began = Clock::now();
    double allowed = share;
    auto const go_on = [&](GrowResult const& now) {
      if (now.scored >= most_sets) return false;
      if (now.scored >= sets_in_memory) {
        ++out_of_memory;
        return false;
      }
      if (now.scored % sets_between_looks != 0) return true;
      if (control.should_stop(sets_between_looks)) return false;
      double const used = seconds_since(began);
      std::uint64_t const found = now.last_improvement * tuning::improving_part;
      bool const improving = found >= now.scored * (tuning::improving_part - 1);
      bool const settled = now.scored >= tuning::settled_sets && found <= now.scored &&
                           used > share / tuning::settled_part;
      if (options.adaptive && settled) return false;
      if (used < allowed) return true;
      double const more = share / tuning::extra_part;
      if (!options.adaptive || !improving || allowed + more > share * tuning::most_of_share)
        return false;
      if (add_to(pool, -more) < more) {
        add_to(pool, more);
        return false;
      }
      allowed += more;
      return true;
    };
    GrowResult grown = workers[w]->run(child, pairs.empty[v], std::move(pairs.parents[v]), go_on);
    if (std::isfinite(share)) add_to(pool, std::max(0.0, allowed - seconds_since(began)));
    std::scoped_lock const lock(finishing);
    scored += grown.scored;
    cut = cut || grown.cut;
    // Where a set without a score may have supersets that have one, these were not looked at.
    bool const closed =
        find_score(spec).statistic != Statistic::families || !data.continuous(child);
    result.certified[v] = grown.exhausted && all_parents && closed;
    result.candidates[v] = std::move(grown.kept);
    done[v] = !control.stopped();
    if (timer.due()) {
      save(options.checkpoint.path, fingerprint, result, done, scored, cut);
      timer.written();
    }
  });
  if (control.stopped() && !options.checkpoint.path.empty())
    save(options.checkpoint.path, fingerprint, result, done, scored, cut);
  // A child that was not reached keeps what the pairs gave: the empty set at least.
  for (std::size_t v = 0; v < n; ++v)
    if (result.candidates[v].size() == 0) result.candidates[v].add(pairs.empty[v], {});
  result.scored = scored + children * (useful - 1) + n;
  result.capped_parents = useful > keep + 1;
  result.out_of_memory = out_of_memory;
  result.cut = cut;
  return result;
}

}  // namespace bayesloom
