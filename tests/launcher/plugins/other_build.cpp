#include "core/plugin.hpp"

namespace {

void register_cases(assay::Registry& registry) { registry.add({}); }

}  // namespace

extern "C" __attribute__((visibility("default"))) const assay::Plugin* assay_plugin() {
  static const assay::Plugin plugin{"0.0.1 of last year", "another build", register_cases, nullptr};
  return &plugin;
}
