#include "launcher/run/signals.hpp"

namespace assay {

namespace {

// A signal handler can reach nothing but static storage.
volatile std::sig_atomic_t stop_signal = 0;

extern "C" void remember_signal(int signal) { stop_signal = signal; }

}  // namespace

StopSignals::StopSignals() {
  stop_signal = 0;
  struct sigaction action {};
  action.sa_handler = remember_signal;
  action.sa_flags = SA_RESTART;
  sigaction(SIGINT, &action, &old_interrupt_);
  sigaction(SIGTERM, &action, &old_terminate_);
  // Neither a launcher that is gone nor a limit of file size may end the run in mid-write: failed writes are seen where
  // they happen.
  struct sigaction ignore {};
  ignore.sa_handler = SIG_IGN;
  sigaction(SIGPIPE, &ignore, &old_pipe_);
  sigaction(SIGXFSZ, &ignore, &old_file_size_);
}

StopSignals::~StopSignals() {
  sigaction(SIGINT, &old_interrupt_, nullptr);
  sigaction(SIGTERM, &old_terminate_, nullptr);
  sigaction(SIGPIPE, &old_pipe_, nullptr);
  sigaction(SIGXFSZ, &old_file_size_, nullptr);
}

int StopSignals::received() const noexcept { return stop_signal; }

}  // namespace assay
