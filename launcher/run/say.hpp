#pragma once

#include <fmt/format.h>

#include <cstdio>
#include <exception>
#include <string>
#include <utility>

namespace assay {

/// Prints for a person who may watch. A terminal or log that takes no more is no reason to end a measurement: what
/// counts is in the result file.
template <class... Arguments>
void say(fmt::format_string<Arguments...> format, Arguments&&... arguments) noexcept {
  try {
    const std::string text = fmt::format(format, std::forward<Arguments>(arguments)...);
    std::fwrite(text.data(), 1, text.size(), stdout);
    std::fflush(stdout);
  } catch (const std::exception&) {
    std::clearerr(stdout);
  }
}

}  // namespace assay
