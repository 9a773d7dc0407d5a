#include "credible/classes.hpp"

#include <algorithm>
#include <map>
#include <string>
#include <unordered_map>

#include "base/errors.hpp"
#include "credible/walk.hpp"

namespace bayesloom::credible {

namespace {

struct KeyHash {
  std::size_t operator()(ClassKey const& key) const { return static_cast<std::size_t>(key.a); }
};

/// Lists the networks over some parts by class. Sets `uneven` if two of one class differ in loss.
std::optional<Classes::PartClasses> classes_of(ScoreCache const& cache, std::span<Part const> parts,
                                               Fixed slack, States const* states, double memory_bytes,
                                               bool& uneven, Control& control) {
  Classes::PartClasses found;
  std::vector<ClassKeys> keys;
  for (auto const& part : parts) {
    found.width += part.component.size();
    keys.emplace_back(cache, part.component);
  }
  std::unordered_map<ClassKey, std::size_t, KeyHash> known;
  Walk walk(parts, slack, states);
  double const bytes_each = 72 + static_cast<double>(found.width) * 4;
  constexpr std::uint64_t stride = 1024;
  for (std::uint64_t listed = 1; walk.next(); ++listed) {
    ClassKey key;
    std::size_t at = 0;
    for (std::size_t p = 0; p < parts.size(); ++p) {
      std::size_t const width = parts[p].component.size();
      key ^= keys[p].key(walk.choices().subspan(at, width));
      at += width;
    }
    auto const [place, fresh] = known.try_emplace(key, found.entries.size());
    if (fresh) {
      found.entries.push_back({walk.loss(), 1, found.choices.size()});
      found.choices.insert(found.choices.end(), walk.choices().begin(), walk.choices().end());
    } else {
      auto& entry = found.entries[place->second];
      ++entry.members;
      uneven |= entry.loss != walk.loss();
      entry.loss = std::min(entry.loss, walk.loss());
    }
    if (listed % stride != 0) continue;
    if (control.should_stop(stride)) return std::nullopt;
    if (static_cast<double>(known.size()) * bytes_each > memory_bytes)
      throw ResourceError("more than " + std::to_string(known.size()) +
                          " equivalence classes do not fit the memory allowed; allow more, or a smaller "
                          "Bayes factor.");
  }
  std::stable_sort(found.entries.begin(), found.entries.end(),
                   [](auto const& a, auto const& b) { return a.loss < b.loss; });
  return found;
}

}  // namespace

std::optional<Classes> Classes::make(ScoreCache const& cache, std::span<Part const> parts, Fixed slack,
                                     States const* states, double memory_bytes, Control& control) {
  Classes classes;
  classes.slack_ = slack;
  bool uneven = false;
  for (std::size_t p = 0; p < parts.size(); ++p) {
    // The states of the whole know what follows a part too; they are of use where nothing follows.
    auto part = classes_of(cache, parts.subspan(p, 1), slack, parts.size() == 1 ? states : nullptr,
                           memory_bytes, uneven, control);
    if (!part) return std::nullopt;
    classes.parts_.push_back(std::move(*part));
  }
  if (uneven && parts.size() > 1) {
    auto whole = classes_of(cache, parts, slack, states, memory_bytes, uneven, control);
    if (!whole) return std::nullopt;
    classes.parts_.clear();
    classes.parts_.push_back(std::move(*whole));
    classes.joint_ = true;
  }
  return classes;
}

Count Classes::count() const {
  // Number of classes by loss, over the parts so far; the smallest parts come last.
  std::map<Fixed, Count> sums{{0, 1}};
  for (std::size_t p = parts_.size(); p-- > 1;) {
    std::map<Fixed, Count> next;
    for (auto const& [loss, number] : sums)
      for (auto const& entry : parts_[p].entries) {
        if (loss + entry.loss > slack_) break;
        next[loss + entry.loss] += number;
      }
    sums = std::move(next);
  }
  Count total = 0;
  auto const& first = parts_[0].entries;
  std::size_t fit = first.size();
  for (auto const& [loss, number] : sums) {
    while (fit > 0 && first[fit - 1].loss + loss > slack_) --fit;
    total += number * fit;
  }
  return total;
}

ClassWalk::ClassWalk(Classes const& classes, Fixed slack)
    : classes_(classes), slack_(slack), at_(classes.parts().size(), 0) {}

bool ClassWalk::next() {
  if (!begun_) {
    begun_ = true;
    loss_ = 0;
    return true;
  }
  // The best of each part has loss 0, so what fits with them is all that must be looked at.
  for (std::size_t p = at_.size(); p-- > 0;) {
    auto const& entries = classes_.parts()[p].entries;
    Fixed const without = loss_ - entries[at_[p]].loss;
    if (at_[p] + 1 < entries.size() && without + entries[at_[p] + 1].loss <= slack_) {
      ++at_[p];
      loss_ = without + entries[at_[p]].loss;
      return true;
    }
    loss_ = without;
    at_[p] = 0;
  }
  return false;
}

Count ClassWalk::members() const {
  Count product = 1;
  for (std::size_t p = 0; p < at_.size(); ++p)
    product *= classes_.parts()[p].entries[at_[p]].members;
  return product;
}

}  // namespace bayesloom::credible
