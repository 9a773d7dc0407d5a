#include "order_graph/scratch.hpp"

#include <fcntl.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <utility>

#include "base/checksum.hpp"
#include "base/errors.hpp"

namespace bayesloom {

namespace fs = std::filesystem;

namespace {

[[noreturn]] void fail(std::string const& doing, std::string const& path, int error) {
  if (error == ENOSPC || error == EDQUOT || error == EFBIG)
    throw ResourceError("the disk is full: " + path + " cannot be written. Free some space in " +
                        fs::path(path).parent_path().string() +
                        " and call again with resume; what is finished is kept.");
  throw ResourceError("cannot " + doing + " " + path + ": " + std::strerror(error) + ".");
}

}  // namespace

ScratchFile::ScratchFile(std::string path, Mode mode)
    : path_(std::move(path)),
      descriptor_(open(path_.c_str(), mode == Mode::read ? O_RDONLY : O_RDWR | O_CREAT | O_TRUNC, 0666)) {
  if (descriptor_ < 0) fail("open", path_, errno);
}

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
  (void)!sync_file_range(descriptor_, static_cast<off_t>(at), static_cast<off_t>(bytes), SYNC_FILE_RANGE_WRITE);
#else
  static_cast<void>(bytes + at);
#endif
}

void make_directory(std::string const& path) {
  std::error_code error;
  fs::create_directories(path, error);
  if (error) fail("make the directory", path, error.value());
}

bool exists(std::string const& path) { return fs::exists(path); }

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
  throw ResourceError(what + " needs " + size_text(bytes) + " of disk, and " + directory + " has " +
                      size_text(there) +
                      " left. Free some space and call again with resume, or give another "
                      "scratch directory; what is finished is kept.");
}

void write_words(std::string const& path, std::vector<std::uint64_t> words) {
  Xxh64 sum;
  sum.update(words.data(), words.size() * sizeof words[0]);
  words.push_back(sum.digest());
  std::string const unfinished = path + ".new";
  {
    ScratchFile const file(unfinished, ScratchFile::Mode::write);
    file.write(words.data(), words.size() * sizeof words[0], 0);
    file.sync();
  }
  rename_file(unfinished, path);
}

std::vector<std::uint64_t> read_words(std::string const& path) {
  std::vector<std::uint64_t> words(fs::file_size(path) / sizeof(std::uint64_t));
  ScratchFile const file(path, ScratchFile::Mode::read);
  file.read(words.data(), words.size() * sizeof words[0], 0);
  if (!words.empty()) {
    std::uint64_t const expected = words.back();
    words.pop_back();
    Xxh64 sum;
    sum.update(words.data(), words.size() * sizeof words[0]);
    if (sum.digest() == expected) return words;
  }
  throw InputError(path + " is damaged; remove its directory and begin anew.");
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

}  // namespace bayesloom
