// Exact search on disk that can be killed at any moment and resumed [malone2011].
//
// Everything lies in one directory per score cache, named after a checksum of its candidates:
//
//   start          the known network it began with: it decides what is left out, so it must not change
//   problem-I/     component I, in the order in which they are solved; layer_search.cpp fills it
//   problem-I.done its answer
//
// What is before the search (components, the improved start, the removal of candidates) is
// determined by cache and start, and is done again when a search is resumed.
#include <cstdio>
#include <utility>

#include "base/checksum.hpp"
#include "base/errors.hpp"
#include "base/parallel.hpp"
#include "bounds/pattern_database.hpp"
#include "order_graph/fixing.hpp"
#include "order_graph/layer_search.hpp"
#include "order_graph/order_graph.hpp"
#include "order_graph/scratch.hpp"

namespace bayesloom {

namespace {

std::string fingerprint(ScoreCache const& cache) {
  Xxh64 sum;
  auto const add = [&](auto const& values) {
    sum.update(values.data(), values.size() * sizeof values[0]);
  };
  add(cache.arrays().first);
  add(cache.arrays().scores);
  add(cache.arrays().parent_first);
  add(cache.arrays().parents);
  char text[17];
  std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(sum.digest()));
  return text;
}

/// The network that the search in this directory began with; the given one if it begins now.
std::vector<std::size_t> agreed_start(std::string const& directory, BfbnbOptions const& options) {
  std::string const file = directory + "/start";
  if (!exists(file)) return options.start;
  if (!options.resume)
    throw InputError("there is an unfinished search of this score cache in " + directory +
                     ". Go on with it by resume, or remove it.");
  auto const words = read_words(file);
  return {words.begin(), words.end()};
}

void begin(std::string const& directory, std::vector<std::size_t> const& start) {
  if (exists(directory + "/start")) return;
  make_directory(directory);
  write_words(directory + "/start", {start.begin(), start.end()});
}

ComponentResult load_answer(std::string const& file) {
  auto const words = read_words(file);
  ComponentResult out;
  out.loss = out.bound = static_cast<Fixed>(words[0]);
  out.candidates.assign(words.begin() + 1, words.end());
  return out;
}

void save_answer(std::string const& file, ComponentResult const& answer) {
  std::vector<std::uint64_t> words{static_cast<std::uint64_t>(answer.loss)};
  words.insert(words.end(), answer.candidates.begin(), answer.candidates.end());
  write_words(file, std::move(words));
}

}  // namespace

BfbnbResult bfbnb(ScoreCache const& cache, BfbnbOptions const& given, Control& control) {
  BfbnbOptions options = given;
  options.threads = thread_count(given.threads);
  if (options.memory_bytes <= 0) throw InputError("bfbnb needs a memory limit.");
  check_preparation(options.preparation);
  std::string const directory = options.scratch + "/bayesloom-" + fingerprint(cache);
  options.start = agreed_start(directory, options);
  DiskUse disk;
  std::size_t next_problem = 0;
  auto const solve = [&](Component const& component, ComponentResult const& known,
                         ClusterBound const& clusters) {
    begin(directory, options.start);
    std::string const problem = directory + "/problem-" + std::to_string(next_problem++);
    if (exists(problem + ".done")) return load_answer(problem + ".done");
    auto const answer = search_layers(component, known, clusters, options, problem, disk, control);
    if (answer.loss == answer.bound) {
      save_answer(problem + ".done", answer);
      remove_directory(problem);
      disk.remove(disk.now());
    }
    return answer;
  };
  BfbnbResult out;
  out.result = solve_by_component(
      cache, options.start, "bfbnb", control,
      [&](Component const& component, ComponentResult const& known) {
        return solve_after_fixing(component, known, options.preparation, control, solve);
      });
  out.disk_bytes = disk.most();
  if (out.result.optimal()) remove_directory(directory);
  return out;
}

}  // namespace bayesloom
