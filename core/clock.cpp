#include "core/clock.hpp"

#include <thread>

namespace assay {

void MonotonicClock::sleep(Seconds duration) {
  if (duration.value > 0) std::this_thread::sleep_for(std::chrono::duration<double>(duration.value));
}

std::string utc_stamp(std::time_t time) {
  std::tm parts{};
  gmtime_r(&time, &parts);
  char text[32];
  const std::size_t length = std::strftime(text, sizeof text, "%Y%m%dT%H%M%SZ", &parts);
  return {text, length};
}

}  // namespace assay
