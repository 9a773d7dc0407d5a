// Files in, by memory map; files out, whole or not at all. POSIX.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

namespace bayesloom {

/// A file's content, mapped read-only; `storage` keeps it mapped. An empty file has empty content.
/// Throws InputError if the file cannot be read.
struct MappedFile {
  explicit MappedFile(std::string const& path);
  std::string_view content;
  std::shared_ptr<void const> storage;
};

/// A file that appears under its name only once it is complete: written under a temporary name in
/// the same folder, flushed to disk, renamed. Without `commit` nothing remains. A symbolic link is
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
