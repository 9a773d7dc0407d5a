// Files out, for Python: the writer that the core uses, so that there is one.
#include "cache/atomic_file.hpp"

#include <nanobind/nanobind.h>

#include <cstddef>
#include <memory>

#include "bindings.hpp"

namespace bayesloom {

namespace nb = nanobind;
using namespace nb::literals;

void bind_atomic_file(nb::module_& m) {
  nb::class_<AtomicFile>(m, "AtomicFile",
                         "A plain file, whole or not at all; links followed, devices and pipes "
                         "written through.")
      .def(
          "__init__",
          [](AtomicFile* self, nb::bytes path) {
            std::string const text(path.c_str(), path.size());
            nb::gil_scoped_release const release;
            new (self) AtomicFile(text);
          },
          "path"_a)
      .def(
          "write",
          [](AtomicFile& self, nb::handle content) {
            Py_buffer view;
            if (PyObject_GetBuffer(content.ptr(), &view, PyBUF_SIMPLE) != 0)
              nb::raise_python_error();
            std::unique_ptr<Py_buffer, decltype(&PyBuffer_Release)> const held(&view,
                                                                               PyBuffer_Release);
            auto const size = static_cast<std::size_t>(view.len);
            nb::gil_scoped_release const release;
            self.write(view.buf, size);
          },
          "content"_a, "Writes bytes, or what has them in one piece, as they are: no copy is made.")
      .def_prop_ro("written", &AtomicFile::written, "Bytes written so far.")
      .def("commit", &AtomicFile::commit, nb::call_guard<nb::gil_scoped_release>(),
           "Gives the file its name.")
      .def("abandon", &AtomicFile::abandon, "Ends without a file.");
  m.def("remove_unfinished_files", &remove_unfinished_files,
        "Removes the temporary files of all that is being written; for a process about to end.");
}

}  // namespace bayesloom
