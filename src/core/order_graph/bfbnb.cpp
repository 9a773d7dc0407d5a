// Exact search on disk that can be killed at any moment and resumed [malone2011].
//
// Everything lies in one directory per score cache (scratch.hpp), named after a digest of it:
//
//   lock           held while a search lives
//   job            what search this is: a random key, all settings, and the known network it began with,
//                  which decides what is left out, so it must not change
//   problem-I/     component I, in the order in which they are solved; layer_search.cpp fills it
//   problem-I.done its answer
//
// Preprocessing (components, the improved start, the removal of candidates) is determined by cache, settings and
// start, and is repeated when a search is resumed. So a search can be resumed only with the settings that it was
// started with.
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <random>
#include <sstream>
#include <utility>

#include "base/errors.hpp"
#include "base/parallel.hpp"
#include "order_graph/layer_search.hpp"
#include "order_graph/order_graph.hpp"
#include "order_graph/scratch.hpp"
#include "subsets/pattern_database.hpp"

namespace bayesloom {

using namespace order_graph;

namespace {

using Settings = std::vector<std::pair<std::string, std::string>>;

constexpr char const* format = "3";  // to be raised when anything before the search changes

std::string hex(std::uint64_t number) {
  char text[17];
  std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(number));
  return text;
}

Settings settings_of(ScoreCache const& cache, BfbnbOptions const& options) {
  using Dense = BfbnbOptions::Dense;
  Settings out{{"format", format},
               {"score cache", hex(cache.digest())},
               {"pattern_size", std::to_string(options.preparation.pattern_size)},
               {"cluster_rounds", std::to_string(options.preparation.cluster_rounds)},
               {"dense", options.dense == Dense::when_it_pays ? "auto"
                         : options.dense == Dense::always     ? "always"
                                                              : "never"}};
  out.insert(out.end(), options.asked.begin(), options.asked.end());
  return out;
}

/// What is in the file `job`, as lines of text: a name, a space, a value.
struct Job {
  std::uint64_t key = 0;
  std::vector<std::size_t> start;
  Settings settings;
};

void save_job(Scratch const& scratch, std::string const& file, Job const& job) {
  std::ostringstream text;
  text << job.key << ' ' << job.start.size();
  for (auto const candidate : job.start) text << ' ' << candidate;
  for (auto const& [name, value] : job.settings) text << '\n' << name << '=' << value;
  std::string const line = text.str();
  std::vector<std::uint64_t> words{line.size()};
  words.resize(1 + (line.size() + 7) / 8);
  std::memcpy(words.data() + 1, line.data(), line.size());
  scratch.write_words(file, std::move(words));
}

Job load_job(Scratch const& scratch, std::string const& file) {
  auto const words = scratch.read_words(file);
  std::istringstream text(
      std::string(reinterpret_cast<char const*>(words.data() + 1),
                  std::min<std::size_t>(words.front(), 8 * (words.size() - 1))));
  Job job;
  std::size_t count = 0;
  text >> job.key >> count;
  for (std::size_t candidate; job.start.size() < count && text >> candidate;)
    job.start.push_back(candidate);
  std::string line;
  std::getline(text, line);
  while (std::getline(text, line)) {
    auto const equals = line.find('=');
    job.settings.emplace_back(line.substr(0, equals), line.substr(equals + 1));
  }
  return job;
}

/// Throws InputError naming a setting that differs from the one the search was started with.
void check_same(Settings const& begun, Settings const& now, std::string const& directory) {
  auto const value_of = [](Settings const& settings, std::string const& name) -> std::string {
    for (auto const& [other, value] : settings)
      if (other == name) return value;
    return "none";
  };
  Settings all = begun;
  all.insert(all.end(), now.begin(), now.end());
  for (auto const& [name, ignored] : all)
    if (auto const one = value_of(begun, name), other = value_of(now, name); one != other)
      throw InputError("the unfinished search in " + directory + " was begun with " + name + " " +
                       one + ", this call has " + name + " " + other +
                       ". Resume it with the same options, or call without resume to begin anew.");
}

/// Resumes the search that this directory holds, or clears it for a new one.
Job agreed_job(Scratch& scratch, std::string const& file, ScoreCache const& cache,
               BfbnbOptions const& options) {
  Job job{0, options.start, settings_of(cache, options)};
  if (options.resume && exists(file)) {
    Job begun = load_job(scratch, file);
    check_same(begun.settings, job.settings, scratch.directory());
    scratch.begin(begun.key);
    return begun;
  }
  scratch.clear();
  std::random_device random;
  job.key = std::uint64_t{random()} << 32 | random();
  return job;
}

ComponentResult load_result(Scratch const& scratch, std::string const& file) {
  auto const words = scratch.read_words(file);
  ComponentResult out;
  out.loss = out.bound = static_cast<Fixed>(words[0]);
  out.candidates.assign(words.begin() + 1, words.end());
  return out;
}

void save_result(Scratch const& scratch, std::string const& file, ComponentResult const& answer) {
  std::vector<std::uint64_t> words{static_cast<std::uint64_t>(answer.loss)};
  words.insert(words.end(), answer.candidates.begin(), answer.candidates.end());
  scratch.write_words(file, std::move(words));
}

}  // namespace

BfbnbResult bfbnb(ScoreCache const& cache, BfbnbOptions const& given, Control& control) {
  BfbnbOptions options = given;
  options.threads = thread_count(given.threads);
  if (options.memory_bytes <= 0) throw InputError("bfbnb needs a memory limit.");
  check_preparation(options.preparation);
  Scratch scratch(options.scratch, "bayesloom-" + hex(cache.digest()));
  std::string const job_file = scratch.directory() + "/job";
  Job const job = agreed_job(scratch, job_file, cache, options);
  options.start = job.start;
  std::size_t next_problem = 0;
  auto const solve = [&](Component const& component, ComponentResult const& known,
                         dual::RemainingBound const& remaining) {
    if (!scratch.begun()) {
      save_job(scratch, job_file, job);
      scratch.begin(job.key);
    }
    std::string const problem = scratch.directory() + "/problem-" + std::to_string(next_problem++);
    if (exists(problem + ".done")) return load_result(scratch, problem + ".done");
    auto const answer =
        search_layers(component, known, remaining, options, problem, scratch, control);
    if (answer.loss == answer.bound) {
      save_result(scratch, problem + ".done", answer);
      remove_directory(problem);
      scratch.remove(scratch.now());
    }
    return answer;
  };
  BfbnbResult out;
  out.result = solve_prepared(cache, options.start, "bfbnb", options.preparation, control, solve);
  out.disk_bytes = scratch.most();
  if (out.result.optimal()) scratch.finish();
  return out;
}

}  // namespace bayesloom
