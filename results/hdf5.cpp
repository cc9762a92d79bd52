#include "results/hdf5.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

#include "core/error.hpp"

namespace assay::results {
namespace {

/// A split of an index node rewrites its parent in place before its children are on disk, so that a kill between the
/// two would lose the dataset. Nodes of 2 * 1024 chunks are not split before a dataset has 2048 chunks (2 GiB samples).
constexpr unsigned running_index_half_width = 1024;

struct Messages {
  std::string outermost;
  std::string innermost;
};

herr_t collect_message(unsigned depth, const H5E_error2_t* entry, void* target) {
  auto& messages = *static_cast<Messages*>(target);
  const std::string text = entry->desc != nullptr ? entry->desc : "";
  if (depth == 0) messages.outermost = text;
  messages.innermost = text;
  return 0;
}

/// What the system said, where HDF5 quotes it among the internals of its call.
std::string quoted_reason(const std::string& text) {
  constexpr std::string_view mark = "error message = '";
  const std::size_t at = text.find(mark);
  if (at == std::string::npos) return text;
  const std::size_t first = at + mark.size();
  return text.substr(first, text.find('\'', first) - first);
}

/// Lets the file have `size` bytes at least, reserved on the disk where the file system can do that.
void make_room(int descriptor, off_t size) {
  struct stat status {};
  if (fstat(descriptor, &status) == 0 && status.st_size >= size) return;
  int failed = 0;
  do {
    failed = fallocate(descriptor, 0, status.st_size, size - status.st_size);
  } while (failed != 0 && errno == EINTR);
  const bool unsupported = failed != 0 && (errno == EOPNOTSUPP || errno == ENOSYS);
  if (unsupported) failed = ftruncate(descriptor, size);
  if (failed != 0) throw environment_error("cannot make room: " + std::generic_category().message(errno));
}

Handle access_list() {
  Handle list(H5Pcreate(H5P_FILE_ACCESS), H5Pclose, "create HDF5 file access list");
  // Lustre and NFS often refuse locks; one rank writes, and readers are told by the status attribute.
  check_hdf5(H5Pset_file_locking(list.get(), 0, 1), "switch HDF5 file locking off");
  check_hdf5(H5Pset_fclose_degree(list.get(), H5F_CLOSE_STRONG), "set HDF5 close degree");
  return list;
}

}  // namespace

void prepare_hdf5() {
  // The exit handler would try again to close what failed to close, and crash (1.10.8); owners have closed the rest.
  H5dont_atexit();
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
}

std::string hdf5_error_text() {
  Messages messages;
  H5Ewalk2(H5E_DEFAULT, H5E_WALK_DOWNWARD, collect_message, &messages);
  if (messages.outermost == messages.innermost) return quoted_reason(messages.outermost);
  return messages.outermost + ": " + quoted_reason(messages.innermost);
}

template <class Result>
Result check_hdf5(Result result, std::string_view action) {
  if (result < 0) throw environment_error(fmt::format("cannot {}: {}", action, hdf5_error_text()));
  return result;
}

template int check_hdf5(int, std::string_view);
template hid_t check_hdf5(hid_t, std::string_view);

OutputFile::OutputFile(const NewFile& place, Storage storage) {
  const Handle list(H5Pcreate(H5P_FILE_CREATE), H5Pclose, "create HDF5 file creation list");
  if (storage == Storage::running) {
    check_hdf5(H5Pset_istore_k(list.get(), running_index_half_width), "set HDF5 index width");
  }
  const Handle access = access_list();
  file_ = Handle(H5Fcreate(place.path().c_str(), H5F_ACC_TRUNC, list.get(), access.get()), H5Fclose, "create the file");
}

OutputFile::~OutputFile() { abandon(); }

int OutputFile::descriptor() const {
  void* pointer = nullptr;
  check_hdf5(H5Fget_vfd_handle(file_.get(), H5P_DEFAULT, &pointer), "get HDF5 file descriptor");
  return *static_cast<int*>(pointer);
}

void OutputFile::flush() {
  hsize_t size = 0;
  check_hdf5(H5Fget_filesize(file_.get(), &size), "get HDF5 file size");
  make_room(descriptor(), static_cast<off_t>(size));
  check_hdf5(H5Fflush(file_.get(), H5F_SCOPE_LOCAL), "flush the file");
}

void OutputFile::close() {
  flush();
  file_.close("close the file");
}

void OutputFile::abandon() {
  if (!is_open()) return;
  // Closing writes what is dirty; so it writes to memory instead of the file.
  void* pointer = nullptr;
  const int nowhere = memfd_create("abandoned", MFD_CLOEXEC);
  if (nowhere >= 0 && H5Fget_vfd_handle(file_.get(), H5P_DEFAULT, &pointer) >= 0) {
    dup2(nowhere, *static_cast<int*>(pointer));
  }
  if (nowhere >= 0) ::close(nowhere);
  file_ = Handle{};
}

Handle open_file_for_reading(const std::filesystem::path& path) {
  const Handle access = access_list();
  return {H5Fopen(path.c_str(), H5F_ACC_RDONLY, access.get()), H5Fclose, "open the file"};
}

}  // namespace assay::results
