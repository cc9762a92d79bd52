#include "tests/results/child.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstdlib>
#include <exception>
#include <stdexcept>

namespace assay::results {

Child::Child(const std::function<void(int)>& work) {
  std::array<int, 2> ends{};
  if (::pipe(ends.data()) != 0) throw std::runtime_error("pipe failed");
  pid_ = fork();
  if (pid_ < 0) throw std::runtime_error("fork failed");
  if (pid_ == 0) {
    ::close(ends[0]);
    work(ends[1]);
    _exit(0);
  }
  ::close(ends[1]);
  pipe_ = ends[0];
}

Child::~Child() {
  if (pid_ > 0) {
    kill();
    static_cast<void>(output());
  }
  ::close(pipe_);
}

void Child::kill() const { ::kill(pid_, SIGKILL); }

std::string Child::output() {
  std::string text;
  std::array<char, 4096> buffer{};
  while (true) {
    const ssize_t bytes = ::read(pipe_, buffer.data(), buffer.size());
    if (bytes <= 0) break;
    text.append(buffer.data(), static_cast<std::size_t>(bytes));
  }
  ::waitpid(pid_, &status_, 0);
  pid_ = -1;
  return text;
}

std::string complaint_of_child(const std::function<std::string()>& check) {
  Child child([&](int pipe) {
    alarm(60);
    try {
      tell(pipe, check());
    } catch (const std::exception& error) {
      tell(pipe, std::string("exception: ") + error.what());
    }
    std::exit(0);
  });
  std::string complaint = child.output();
  if (child.status() != 0) complaint += " child ended with wait status " + std::to_string(child.status());
  return complaint;
}

void tell(int pipe, const std::string& text) {
  if (::write(pipe, text.data(), text.size()) != static_cast<ssize_t>(text.size())) _exit(9);
}

}  // namespace assay::results
