#include "inventory/nvml/nvml.hpp"

#include <fmt/format.h>

#include <array>

#include "core/error.hpp"
#include "inventory/pci.hpp"

namespace assay::nvml {

namespace {

constexpr const char* emulation_mark = "assay_emulated";

std::string words_of(int code) {
  switch (code) {
    case not_supported:
      return "not supported by this GPU";
    case no_permission:
      return "needs privileges that this process does not have";
    case driver_not_loaded:
      return "the NVIDIA driver is not loaded";
    case gpu_is_lost:
      return "the GPU is lost: it has fallen off the bus or stopped answering";
    case reset_required:
      return "the GPU needs a reset";
    case version_mismatch:
      return "driver and library are of different versions";
    default:
      return {};
  }
}

Fact<std::string> read_text(const Library& library, const Table::Call<char*, Unsigned>& call) {
  std::array<char, driver_version_bytes + 1> text{};
  const int code = call(text.data(), driver_version_bytes);
  if (code != success) return Fact<std::string>::unknown(library.why(call.name(), code));
  return std::string(text.data());
}

}  // namespace

void* Loader::find(const char* name, const char* older) {
  void* found = library_.find(name);
  if (found == nullptr && older != nullptr) found = library_.find(older);
  if (found == nullptr) missing_.emplace_back(name);
  return found;
}

Library::Library(const std::string& file) : library_(SharedLibrary::open({file})) {
  if (!table_.init.present())
    throw environment_error(fmt::format("{} is no management library of NVIDIA's driver: it has no {}", library_.file(),
                                        table_.init.name()));
  const int code = table_.init();
  if (code != success) throw environment_error(why(table_.init.name(), code));
  list_devices();
}

Library::~Library() { (void)table_.shutdown(); }

std::string Library::text_of(int code) const {
  const auto describe = library_.find<const char* (*)(int)>("nvmlErrorString");
  const char* text = describe == nullptr ? nullptr : describe(code);
  return text == nullptr ? "error" : text;
}

std::string Library::why(const char* function, int code) const {
  if (code == function_not_found) return fmt::format("this driver's library has no {}", function);
  const std::string ours = words_of(code);
  return ours.empty() ? fmt::format("{}: {} ({})", function, text_of(code), code)
                      : fmt::format("{} ({}: {})", ours, function, code);
}

GpuDriverFacts Library::driver() const {
  GpuDriverFacts facts;
  facts.driver = read_text(*this, table_.driver_version);
  facts.library = read_text(*this, table_.library_version);
  int cuda = 0;
  const int code = table_.cuda_version(&cuda);
  facts.cuda = code == success ? Fact<std::string>(fmt::format("{}.{}", cuda / 1000, cuda % 1000 / 10))
                               : Fact<std::string>::unknown(why(table_.cuda_version.name(), code));
  facts.file = library_.file();
  facts.emulated = library_.find(emulation_mark) != nullptr;
  facts.missing = loader_.missing();
  return facts;
}

void Library::list_devices() {
  Unsigned count = 0;
  const int code = table_.count(&count);
  if (code != success) throw environment_error(why(table_.count.name(), code));
  for (Unsigned index = 0; index < count; ++index) {
    Handle device = nullptr;
    const int answer = table_.handle(index, &device);
    if (answer == success)
      devices_.push_back(device);
    else
      refused_.push_back(answer);
  }
}

std::vector<Handle> Library::devices() const { return devices_; }

int Library::find(const std::string& pci_address, Handle& handle) const {
  return table_.handle_by_address(pci_address.c_str(), &handle);
}

}  // namespace assay::nvml
