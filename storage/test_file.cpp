#include "storage/test_file.hpp"

#include <algorithm>

#include "core/random.hpp"
#include "storage/io_engine.hpp"
#include "storage/signature.hpp"

namespace assay {
namespace {

constexpr std::size_t fill_block_bytes = std::size_t{1} << 20;
constexpr int fill_depth = 8;

}  // namespace

TestFile::TestFile(const std::filesystem::path& directory, std::uint64_t seed, int rank)
    : file_(directory, seed, rank), seed_(mix(seed, static_cast<std::uint64_t>(rank))) {}

void TestFile::extend(std::uint64_t bytes, std::string_view engine_name, BufferPool& buffers) {
  if (bytes <= written_) return;
  file_.reserve(bytes);
  generations_.resize(std::max<std::size_t>(generations_.size(), bytes / signed_block_bytes));
  const BufferPool::Block block = buffers.take(fill_depth * fill_block_bytes);
  const std::span<std::byte> memory{block.data(), fill_depth * fill_block_bytes};
  write_fillers(memory, seed_);
  const auto engine =
      make_io_engine(engine_name, {file_.descriptor(), file_.path(), memory, fill_block_bytes, fill_depth});

  std::uint64_t offset = written_;
  const auto write_next = [&](int slot) {
    if (offset >= bytes) return;
    const std::size_t at = static_cast<std::size_t>(slot) * fill_block_bytes;
    sign(memory.subspan(at, fill_block_bytes), offset, at / signed_block_bytes);
    engine->queue(slot, IoOp::write, offset);
    offset += fill_block_bytes;
  };
  for (int slot = 0; slot < fill_depth; ++slot) write_next(slot);
  while (engine->in_flight() > 0) {
    for (const int slot : engine->wait(1)) write_next(slot);
  }
  file_.flush();
  written_ = bytes;
}

void TestFile::sign(std::span<std::byte> memory, std::uint64_t offset, std::uint64_t filler) {
  for (std::size_t at = 0; at < memory.size(); at += signed_block_bytes, ++filler) {
    const std::uint32_t generation = ++generations_[(offset + at) / signed_block_bytes];
    sign_block(memory.subspan(at, signed_block_bytes),
               {seed_, offset + at, generation, static_cast<std::uint32_t>(filler)});
  }
}

void TestFile::check(std::span<const std::byte> memory, std::uint64_t offset, Check& result) const {
  for (std::size_t at = 0; at < memory.size(); at += signed_block_bytes) {
    const std::uint32_t generation = generations_[(offset + at) / signed_block_bytes];
    auto fault = find_fault(memory.subspan(at, signed_block_bytes), seed_, offset + at, generation);
    ++result.checked;
    if (!fault) continue;
    if (result.wrong++ == 0) result.first = file_.path().string() + ": " + *fault;
  }
}

std::shared_ptr<TestFile> test_file_of_rank(const Context& context, std::uint64_t bytes, std::string_view engine) {
  // A rank is one thread of its process, and the file must outlive the cases that share it.
  thread_local std::shared_ptr<TestFile> kept;
  thread_local std::filesystem::path kept_directory;
  try {
    if (!kept || kept_directory != context.path) {
      kept.reset();
      kept = std::make_shared<TestFile>(context.path, context.seed, context.group.rank());
      kept_directory = context.path;
    }
    kept->extend(bytes, engine, context.buffers);
    return kept;
  } catch (...) {
    kept.reset();
    throw;
  }
}

}  // namespace assay
