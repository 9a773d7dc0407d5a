#include "credible/subset_dp/class_listing.hpp"

#include <algorithm>
#include <atomic>

#include "base/parallel.hpp"
#include "credible/classes/class_table.hpp"
#include "credible/subset_dp/tuning.hpp"
#include "credible/tuning.hpp"

namespace bayesloom::credible {

namespace {

/// What all threads share.
struct Listing {
  std::span<Part const> parts;
  Fixed max_loss;
  States const* states;
  std::vector<ClassKeys> keys;
  std::vector<std::size_t> first;  // of each part among the choices
  std::size_t width = 0;
  double most;  // classes that fit the memory
  Control& control;
  std::atomic<std::uint64_t> classes{0};
  std::atomic<bool> full{false};
};

struct State {
  std::size_t part = 0;
  std::uint32_t u = 0;
  VarSet barred{};
  Fixed t = 0;
};

using Path = std::vector<std::uint32_t>;  // steps from the root

class Lister {
 public:
  explicit Lister(Listing& listing)
      : table(listing.width),
        listing_(listing),
        choices_(listing.width),
        children_(listing.width) {}

  /// Lists what lies behind a path; piece after piece in their order.
  void run(std::uint64_t piece, Path const& path) {
    order_ = piece << 40;
    std::fill(children_.begin(), children_.end(), VarSet());
    key_ = {};
    list(follow(path));
    listing_.control.should_stop(unreported_);
    unreported_ = 0;
  }

  /// The paths that are one step longer, where there are networks behind; the path itself at an
  /// end.
  void split(Path const& path, std::vector<Path>& out) {
    key_ = {};
    std::fill(children_.begin(), children_.end(), VarSet());
    State const here = follow(path);
    if (here.part == listing_.parts.size()) {
      out.push_back(path);
      return;
    }
    auto const steps = listing_.parts[here.part].live.steps(here.u);
    for (std::uint32_t i = 0; i < steps.size() && steps[i].delta <= here.t; ++i)
      if (State there; next(here, steps[i], there)) {
        out.push_back(path);
        out.back().push_back(i);
      }
  }

  ClassTable table;

 private:
  State follow(Path const& path) {
    State here{0, 0, VarSet(), listing_.max_loss};
    for (std::uint32_t const i : path) {
      Step const& step = listing_.parts[here.part].live.steps(here.u)[i];
      take(here.part, step);
      State there;
      next(here, step, there);
      here = there;
    }
    return here;
  }

  /// Where a step leads, if it may be taken and is not known to lead nowhere. Where a part ends the
  /// next begins.
  bool next(State const& here, Step const& step, State& there) const {
    if (here.barred.contains(step.x)) return false;
    auto const& live = listing_.parts[here.part].live;
    if (!bar_after(live.set(here.u), here.barred, step, there.barred)) return false;
    there.t = here.t - step.delta;
    there.part = here.part;
    there.u = step.child;
    if (live.last(step.child)) {
      ++there.part;
      there.u = 0;
      there.barred = VarSet();
      return true;
    }
    return listing_.states == nullptr || live.set(step.child).size() < tuning::few_left ||
           !listing_.states->dead(here.part, step.child, there.barred, there.t);
  }

  void take(std::size_t part, Step const& step) {
    auto const& keys = listing_.keys[part];
    std::size_t const first = listing_.first[part];
    choices_[first + step.x] = step.choice;
    key_ ^= keys.alone(step.x, step.choice);
    for (std::size_t const y : children_[first + step.x]) {
      key_ ^= keys.joined(y, choices_[first + y], step.x, step.choice);
    }
    for (std::size_t const y : step.set) children_[first + y].insert(step.x);
  }

  void put_back(std::size_t part, Step const& step, ClassKey const& before) {
    key_ = before;
    for (std::size_t const y : step.set) children_[listing_.first[part] + y].erase(step.x);
  }

  void list(State const& here) {
    if (here.part == listing_.parts.size()) {
      add(listing_.max_loss - here.t);
      return;
    }
    auto const steps = listing_.parts[here.part].live.steps(here.u);
    for (auto const& step : steps) {
      if (step.delta > here.t) break;
      State there;
      if (!next(here, step, there)) continue;
      ClassKey const before = key_;
      take(here.part, step);
      list(there);
      put_back(here.part, step, before);
      if (stopped()) return;
    }
    constexpr std::uint64_t stride = tuning::listed_between_looks;
    if (++unreported_ == stride) {
      listing_.control.should_stop(stride);
      unreported_ = 0;
    }
  }

  bool stopped() const {
    return listing_.control.stopped() || listing_.full.load(std::memory_order_relaxed);
  }

  void add(Fixed loss) {
    if (!table.add(key_, loss, 1, order_++, choices_)) return;
    auto const known = listing_.classes.fetch_add(1, std::memory_order_relaxed) + 1;
    if (static_cast<double>(known) > listing_.most) listing_.full = true;
  }

  Listing& listing_;
  std::vector<std::uint32_t> choices_;
  std::vector<VarSet> children_;  // those taken away, by variable
  ClassKey key_;
  std::uint64_t order_ = 0, unreported_ = 0;
};

/// A best network: from every live set on its way some step loses nothing.
std::vector<std::uint32_t> best_choices(std::span<Part const> parts) {
  std::vector<std::uint32_t> choices;
  for (auto const& part : parts) {
    std::size_t const first = choices.size();
    choices.resize(first + part.component.size());
    for (std::uint32_t u = 0; !part.live.last(u);) {
      Step const& step = part.live.steps(u).front();
      choices[first + step.x] = step.choice;
      u = step.child;
    }
  }
  return choices;
}

/// The classes of some parts together.
PartClasses list_classes(ScoreCache const& cache, std::span<Part const> parts, Fixed max_loss,
                         States const* states, std::size_t threads, double memory_bytes,
                         Control& control) {
  Listing listing{.parts = parts,
                  .max_loss = max_loss,
                  .states = states,
                  .keys = {},
                  .first = {},
                  .most = 0,
                  .control = control};
  std::vector<Variable> variables;
  std::vector<std::vector<Choice> const*> choices;
  for (auto const& part : parts) {
    listing.keys.emplace_back(cache, part.component);
    listing.first.push_back(variables.size());
    for (std::size_t x = 0; x < part.component.size(); ++x) {
      variables.push_back(part.component.variables[x]);
      choices.push_back(&part.component.lists[x]);
    }
  }
  listing.width = variables.size();
  listing.most = memory_bytes / ClassTable::bytes_per_class(listing.width);

  std::vector<Path> pieces{{}};
  Lister splitter(listing);
  for (int level = 0; level < tuning::most_split && threads > 1 &&
                      pieces.size() < tuning::pieces_per_thread * threads;
       ++level) {
    std::vector<Path> longer;
    for (auto const& path : pieces) splitter.split(path, longer);
    pieces = std::move(longer);
  }
  std::vector<Lister> listers;
  listers.reserve(threads);
  for (std::size_t i = 0; i < threads; ++i) listers.emplace_back(listing);
  parallel_for(threads, pieces.size(), control, [&](std::size_t piece, std::size_t worker) {
    if (!listing.full) listers[worker].run(piece, pieces[piece]);
  });

  ClassTable& all = listers[0].table;
  for (std::size_t i = 1; i < threads; ++i) {
    all.add_all(listers[i].table);
    listers[i].table = ClassTable(listing.width);
  }
  auto const candidate = [&](std::size_t i, std::uint32_t c) { return (*choices[i])[c].index; };
  auto found = all.take(cache, variables, candidate);
  found.whole = !control.stopped() && !listing.full;
  if (!found.whole && (found.entries.empty() || found.entries.front().loss > 0)) {
    auto const best = best_choices(parts);
    found.entries.insert(found.entries.begin(), {0, 1, 0, found.choices.size()});
    for (std::size_t i = 0; i < best.size(); ++i)
      found.choices.push_back(
          static_cast<std::uint32_t>(candidate(i, best[i]) - cache.begin(variables[i])));
  }
  return found;
}

}  // namespace

Classes classes_by_states(ScoreCache const& cache, std::span<Part const> parts, Fixed max_loss,
                          States const* states, std::size_t threads, double memory_bytes,
                          Control& control) {
  std::vector<PartClasses> found;
  bool even = true;
  // The states of the whole know what follows a part too; they are of use where nothing follows.
  for (std::size_t p = 0; p < parts.size(); ++p) {
    found.push_back(list_classes(cache, parts.subspan(p, 1), max_loss,
                                 parts.size() == 1 ? states : nullptr, threads, memory_bytes,
                                 control));
    even &= found.back().even;
  }
  if (!even && parts.size() > 1) {
    found.clear();
    found.push_back(list_classes(cache, parts, max_loss, states, threads, memory_bytes, control));
  }
  return {std::move(found), max_loss, false};
}

}  // namespace bayesloom::credible
