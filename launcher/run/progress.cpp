#include "launcher/run/progress.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

#include "launcher/run/say.hpp"

namespace assay {

namespace {

// The worst of the series that ran side by side: the slowest rate, the longest latency.
const Recorded* worst(const std::vector<Recorded>& recorded) {
  const auto better = [](const Recorded& a, const Recorded& b) {
    return a.dimension == Dimension::seconds ? a.value < b.value : a.value > b.value;
  };
  const auto found = std::max_element(recorded.begin(), recorded.end(), better);
  return found == recorded.end() ? nullptr : &*found;
}

std::string marks(std::uint32_t flags) {
  std::string text;
  if ((flags & results::flag_contaminated) != 0) text += " contaminated";
  if ((flags & results::flag_steal) != 0) text += " steal";
  if ((flags & results::flag_placement_moved) != 0) text += " placement-moved";
  return text;
}

}  // namespace

std::string format_remaining(Seconds seconds) {
  const long whole = std::lround(std::max(0.0, seconds.value));
  if (whole >= 3600) return fmt::format("{}:{:02}:{:02}", whole / 3600, whole / 60 % 60, whole % 60);
  return fmt::format("{}:{:02}", whole / 60, whole % 60);
}

bool prints_to_terminal(bool launched) {
  if (isatty(STDOUT_FILENO) == 0) return false;
  if (!launched) return true;
  std::array<char, 256> target{};
  const std::string link = fmt::format("/proc/{}/fd/1", getppid());
  const ssize_t length = readlink(link.c_str(), target.data(), target.size() - 1);
  const std::string_view name(target.data(), length > 0 ? static_cast<std::size_t>(length) : 0);
  return name.starts_with("/dev/pts/") || name.starts_with("/dev/tty");
}

Progress::Progress(const Plan& plan, bool terminal, bool quiet)
    : total_(plan.points.size() * static_cast<std::size_t>(plan.epochs)),
      epochs_(plan.epochs),
      terminal_(terminal),
      quiet_(quiet) {}

Progress::~Progress() {
  if (line_open_) say("\r\033[K");
}

void Progress::series_done(const PlannedPoint& planned, int epoch, const std::vector<Recorded>& recorded,
                           Seconds elapsed) {
  ++done_;
  const double share = static_cast<double>(done_) / static_cast<double>(total_);
  const Seconds left(elapsed.value / share - elapsed.value);
  const Recorded* shown = worst(recorded);
  const std::string name = series_name(*planned.info, planned.point);
  for (const Recorded& series : recorded) {
    if (series.row.status == "ok") continue;
    ++failed_;
    print_line(fmt::format("{}: {}, ranks {}: {}", series.row.status, name,
                           format_ranks({series.members.begin(), series.members.end()}), series.problem));
  }
  if (quiet_ || shown == nullptr) return;
  const std::string value = format_quantity(shown->value, shown->dimension);
  if (terminal_) {
    say("\r\033[K{:3.0f} %  left {}  epoch {}/{}  {}  {}", 100 * share, format_remaining(left), epoch + 1, epochs_,
        name, value);
    line_open_ = true;
  } else {
    say("{}/{}  epoch {}/{}  {}  {}  {}{}\n", done_, total_, epoch + 1, epochs_, name, value, shown->row.status,
        marks(shown->row.flags));
  }
}

void Progress::print_line(const std::string& text) {
  if (line_open_) say("\r\033[K");
  line_open_ = false;
  say("{}\n", text);
}

}  // namespace assay
