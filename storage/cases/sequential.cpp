#include "core/registry.hpp"
#include "storage/block_case.hpp"

namespace assay {
namespace {

// 32 MiB an iteration: some milliseconds on a fast disk, a fifth of a second on a slow one.
constexpr BlockPattern pattern{.shuffled = false, .work_kind = WorkKind::bytes, .transfers = 32};

const Register registered({
    .name = "storage.sequential",
    .summary = "1 MiB blocks in order past the page cache, one file for each rank",
    .needs = {.path = true},
    .timing = Timing::per_rank,
    .combine = Combine::concurrent,
    .axes = [](const Layout&) { return block_axes("1048576", {{"32"}}); },
    .sets = block_sets,
    .make = [](Context& context, const Point& point) { return std::make_unique<BlockCase>(context, point, pattern); },
});

}  // namespace
}  // namespace assay
