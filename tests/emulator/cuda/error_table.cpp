// Run at build time with the real libcudart, whose names and texts of errors the emulation repeats: writes them as
// initialisers, one line each.
#include <cuda_runtime_api.h>

#include <cstdio>
#include <cstring>

namespace {

void write_quoted(const char* text) {
  std::putchar('"');
  for (; *text != '\0'; ++text) {
    if (*text == '"' || *text == '\\') std::putchar('\\');
    std::putchar(*text);
  }
  std::putchar('"');
}

}  // namespace

int main() {
  constexpr int beyond_last = 10001;
  const char* const unknown = cudaGetErrorName(static_cast<cudaError_t>(beyond_last));
  for (int code = 0; code < beyond_last; ++code) {
    const auto error = static_cast<cudaError_t>(code);
    const char* const name = cudaGetErrorName(error);
    if (std::strcmp(name, unknown) == 0) continue;
    std::printf("{%d, ", code);
    write_quoted(name);
    std::fputs(", ", stdout);
    write_quoted(cudaGetErrorString(error));
    std::puts("},");
  }
}
