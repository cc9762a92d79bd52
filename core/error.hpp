#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

namespace assay {

/// Exit codes of every command (docs/exit-codes.md). `run` never returns clause_failed.
enum class ExitCode : int {
  ok = 0,             ///< done, or every clause passed
  clause_failed = 1,  ///< judge, compare: at least one clause failed
  bad_input = 2,      ///< usage, offer, result file, paths: the caller can mend it
  incomplete = 3,     ///< stopped early, inconclusive, invalid or not tested
  environment = 4,    ///< internal error, or the machine does not let us work
};

/// The one exception type. `what()` says what happened and where; `hint()` says what to do about it.
class Error : public std::runtime_error {
 public:
  Error(ExitCode code, const std::string& message, std::string hint = {});

  [[nodiscard]] ExitCode code() const noexcept { return code_; }
  [[nodiscard]] const std::string& hint() const noexcept { return hint_; }

  /// The same error with `where` in front: "rank 3 on node2: mpi.all_reduce/bytes:8: ...".
  [[nodiscard]] Error within(std::string_view where) const;

 private:
  ExitCode code_;
  std::string hint_;
};

[[nodiscard]] Error bad_input(const std::string& message, std::string hint = {});
[[nodiscard]] Error incomplete(const std::string& message, std::string hint = {});
[[nodiscard]] Error environment_error(const std::string& message, std::string hint = {});

/// "PATH: ACTION: strerror(error_number)", for a failed system call.
[[nodiscard]] Error system_error(ExitCode code, std::string_view action, std::string_view path, int error_number,
                                 std::string hint = {});

}  // namespace assay
