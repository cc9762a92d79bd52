#include "storage/io_engine.hpp"

#include <fmt/format.h>

#include "core/error.hpp"

namespace assay {

std::string best_io_engine() { return why_no_uring().empty() ? "io_uring" : "threads"; }

std::unique_ptr<IoEngine> make_io_engine(std::string_view name, const IoTarget& target) {
  if (name == "threads") return make_thread_engine(target);
  if (name != "io_uring") throw environment_error(fmt::format("no I/O engine is called '{}'", name));
  if (const std::string reason = why_no_uring(); !reason.empty()) {
    throw environment_error(fmt::format("io_uring does not work here: {}", reason),
                            "let every host permit io_uring, or none: then the engine 'threads' is used");
  }
  return make_uring_engine(target);
}

}  // namespace assay
