// A linear program that a Python object solves, as the core sees it.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/stl/pair.h>

#include <exception>
#include <utility>
#include <vector>

#include "arrays.hpp"
#include "base/control.hpp"
#include "dual/linear_program.hpp"

namespace bayesloom {

/// Methods are those of `solvers/highs.py`. A Python exception must not unwind through a kernel: it is kept,
/// the kernel hears that the program failed and is asked to stop, and `raise` throws it once the kernel has
/// returned. Most of the time is spent in the program, so Ctrl-C is often heard there and nowhere else.
class PyProgram final : public dual::LinearProgram {
 public:
  PyProgram(nb::object program, Control& control)
      : program_(std::move(program)), control_(control) {}

  void begin(std::size_t variables) override {
    call([&] { program_.attr("begin")(variables); });
  }
  void add_columns(std::span<double const> costs, Sparse const& columns) override {
    call([&] { add("add_columns", costs, columns); });
  }
  void add_rows(std::span<double const> least, Sparse const& rows) override {
    call([&] { add("add_rows", least, rows); });
  }
  void remove_columns(std::span<std::int32_t const> columns) override {
    call([&] { program_.attr("remove_columns")(array(columns)); });
  }
  void remove_rows(std::span<std::int32_t const> rows) override {
    call([&] { program_.attr("remove_rows")(array(rows)); });
  }
  void change_costs(std::span<double const> costs) override {
    call([&] { program_.attr("change_costs")(array(costs)); });
  }
  void allow(std::span<std::int32_t const> columns, std::span<double const> most) override {
    call([&] { program_.attr("allow")(array(columns), array(most)); });
  }
  End solve(std::size_t steps, double cutoff) override {
    int end = static_cast<int>(End::failed);
    steps_ = 0;
    call([&] {
      auto const found =
          nb::cast<std::pair<int, std::size_t>>(program_.attr("solve")(steps, cutoff));
      end = found.first;
      steps_ = found.second;
    });
    return error_ ? End::failed : static_cast<End>(end);
  }
  std::size_t steps() const override { return steps_; }
  void solution(std::vector<double>& shares, std::vector<double>& duals) override {
    call([&] {
      auto const found =
          nb::cast<std::pair<InArray<double>, InArray<double>>>(program_.attr("solution")());
      shares.assign(found.first.data(), found.first.data() + found.first.size());
      duals.assign(found.second.data(), found.second.data() + found.second.size());
    });
  }
  bool ray(std::vector<double>& duals) override {
    bool is_there = false;
    call([&] {
      nb::object const found = program_.attr("ray")();
      if (found.is_none()) return;
      auto const values = nb::cast<InArray<double>>(found);
      duals.assign(values.data(), values.data() + values.size());
      is_there = true;
    });
    return is_there;
  }
  void keep_basis() override {
    call([&] { program_.attr("keep_basis")(); });
  }
  void return_to_basis() override {
    call([&] { program_.attr("return_to_basis")(); });
  }

  /// Throws what was kept; whether it was Ctrl-C.
  bool raise() const {
    if (!error_) return false;
    try {
      std::rethrow_exception(error_);
    } catch (nb::python_error& error) {
      if (!error.matches(PyExc_KeyboardInterrupt)) throw;
      return true;
    }
  }

 private:
  template <typename Body>
  void call(Body&& body) {
    if (error_) return;
    nb::gil_scoped_acquire const acquire;
    try {
      body();
    } catch (...) {
      error_ = std::current_exception();
      control_.cancel();
    }
  }
  template <typename T>
  static OutArray<T> array(std::span<T const> values) {
    return to_numpy(std::vector<T>(values.begin(), values.end()));
  }
  void add(char const* method, std::span<double const> numbers, Sparse const& cells) {
    program_.attr(method)(array(numbers), to_numpy(std::vector<std::int32_t>(cells.first)),
                          to_numpy(std::vector<std::int32_t>(cells.places)),
                          to_numpy(std::vector<double>(cells.values)));
  }

  nb::object program_;
  Control& control_;
  std::exception_ptr error_;
  std::size_t steps_ = 0;
};

}  // namespace bayesloom
