// Files on disk that a long search can be resumed from.
//
// A search works in a private directory (class Scratch): mode 700, owned by the user, locked while the search runs.
// The lock is an flock, so it ends with the process, however that ends. Links are never followed, and every file read
// must belong to the same user. (On Windows the lock is one of a range of bytes, and who may read a file is left to
// the folder that the user chose.)
//
// Files appear atomically: they are written under another name, synced and renamed. Small files of words end with a
// checksum seeded with the key of the search and the name of the file, so that files of another search, or files that
// were renamed, are rejected. A failed write throws ResourceError, which names the directory and says how to resume;
// a damaged file throws InputError.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace bayesloom::order_graph {

/// An open file that is read and written at given places; closed at the end.
class ScratchFile {
 public:
  enum class Mode { read, write };
  ScratchFile(std::string path, Mode mode);
  ~ScratchFile();
  ScratchFile(ScratchFile&& other) noexcept;
  ScratchFile(ScratchFile const&) = delete;
  ScratchFile& operator=(ScratchFile const&) = delete;

  /// Safe from several threads at once.
  void write(void const* data, std::size_t bytes, std::uint64_t at) const;
  void read(void* data, std::size_t bytes, std::uint64_t at) const;
  /// Syncs what was written to the disk and waits for it.
  void sync() const;
  /// Starts to write a part back without waiting, so that `sync` is short.
  void begin_sync(std::size_t bytes, std::uint64_t at) const;
  std::string const& path() const { return path_; }
  std::size_t size() const;

 private:
  std::string path_;
  int descriptor_;
};

/// Throws ResourceError: what could not be done with a file, and why (a number of errno).
[[noreturn]] void fail(std::string const& doing, std::string const& path, int error);

/// Makes a directory for this user alone, or takes one that is so.
void make_directory(std::string const& path);
bool exists(std::string const& path);
void remove_file(std::string const& path);
void rename_file(std::string const& from, std::string const& to);
std::vector<std::string> files_in(std::string const& directory);
/// Removes the directory with the files and directories in it.
void remove_directory(std::string const& path);
double free_bytes(std::string const& directory);

/// Throws ResourceError if fewer than `bytes` are free; `what` begins the sentence.
void need_disk(std::string const& directory, double bytes, std::string const& what);

/// "12.3 GB" or "4.5 MB".
std::string size_text(double bytes);

/// The directory of one search: no other search has it at the same time.
class Scratch {
 public:
  /// Takes `parent`/`name`. Throws ResourceError if another search has it.
  Scratch(std::string const& parent, std::string const& name);
  /// Gives the lock back; removes the directory if there is nothing else in it.
  ~Scratch();
  Scratch(Scratch const&) = delete;
  Scratch& operator=(Scratch const&) = delete;

  std::string const& directory() const { return directory_; }

  /// All files of words from here on belong to the search with this key.
  void begin(std::uint64_t key) {
    key_ = key;
    begun_ = true;
  }
  bool begun() const { return begun_; }

  void write_words(std::string const& path, std::vector<std::uint64_t> words) const;
  std::vector<std::uint64_t> read_words(std::string const& path) const;

  /// Removes everything in it; the lock stays.
  void clear() const;
  /// Removes it.
  void finish();

  // How many bytes the files hold, now and at most.
  void add(double bytes) {
    now_ += bytes;
    if (now_ > most_) most_ = now_;
  }
  void remove(double bytes) { now_ -= bytes; }
  double most() const { return most_; }
  double now() const { return now_; }

 private:
  bool lock();
  void unlock();
  std::uint64_t checksum(std::string const& path, std::vector<std::uint64_t> const& words) const;

  std::string const directory_;
  int lock_ = -1;
  std::uint64_t key_ = 0;
  bool begun_ = false;
  double now_ = 0, most_ = 0;
};

}  // namespace bayesloom::order_graph
