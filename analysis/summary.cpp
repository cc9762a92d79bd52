#include "analysis/summary.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>

#include "analysis/gpu_members.hpp"
#include "analysis/json_text.hpp"
#include "analysis/measurement.hpp"
#include "analysis/remarks.hpp"
#include "analysis/report.hpp"
#include "core/error.hpp"

namespace assay {
namespace {

using nlohmann::ordered_json;

std::string evidence_name(Evidence evidence) {
  switch (evidence) {
    case Evidence::valid:
      return "ok";
    case Evidence::too_slow:
      return "too slow";
    case Evidence::wrong_data:
      return "WRONG DATA";
    case Evidence::failed:
      return "FAILED";
    case Evidence::invalid:
      return "INVALID";
  }
  return "INVALID";
}

std::string counted(int number, const std::string& what) {
  return fmt::format("{} {}{}", number, what, number == 1 ? "" : "s");
}

std::string run_text(const RunData& data) {
  const auto& run = data.run;
  std::string text = fmt::format("run {} of {}: {} on {}, suite {}, {}{}\n", run.run_id, run.start_utc,
                                 counted(run.ranks, "rank"), counted(run.nodes, "node"), run.suite, run.status,
                                 run.status_reason.empty() ? "" : " (" + run.status_reason + ")");
  text += fmt::format("command: {}\nassay {} ({}), {}\n", run.command, run.assay_version, run.git_sha, run.mpi_library);
  return text;
}

std::string nodes_text(const RunData& data) {
  std::string text;
  for (const auto& node : data.nodes) {
    text += fmt::format(
        "node {} {}: {}, {}, {}, {} CPUs of which {} granted, {} memory of which {} granted, "
        "{}, Linux {}, {}\n",
        node.node, node.host, node.cpu_model, counted(node.sockets, "socket"), counted(node.cores, "core"),
        node.threads, node.cpus_granted, format_quantity(static_cast<double>(node.memory_bytes), Dimension::bytes),
        format_quantity(static_cast<double>(node.memory_granted_bytes), Dimension::bytes), node.os, node.kernel,
        node.virtualization);
  }
  return text;
}

std::string gpus_text(const RunData& data) {
  std::string text;
  for (const auto& gpu : data.gpus) {
    text += fmt::format("{}: {}, {}, driver {}\n", describe_gpu(data, gpu), gpu.name,
                        format_quantity(static_cast<double>(gpu.memory_bytes), Dimension::bytes), gpu.driver);
  }
  for (const std::string& remark : remarks(data)) text += "remark: " + remark + "\n";
  return text;
}

/// One line of the table of series.
struct Line {
  std::string name;
  Measurement measurement;
  std::string members;
};

std::vector<Line> lines_of(const RunData& run) {
  std::vector<Line> lines;
  const SeriesIndex index(run);
  for (const SeriesSet& set : index.sets()) lines.push_back({set.name(), measure(run, set), run.describe(set.members)});
  return lines;
}

/// "one way", "both ways"; empty where data has no direction, or where a latency names it already.
std::string direction_cell(const Measurement& m) {
  if (m.direction == Direction::none || m.dimension == Dimension::seconds) return "";
  return m.direction == Direction::one_way ? "one way" : "both ways";
}

/// Cells of a line: name, median, direction, interval, epochs, members, and what is wrong with it.
std::array<std::string, 7> cells_of(const Line& line) {
  const Measurement& m = line.measurement;
  std::string interval;
  if (m.epochs > 0) {
    interval = fmt::format("[{}, {}]", format_quantity(m.interval.low, m.dimension),
                           format_quantity(m.interval.high, m.dimension));
  }
  std::string remarks = flag_names(m.flags);
  if (m.evidence != Evidence::valid)
    remarks = evidence_name(m.evidence) + ": " + m.problem + (remarks.empty() ? "" : "; " + remarks);
  return {line.name,
          format_quantity(m.value, m.dimension),
          direction_cell(m),
          interval,
          std::to_string(m.epochs),
          line.members,
          remarks};
}

std::string events_text(const RunData& run) {
  std::string text;
  for (const auto& event : run.events) {
    text += fmt::format("{} after {:.1f} s{}: {}\n", event.severity, event.time,
                        event.rank < 0 ? "" : fmt::format(", rank {}", event.rank), event.text);
  }
  return text;
}

std::string table_text(const std::vector<Line>& lines) {
  std::vector<std::array<std::string, 7>> rows{
      {"CASE/POINT", "MEDIAN", "WAY", "INTERVAL", "EPOCHS", "RANKS", "REMARKS"}};
  for (const Line& line : lines) rows.push_back(cells_of(line));
  std::array<std::size_t, 7> width{};
  for (const auto& row : rows)
    for (std::size_t i = 0; i < row.size(); ++i) width[i] = std::max(width[i], row[i].size());
  std::string text;
  for (const auto& row : rows) {
    std::string line =
        fmt::format("{:<{}}  {:>{}}  {:<{}}  {:<{}}  {:>{}}  {:<{}}  {}", row[0], width[0], row[1], width[1], row[2],
                    width[2], row[3], width[3], row[4], width[4], row[5], width[5], row[6]);
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  }
  return text;
}

ordered_json number(double value) { return std::isfinite(value) ? ordered_json(value) : ordered_json(nullptr); }

ordered_json line_json(const Line& line) {
  const Measurement& m = line.measurement;
  return {{"name", line.name},
          {"members", m.members},
          {"status", evidence_name(m.evidence)},
          {"problem", m.problem},
          {"dimension", to_string(m.dimension)},
          {"direction", to_string(m.direction)},
          {"value", number(m.value)},
          {"low", number(m.interval.low)},
          {"high", number(m.interval.high)},
          {"epochs", m.epochs},
          {"disturbed_epochs", m.disturbed_epochs},
          {"flags", flag_names(m.flags)},
          {"series", m.series}};
}

/// Cells of one matrix: text by (row rank, column rank).
using Matrix = std::map<std::pair<int, int>, std::string>;

std::string matrix_text(const std::string& title, const Matrix& cells) {
  int last = 0;
  std::size_t width = 5;
  for (const auto& [pair, cell] : cells) {
    last = std::max(last, pair.second);
    width = std::max(width, cell.size());
  }
  std::string text = title + "\n" + fmt::format("{:>6}", "rank");
  for (int column = 1; column <= last; ++column) text += fmt::format("  {:>{}}", column, width);
  text += "\n";
  for (int row = 0; row < last; ++row) {
    text += fmt::format("{:>6}", row);
    for (int column = 1; column <= last; ++column) {
      const auto at = cells.find({row, column});
      text += fmt::format("  {:>{}}", at != cells.end() ? at->second : column > row ? "-" : "", width);
    }
    text.erase(text.find_last_not_of(' ') + 1);
    text += "\n";
  }
  return text;
}

}  // namespace

std::string summary_text(const RunData& run) {
  std::string text =
      run_text(run) + nodes_text(run) + gpus_text(run) + "\n" + table_text(lines_of(run)) + events_text(run);
  text += fmt::format("{} series, {} samples\n", run.series.size(), run.samples.size());
  return marked(run.run, printable(text));
}

std::string summary_json(const RunData& run) {
  ordered_json json{{"schema", "assay.summary/1"},
                    {"run",
                     {{"id", run.run.run_id},
                      {"start_utc", run.run.start_utc},
                      {"suite", run.run.suite},
                      {"status", run.run.status},
                      {"status_reason", run.run.status_reason},
                      {"ranks", run.run.ranks},
                      {"nodes", run.run.nodes},
                      {"command", run.run.command}}}};
  json["nodes"] = ordered_json::array();
  for (const auto& node : run.nodes) {
    json["nodes"].push_back({{"node", node.node},
                             {"host", node.host},
                             {"cpu_model", node.cpu_model},
                             {"cores", node.cores},
                             {"threads", node.threads},
                             {"cpus_granted", node.cpus_granted},
                             {"memory_granted_bytes", node.memory_granted_bytes}});
  }
  json["remarks"] = remarks(run);
  json["series"] = ordered_json::array();
  for (const Line& line : lines_of(run)) json["series"].push_back(line_json(line));
  return json_text(run.run, std::move(json), "");
}

std::string pairs_text(const RunData& run) {
  std::map<std::uint64_t, Matrix> by_size;
  std::map<std::uint64_t, std::string> titles;
  const SeriesIndex index(run);
  for (const SeriesSet& set : index.sets()) {
    if (set.case_name != "mpi.pairs" || set.members.size() != 2 || !set.point.has("bytes")) continue;
    const Measurement m = measure(run, set);
    const std::uint64_t bytes = set.point.integer("bytes");
    by_size[bytes][{set.members[0], set.members[1]}] =
        m.evidence == Evidence::valid ? format_quantity(m.value, m.dimension) : evidence_name(m.evidence);
    titles[bytes] = fmt::format("{} at {} between ranks{}", m.dimension == Dimension::seconds ? "latency" : "rate",
                                format_quantity(static_cast<double>(bytes), Dimension::bytes),
                                m.direction == Direction::both_ways ? ", both ways" : ", one way");
  }
  if (by_size.empty()) {
    throw bad_input("this run has no pairs", "measure them with: assay run --filter mpi.pairs (2 ranks or more)");
  }
  std::string text;
  for (const auto& [bytes, cells] : by_size) text += (text.empty() ? "" : "\n") + matrix_text(titles[bytes], cells);
  return marked(run.run, std::move(text));
}

std::string samples_text(const RunData& run, std::int64_t series) {
  const auto at =
      std::find_if(run.series.begin(), run.series.end(), [&](const auto& row) { return row.series == series; });
  if (at == run.series.end()) {
    throw bad_input(fmt::format("there is no series {}", series),
                    fmt::format("this file has series 0 to {}", static_cast<std::int64_t>(run.series.size()) - 1));
  }
  const auto samples = run.samples_of(*at);
  const auto kept = static_cast<std::size_t>(std::max<std::int64_t>(0, at->kept));
  const std::size_t ranks = kept == 0 ? 0 : samples.size() / kept;
  std::string text = fmt::format("# series {}: {}/{} epoch {}, {}, {}; seconds, one column per rank\n", series,
                                 at->case_name, at->point, at->epoch, at->status, run.describe(run.members_of(*at)));
  for (std::size_t i = 0; i < kept; ++i) {
    for (std::size_t rank = 0; rank < ranks; ++rank) {
      text += fmt::format("{}{:.9e}", rank == 0 ? "" : " ", samples[rank * kept + i]);
    }
    text += "\n";
  }
  return marked(run.run, std::move(text));
}

std::string status_text(const results::RunInfo& run) {
  std::string text = run.status + (run.status_reason.empty() ? "" : ": " + run.status_reason);
  if (run.emulated) text += ", " + hardware_words(run);
  return marked(run, printable(text) + "\n");
}

}  // namespace assay
