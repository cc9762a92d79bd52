#include "analysis/offer.hpp"

#include <fmt/format.h>
#include <toml++/toml.h>

#include <algorithm>
#include <fstream>
#include <set>
#include <sstream>

#include "analysis/offer_value.hpp"
#include "core/error.hpp"

namespace assay {
namespace {

constexpr std::uintmax_t largest_offer_bytes = 1 << 20;

class OfferReader {
 public:
  OfferReader(const std::string& file, const ClauseRegistry& kinds) : kinds_(kinds), faults_(file) {
    offer_.file = file;
  }

  Offer read(const toml::table& root) {
    for (auto&& [key, node] : root) read_section(key, node);
    if (const toml::node* thresholds = root.get("thresholds")) read_thresholds(*thresholds);
    faults_.raise();
    if (clauses_.empty()) {
      throw bad_input(offer_.file + ": the offer has no clause: there is nothing to judge",
                      "docs/offer.md describes the clauses; offers/example-host.toml is an example");
    }
    std::stable_sort(clauses_.begin(), clauses_.end(), [](const PlacedClause& a, const PlacedClause& b) {
      return std::pair(a.at.line, a.at.column) < std::pair(b.at.line, b.at.column);
    });
    for (PlacedClause& placed : clauses_) offer_.clauses.push_back(std::move(placed.clause));
    return std::move(offer_);
  }

 private:
  void read_section(const toml::key& section, const toml::node& node) {
    const std::string name(section.str());
    const toml::table* table = node.as_table();
    if (name != "provider" && name != "thresholds" && !known_section(name)) {
      faults_.add(section.source().begin, name, "unknown section" + suggestion(name, sections()));
    } else if (table == nullptr) {
      faults_.add(section.source().begin, name, "is not a section", "write [" + name + "]");
    } else if (name == "provider") {
      read_provider(*table);
    } else if (name != "thresholds") {
      read_clauses(name, *table);
    }
  }

  void read_provider(const toml::table& table) {
    for (auto&& [key, node] : table) {
      std::string* field = key == "name"      ? &offer_.provider
                           : key == "region"  ? &offer_.region
                           : key == "product" ? &offer_.product
                                              : nullptr;
      const std::string full = "provider." + std::string(key.str());
      if (field == nullptr) {
        faults_.add(key.source().begin, full, "unknown key" + suggestion(key.str(), {"name", "region", "product"}));
      } else if (const auto text = node.value_exact<std::string>()) {
        *field = *text;
      } else {
        faults_.add(node.source().begin, full, "is not a text", "write it in quotes");
      }
    }
  }

  void read_clauses(const std::string& section, const toml::table& table) {
    for (auto&& [key, node] : table) {
      const std::string full = section + "." + std::string(key.str());
      if (const ClauseInfo* kind = kinds_.find(full)) {
        present_.insert(full);
        read_clause(*kind, node, clauses_, faults_);
      } else {
        faults_.add(key.source().begin, full, "unknown key" + suggestion(full, keys()));
      }
    }
  }

  void read_thresholds(const toml::node& node) {
    const toml::table* sections = node.as_table();
    if (sections == nullptr) return;
    for (auto&& [section, inner] : *sections) {
      const std::string name(section.str());
      const toml::table* table = inner.as_table();
      if (table == nullptr) {
        faults_.add(section.source().begin, "thresholds." + name, "is not a clause",
                    "write section.clause = 0.85, such as network.pair_bandwidth = 0.85");
        continue;
      }
      for (auto&& [key, derate] : *table) read_threshold(name + "." + std::string(key.str()), key, derate);
    }
  }

  void read_threshold(const std::string& clause, const toml::key& key, const toml::node& node) {
    const std::string full = "thresholds." + clause;
    if (kinds_.find(clause) == nullptr) {
      faults_.add(key.source().begin, full, "unknown clause" + suggestion(clause, keys()));
    } else if (!present_.contains(clause)) {
      faults_.add(key.source().begin, full, "the offer has no such clause", "remove the line, or add the clause");
    } else if (const auto derate = read_derate(full, node, faults_)) {
      for (PlacedClause& placed : clauses_) {
        if (placed.clause.key != clause) continue;
        placed.clause.derate = *derate;
        placed.clause.derate_source = fmt::format("set in {}:{}", offer_.file, node.source().begin.line);
      }
    }
  }

  [[nodiscard]] std::vector<std::string> keys() const {
    std::vector<std::string> names;
    for (const ClauseInfo& kind : kinds_.kinds()) names.push_back(kind.key);
    return names;
  }

  [[nodiscard]] std::vector<std::string> sections() const {
    std::set<std::string> names{"provider", "thresholds"};
    for (const ClauseInfo& kind : kinds_.kinds()) names.insert(kind.key.substr(0, kind.key.find('.')));
    return {names.begin(), names.end()};
  }

  [[nodiscard]] bool known_section(const std::string& name) const {
    const auto names = sections();
    return std::find(names.begin(), names.end(), name) != names.end();
  }

  const ClauseRegistry& kinds_;
  OfferFaults faults_;
  Offer offer_;
  std::vector<PlacedClause> clauses_;
  std::set<std::string> present_;
};

}  // namespace

const Clause* Offer::find(std::string_view key) const {
  const auto at = std::find_if(clauses.begin(), clauses.end(), [&](const Clause& clause) { return clause.key == key; });
  return at == clauses.end() ? nullptr : &*at;
}

Offer parse_offer(std::string_view text, const std::string& file, const ClauseRegistry& kinds) {
  if (text.find_first_not_of(" \t\r\n") == std::string_view::npos) {
    throw bad_input(file + ": the offer is empty", "offers/example-host.toml is an example");
  }
  try {
    return OfferReader(file, kinds).read(toml::parse(text, file));
  } catch (const toml::parse_error& error) {
    throw bad_input(fmt::format("{}:{}: not TOML: {}", file, error.source().begin.line, error.description()),
                    "see https://toml.io for the syntax; quantities stand in quotes: \"12 GB/s\"");
  }
}

Offer load_offer(const std::filesystem::path& path, const ClauseRegistry& kinds) {
  std::error_code error;
  const auto status = std::filesystem::status(path, error);
  if (!std::filesystem::exists(status))
    throw bad_input(path.string() + ": no such file", "give an offer with --offer FILE");
  if (std::filesystem::is_directory(status))
    throw bad_input(path.string() + ": is a directory", "name the .toml file in it");
  if (!std::filesystem::is_regular_file(status))
    throw bad_input(path.string() + ": is not a regular file", "name the .toml file");
  if (std::filesystem::file_size(path, error) > largest_offer_bytes) {
    throw bad_input(path.string() + ": larger than 1 MiB, which no offer is", "is it a result file?");
  }
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  if (file) text << file.rdbuf();
  if (!file) throw bad_input(path.string() + ": cannot be read", "check its permissions");
  return parse_offer(text.str(), path.string(), kinds);
}

}  // namespace assay
