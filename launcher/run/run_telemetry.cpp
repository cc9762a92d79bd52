#include "launcher/run/run_telemetry.hpp"

#include <fmt/format.h>

#include "inventory/nic_counters.hpp"
#include "inventory/nvml/sampler.hpp"
#include "launcher/run/row_transport.hpp"

namespace assay {

namespace {

class NodeSource final : public TelemetrySource {
 public:
  NodeSource(const SystemRoot& root, const GpuLibrary& gpus, const NodeFacts& facts) : nics_(root, facts.nics) {
    if (gpus.library != nullptr) gpus_.emplace(gpus.library, facts.gpus);
  }

  std::vector<TelemetryValue> fast() override {
    std::vector<nvml::Reading> readings;
    if (gpus_) gpus_->read_fast(readings);
    return values(readings);
  }
  std::vector<TelemetryValue> slow() override {
    std::vector<nvml::Reading> readings;
    if (gpus_) gpus_->read_slow(readings);
    return values(readings);
  }
  std::vector<TelemetryValue> counters() override {
    std::vector<nvml::Reading> readings;
    if (gpus_) gpus_->read_counters(readings);
    std::vector<TelemetryValue> all = values(readings);
    std::int32_t device = 0;
    for (const NicCounters& nic : nics_.read()) {
      for (const auto& [name, value] : nic) all.push_back({device, "nic." + name, static_cast<double>(value)});
      ++device;
    }
    return all;
  }
  std::vector<std::string> happenings() override {
    std::vector<std::string> sentences;
    if (!gpus_) return sentences;
    for (const int gpu : gpus_->take_lost())
      sentences.push_back(fmt::format("GPU {} is lost: the driver says that it does not answer any more", gpu));
    return sentences;
  }

 private:
  static std::vector<TelemetryValue> values(const std::vector<nvml::Reading>& readings) {
    std::vector<TelemetryValue> all;
    for (const auto& reading : readings) all.push_back({reading.gpu, reading.metric, reading.value});
    return all;
  }

  std::optional<nvml::Sampler> gpus_;
  NicCounterReader nics_;
};

bool works_on_gpus(const CaseInfo& info) {
  return info.needs.gpus > 0 || info.needs.gpus_on_node > 0 || info.needs.gpu_nodes > 0 || info.needs.nccl;
}

}  // namespace

std::unique_ptr<TelemetrySource> node_telemetry(const SystemRoot& root, const GpuLibrary& gpus,
                                                const NodeFacts& facts) {
  return std::make_unique<NodeSource>(root, gpus, facts);
}

RunTelemetry::RunTelemetry(Group& world, const Placement& placement, std::unique_ptr<TelemetrySource> source,
                           double origin, results::Writer* writer)
    : world_(world),
      placement_(placement),
      origin_(origin),
      writer_(writer),
      telemetry_(source ? std::make_unique<Telemetry>(std::move(source)) : nullptr),
      active_(max_over(world, telemetry_ ? 1.0 : 0.0) > 0) {}

void RunTelemetry::mark() {
  if (telemetry_) telemetry_->mark();
}

Telemetry::Harvest RunTelemetry::harvest() {
  if (!telemetry_) return {};
  Telemetry::Harvest all = telemetry_->take();
  for (auto& row : all.rows) {
    row.time -= origin_;
    row.node = placement_.node;
  }
  for (auto& happening : all.happenings) happening.first -= origin_;
  return all;
}

std::vector<results::TelemetryRow> RunTelemetry::gather(std::vector<results::TelemetryRow> rows,
                                                        const std::vector<std::pair<double, std::string>>& happenings) {
  const std::string& host = placement_.layout.node_names[static_cast<std::size_t>(placement_.node)];
  std::vector<results::EventRow> events;
  for (const auto& [time, text] : happenings) events.push_back({time, "error", -1, world_.rank(), host + ": " + text});
  rows = gather_rows(world_, rows);
  events = gather_rows(world_, events);
  if (writer_ != nullptr) {
    writer_->append(rows);
    writer_->append(events);
  }
  return rows;
}

std::vector<std::uint32_t> RunTelemetry::collect(const PlannedPoint& planned, TelemetryWindow window) {
  if (!active_) return {};
  Telemetry::Harvest mine = harvest();
  const auto rows = gather(std::move(mine.rows), mine.happenings);
  std::vector<std::uint32_t> flags;
  if (world_.rank() != 0) return flags;
  const Layout& layout = placement_.layout;
  for (const auto& set : planned.sets) {
    std::vector<GpuPlace> gpus;
    for (const int rank : set)
      if (layout.has_gpu(rank) && works_on_gpus(*planned.info))
        gpus.push_back({layout.node_of[static_cast<std::size_t>(rank)], layout.gpu_of[static_cast<std::size_t>(rank)]});
    flags.push_back(flags_of_gpus(rows, gpus, window));
  }
  return flags;
}

void RunTelemetry::finish() {
  if (!active_) return;
  Telemetry::Harvest mine = harvest();
  if (telemetry_) {
    const auto cost = telemetry_->cost();
    mine.rows.push_back({monotonic_seconds() - origin_, placement_.node, -1, "telemetry.cpu",
                         cost.cpu_seconds / std::max(cost.wall_seconds, 1e-9)});
  }
  (void)gather(std::move(mine.rows), mine.happenings);
}

}  // namespace assay
