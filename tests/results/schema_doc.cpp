// results_schema_doc docs/results.md: writes the tables of columns anew, below the marker in that file.
#include <fstream>
#include <iostream>
#include <iterator>
#include <string>

#include "results/schema.hpp"

int main(int argc, char** argv) {
  if (argc != 2) {
    std::cerr << "usage: results_schema_doc docs/results.md\n";
    return 2;
  }
  const std::string marker = "<!-- columns: written by results_schema_doc -->\n\n";
  std::ifstream manual(argv[1]);
  const std::string text(std::istreambuf_iterator<char>(manual), {});
  const std::size_t at = text.find(marker);
  if (at == std::string::npos) {
    std::cerr << argv[1] << ": has no line " << marker;
    return 2;
  }
  std::ofstream(argv[1]) << text.substr(0, at + marker.size()) << assay::results::schema_markdown();
  return 0;
}
