// The extension module: one bind_* function per core folder, and the mapping of errors.
#include <nanobind/nanobind.h>

#include "base/errors.hpp"
#include "bindings.hpp"

namespace nb = nanobind;

namespace {

/// Raises the class of the same name in bayesloom.errors.
void raise(char const* name, char const* message) {
  nb::object const type = nb::module_::import_("bayesloom.errors").attr(name);
  PyErr_SetString(type.ptr(), message);
}

void translate(std::exception_ptr const& error, void*) {
  try {
    std::rethrow_exception(error);
  } catch (bayesloom::InfeasibleError const& e) {
    raise("InfeasibleError", e.what());
  } catch (bayesloom::InputError const& e) {
    raise("InputError", e.what());
  } catch (bayesloom::ResourceError const& e) {
    raise("ResourceError", e.what());
  } catch (bayesloom::InternalError const& e) {
    raise("InternalError", e.what());
  }
}

}  // namespace

NB_MODULE(_core, m) {
#ifndef BAYESLOOM_ASSERTS
  nb::set_leak_warnings(false);  // what is alive when the interpreter ends is the user's
#endif
  // Not declared free of the interpreter lock (nanobind's FREE_THREADED): no such interpreter has run the tests.
  m.doc() =
      "Bayesloom's C++ core. Private: use the names in `bayesloom`. It needs the interpreter lock: "
      "a "
      "free-threaded\nPython turns it on at import. Kernels let go of it.";
  nb::register_exception_translator(translate);
  bayesloom::bind_base(m);
  bayesloom::bind_data(m);
  bayesloom::bind_score(m);
  bayesloom::bind_parent_sets(m);
  bayesloom::bind_atomic_file(m);
  bayesloom::bind_cache(m);
  bayesloom::bind_neighbour_sets(m);
  bayesloom::bind_check(m);
  bayesloom::bind_order_graph(m);
  bayesloom::bind_order_search(m);
  bayesloom::bind_graph(m);
  bayesloom::bind_layout(m);
  bayesloom::bind_dual(m);
  bayesloom::bind_subsets(m);
  bayesloom::bind_relaxation(m);
  bayesloom::bind_credible(m);
  bayesloom::bind_inference(m);
  bayesloom::bind_posterior(m);
}
