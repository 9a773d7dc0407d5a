// State of long work on disk, so that a killed run can go on.
//
// A checkpoint is a sequence of arrays of plain numbers between a header (magic, version, and a fingerprint of data,
// score and options) and an XXH64 checksum. It replaces the previous one atomically, so a kill at any moment leaves a
// whole one. A checkpoint that is damaged, or of other work, is refused: resuming from it would give a wrong cache.
// It stays when the work is done, since the result is then only in memory; the caller removes the checkpoint after
// writing the result.
#pragma once

#include <chrono>
#include <cstdint>
#include <cstring>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "base/checksum.hpp"
#include "base/errors.hpp"
#include "cache/file_io.hpp"
#include "data/encoded_data.hpp"
#include "score/score.hpp"

namespace bayesloom {

struct CheckpointOptions {
  std::string path;      ///< empty: none is written
  bool resume = false;   ///< go on from it if it is there
  double interval = 10;  ///< seconds between two of them
};

class CheckpointWriter {
 public:
  CheckpointWriter(std::string const& path, std::uint64_t fingerprint);

  template <typename T>
  void put(std::span<T const> values) {
    static_assert(std::is_trivially_copyable_v<T>);
    std::uint64_t const count = values.size();
    write(&count, sizeof count);
    write(values.data(), values.size_bytes());
  }
  template <typename T, typename Allocator>
  void put(std::vector<T, Allocator> const& values) {
    put(std::span<T const>(values));
  }
  void put(std::uint64_t value) { put(std::span<std::uint64_t const>(&value, 1)); }
  void commit();

 private:
  void write(void const* data, std::size_t size);
  AtomicFile file_;
  Xxh64 sum_;
};

class CheckpointReader {
 public:
  /// Throws InputError if the file is damaged or belongs to other work.
  CheckpointReader(std::string const& path, std::uint64_t fingerprint);

  template <typename T, typename Allocator>
  void get(std::vector<T, Allocator>& values) {
    std::uint64_t count = 0;
    read(&count, sizeof count);
    if (count > (file_.content.size() - at_) / sizeof(T)) damaged();
    values.resize(count);
    read(values.data(), count * sizeof(T));
  }
  std::uint64_t get() {
    std::vector<std::uint64_t> one;
    get(one);
    if (one.size() != 1) damaged();
    return one.front();
  }

 private:
  void read(void* target, std::size_t size);
  [[noreturn]] void damaged() const;
  std::string path_;
  FileContent file_;
  std::size_t at_ = 0;
};

bool checkpoint_exists(CheckpointOptions const& options);

/// Tells when the next checkpoint is due.
class CheckpointTimer {
 public:
  explicit CheckpointTimer(CheckpointOptions const& options)
      : on_(!options.path.empty()), interval_(options.interval) {}
  bool due() const {
    return on_ && std::chrono::duration<double>(Clock::now() - last_).count() >= interval_;
  }
  void written() { last_ = Clock::now(); }

 private:
  using Clock = std::chrono::steady_clock;
  bool on_;
  double interval_;
  Clock::time_point last_ = Clock::now();
};

/// A number that changes with the data, the score and whatever else is added.
std::uint64_t work_fingerprint(EncodedData const& data, ScoreSpec const& spec,
                               std::initializer_list<double> options);

}  // namespace bayesloom
