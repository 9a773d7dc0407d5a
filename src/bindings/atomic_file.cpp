// Files out, for Python: the writer that the core uses, so that there is one.
#include "cache/atomic_file.hpp"

#include <nanobind/nanobind.h>

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
          [](AtomicFile& self, nb::bytes content) {
            std::string_view const text(content.c_str(), content.size());
            nb::gil_scoped_release const release;
            self.write(text);
          },
          "content"_a)
      .def_prop_ro("written", &AtomicFile::written, "Bytes written so far.")
      .def("commit", &AtomicFile::commit, nb::call_guard<nb::gil_scoped_release>(),
           "Gives the file its name.")
      .def("abandon", &AtomicFile::abandon, "Ends without a file.");
  m.def("remove_unfinished_files", &remove_unfinished_files,
        "Removes the temporary files of all that is being written; for a process about to end.");
}

}  // namespace bayesloom
