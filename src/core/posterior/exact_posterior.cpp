#include <algorithm>
#include <cmath>
#include <string>

#include "base/errors.hpp"
#include "posterior/exact_draws.hpp"
#include "posterior/posterior.hpp"

namespace bayesloom::posterior {

std::vector<std::size_t> part_sizes(ScoreCache const& cache) {
  std::vector<std::size_t> sizes;
  for (auto const& part : parts_of(cache)) sizes.push_back(part.size());
  return sizes;
}

std::unique_ptr<ExactPosterior> ExactPosterior::make(ScoreCache const& cache, std::size_t most,
                                                     std::size_t threads, double memory_bytes,
                                                     Control& control) {
  std::unique_ptr<ExactPosterior> made(new ExactPosterior);
  made->variables_ = cache.variable_count();
  made->candidates_.assign(cache.candidate_count(), 0.0);
  double bytes = 0, of_thread = 1;
  for (auto& part : parts_of(cache)) {
    if (part.size() > std::min(most, most_exact))
      throw ResourceError("exact sums over networks are limited to components of " +
                          std::to_string(std::min(most, most_exact)) +
                          " variables; the largest here has " + std::to_string(part.size()) + ".");
    bytes += ExactSums::bytes(part.size());
    if (bytes > memory_bytes)
      throw ResourceError("exact sums over networks with a component of " +
                          std::to_string(part.size()) + " variables need " +
                          std::to_string(static_cast<std::uint64_t>(bytes / 1e6)) +
                          " MB of memory, and less is allowed.");
    of_thread = std::max(of_thread, ExactSums::bytes_of_thread(part.size()));
    made->parts_.push_back(std::make_unique<Part>(std::move(part)));
  }
  made->most_threads_ =
      1 + static_cast<std::size_t>(std::min((memory_bytes - bytes) / of_thread, 1e6));
  threads = std::min(threads, made->most_threads_);
  for (auto const& part : made->parts_) {
    auto sums = ExactSums::make(*part, threads, control);
    if (!sums) return nullptr;
    std::size_t at = 0;
    for (std::size_t v = 0; v < part->size(); ++v)
      for (auto const& family : part->families[v])
        made->candidates_[family.candidate] = sums->families()[at++];
    made->log_total_ += sums->log_total();
    made->deviation_ = std::max(made->deviation_, sums->deviation());
    made->sums_.push_back(std::move(*sums));
  }
  for (std::size_t v = 0; v < made->variables_; ++v)
    made->log_total_ += to_nats(cache.score(cache.begin(static_cast<Variable>(v))));
  return made;
}

std::optional<std::vector<std::uint64_t>> ExactPosterior::draw(std::size_t count,
                                                               std::uint64_t seed,
                                                               std::size_t threads,
                                                               Control& control) const {
  std::vector<std::uint64_t> out(count * variables_);
  threads = std::min(threads, most_threads_);
  for (std::size_t p = 0; p < parts_.size(); ++p) {
    auto const& part = *parts_[p];
    auto const drawn = exact_draws(sums_[p], count, Rng(seed).split(p)(), threads, control);
    if (!drawn) return std::nullopt;
    for (std::size_t d = 0; d < count; ++d)
      for (std::size_t v = 0; v < part.size(); ++v)
        out[d * variables_ + part.variables[v]] =
            part.families[v][(*drawn)[d * part.size() + v]].candidate;
  }
  return out;
}

}  // namespace bayesloom::posterior
