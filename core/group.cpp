#include "core/group.hpp"

#include <cstdint>

namespace assay {

std::string broadcast_text(Group& group, std::string text, int root) {
  std::uint64_t size = text.size();
  broadcast_value(group, size, root);
  text.resize(size);
  group.broadcast(std::as_writable_bytes(std::span<char>(text.data(), text.size())), root);
  return text;
}

std::vector<std::string> gather_texts(Group& group, const std::string& mine, int root) {
  std::vector<std::string> texts;
  for (const auto& characters : gather_values<char>(group, std::span<const char>(mine.data(), mine.size()), root))
    texts.emplace_back(characters.begin(), characters.end());
  return texts;
}

std::vector<std::string> all_gather_texts(Group& group, const std::string& mine) {
  std::vector<std::string> texts = gather_texts(group, mine, 0);
  texts.resize(static_cast<std::size_t>(group.size()));
  for (std::string& text : texts) text = broadcast_text(group, std::move(text), 0);
  return texts;
}

double max_over(Group& group, double value) {
  group.max_in_place(std::span<double>(&value, 1));
  return value;
}

double sum_over(Group& group, double value) {
  group.sum_in_place(std::span<double>(&value, 1));
  return value;
}

}  // namespace assay
