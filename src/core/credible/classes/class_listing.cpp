#include "credible/classes/class_listing.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <tuple>

#include "base/parallel.hpp"

namespace bayesloom::credible {

namespace {

using Entry = Classes::Entry;

/// Classes by key, with open addressing; all that changes with one more member lies in one place.
class ClassTable {
 public:
  explicit ClassTable(std::size_t width) : width_(width) {}

  /// At most: while the table grows there are 4/3 slots for each class and twice as many again, and
  /// 5/4 of the choices beside the choices themselves.
  static double bytes_per_class(std::size_t width) {
    return 4.0 * sizeof(Slot) + 9.0 * static_cast<double>(width);
  }

  bool even() const { return even_; }

  /// Adds members of a class; true if it is new here.
  bool add(ClassKey const& key, Fixed loss, std::uint64_t members, std::uint64_t order,
           std::span<std::uint32_t const> choices) {
    Slot& slot = find(key);
    if (slot.members == 0) {
      slot = {key, loss, members, order, choices_.size()};
      // By a quarter at a time: both copies are there for a moment.
      if (choices_.size() + width_ > choices_.capacity())
        choices_.reserve(choices_.size() / 4 * 5 + 1024 * width_);
      choices_.insert(choices_.end(), choices.begin(), choices.end());
      if (4 * ++used_ > 3 * slots_.size()) grow();
      return true;
    }
    slot.members += members;
    even_ &= slot.loss == loss;
    slot.loss = std::min(slot.loss, loss);
    if (order < slot.order) {
      slot.order = order;
      std::copy(choices.begin(), choices.end(),
                choices_.begin() + static_cast<std::ptrdiff_t>(slot.first));
    }
    return false;
  }

  void add_all(ClassTable const& other) {
    for (auto const& slot : other.slots_)
      if (slot.members != 0)
        add(slot.key, slot.loss, slot.members, slot.order,
            std::span(other.choices_).subspan(slot.first, width_));
    even_ &= other.even_;
  }

  /// Best first, then as the walk meets them. The table is empty after that.
  Classes::PartClasses take() {
    Classes::PartClasses found{.entries = {}, .choices = std::move(choices_), .width = width_};
    found.entries.reserve(used_);
    for (auto const& slot : slots_)
      if (slot.members != 0)
        found.entries.push_back({slot.loss, slot.members, slot.order, slot.first});
    slots_.clear();
    std::sort(found.entries.begin(), found.entries.end(), [](Entry const& a, Entry const& b) {
      return std::tie(a.loss, a.order) < std::tie(b.loss, b.order);
    });
    return found;
  }

 private:
  struct Slot {
    ClassKey key;
    Fixed loss = 0;
    std::uint64_t members = 0;  // 0 if the slot is free
    std::uint64_t order = 0;
    std::size_t first = 0;
  };

  Slot& find(ClassKey const& key) {
    std::size_t const mask = slots_.size() - 1;
    std::size_t at = key.a & mask;
    while (slots_[at].members != 0 && !(slots_[at].key == key)) at = (at + 1) & mask;
    return slots_[at];
  }

  void grow() {
    std::vector<Slot> old(2 * slots_.size());
    old.swap(slots_);
    for (auto const& slot : old)
      if (slot.members != 0) find(slot.key) = slot;
  }

  std::size_t width_;
  std::vector<Slot> slots_ = std::vector<Slot>(1024);
  std::size_t used_ = 0;
  std::vector<std::uint32_t> choices_;  // of the representatives
  bool even_ = true;
};

/// What all threads share.
struct Listing {
  std::span<Part const> parts;
  Fixed slack;
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
  Set barred = 0;
  Fixed t = 0;
};

using Path = std::vector<std::uint32_t>;  // steps from the root

class Lister {
 public:
  explicit Lister(Listing& listing)
      : table(listing.width),
        listing_(listing),
        choices_(listing.width),
        children_(listing.width, 0) {}

  /// Lists what lies behind a path; piece after piece in their order.
  void run(std::uint64_t piece, Path const& path) {
    order_ = piece << 40;
    std::fill(children_.begin(), children_.end(), 0);
    key_ = {};
    list(follow(path));
    listing_.control.should_stop(unreported_);
    unreported_ = 0;
  }

  /// The paths that are one step longer, where there are networks behind; the path itself at an
  /// end.
  void split(Path const& path, std::vector<Path>& out) {
    key_ = {};
    std::fill(children_.begin(), children_.end(), 0);
    State const here = follow(path);
    if (here.part == listing_.parts.size()) {
      out.push_back(path);
      return;
    }
    auto const steps = listing_.parts[here.part].live.steps(here.u);
    for (std::uint32_t i = 0; i < steps.size() && steps[i].delta <= here.t; ++i)
      if (next(here, steps[i])) {
        out.push_back(path);
        out.back().push_back(i);
      }
  }

  ClassTable table;

 private:
  State follow(Path const& path) {
    State here{0, 0, 0, listing_.slack};
    for (std::uint32_t const i : path) {
      Step const& step = listing_.parts[here.part].live.steps(here.u)[i];
      take(here.part, step);
      here = *next(here, step);
    }
    return here;
  }

  /// Where a step leads, if it may be taken and is not known to lead nowhere. Where a part ends the
  /// next begins.
  std::optional<State> next(State const& here, Step const& step) const {
    if ((here.barred >> step.x & 1) != 0) return std::nullopt;
    auto const& live = listing_.parts[here.part].live;
    auto const barred = barred_after(live.set(here.u), here.barred, step);
    if (!barred) return std::nullopt;
    Fixed const t = here.t - step.delta;
    if (live.last(step.child)) return State{here.part + 1, 0, 0, t};
    if (listing_.states != nullptr && std::popcount(live.set(step.child)) >= few_left &&
        listing_.states->dead(here.part, step.child, *barred, t))
      return std::nullopt;
    return State{here.part, step.child, *barred, t};
  }

  void take(std::size_t part, Step const& step) {
    auto const& keys = listing_.keys[part];
    std::size_t const first = listing_.first[part];
    choices_[first + step.x] = step.choice;
    key_ ^= keys.alone(step.x, step.choice);
    for (Set left = children_[first + step.x]; left != 0; left &= left - 1) {
      auto const y = static_cast<std::size_t>(std::countr_zero(left));
      key_ ^= keys.joined(y, choices_[first + y], step.x, step.choice);
    }
    for (Set left = step.set; left != 0; left &= left - 1)
      children_[first + static_cast<std::size_t>(std::countr_zero(left))] |= Set{1} << step.x;
  }

  void put_back(std::size_t part, Step const& step, ClassKey const& before) {
    key_ = before;
    for (Set left = step.set; left != 0; left &= left - 1)
      children_[listing_.first[part] + static_cast<std::size_t>(std::countr_zero(left))] &=
          ~(Set{1} << step.x);
  }

  void list(State const& here) {
    if (here.part == listing_.parts.size()) {
      add(listing_.slack - here.t);
      return;
    }
    auto const steps = listing_.parts[here.part].live.steps(here.u);
    for (auto const& step : steps) {
      if (step.delta > here.t) break;
      auto const there = next(here, step);
      if (!there) continue;
      ClassKey const before = key_;
      take(here.part, step);
      list(*there);
      put_back(here.part, step, before);
      if (stopped()) return;
    }
    constexpr std::uint64_t stride = 256;
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
  std::vector<Set> children_;  // those taken away, by variable
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

}  // namespace

ListedClasses list_classes(ScoreCache const& cache, std::span<Part const> parts, Fixed slack,
                           States const* states, std::size_t threads, double memory_bytes,
                           Control& control) {
  std::size_t width = 0;
  for (auto const& part : parts) width += part.component.size();
  Listing listing{.parts = parts,
                  .slack = slack,
                  .states = states,
                  .keys = {},
                  .first = {},
                  .width = width,
                  .most = memory_bytes / ClassTable::bytes_per_class(width),
                  .control = control};
  for (std::size_t at = 0; auto const& part : parts) {
    listing.keys.emplace_back(cache, part.component);
    listing.first.push_back(at);
    at += part.component.size();
  }

  std::vector<Path> pieces{{}};
  Lister splitter(listing);
  for (int level = 0; level < 8 && threads > 1 && pieces.size() < 64 * threads; ++level) {
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
    listers[i].table = ClassTable(width);
  }
  bool const even = all.even();
  ListedClasses listed{all.take(), even, !control.stopped() && !listing.full};
  auto& entries = listed.classes.entries;
  if (!listed.whole && (entries.empty() || entries.front().loss > 0)) {
    auto const best = best_choices(parts);
    entries.insert(entries.begin(), {0, 1, 0, listed.classes.choices.size()});
    listed.classes.choices.insert(listed.classes.choices.end(), best.begin(), best.end());
  }
  return listed;
}

}  // namespace bayesloom::credible
