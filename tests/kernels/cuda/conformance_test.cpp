// Every case of the plug-in, as a whole, one rank for each GPU of this node: makes, runs, is timed by the device,
// verifies, and its verify() notices planted corruption. conformance_test SUITE [NAME PART]

#include <fmt/format.h>

#include <cstdio>
#include <string>

#include "collectives/mpi/mpi_session.hpp"
#include "core/error.hpp"
#include "launcher/run/gpu_plugin.hpp"
#include "tests/launcher/case_trial.hpp"

namespace assay {
namespace {

Layout layout_of(Group& world, const GpuPlugin& plugin) {
  const int ranks = world.size();
  Layout layout = Layout::single_node(ranks, ranks);
  for (int rank = 0; rank < ranks; ++rank) layout.gpu_of.push_back(rank);
  layout.gpus_found = {static_cast<int>(plugin.devices().size())};
  const DeviceIdentity& first = plugin.devices().front();
  layout.gpu = {first.capability, first.memory_bytes, false, false};
  for (const auto& part : plugin.backend()->parts())
    if (part.name == "nccl") layout.gpu.nccl = !part.version.empty();
  return layout;
}

int check(Group& world, Suite suite, const std::string& name_part) {
  Registry all;
  const GpuPlugin plugin = GpuPlugin::load(all);
  if (plugin.backend() == nullptr || static_cast<int>(plugin.devices().size()) < world.size()) {
    fmt::print("{} ranks need as many GPUs: {}\n", world.size(), plugin.why_not());
    return 1;
  }
  Registry chosen;
  for (const CaseInfo& info : all.cases())
    if (info.name.find(name_part) != std::string::npos) chosen.add(info);
  const Layout layout = layout_of(world, plugin);
  const std::unique_ptr<Device> device = plugin.backend()->open(world.rank());
  BufferPool buffers;
  return testing::check_all_cases({world, layout, buffers, {}, testing::usable_cpus(), device.get()}, chosen, suite);
}

}  // namespace
}  // namespace assay

int main(int argc, char** argv) {
  using namespace assay;
  MpiSession mpi;
  const auto suite = parse_suite(argc > 1 ? argv[1] : "quick");
  if (!suite) return 2;
  try {
    return check(mpi.world(), *suite, argc > 2 ? argv[2] : "") > 0 ? 1 : 0;
  } catch (const Error& error) {
    fmt::print("{} ({})\n", error.what(), error.hint());
    return 1;
  }
}
