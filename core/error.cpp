#include "core/error.hpp"

#include <system_error>

namespace assay {

Error::Error(ExitCode code, const std::string& message, std::string hint)
    : std::runtime_error(message), code_(code), hint_(std::move(hint)) {}

Error Error::within(std::string_view where) const { return {code_, std::string(where) + ": " + what(), hint_}; }

Error bad_input(const std::string& message, std::string hint) {
  return {ExitCode::bad_input, message, std::move(hint)};
}

Error incomplete(const std::string& message, std::string hint) {
  return {ExitCode::incomplete, message, std::move(hint)};
}

Error environment_error(const std::string& message, std::string hint) {
  return {ExitCode::environment, message, std::move(hint)};
}

Error system_error(ExitCode code, std::string_view action, std::string_view path, int error_number, std::string hint) {
  const std::string reason = std::generic_category().message(error_number);
  return {code, std::string(path) + ": " + std::string(action) + ": " + reason, std::move(hint)};
}

}  // namespace assay
