#include "credible/subset_dp/completion.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "base/parallel.hpp"
#include "subsets/block_maker.hpp"
#include "subsets/block_plan.hpp"

namespace bayesloom::credible {

namespace {

constexpr std::size_t most_dense = 32;  // variables: 32 GB, whatever is allowed

class DenseCompletion final : public Completion {
 public:
  explicit DenseCompletion(Component const& component)
      : maker_(component, subsets::BlockShape(component)),
        pool_(maker_.shape().blocks(), maker_.shape().entries()) {}

  /// Blocks with fewer high variables first; false if stopped.
  bool run(std::size_t threads, Control& control) {
    auto const& shape = maker_.shape();
    std::vector<std::unique_ptr<BlockMaker::Tables>> tables(threads);
    for (auto const& layer : subsets::block_layers(shape.high)) {
      parallel_for(threads, layer.size(), control, [&](std::size_t task, std::size_t worker) {
        if (!tables[worker]) tables[worker] = std::make_unique<BlockMaker::Tables>(shape);
        maker_.make(layer[task], block(layer[task]), *tables[worker],
                    [&](std::uint64_t before) { return block(before); });
        control.should_stop(std::uint64_t{1} << shape.low);
      });
      if (control.stopped()) return false;
    }
    return true;
  }

  Fixed value(VarSet set) override {
    auto const& shape = maker_.shape();
    return std::min(no_loss,
                    block(set.bits() >> shape.low)[(set & VarSet::first(shape.low)).bits()]);
  }

 private:
  using BlockMaker = subsets::BlockMaker;
  Fixed* block(std::uint64_t high) const { return pool_[static_cast<std::uint32_t>(high)]; }

  BlockMaker const maker_;
  subsets::BlockPool pool_;
};

}  // namespace

bool fits_dense(Component const& component, double memory_bytes) {
  double const bytes = std::exp2(static_cast<double>(component.size())) * sizeof(Fixed);
  return component.size() <= most_dense && bytes <= memory_bytes;
}

std::unique_ptr<Completion> dense_completion(Component const& component, std::size_t threads,
                                             Control& control) {
  auto dense = std::make_unique<DenseCompletion>(component);
  if (!dense->run(threads, control)) return nullptr;
  return dense;
}

}  // namespace bayesloom::credible
