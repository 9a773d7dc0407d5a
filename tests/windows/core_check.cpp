// Files, locks, memory, threads and solvers of the core, without Python: what it prints must be the same on every
// system. Usage: core_check FOLDER (empty, and for this program alone).
#include <cstdio>
#include <iostream>
#include <string>
#include <vector>

#include "base/errors.hpp"
#include "base/parallel.hpp"
#include "base/paths.hpp"
#include "base/rng.hpp"
#include "base/system.hpp"
#include "cache/atomic_file.hpp"
#include "cache/binary_file.hpp"
#include "cache/file_io.hpp"
#include "cache/jkl.hpp"
#include "cache/text_lines.hpp"
#include "order_graph/order_graph.hpp"
#include "order_graph/scratch.hpp"
#include "order_search/order_search.hpp"
#include "relaxation/relaxation.hpp"

namespace {

using namespace bayesloom;

int wrong = 0;

void check(bool holds, char const* what) {
  std::cout << (holds ? "ok     " : "WRONG  ") << what << '\n';
  if (!holds) ++wrong;
}

template <typename Error, typename Call>
bool throws(Call&& call) {
  try {
    call();
  } catch (Error const&) {
    return true;
  }
  return false;
}

std::string content_of(std::string const& path) { return std::string(FileContent(path).content); }

void write_file(std::string const& path, std::string_view text) {
  AtomicFile file(path);
  file.write(text);
  file.commit();
}

void files(std::string const& folder) {
  std::string const path = folder + "/t\xC3\xA4st file.txt";
  write_file(path, "first\n");
  check(content_of(path) == "first\n", "a file with a name that is not ASCII");
  {
    AtomicFile half(path);
    half.write("half");
  }
  check(content_of(path) == "first\n", "a file that was not committed changes nothing");
  write_file(path, "second\nline");
  check(content_of(path) == "second\nline", "a file is replaced");
  std::string const all("a\r\nb\x1A\0c", 7);
  write_file(path, all);
  check(content_of(path) == all, "bytes are kept as they are");
  {
    FileContent const map(path, FileContent::Mode::map);
    check(map.content == all, "a file is mapped");
  }
  check(throws<InputError>([&] { FileContent(folder + "/none"); }), "a file that is not there");
  check(throws<InputError>([&] { AtomicFile(folder + "/none/file"); }),
        "a folder that is not there");
  check(throws<InputError>([&] { AtomicFile file(folder); }), "a folder is not a file");
  check(order_graph::files_in(folder).size() == 1, "no temporary file is left");
}

void scratch(std::string const& folder) {
  using namespace order_graph;
  {
    Scratch mine(folder, "search");
    mine.begin(7);
    check(throws<ResourceError>([&] { Scratch other(folder, "search"); }), "a folder is locked");
    std::string const words = mine.directory() + "/words";
    mine.write_words(words, {1, 2, 3});
    mine.write_words(words, {1, 2, 3, 4});
    check(mine.read_words(words) == std::vector<std::uint64_t>({1, 2, 3, 4}), "words, replaced");
    {
      ScratchFile const file(mine.directory() + "/far", ScratchFile::Mode::write);
      std::uint64_t const value = 42;
      file.write(&value, sizeof value, (std::uint64_t{1} << 32) + 8);
      file.sync();
      std::uint64_t read = 0;
      file.read(&read, sizeof read, (std::uint64_t{1} << 32) + 8);
      check(read == 42 && file.size() == (std::uint64_t{1} << 32) + 16, "a place beyond 4 GB");
      check(throws<InputError>([&] { file.read(&read, 8, (std::uint64_t{1} << 32) + 16); }),
            "the end of a file");
    }
    check(free_bytes(folder) > 0, "free bytes");
    mine.finish();
  }
  check(!exists(folder + "/search"), "a finished search leaves nothing");
}

void system(std::string const&) {
  std::size_t const bytes = std::size_t{1} << 30;
  auto* const memory = static_cast<char*>(system_calls::reserve_memory(bytes));
  check(memory != nullptr && memory[0] == 0 && memory[bytes - 1] == 0, "memory full of zeros");
  system_calls::release_memory(memory, bytes);
  check(system_calls::processors() >= 1, "processors");
  std::vector<std::size_t> sums(100);
  parallel_for(4, sums.size(), [&](std::size_t task, std::size_t) { sums[task] = task; });
  std::size_t sum = 0;
  for (std::size_t const s : sums) sum += s;
  check(sum == 4950, "four threads");
}

void solvers(std::string const& folder) {
  Rng rng(11);
  std::string file = "16\n";
  for (std::size_t v = 0; v < 16; ++v) {
    file += "X" + std::to_string(v) + " 105\n-99.5 0\n";
    std::size_t written = 1;
    for (std::size_t a = 0; a < 16; ++a)
      for (std::size_t b = a + 1; b < 16 && written < 105; ++b) {
        if (a == v || b == v) continue;
        file += "-" + std::to_string(40 + rng.below(50)) + "." +
                std::to_string(100 + rng.below(900)) + " 2 X" + std::to_string(a) + " X" +
                std::to_string(b) + "\n";
        ++written;
      }
  }
  std::string const path = folder + "/cache.jkl";
  write_file(path, file);
  ScoreCache const cache = read_jkl(content_of(path), path);
  {
    std::string again;
    TextSink sink([&](std::string_view piece) { again += piece; });
    write_jkl(cache, sink);
    sink.flush();
    check(read_jkl(again, "again") == cache, "a score file is written and read again");
    std::cout << "candidates " << cache.candidate_count() << ", text " << again.size()
              << " bytes\n";
  }
  auto const show = [](char const* name, SolveResult const& result) {
    std::cout << name << ": score " << result.score << ", bound " << result.bound << ", work "
              << result.work << '\n';
    check(result.optimal(), "optimal");
    return result.score;
  };
  Control control;
  Fixed const truth = show("dp", subset_dp(cache, {}, control));
  check(show("astar", astar(cache, {}, control)) == truth, "astar agrees");
  for (auto const dense : {BfbnbOptions::Dense::never, BfbnbOptions::Dense::always}) {
    BfbnbOptions options;
    options.scratch = folder + "/disk";
    options.dense = dense;
    options.threads = 2;
    options.memory_bytes = 1e9;
    check(show("bfbnb", bfbnb(cache, options, control).result) == truth,
          "the search on disk agrees");
  }
  BblpOptions options;
  options.seed = 3;
  check(show("bblp", bblp(cache, options, control)) == truth, "bblp agrees");
}

}  // namespace

int main(int count, char** words) {
  if (count != 2) return 2;
  for (auto const part : {files, scratch, system, solvers}) {
    try {
      part(words[1]);
      order_graph::remove_file(std::string(words[1]) + "/none");
    } catch (std::exception const& error) {
      std::cout << "WRONG  " << error.what() << '\n';
      ++wrong;
    }
    std::cout.flush();
  }
  std::cout << wrong << " wrong\n";
  return wrong > 0;
}
