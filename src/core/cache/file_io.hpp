// Files in, as a copy in memory; files out, whole or not at all. POSIX.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

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

/// A file that appears under its name only once it is complete: written under a temporary name in
/// the same folder, flushed to disk, renamed, and the folder flushed. Without `commit` nothing remains. A symbolic link is
/// followed, so that the file it points to is replaced and not the link. Refuses devices and
/// folders. Throws InputError, or ResourceError when the disk is full.
class AtomicFile {
 public:
  explicit AtomicFile(std::string const& path);
  ~AtomicFile();
  AtomicFile(AtomicFile const&) = delete;
  AtomicFile& operator=(AtomicFile const&) = delete;

  void write(void const* data, std::size_t size);
  void write(std::string_view text) { write(text.data(), text.size()); }
  void commit();

 private:
  [[noreturn]] void fail(int error) const;

  std::string shown_;  // as the caller named it, for messages
  std::string target_;
  std::string temporary_;
  int file_ = -1;
};

}  // namespace bayesloom
