// base: what the tests need to see of random numbers, control and threads.
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>

#include "base/fixed_point.hpp"
#include "base/parallel.hpp"
#include "bindings.hpp"
#include "control.hpp"

namespace bayesloom {

void bind_base(nb::module_& m) {
  m.def("thread_count", &thread_count, nb::arg("wanted") = 0,
        "The number of threads to use: `wanted`, or for 0 the processors this process may run on.");
  m.def("to_fixed", &to_fixed, nb::arg("nats"), "A score as a whole number of 2^-30 nats.");
  m.def("to_nats", &to_nats, nb::arg("fixed"), "A whole number of 2^-30 nats as a score.");
}

}  // namespace bayesloom
