#include "score/parts.hpp"

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

namespace bayesloom {

namespace {

constexpr double unknown = std::numeric_limits<double>::infinity();

class ScoreOfParts final : public Score {
 public:
  ScoreOfParts(ScoreSpec const& spec, EncodedData const& data) {
    for (std::size_t p = 0; p <= data.part_count(); ++p)
      scores_.push_back(make_plain_score(spec, data.part(p)));
  }

  Fixed local_score(Cells const& family, Cells const& parents, std::uint32_t cardinality) override {
    return scores_[family.part]->local_score(family, parents, cardinality);
  }

  bool may_grow(Cells const& family) const override {
    return scores_[family.part]->may_grow(family);
  }

  double interaction(std::uint32_t r_i, double q_a, double q_b) const override {
    return scores_.front()->interaction(r_i, q_a, q_b);
  }

  double bound(std::uint32_t r_i, double q, std::size_t size, double fit) const override {
    return largest([&](Score const& score) { return score.bound(r_i, q, size, fit); });
  }

  double bound_counted(std::uint32_t r_i, std::size_t seen, double fit) const override {
    return largest([&](Score const& score) { return score.bound_counted(r_i, seen, fit); });
  }

  double gain_bound(double s_i, std::uint32_t r_i, double s_j, std::uint32_t r_j, double q,
                    std::size_t size) const override {
    if (s_j != -unknown) return unknown;  // of other rows than s_i
    return largest(
        [&](Score const& score) { return score.gain_bound(s_i, r_i, s_j, r_j, q, size); });
  }

 private:
  template <typename Bound>
  double largest(Bound&& bound) const {
    double found = -unknown;
    for (auto const& score : scores_) found = std::max(found, bound(*score));
    return found;
  }

  std::vector<std::unique_ptr<Score>> scores_;
};

class CounterOfParts final : public MomentReader {
 public:
  CounterOfParts(ScoreSpec spec, EncodedData const& data)
      : spec_(std::move(spec)), data_(data), parts_(data.part_count() + 1) {}

  void push(Variable v) override { stack_.push_back(v); }
  void pop() override { stack_.pop_back(); }
  bool by_family() const override { return true; }

  void read(Cells& out) override {
    out.counts.clear();
    out.ones = 0;
    out.moments = {};
    out.states = 1;
    for (auto const v : stack_) out.states *= data_.cardinality(v);
  }

  void read_with(Variable v, Cells& out) override { read_family(v, scratch_, out); }

  void read_family(Variable child, Cells& parents, Cells& family) override {
    std::size_t const p = data_.part_of(child);
    Part& part = parts_[p];
    if (!part.counter) {
      part.planes = std::make_unique<BitPlanes const>(data_.part(p));
      part.counter.emplace(make_plain_counter(spec_, data_.part(p), *part.planes, nullptr));
    }
    std::size_t common = 0;
    while (common < part.stack.size() && common < stack_.size() &&
           part.stack[common] == stack_[common])
      ++common;
    for (; part.stack.size() > common; part.stack.pop_back()) part.counter->pop();
    for (; common < stack_.size(); ++common) {
      part.stack.push_back(stack_[common]);
      part.counter->push(stack_[common]);
    }
    part.counter->family(child, parents, family);
    family.part = static_cast<std::uint32_t>(p);
  }

 private:
  struct Part {
    std::unique_ptr<BitPlanes const> planes;
    std::optional<SetCounter> counter;
    std::vector<Variable> stack;  // what the counter has on its own
  };

  ScoreSpec spec_;
  EncodedData const& data_;
  std::vector<Part> parts_;
  std::vector<Variable> stack_;
  Cells scratch_;
};

class BoundsOfParts final : public FamilyBounds {
 public:
  BoundsOfParts(EncodedData const& data, std::vector<std::unique_ptr<FamilyBounds>> parts)
      : data_(data), parts_(std::move(parts)) {}

  double of_size(Variable child, std::size_t size) const override {
    auto const& own = parts_[data_.part_of(child)];
    return own ? own->of_size(child, size) : unknown;
  }
  double of_supersets(Variable child, std::size_t size, Fixed /*f*/, Fixed /*s*/) const override {
    return of_size(child, size + 1);
  }
  double of_gain(Variable /*i*/, Variable /*j*/, std::size_t /*size*/, Fixed /*f*/, Fixed /*s_i*/,
                 Fixed /*s_j*/) const override {
    return unknown;
  }

 private:
  EncodedData const& data_;
  std::vector<std::unique_ptr<FamilyBounds>> parts_;
};

}  // namespace

std::unique_ptr<Score> score_of_parts(ScoreSpec const& spec, EncodedData const& data) {
  return std::make_unique<ScoreOfParts>(spec, data);
}

std::unique_ptr<MomentReader> counter_of_parts(ScoreSpec const& spec, EncodedData const& data) {
  return std::make_unique<CounterOfParts>(spec, data);
}

std::unique_ptr<FamilyBounds> bounds_of_parts(ScoreSpec const& spec, EncodedData const& data) {
  std::vector<std::unique_ptr<FamilyBounds>> parts;
  for (std::size_t p = 0; p <= data.part_count(); ++p)
    parts.push_back(make_plain_bounds(spec, data.part(p)));
  return std::make_unique<BoundsOfParts>(data, std::move(parts));
}

}  // namespace bayesloom
