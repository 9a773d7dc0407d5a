// Control as seen from Python: Ctrl-C and progress callbacks, heard from the calling thread only.
//
// A Python exception must not unwind through a kernel. It is kept, the kernel is asked to stop, and
// it is raised once the kernel has returned: call `run`, which also releases the GIL.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>

#include <exception>
#include <optional>
#include <utility>

#include "base/control.hpp"
#include "base/exchange.hpp"

namespace bayesloom {

namespace nb = nanobind;

/// progress(work: int, seconds: float) -> None, or None for silence.
using Progress = std::optional<nb::typed<nb::callable, void(std::uint64_t, double)>>;

/// A dictionary with text keys, as results are handed over.
using Report = nb::typed<nb::dict, nb::str, nb::any>;

class PyControl final : public ExchangeControl {
 public:
  PyControl(Limits limits, Progress progress)
      : ExchangeControl(limits), progress_(std::move(progress)) {}

  /// Runs `kernel()` without the GIL and raises what a callback or Ctrl-C left behind.
  /// Ctrl-C itself is not raised: the kernel's answer so far is worth more, and the caller sees
  /// `interrupted()`.
  template <typename Kernel>
  auto run(Kernel&& kernel) {
    std::optional<decltype(kernel())> result;
    {
      nb::gil_scoped_release const release;
      enter();
      result.emplace(kernel());
    }
    if (error_) std::rethrow_exception(error_);
    return std::move(*result);
  }

  /// Whether Ctrl-C, or a request to the whole process, stopped the kernel.
  bool interrupted() const {
    return interrupted_ || (interrupt_requested() && stop_reason() == StopReason::cancelled);
  }

 protected:
  void on_poll() override {
    if (error_ || interrupted_) return;
    ExchangeControl::on_poll();
    nb::gil_scoped_acquire const acquire;
    try {
      if (PyErr_CheckSignals() != 0) throw nb::python_error();
      if (progress_) (*progress_)(work(), seconds());
    } catch (nb::python_error& error) {
      if (error.matches(PyExc_KeyboardInterrupt)) {
        interrupted_ = true;
      } else {
        error_ = std::current_exception();
      }
      cancel();
    } catch (...) {
      error_ = std::current_exception();
      cancel();
    }
  }

 private:
  Progress progress_;
  std::exception_ptr error_;
  bool interrupted_ = false;
};

}  // namespace bayesloom
