// Files on disk that a long search can be resumed from.
//
// Whole files appear at once: they are written under another name, brought to the disk and renamed.
// Small files of words end with a checksum. Every failed write is a ResourceError that names the
// directory and says how to go on; a file that does not hold what it should is an InputError.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace bayesloom {

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
  /// Brings what was written to the disk and waits for it.
  void sync() const;
  /// Begins to bring a part to the disk and does not wait: `sync` is then short.
  void begin_sync(std::size_t bytes, std::uint64_t at) const;
  std::string const& path() const { return path_; }

 private:
  std::string path_;
  int descriptor_;
};

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

void write_words(std::string const& path, std::vector<std::uint64_t> words);
std::vector<std::uint64_t> read_words(std::string const& path);

/// "12.3 GB" or "4.5 MB".
std::string size_text(double bytes);

/// How many bytes the files under the scratch directory hold, now and at most.
class DiskUse {
 public:
  void add(double bytes) {
    now_ += bytes;
    if (now_ > most_) most_ = now_;
  }
  void remove(double bytes) { now_ -= bytes; }
  double most() const { return most_; }
  double now() const { return now_; }

 private:
  double now_ = 0, most_ = 0;
};

}  // namespace bayesloom
