#include "launcher/inventory_json.hpp"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "core/layout.hpp"

namespace assay {
namespace {

using Json = nlohmann::ordered_json;

/// Builds the object and gathers the reasons of what is unknown.
class Builder {
 public:
  void put(const std::string& pointer, Json value) { root_[Json::json_pointer(pointer)] = std::move(value); }

  template <class T>
  void put(const std::string& pointer, const Fact<T>& fact) {
    put(pointer, fact.known() ? Json(fact.value()) : Json());
    if (!fact.known()) unknown_[pointer] = fact.why();
  }
  void put_cpus(const std::string& pointer, const Fact<std::vector<int>>& cpus) {
    put(pointer, cpus.known() ? Fact<std::string>(format_ranks(cpus.value())) : Fact<std::string>::unknown(cpus.why()));
  }
  template <class T>
  void put_limit(const std::string& pointer, const Fact<T>& limit, bool unlimited) {
    if (limit.known() && unlimited) {
      put(pointer, Json("unlimited"));
    } else {
      put(pointer, limit);
    }
  }

  /// A list of objects; null when unknown.
  template <class T, class Add>
  void put_list(const std::string& pointer, const Fact<std::vector<T>>& list, Add add) {
    put(pointer, list.known() ? Json::array() : Json());
    if (!list.known()) unknown_[pointer] = list.why();
    std::size_t index = 0;
    for (const T& entry : list.value_or({})) add(*this, fmt::format("{}/{}", pointer, index++), entry);
  }

  [[nodiscard]] Json finish() {
    root_["unknown"] = unknown_;
    return root_;
  }

 private:
  Json root_ = Json::object();
  Json unknown_ = Json::object();
};

void add_cpu(Builder& out, const CpuFacts& cpu) {
  out.put("/cpu/model", cpu.model);
  out.put("/cpu/sockets", cpu.sockets);
  out.put("/cpu/cores", cpu.cores);
  out.put("/cpu/threads", cpu.threads);
  out.put("/cpu/numa_nodes", cpu.numa_nodes);
  out.put("/cpu/governor", cpu.governor);
  out.put("/cpu/steal_share_since_boot", cpu.steal_share);
  const auto& grant = cpu.grant;
  out.put_cpus("/cpu/online_cpus", grant.online);
  out.put_cpus("/cpu/granted_cpus", grant.granted);
  out.put("/cpu/granted_count", grant.granted.known()
                                    ? Fact<std::int64_t>(static_cast<std::int64_t>(grant.granted.value().size()))
                                    : Fact<std::int64_t>::unknown(grant.granted.why()));
  out.put("/cpu/grant_basis", Json(grant.basis));
  out.put_cpus("/cpu/bound_cpus", grant.bound);
  out.put_limit("/cpu/quota_cpus", grant.quota, std::isinf(grant.quota.value_or(0)));
}

void add_memory_and_limits(Builder& out, const NodeFacts& node) {
  out.put("/memory/installed_bytes", node.memory.installed);
  out.put("/memory/granted_bytes", node.memory.granted);
  out.put("/memory/swap_bytes", node.memory.swap);
  out.put("/memory/huge_pages_bytes", node.memory.huge_pages);
  out.put("/memory/transparent_huge_pages", node.memory.transparent_huge_pages);
  out.put("/memory/dev_shm_bytes", node.memory.shm);
  out.put_limit("/limits/memlock_bytes", node.limits.memlock, node.limits.memlock.value_or(0) == LimitFacts::unlimited);
  out.put("/limits/open_files", node.limits.nofile);
}

void add_system(Builder& out, const SystemFacts& system) {
  out.put("/system/os", system.os);
  out.put("/system/kernel", system.kernel);
  out.put("/system/virtualization", system.virtualization);
  out.put("/system/clock_source", system.clock_source);
  out.put("/system/clock_cost_seconds", system.clock_cost);
}

void add_nic(Builder& out, const std::string& at, const NicFacts& nic) {
  out.put(at + "/name", Json(nic.name));
  out.put(at + "/driver", nic.driver);
  out.put(at + "/state", nic.state);
  out.put(at + "/speed_bits_per_second", nic.speed);
  out.put(at + "/mtu_bytes", nic.mtu);
  out.put(at + "/numa_node", nic.numa_node);
  out.put(at + "/address", nic.address);
  out.put(at + "/virtual", Json(nic.is_virtual));
  out.put(at + "/rdma_device", Json(nic.rdma_device));
  out.put(at + "/rdma_state", Json(nic.rdma_state));
  out.put(at + "/link_layer", Json(nic.link_layer));
  out.put(at + "/pci_bus_id", Json(nic.pci_bus_id));
  out.put(at + "/rdma_port", Json(nic.rdma_port));
  out.put(at + "/physical_state", nic.physical_state);
  out.put(at + "/rate", nic.rate);
  out.put(at + "/firmware", nic.firmware);
  out.put(at + "/guid", nic.guid);
  out.put(at + "/board", nic.board);
}

void add_nvlink(Builder& out, const std::string& at, const NvlinkFacts& link) {
  out.put(at + "/link", Json(link.link));
  out.put(at + "/active", Json(link.active));
  out.put(at + "/version_code", link.version);
  out.put(at + "/remote_kind", link.remote_kind);
  out.put(at + "/remote_pci_bus_id", link.remote);
  out.put(at + "/replays", link.replays);
  out.put(at + "/recoveries", link.recoveries);
  out.put(at + "/crc_errors", link.crc_errors);
}

void add_gpu(Builder& out, const std::string& at, const GpuFacts& gpu) {
  out.put(at + "/gpu", Json(gpu.number));
  out.put(at + "/state", Json(to_string(gpu.state)));
  out.put(at + "/problem", Json(gpu.problem));
  out.put(at + "/pci_bus_id", Json(gpu.pci_bus_id));
  for_each_fact(gpu, [&](std::string_view name, const auto& fact) { out.put(fmt::format("{}/{}", at, name), fact); });
  out.put_cpus(at + "/near_cpus", gpu.near_cpus);
  out.put(at + "/fabric_clique", gpu.fabric_clique);
  out.put_list(at + "/nvlinks", gpu.nvlinks, add_nvlink);
  out.put_list(at + "/processes", gpu.processes,
               [](Builder& list, const std::string& place, const GpuProcess& process) {
                 list.put(place + "/pid", Json(process.pid));
                 list.put(place + "/memory_bytes", process.memory);
               });
}

void add_gpus(Builder& out, const NodeFacts& node) {
  out.put("/gpu_driver/version", node.gpu_driver.driver);
  out.put("/gpu_driver/library_version", node.gpu_driver.library);
  out.put("/gpu_driver/cuda", node.gpu_driver.cuda);
  out.put("/gpu_driver/missing_functions", Json(node.gpu_driver.missing));
  out.put_list("/gpus", Fact<std::vector<GpuFacts>>(node.gpus), add_gpu);
  out.put_list("/distances", Fact<std::vector<DistanceFacts>>(node.distances),
               [](Builder& list, const std::string& at, const DistanceFacts& distance) {
                 list.put(at, Json{{"from", distance.from},
                                   {"to", distance.to},
                                   {"kind", to_string(distance.path)},
                                   {"nvlinks", distance.nvlinks}});
               });
  out.put_list("/xids", node.xids, [](Builder& list, const std::string& at, const XidFacts& xid) {
    list.put(at,
             Json{{"code", xid.code}, {"pci_bus_id", xid.pci_bus_id}, {"age_seconds", xid.age}, {"text", xid.text}});
  });
}

void add_disk(Builder& out, const std::string& at, const DiskFacts& disk) {
  out.put(at + "/path", Json(disk.path));
  out.put(at + "/device", Json(disk.device));
  out.put(at + "/transport", Json(disk.transport));
  out.put(at + "/note", Json(disk.transport_note));
  out.put(at + "/model", disk.model);
  out.put(at + "/rotational", disk.rotational);
  out.put(at + "/size_bytes", disk.size);
  out.put(at + "/mount_point", Json(disk.mount_point));
  out.put(at + "/file_system", Json(disk.file_system));
  out.put(at + "/free_bytes", disk.free);
}

}  // namespace

Json inventory_json(const NodeFacts& facts) {
  Builder out;
  out.put("/emulated", Json(facts.emulated));
  out.put("/host", facts.host);
  add_cpu(out, facts.cpu);
  add_memory_and_limits(out, facts);
  add_system(out, facts.system);
  add_gpus(out, facts);
  for (const auto* list : {"/nics", "/disks", "/software"}) out.put(list, Json::array());
  for (std::size_t i = 0; i < facts.nics.size(); ++i) add_nic(out, fmt::format("/nics/{}", i), facts.nics[i]);
  for (std::size_t i = 0; i < facts.disks.size(); ++i) add_disk(out, fmt::format("/disks/{}", i), facts.disks[i]);
  for (std::size_t i = 0; i < facts.software.size(); ++i) {
    const auto& software = facts.software[i];
    out.put(fmt::format("/software/{}", i),
            Json{{"name", software.name}, {"version", software.version}, {"detail", software.detail}});
  }
  return out.finish();
}

}  // namespace assay
