#include "core/registry.hpp"
#include "storage/block_case.hpp"

namespace assay {
namespace {

// Some milliseconds an iteration at 100,000 operations/s; a second on a disk that seeks.
constexpr BlockPattern pattern{.shuffled = true, .work_kind = WorkKind::operations, .transfers = 256};

const Register registered({
    .name = "storage.random",
    .summary = "4 KiB blocks in random order past the page cache, one file for each rank",
    .needs = {.path = true},
    .timing = Timing::per_rank,
    .combine = Combine::concurrent,
    .axes =
        [](const Layout&) {
          return block_axes("4096", {{"32"}, {"1", Suite::full}});
        },
    .sets = block_sets,
    .make = [](Context& context, const Point& point) { return std::make_unique<BlockCase>(context, point, pattern); },
});

}  // namespace
}  // namespace assay
