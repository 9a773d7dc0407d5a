// Numbers of networks as Python integers.
#pragma once

#include <nanobind/nanobind.h>

#include <cstdint>

#include "credible/count.hpp"

namespace bayesloom {

inline nanobind::int_ to_int(credible::Count count) {
  nanobind::int_ const high(static_cast<std::uint64_t>(count >> 64)),
      low(static_cast<std::uint64_t>(count));
  return nanobind::int_((high << nanobind::int_(64)) | low);
}

}  // namespace bayesloom
