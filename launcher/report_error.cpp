#include <fmt/format.h>

#include <cstdio>

#include "launcher/command.hpp"

namespace assay {

int report_error(const Error& error, const std::string& place) {
  std::fflush(stdout);
  fmt::print(stderr, "assay: error: {}{}{}\n", place, place.empty() ? "" : ": ", error.what());
  if (!error.hint().empty()) fmt::print(stderr, "  {}\n", error.hint());
  return static_cast<int>(error.code());
}

}  // namespace assay
