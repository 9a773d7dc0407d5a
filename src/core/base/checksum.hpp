// XXH64, the 64-bit xxHash, written from its public specification (doc/xxhash_spec.md of xxHash):
// a checksum that runs at memory speed and finds every damage that is not made on purpose. It is
// no cryptographic signature.
//
// The input is read in stripes of 32 bytes by four accumulators, which are merged at the end; what
// is left is added in steps of 8, 4 and 1 bytes. All words are little-endian.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace bayesloom {

/// Feed it with `update` in pieces of any size; `digest` may be asked at any time.
class Xxh64 {
 public:
  explicit Xxh64(std::uint64_t seed = 0)
      : seed_(seed), lanes_{seed + prime1 + prime2, seed + prime2, seed, seed - prime1} {}

  void update(void const* data, std::size_t size) {
    if (size == 0) return;
    auto const* bytes = static_cast<unsigned char const*>(data);
    total_ += size;
    if (filled_ > 0) {
      std::size_t const taken = std::min(size, stripe - filled_);
      std::memcpy(buffer_.data() + filled_, bytes, taken);
      filled_ += taken;
      bytes += taken;
      size -= taken;
      if (filled_ < stripe) return;
      consume(buffer_.data());
      filled_ = 0;
    }
    for (; size >= stripe; bytes += stripe, size -= stripe) consume(bytes);
    std::memcpy(buffer_.data(), bytes, size);
    filled_ = size;
  }

  std::uint64_t digest() const {
    std::uint64_t hash = seed_ + prime5;
    if (total_ >= stripe) {
      hash = std::rotl(lanes_[0], 1) + std::rotl(lanes_[1], 7) + std::rotl(lanes_[2], 12) +
             std::rotl(lanes_[3], 18);
      for (std::uint64_t const lane : lanes_)
        hash = (hash ^ round(0, lane)) * prime1 + prime4;
    }
    hash += total_;
    std::size_t at = 0;
    for (; at + 8 <= filled_; at += 8)
      hash = std::rotl(hash ^ round(0, load<std::uint64_t>(&buffer_[at])), 27) * prime1 + prime4;
    if (at + 4 <= filled_) {
      hash = std::rotl(hash ^ (load<std::uint32_t>(&buffer_[at]) * prime1), 23) * prime2 + prime3;
      at += 4;
    }
    for (; at < filled_; ++at) hash = std::rotl(hash ^ (buffer_[at] * prime5), 11) * prime1;
    hash = (hash ^ (hash >> 33)) * prime2;
    hash = (hash ^ (hash >> 29)) * prime3;
    return hash ^ (hash >> 32);
  }

 private:
  static constexpr std::uint64_t prime1 = 0x9E3779B185EBCA87ULL;
  static constexpr std::uint64_t prime2 = 0xC2B2AE3D27D4EB4FULL;
  static constexpr std::uint64_t prime3 = 0x165667B19E3779F9ULL;
  static constexpr std::uint64_t prime4 = 0x85EBCA77C2B2AE63ULL;
  static constexpr std::uint64_t prime5 = 0x27D4EB2F165667C5ULL;
  static constexpr std::size_t stripe = 32;

  template <typename Word>
  static std::uint64_t load(unsigned char const* bytes) {
    if constexpr (std::endian::native == std::endian::little) {
      Word word;
      std::memcpy(&word, bytes, sizeof word);
      return word;
    }
    std::uint64_t word = 0;
    for (std::size_t i = sizeof(Word); i-- > 0;) word = (word << 8) | bytes[i];
    return word;
  }

  static std::uint64_t round(std::uint64_t lane, std::uint64_t word) {
    return std::rotl(lane + word * prime2, 31) * prime1;
  }

  void consume(unsigned char const* bytes) {
    for (std::size_t i = 0; i < 4; ++i)
      lanes_[i] = round(lanes_[i], load<std::uint64_t>(bytes + 8 * i));
  }

  std::uint64_t seed_;
  std::array<std::uint64_t, 4> lanes_;
  std::array<unsigned char, stripe> buffer_{};
  std::size_t filled_ = 0;
  std::uint64_t total_ = 0;
};

}  // namespace bayesloom
