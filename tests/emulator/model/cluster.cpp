#include "tests/emulator/model/cluster.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <memory>

#include "tests/emulator/model/environment.hpp"
#include "tests/emulator/model/noise.hpp"

namespace emulator {
namespace {

/// The number in an environment variable; gives up when it is none.
std::uint64_t number_of(const char* name, const std::string& text) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size())
    give_up(fmt::format("{}='{}' is no number", name, text));
  return value;
}

std::string host_name() {
  std::array<char, 256> name{};
  ::gethostname(name.data(), name.size() - 1);
  return name.data();
}

}  // namespace

int Gpu::nvlinks_up() const { return static_cast<int>(std::count(nvlinks.begin(), nvlinks.end(), true)); }

const Cluster& Cluster::current() {
  // Never destroyed: threads of streams may look at it while the process ends.
  static const Cluster* const cluster = std::make_unique<Cluster>([] {
                                          const auto file = environment("ASSAY_EMULATOR_CLUSTER");
                                          if (file.empty()) give_up("ASSAY_EMULATOR_CLUSTER names no cluster file");
                                          try {
                                            Cluster result = read(file, environment("ASSAY_EMULATOR_FAULTS"));
                                            const auto seed = environment("ASSAY_EMULATOR_SEED");
                                            if (!seed.empty()) {
                                              result.seed_ = number_of("ASSAY_EMULATOR_SEED", seed);
                                              result.draw_speeds();
                                            }
                                            return result;
                                          } catch (const ConfigError& error) {
                                            give_up(error.what());
                                          }
                                        }())
                                            .release();
  return *cluster;
}

void Cluster::draw_speeds() {
  for (auto& node : nodes_) {
    for (auto& gpu : node.gpus) {
      const auto who =
          mix(mix(seed_, 0x5eed), mix(static_cast<std::uint64_t>(gpu.node), static_cast<std::uint64_t>(gpu.slot)));
      gpu.speed = normal_factor(card_sigma_, who);
    }
  }
}

const Node& Cluster::this_node() const {
  const auto number = environment("ASSAY_EMULATOR_NODE");
  if (!number.empty()) {
    const auto index = number_of("ASSAY_EMULATOR_NODE", number);
    if (index >= nodes_.size())
      give_up(fmt::format("ASSAY_EMULATOR_NODE={}: there are {} nodes", number, nodes_.size()));
    return nodes_[index];
  }
  const auto host = host_name();
  const auto at = std::find_if(nodes_.begin(), nodes_.end(), [&](const Node& node) { return node.host == host; });
  if (at != nodes_.end()) return *at;
  if (nodes_.size() != 1) give_up(fmt::format("host '{}' is no node of cluster '{}'", host, name_));
  return nodes_.front();
}

}  // namespace emulator
