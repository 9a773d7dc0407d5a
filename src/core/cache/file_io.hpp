// Files in, as a copy in memory; for files out see atomic_file.hpp.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "cache/atomic_file.hpp"

namespace bayesloom {

/// A file's content, which `storage` keeps alive; it starts at a multiple of 8 bytes. An empty file
/// has empty content. What was read stays what it is, whatever becomes of the file. A map does not:
/// a file that another program makes shorter while it is mapped ends this process (SIGBUS), so maps
/// are for files too large for a copy. Throws InputError if the file cannot be read.
struct FileContent {
  enum class Mode { copy, map };
  explicit FileContent(std::string const& path, Mode mode = Mode::copy);
  std::string_view content;
  std::shared_ptr<void const> storage;
};

}  // namespace bayesloom
