#pragma once

#include <string>
#include <vector>

#include "analysis/catalogue.hpp"
#include "analysis/offer.hpp"

namespace assay {

/// The GPU that the offer names, by whole name or id; nullptr when it names none, or one that is not in the catalogue.
[[nodiscard]] const Product* advertised_model(const Offer& offer, const Catalogue& catalogue);

/// The clause with what healthy hardware of this model reaches of it; unchanged without a model.
[[nodiscard]] Clause expected(const Clause& clause, const ClauseRegistry& kinds, const Product* model,
                              const Catalogue& catalogue);

/// "offer.toml:12: gpu.gemm_bf16: the data sheet says ...": clauses that cannot be true of the model that is sold.
[[nodiscard]] std::vector<std::string> contradictions(const Offer& offer, const ClauseRegistry& kinds,
                                                      const Catalogue& catalogue);

}  // namespace assay
