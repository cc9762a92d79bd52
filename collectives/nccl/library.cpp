#include "collectives/nccl/library.hpp"

#include <fmt/format.h>

#include "core/error.hpp"
#include "inventory/shared_library.hpp"

namespace assay::nccl {

namespace {

constexpr int oldest_version = 21800;

std::string text_of(int version) {
  return fmt::format("{}.{}.{}", version / 10000, version % 10000 / 100, version % 100);
}

template <class Function>
void find(const SharedLibrary& library, Function& function, const char* name) {
  function = library.find<Function>(name);
  if (function == nullptr)
    throw environment_error(fmt::format("{} has no function {}", library.file(), name), "install NCCL 2.18 or later");
}

int version_of(const SharedLibrary& library) {
  decltype(&ncclGetVersion) get_version = nullptr;
  find(library, get_version, "ncclGetVersion");
  int version = 0;
  if (get_version(&version) != ncclSuccess)
    throw environment_error(library.file() + " does not tell its version", "install NCCL 2.18 or later");
  return version;
}

void find_functions(const SharedLibrary& from, Library& library) {
  find(from, library.get_unique_id, "ncclGetUniqueId");
  find(from, library.comm_init_rank_config, "ncclCommInitRankConfig");
  find(from, library.comm_destroy, "ncclCommDestroy");
  find(from, library.comm_abort, "ncclCommAbort");
  find(from, library.comm_get_async_error, "ncclCommGetAsyncError");
  find(from, library.get_error_string, "ncclGetErrorString");
  find(from, library.get_last_error, "ncclGetLastError");
  find(from, library.all_reduce, "ncclAllReduce");
  find(from, library.all_gather, "ncclAllGather");
  find(from, library.reduce_scatter, "ncclReduceScatter");
  find(from, library.broadcast, "ncclBroadcast");
  find(from, library.reduce, "ncclReduce");
  find(from, library.send, "ncclSend");
  find(from, library.receive, "ncclRecv");
  find(from, library.group_start, "ncclGroupStart");
  find(from, library.group_end, "ncclGroupEnd");
  library.all_to_all = from.find<Library::Exchange>("ncclAlltoAll");
  library.gather = from.find<Library::RootedExchange>("ncclGather");
  library.scatter = from.find<Library::RootedExchange>("ncclScatter");
}

}  // namespace

std::string Library::version_text() const { return text_of(version); }

std::string Library::words(ncclResult_t result) const {
  const char* last = get_last_error(nullptr);
  std::string text = get_error_string(result);
  if (last != nullptr && *last != '\0') text += fmt::format(": {}", last);
  while (!text.empty() && text.back() == '\n') text.pop_back();
  return text;
}

Library open_library() {
  SharedLibrary opened = SharedLibrary::open({"libnccl.so.2", "libnccl.so"}, cuda_library_folders());
  Library library;
  library.version = version_of(opened);
  library.file = opened.file();
  if (library.version < oldest_version)
    throw environment_error(fmt::format("NCCL {} ({}) is too old", text_of(library.version), library.file),
                            fmt::format("install NCCL {} or later", text_of(oldest_version)));
  find_functions(opened, library);
  opened.keep();
  return library;
}

}  // namespace assay::nccl
