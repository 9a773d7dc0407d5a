// NumPy arrays in and out: views in, owned and read-only arrays out.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <span>
#include <utility>
#include <vector>

namespace bayesloom {

namespace nb = nanobind;

template <typename T>
using InArray = nb::ndarray<T const, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

template <typename T>
std::span<T const> view(InArray<T> const& array) {
  return {array.data(), array.size()};
}

template <typename T>
using OutArray = nb::ndarray<nb::numpy, T const, nb::ndim<1>>;

/// Hands a vector to NumPy without copying it.
template <typename T>
OutArray<T> to_numpy(std::vector<T> values) {
  auto* const kept = new std::vector<T>(std::move(values));
  nb::capsule const owner(kept, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
  return OutArray<T>(kept->data(), {kept->size()}, owner);
}

}  // namespace bayesloom
