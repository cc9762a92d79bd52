#include "results/compress.hpp"

#include <algorithm>
#include <vector>

#include "results/contents.hpp"
#include "results/new_file.hpp"

namespace assay::results {
namespace {

void copy_rows(const Dataset& from, Dataset& to) {
  const Handle type = from.type();
  const std::uint64_t block = to.chunk_rows();
  std::vector<char> bytes(block * from.width() * H5Tget_size(type.get()));
  for (std::uint64_t first = 0; first < from.rows(); first += block) {
    const std::uint64_t rows = std::min(block, from.rows() - first);
    from.read(type.get(), bytes.data(), first, rows);
    to.append(type.get(), bytes.data(), rows);
  }
}

}  // namespace

void replace_by_compressed_copy(const std::filesystem::path& path, const RunInfo& info) {
  NewFile copy(path, info.run_id);
  {
    const Handle source = open_file_for_reading(path);
    OutputFile target(copy, Storage::final);
    Contents contents = create_contents(target.get(), info, Storage::final);
    contents.for_each([&](std::string_view name, Dataset& to) {
      copy_rows(Dataset::open(source.get(), name), to);
      to.close();
    });
    target.close();
  }
  synchronize(copy.path());
  copy.replace_target();
}

}  // namespace assay::results
