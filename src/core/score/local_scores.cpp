#include "score/local_scores.hpp"

#include <algorithm>
#include <memory>
#include <string>

#include "base/errors.hpp"
#include "base/parallel.hpp"
#include "data/bit_planes.hpp"
#include "data/set_counter.hpp"
#include "score/tuning.hpp"

namespace bayesloom {

namespace {

using tuning::families_per_task;

void check_families(FamilyList const& families, std::size_t n) {
  auto const& first = families.first;
  if (first.size() != families.children.size() + 1 || first.front() != 0 ||
      first.back() != families.parents.size() || !std::ranges::is_sorted(first))
    throw InputError("`first` does not cut `parents` into one part per child.");
  for (std::size_t f = 0; f < families.children.size(); ++f) {
    Variable const child = families.children[f];
    auto const parents =
        families.parents.subspan(families.first[f], families.first[f + 1] - families.first[f]);
    std::vector<Variable> sorted(parents.begin(), parents.end());
    std::sort(sorted.begin(), sorted.end());
    if (child >= n || (!sorted.empty() && sorted.back() >= n))
      throw InputError("family " + std::to_string(f) + " names a variable beyond the " +
                       std::to_string(n) + " of the table.");
    if (std::binary_search(sorted.begin(), sorted.end(), child))
      throw InputError("family " + std::to_string(f) + ": variable " + std::to_string(child) +
                       " is among its own parents.");
    if (std::adjacent_find(sorted.begin(), sorted.end()) != sorted.end())
      throw InputError("family " + std::to_string(f) + " names a parent twice.");
  }
}

}  // namespace

std::vector<Fixed> local_scores(EncodedData const& data, ScoreSpec const& spec,
                                FamilyList const& families, std::size_t threads, Control& control) {
  auto const& entry = find_score(spec);
  make_score(spec, data);  // refuses a table of other kinds before any thread starts
  check_families(families, data.variable_count());
  BitPlanes const planes(data);
  std::size_t const count = families.children.size();
  std::vector<Fixed> scores(count);

  struct Worker {
    SetCounter counter;
    std::unique_ptr<Score> score;
    Cells family, parents;
  };
  threads = thread_count(threads);
  std::vector<std::unique_ptr<Worker>> workers(threads);
  std::size_t const tasks = (count + families_per_task - 1) / families_per_task;
  parallel_for(threads, tasks, control, [&](std::size_t task, std::size_t w) {
    if (!workers[w])
      workers[w] = std::make_unique<Worker>(
          Worker{make_counter(spec, data, planes), make_score(spec, data), {}, {}});
    Worker& worker = *workers[w];
    std::size_t const end = std::min(count, (task + 1) * families_per_task);
    for (std::size_t f = task * families_per_task; f < end && !control.should_stop(); ++f) {
      auto const allowed = [&](Variable p) {
        return may_be_parent(entry, data, families.children[f], p);
      };
      if (!std::ranges::all_of(families.parents.subspan(families.first[f],
                                                        families.first[f + 1] - families.first[f]),
                               allowed)) {
        scores[f] = no_score;
        continue;
      }
      for (auto p = families.first[f]; p < families.first[f + 1]; ++p)
        worker.counter.push(families.parents[p]);
      worker.counter.family(families.children[f], worker.parents, worker.family);
      while (worker.counter.depth() > 0) worker.counter.pop();
      scores[f] = worker.score->local_score(worker.family, worker.parents,
                                            data.cardinality(families.children[f]));
    }
  });
  return scores;
}

}  // namespace bayesloom
