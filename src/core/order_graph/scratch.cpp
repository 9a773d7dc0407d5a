#include "order_graph/scratch.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <exception>
#include <filesystem>
#include <system_error>

#include "base/checksum.hpp"
#include "base/errors.hpp"
#include "base/paths.hpp"

namespace bayesloom::order_graph {

namespace fs = std::filesystem;

namespace {

bool disk_full(int error) {
#ifdef EDQUOT
  if (error == EDQUOT) return true;
#endif
  return error == ENOSPC || error == EFBIG;
}

/// The reason as errno would tell it.
int number_of(std::error_code const& error) { return error.default_error_condition().value(); }

}  // namespace

void fail(std::string const& doing, std::string const& path, int error) {
  if (disk_full(error))
    throw ResourceError(
        "the disk is full: " + path + " cannot be written. Free some space in " +
        text_of(path_of(path).parent_path()) +
        " and call again with resume: in a scratch directory that was named, what is "
        "finished is kept.");
  throw ResourceError("cannot " + doing + " " + path + ": " + std::strerror(error) + ".");
}

void remove_file(std::string const& path) {
  std::error_code ignored;  // a file that stays behind costs space, nothing else
  fs::remove(path_of(path), ignored);
}

void rename_file(std::string const& from, std::string const& to) {
  std::error_code error;
  fs::rename(path_of(from), path_of(to), error);
  if (error) fail("rename", from, number_of(error));
}

std::vector<std::string> files_in(std::string const& directory) {
  std::vector<std::string> out;
  for (auto const& entry : fs::directory_iterator(path_of(directory)))
    out.push_back(text_of(entry.path()));
  std::sort(out.begin(), out.end());
  return out;
}

void remove_directory(std::string const& path) {
  std::error_code ignored;
  fs::remove_all(path_of(path), ignored);
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
  fs::create_directories(path_of(parent), error);
  if (error) fail("make the directory", parent, number_of(error));
  // A search that ends removes directory and lock, perhaps after we saw them: then it is tried
  // again.
  for (int attempt = 0; attempt < 100; ++attempt)
    if (lock()) return;
  throw ResourceError(directory_ + " comes and goes; give another scratch directory.");
}

Scratch::~Scratch() {
  if (lock_ < 0) return;
  try {
    if (files_in(directory_).size() == 1) finish();
  } catch (std::exception const&) {
    // it stays: that costs space, nothing else
  }
  if (lock_ >= 0) unlock();
}

void Scratch::clear() const {
  for (auto const& file : files_in(directory_))
    if (!file.ends_with("/lock")) remove_directory(file);
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
