#include <fmt/format.h>

#include <cmath>

#include "analysis/expectation.hpp"
#include "analysis/gpu_members.hpp"

namespace assay {
namespace {

const Pattern triad{"gpu.memory", {{"op", "triad"}}};

void judge(Verdict& verdict, const JudgeContext& context) {
  judge_each_gpu(verdict, context,
                 {.pattern = triad,
                  .size_axis = "bytes",
                  .ceiling = [](const Product& product, const results::GpuRow&) { return memory_ceiling(product); },
                  .ceiling_words = "the data sheet's peak of this card is"});
  if (!verdict.measured || context.model == nullptr) return;
  const double value = verdict.measured->value;
  verdict.notes.push_back(fmt::format("the worst GPU reaches {:.1f} % of the data sheet's {}",
                                      100 * value / context.model->memory_rate,
                                      format_quantity(context.model->memory_rate, Dimension::bytes_per_second)));
  const double healthy = context.model->measured_memory_rate;
  if (healthy > 0) {
    verdict.notes.back() += fmt::format(" and {:.1f} % of what healthy ones reach, {} (catalogue)",
                                        100 * value / healthy, format_quantity(healthy, Dimension::bytes_per_second));
  }
}

/// The name of a product that does have this rate: sellers copy the figures of the other form of a card.
std::string contradiction(const Clause& clause, const Product* product, const Catalogue& catalogue) {
  if (product == nullptr) return "";
  std::string text = above_sheet(clause, product->memory_rate, "read and write counted as two times the peak");
  if (text.empty()) return text;
  for (const Product& other : catalogue.products) {
    if (std::abs(clause.value / other.memory_rate - 1) > 0.01) continue;
    return fmt::format("{}; it is the rate of a {}, not of a {}", text, other.names.front(), product->names.front());
  }
  return text;
}

const RegisterClause registered({
    .key = "gpu.memory_bandwidth",
    .summary = "device memory triad (24 bytes an element) of every GPU, all GPUs of a node at once",
    .dimension = Dimension::bytes_per_second,
    .derate = 0.78,
    .derate_source = "healthy cards reach 0.86 to 0.93 of the data sheet's peak",
    .question = "Which memory do these cards have, and at which memory clock does it run?",
    .settled_by = triad,
    .contradiction = contradiction,
    .judge = judge,
});

}  // namespace
}  // namespace assay
