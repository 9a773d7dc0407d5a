#include "order_graph/scratch.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <exception>
#include <filesystem>
#include <utility>

#include "base/checksum.hpp"
#include "base/errors.hpp"

namespace bayesloom::order_graph {

namespace fs = std::filesystem;

namespace {

[[noreturn]] void fail(std::string const& doing, std::string const& path, int error) {
  if (error == ENOSPC || error == EDQUOT || error == EFBIG)
    throw ResourceError(
        "the disk is full: " + path + " cannot be written. Free some space in " +
        fs::path(path).parent_path().string() +
        " and call again with resume: in a scratch directory that was named, what is "
        "finished is kept.");
  throw ResourceError("cannot " + doing + " " + path + ": " + std::strerror(error) + ".");
}

[[noreturn]] void foreign(std::string const& path) {
  throw InputError(
      path +
      " is a link, of another kind or of another user than what a search leaves there, so "
      "it is not used. Remove it, or give another scratch directory.");
}

/// Opens for reading; refuses links and files of other users.
int open_own(std::string const& path) {
  int const descriptor = open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  if (descriptor < 0 && errno == ELOOP) foreign(path);
  if (descriptor < 0) fail("open", path, errno);
  struct stat status{};
  if (fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode) && status.st_uid == geteuid())
    return descriptor;
  close(descriptor);
  foreign(path);
}

/// Opens a new file for writing; an existing one is removed first, never written through.
int open_new(std::string const& path) {
  for (int attempt = 0; attempt < 2; ++attempt) {
    int const descriptor =
        open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (descriptor >= 0) return descriptor;
    if (errno != EEXIST || unlink(path.c_str()) != 0) break;
  }
  fail("open", path, errno);
}

}  // namespace

ScratchFile::ScratchFile(std::string path, Mode mode)
    : path_(std::move(path)), descriptor_(mode == Mode::read ? open_own(path_) : open_new(path_)) {}

ScratchFile::~ScratchFile() {
  if (descriptor_ >= 0) close(descriptor_);
}

ScratchFile::ScratchFile(ScratchFile&& other) noexcept
    : path_(std::move(other.path_)), descriptor_(std::exchange(other.descriptor_, -1)) {}

void ScratchFile::write(void const* data, std::size_t bytes, std::uint64_t at) const {
  auto const* from = static_cast<char const*>(data);
  while (bytes > 0) {
    ssize_t const done = pwrite(descriptor_, from, bytes, static_cast<off_t>(at));
    if (done < 0 && errno == EINTR) continue;
    if (done <= 0) fail("write", path_, done < 0 ? errno : ENOSPC);
    from += done;
    at += static_cast<std::uint64_t>(done);
    bytes -= static_cast<std::size_t>(done);
  }
}

void ScratchFile::read(void* data, std::size_t bytes, std::uint64_t at) const {
  auto* to = static_cast<char*>(data);
  while (bytes > 0) {
    ssize_t const done = pread(descriptor_, to, bytes, static_cast<off_t>(at));
    if (done < 0 && errno == EINTR) continue;
    if (done < 0) fail("read", path_, errno);
    if (done == 0) throw InputError(path_ + " ends too early; remove it and begin anew.");
    to += done;
    at += static_cast<std::uint64_t>(done);
    bytes -= static_cast<std::size_t>(done);
  }
}

void ScratchFile::sync() const {
  if (fdatasync(descriptor_) != 0) fail("write", path_, errno);
}

void ScratchFile::begin_sync(std::size_t bytes, std::uint64_t at) const {
#ifdef SYNC_FILE_RANGE_WRITE
  (void)!sync_file_range(descriptor_, static_cast<off_t>(at), static_cast<off_t>(bytes),
                         SYNC_FILE_RANGE_WRITE);
#else
  static_cast<void>(bytes + at);
#endif
}

std::size_t ScratchFile::size() const {
  struct stat status{};
  if (fstat(descriptor_, &status) != 0) fail("look at", path_, errno);
  return static_cast<std::size_t>(status.st_size);
}

void make_directory(std::string const& path) {
  if (mkdir(path.c_str(), 0700) == 0) return;
  if (errno != EEXIST) fail("make the directory", path, errno);
  struct stat status{};
  if (lstat(path.c_str(), &status) != 0) return;  // gone again: whoever opens a file in it will see
  bool const for_others = (status.st_mode & (S_IWGRP | S_IWOTH)) != 0;
  if (!S_ISDIR(status.st_mode) || status.st_uid != geteuid() || for_others) foreign(path);
}

bool exists(std::string const& path) {
  struct stat status{};
  return lstat(path.c_str(), &status) == 0;
}

void remove_file(std::string const& path) {
  std::error_code ignored;  // a file that stays behind costs space, nothing else
  fs::remove(path, ignored);
}

void rename_file(std::string const& from, std::string const& to) {
  std::error_code error;
  fs::rename(from, to, error);
  if (error) fail("rename", from, error.value());
}

std::vector<std::string> files_in(std::string const& directory) {
  std::vector<std::string> out;
  for (auto const& entry : fs::directory_iterator(directory)) out.push_back(entry.path().string());
  std::sort(out.begin(), out.end());
  return out;
}

void remove_directory(std::string const& path) {
  std::error_code ignored;
  fs::remove_all(path, ignored);
}

double free_bytes(std::string const& directory) {
  struct statvfs info;
  if (statvfs(directory.c_str(), &info) != 0) fail("look at", directory, errno);
  return static_cast<double>(info.f_bavail) * static_cast<double>(info.f_frsize);
}

void need_disk(std::string const& directory, double bytes, std::string const& what) {
  double const there = free_bytes(directory);
  if (there >= bytes) return;
  throw ResourceError(
      what + " needs " + size_text(bytes) + " of disk, and " + directory + " has " +
      size_text(there) +
      " left. Give another scratch directory, or free some space and call again with "
      "resume: in a scratch directory that was named, what is finished is kept.");
}

Scratch::Scratch(std::string const& parent, std::string const& name)
    : directory_(parent + "/" + name) {
  std::error_code error;
  fs::create_directories(parent, error);
  if (error) fail("make the directory", parent, error.value());
  // A search that ends removes directory and lock, perhaps after we saw them: then it is tried
  // again.
  for (int attempt = 0; attempt < 100; ++attempt)
    if (lock()) return;
  throw ResourceError(directory_ + " comes and goes; give another scratch directory.");
}

/// False if the directory was removed meanwhile.
bool Scratch::lock() {
  make_directory(directory_);
  std::string const path = directory_ + "/lock";
  lock_ = open(path.c_str(), O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0600);
  if (lock_ < 0 && errno == ENOENT) return false;
  if (lock_ < 0 && errno == ELOOP) foreign(path);
  if (lock_ < 0) fail("open", path, errno);
  struct Closer {
    int& descriptor;
    bool keep = false;
    ~Closer() {
      if (!keep) close(std::exchange(descriptor, -1));
    }
  } closer{lock_};
  struct stat held{}, there{};
  if (fstat(lock_, &held) != 0) fail("look at", path, errno);
  if (!S_ISREG(held.st_mode) || held.st_uid != geteuid()) foreign(path);
  while (flock(lock_, LOCK_EX | LOCK_NB) != 0) {
    if (errno == EINTR) continue;
    if (errno != EWOULDBLOCK)
      throw ResourceError("cannot lock " + path + ": " + std::strerror(errno) +
                          ". Give a scratch directory on a file system that has locks.");
    throw ResourceError("another search of this score cache is at work in " + directory_ +
                        ". Wait until it ends, or give another scratch directory.");
  }
  // A lock on a file that was removed locks nobody out.
  closer.keep = lstat(path.c_str(), &there) == 0 && there.st_dev == held.st_dev &&
                there.st_ino == held.st_ino;
  return closer.keep;
}

Scratch::~Scratch() {
  if (lock_ < 0) return;
  try {
    if (files_in(directory_).size() == 1) finish();
  } catch (std::exception const&) {
    // it stays: that costs space, nothing else
  }
  if (lock_ >= 0) close(lock_);
}

void Scratch::clear() const {
  for (auto const& file : files_in(directory_))
    if (file != directory_ + "/lock") remove_directory(file);
}

void Scratch::finish() {
  clear();
  remove_file(directory_ + "/lock");
  rmdir(directory_.c_str());  // unless another search has begun in it, which is fine
  close(std::exchange(lock_, -1));
}

std::uint64_t Scratch::checksum(std::string const& path,
                                std::vector<std::uint64_t> const& words) const {
  Xxh64 sum(key_);
  std::string const name = path.substr(directory_.size());
  sum.update(name.data(), name.size());
  sum.update(words.data(), words.size() * sizeof words[0]);
  return sum.digest();
}

void Scratch::write_words(std::string const& path, std::vector<std::uint64_t> words) const {
  words.push_back(checksum(path, words));
  std::string const unfinished = path + ".new";
  {
    ScratchFile const file(unfinished, ScratchFile::Mode::write);
    file.write(words.data(), words.size() * sizeof words[0], 0);
    file.sync();
  }
  rename_file(unfinished, path);
}

std::vector<std::uint64_t> Scratch::read_words(std::string const& path) const {
  ScratchFile const file(path, ScratchFile::Mode::read);
  std::vector<std::uint64_t> words(file.size() / sizeof(std::uint64_t));
  file.read(words.data(), words.size() * sizeof words[0], 0);
  if (words.size() > 1) {
    std::uint64_t const expected = words.back();
    words.pop_back();
    if (checksum(path, words) == expected) return words;
  }
  throw InputError(path + " is damaged or of another search; remove its directory and begin anew.");
}

std::string size_text(double bytes) {
  char text[32];
  if (bytes >= 1e9) {
    std::snprintf(text, sizeof text, "%.1f GB", bytes / 1e9);
  } else {
    std::snprintf(text, sizeof text, "%.1f MB", bytes / 1e6);
  }
  return text;
}

}  // namespace bayesloom::order_graph
