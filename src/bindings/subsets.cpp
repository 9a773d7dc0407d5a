// subsets: the inner loops of dense dynamic programming on NumPy arrays, so that tests can compare
// each kernel with its definition (tests/reference/block_kernel.py).
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <string>
#include <tuple>
#include <vector>

#include "arrays.hpp"
#include "base/errors.hpp"
#include "bindings.hpp"
#include "subsets/block_kernel.hpp"
#include "subsets/block_pool.hpp"

namespace bayesloom {

namespace {

using subsets::BlockKernel;
using subsets::BlockPool;
using Losses = InArray<Fixed>;
using Lows = InArray<std::uint32_t>;

BlockKernel const& kernel_of(std::string const& name) {
  auto const* const kernel = subsets::block_kernel(name.c_str());
  if (kernel == nullptr) throw InputError("this processor has no kernel '" + name + "'.");
  return *kernel;
}

/// A block of the pool with these losses, aligned as the kernels want it.
Fixed* block_of(BlockPool& pool, Losses const& losses) {
  Fixed* const block = pool[pool.take()];
  std::copy_n(losses.data(), losses.size(), block);
  return block;
}

std::vector<subsets::LowCandidate> candidates_of(Losses const& losses, Lows const& lows) {
  std::vector<subsets::LowCandidate> out(losses.size());
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = {losses.data()[i], lows.data()[i]};
  return out;
}

OutArray<Fixed> array_of(Fixed const* block, std::size_t bits) {
  return to_numpy(std::vector<Fixed>(block, block + (std::size_t{1} << bits)));
}

}  // namespace

void bind_subsets(nb::module_& m) {
  m.def(
      "has_block_kernel",
      [](std::string const& name) { return subsets::block_kernel(name.c_str()) != nullptr; },
      nb::arg("name"), "Whether this processor has a kernel of dense search of this name.");
  m.def(
      "block_tabulate",
      [](std::string const& name, std::size_t bits, Losses losses, Lows lows) {
        BlockPool pool(1, std::size_t{1} << bits);
        Fixed* const table = pool[pool.take()];
        kernel_of(name).clear(table, bits);
        kernel_of(name).put(table, candidates_of(losses, lows));
        kernel_of(name).close(table, bits);
        return array_of(table, bits);
      },
      nb::arg("name"), nb::arg("bits"), nb::arg("losses"), nb::arg("lows"),
      "For each set the least loss of a candidate inside it.");
  m.def(
      "block_place",
      [](std::string const& name, std::size_t bits, Losses losses, Lows lows, Losses best,
         Losses before) {
        BlockPool pool(3, std::size_t{1} << bits);
        Fixed* const table = pool[pool.take()];
        Fixed* const made = block_of(pool, best);
        kernel_of(name).clear(table, bits);
        kernel_of(name).put(table, candidates_of(losses, lows));
        kernel_of(name).close_and_place(table, made, block_of(pool, before), bits);
        return array_of(made, bits);
      },
      nb::arg("name"), nb::arg("bits"), nb::arg("losses"), nb::arg("lows"), nb::arg("best"),
      nb::arg("before"), "The least of `best` and of `before` with one more high member.");
  m.def(
      "block_finish",
      [](std::string const& name, std::size_t bits, Losses best,
         std::vector<Losses> const& tables) {
        BlockPool pool(tables.size() + 1, std::size_t{1} << bits);
        Fixed* const made = block_of(pool, best);
        std::vector<Fixed const*> blocks;
        for (auto const& table : tables) blocks.push_back(block_of(pool, table));
        Fixed const least = kernel_of(name).finish(made, blocks.data(), tables.size(), bits);
        return std::make_tuple(array_of(made, bits), least);
      },
      nb::arg("name"), nb::arg("bits"), nb::arg("best"), nb::arg("tables"),
      "The block once the low members are placed too, and its least loss.");
}

}  // namespace bayesloom
