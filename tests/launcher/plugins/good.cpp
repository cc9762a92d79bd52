#include "core/error.hpp"
#include "core/plugin.hpp"
#include "launcher/build_info.hpp"

namespace assay {
namespace {

class OneCard final : public DeviceBackend {
 public:
  std::vector<DeviceIdentity> devices() override {
    DeviceIdentity card;
    card.ordinal = 0;
    card.name = "made up";
    return {card};
  }
  std::unique_ptr<Device> open(int) override { throw environment_error("no such card", "made up for a test"); }
  std::vector<Part> parts() override { return {}; }
  [[nodiscard]] bool emulated() const override { return true; }
};

void register_cases(Registry& registry) {
  CaseInfo info;
  info.name = "made.up";
  info.axes = [](const Layout&) { return std::vector<Axis>{}; };
  info.make = [](Context&, const Point&) -> std::unique_ptr<Case> { throw environment_error("never runs"); };
  registry.add(info);
}

std::unique_ptr<DeviceBackend> open_backend() { return std::make_unique<OneCard>(); }

}  // namespace
}  // namespace assay

extern "C" __attribute__((visibility("default"))) const assay::Plugin* assay_plugin() {
  static const std::string abi = assay::plugin_abi(assay::build_info().build_id());
  static const assay::Plugin plugin{abi.c_str(), "a test", assay::register_cases, assay::open_backend};
  return &plugin;
}
