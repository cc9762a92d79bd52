// Names and texts of errors, as the real library gives them.
#include <cuda_runtime_api.h>

#include <algorithm>
#include <iterator>

namespace {

struct Text {
  int code;
  const char* name;
  const char* text;
};

constexpr Text texts[] = {
#include "error_table.inc"
};

const Text* find(int code) {
  const auto* found =
      std::find_if(std::begin(texts), std::end(texts), [&](const Text& one) { return one.code == code; });
  return found == std::end(texts) ? nullptr : found;
}

}  // namespace

extern "C" {

const char* cudaGetErrorName(cudaError_t error) {
  const Text* text = find(error);
  return text == nullptr ? "unrecognized error code" : text->name;
}

const char* cudaGetErrorString(cudaError_t error) {
  const Text* text = find(error);
  return text == nullptr ? "unrecognized error code" : text->text;
}
}
