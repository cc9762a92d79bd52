#include "launcher/watch/phase_board.hpp"

#include <limits>

namespace assay {

std::string_view to_string(PhaseKind kind) {
  switch (kind) {
    case PhaseKind::idle:
      return "between series";
    case PhaseKind::set_up:
      return "setting up";
    case PhaseKind::warm_up:
      return "warming up";
    case PhaseKind::measure:
      return "measuring";
    case PhaseKind::verify:
      return "verifying";
    case PhaseKind::wait:
      return "waiting for the others";
    case PhaseKind::record:
      return "recording";
    case PhaseKind::finish:
      return "finishing";
  }
  return "unknown";
}

void PhaseBoard::begin_series(std::uint64_t number, std::string what, std::int32_t set) {
  const std::lock_guard lock(mutex_);
  phase_.series = number;
  phase_.what = std::move(what);
  phase_.set = set;
  iteration_.store(0, std::memory_order_relaxed);
}

void PhaseBoard::enter(PhaseKind kind, Seconds allowed) {
  const std::lock_guard lock(mutex_);
  phase_.kind = kind;
  phase_.deadline_at = allowed.value > 0 ? (clock_.now() + allowed).value : std::numeric_limits<double>::infinity();
}

Phase PhaseBoard::read() const {
  const std::lock_guard lock(mutex_);
  Phase phase = phase_;
  phase.iteration = iteration_.load(std::memory_order_relaxed);
  return phase;
}

}  // namespace assay
