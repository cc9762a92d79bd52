#pragma once

#include <sys/types.h>

#include <functional>
#include <string>

namespace assay::results {

/// Runs `work` in a child process with the writing end of a pipe. Never returns in the child.
class Child {
 public:
  explicit Child(const std::function<void(int pipe)>& work);
  ~Child();  ///< kills and collects it if that was not done
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  void kill() const;
  /// What the child wrote until its end; collects it.
  [[nodiscard]] std::string output();
  /// After output(): the wait status.
  [[nodiscard]] int status() const { return status_; }

 private:
  pid_t pid_ = -1;
  int pipe_ = -1;
  int status_ = -1;
};

/// Runs `check` in a child and returns its complaint: empty when it returned an empty text and ended in order within
/// 60 s, exit handlers included.
std::string complaint_of_child(const std::function<std::string()>& check);

/// Writes all of `text`.
void tell(int pipe, const std::string& text);

}  // namespace assay::results
