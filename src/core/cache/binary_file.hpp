// Bayesloom's own file of a score cache, .blc: the arrays of score_cache.hpp as they lie in memory,
// so that reading is copying, or mapping where a file is too large for that (file_io.hpp). But for the
// numbers of parents, which have 32 bits in memory and 16 in files of up to 65,535 variables: these are
// always copied.
//
//   offset
//   0    8 bytes   magic: 89 42 4C 43 0D 0A 1A 0A  ("BLC" in an envelope that text tools break)
//   8    uint32    version, 1; 2 with more than 65,535 variables
//   12   uint32    byte order mark 0x0A0B0C0D
//   16   uint64    size of the file
//   24   uint64    number of variables n, of candidates m, of parents, of bytes of names, of info
//   64   uint64    offsets of the eight sections, in this order:
//                    first (n + 1 uint64), scores (m int64), parent_first (m + 1 uint64),
//                    parents (uint16, in version 2 uint32), cardinalities (n uint32),
//                    name_first (n + 1 uint64), names (UTF-8, one after the other),
//                    info (UTF-8 JSON)
//   128  ...       the sections, each at a multiple of 64, zero bytes between them
//   end - 8        uint64: XXH64 of everything before
//
// Nothing in it depends on when or where it was written: the same cache gives the same bytes.
// On reading the checksum is compared first and then every invariant of score_cache.hpp is checked,
// so that even a file with a correct checksum cannot break a solver. All of it is refused or all of
// it is read. Files of the other byte order are refused; text formats carry a cache across.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "cache/score_cache.hpp"

namespace bayesloom {

/// The cache in `content`, which must start at a multiple of 8 bytes and which `storage` keeps
/// alive. Throws InputError with the offset of the damage. `file` is for messages.
ScoreCache read_binary(std::string_view content, std::shared_ptr<void const> storage,
                       std::string const& file);

/// The same from bytes at any address: they are copied.
ScoreCache read_binary_copy(std::string_view content, std::string const& file);

/// Hands the bytes of the file to `out`, piece by piece.
void write_binary(ScoreCache const& cache,
                  std::function<void(void const*, std::size_t)> const& out);

}  // namespace bayesloom
