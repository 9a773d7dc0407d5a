// Files out: a plain file whole or not at all, anything else written through.
//
// Every file that Bayesloom writes goes through here, also those that Python makes. A plain file is
// written under a temporary name in the same folder, flushed to disk and renamed, so that a reader, a
// full disk or a kill at any moment meets the old file or the new one and nothing between. What is
// not a plain file (a device, a pipe, a descriptor that was handed to us as /dev/stdout or /dev/fd/N)
// cannot be replaced: it is written as it is.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

struct stat;

namespace bayesloom {

/// A file to write. Without `commit` nothing of a plain file remains. Links are followed, the mode and
/// if possible the owner of a file that is replaced are kept, and one that is write-protected is
/// refused. Throws InputError, or ResourceError when the disk is full.
class AtomicFile {
 public:
  explicit AtomicFile(std::string const& path);
  ~AtomicFile();
  AtomicFile(AtomicFile const&) = delete;
  AtomicFile& operator=(AtomicFile const&) = delete;

  void write(void const* data, std::size_t size);
  void write(std::string_view text) { write(text.data(), text.size()); }
  std::uint64_t written() const { return written_; }
  void commit();
  /// Ends without a file; what was written through stays written.
  void abandon() noexcept;

 private:
  bool follow_link();
  bool open_descriptor();
  void open_through(struct stat const& status);
  void open_temporary(struct stat const* replaced);
  [[noreturn]] void fail(int error) const;
  [[noreturn]] void refuse(std::string const& why) const;

  std::string shown_;      // as the caller named it, for messages
  std::string target_;     // links followed
  std::string temporary_;  // empty: written through
  int file_ = -1;
  std::uint64_t written_ = 0;
};

/// Removes the temporary files of all that is being written now; for a process about to end.
void remove_unfinished_files() noexcept;

}  // namespace bayesloom
