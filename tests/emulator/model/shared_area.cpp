#include "tests/emulator/model/shared_area.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "tests/emulator/model/environment.hpp"

namespace emulator {

SharedMapping::SharedMapping(const std::string& name, std::size_t bytes) : bytes_(bytes) {
  const auto path = state_directory() / name;
  const int file = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  // Growing a file fills it with zeros; to grow it to the same size again changes nothing.
  if (file < 0 || ::ftruncate(file, static_cast<off_t>(bytes)) != 0) {
    give_up(fmt::format("cannot make '{}': {}", path.string(), std::strerror(errno)));
  }
  data_ = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  const int error = errno;
  ::close(file);
  if (data_ == MAP_FAILED) give_up(fmt::format("cannot map '{}': {}", path.string(), std::strerror(error)));
}

SharedMapping::~SharedMapping() { ::munmap(data_, bytes_); }

}  // namespace emulator
