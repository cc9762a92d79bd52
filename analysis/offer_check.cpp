#include "analysis/offer_check.hpp"

#include <fmt/format.h>

namespace assay {

const Product* advertised_model(const Offer& offer, const Catalogue& catalogue) {
  const Clause* model = offer.find("gpu.model");
  return model == nullptr ? nullptr : catalogue.find(model->text);
}

Clause expected(const Clause& clause, const ClauseRegistry& kinds, const Product* model, const Catalogue& catalogue) {
  Clause result = clause;
  const ClauseInfo* kind = kinds.find(clause.key);
  if (kind != nullptr && kind->expect && model != nullptr) kind->expect(result, *model, catalogue);
  return result;
}

std::vector<std::string> contradictions(const Offer& offer, const ClauseRegistry& kinds, const Catalogue& catalogue) {
  const Product* model = advertised_model(offer, catalogue);
  std::vector<std::string> found;
  for (const Clause& clause : offer.clauses) {
    const ClauseInfo* kind = kinds.find(clause.key);
    if (kind == nullptr || !kind->contradiction) continue;
    const std::string why = kind->contradiction(clause, model, catalogue);
    if (!why.empty()) found.push_back(fmt::format("{}: {}: {}", clause.place.text(), clause.title(), why));
  }
  return found;
}

}  // namespace assay
