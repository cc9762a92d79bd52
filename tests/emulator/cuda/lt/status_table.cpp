// Run at build time with the real libcublasLt, whose names and texts the emulation repeats: writes them as
// initialisers, one line each; the last line is that of an unknown status.
#include <cublasLt.h>

#include <cstdio>
#include <cstring>

int main() {
  constexpr int beyond_last = 64;
  const char* const unknown = cublasLtGetStatusName(static_cast<cublasStatus_t>(beyond_last));
  for (int code = 0; code <= beyond_last; ++code) {
    const auto status = static_cast<cublasStatus_t>(code);
    if (code < beyond_last && std::strcmp(cublasLtGetStatusName(status), unknown) == 0) continue;
    std::printf("{%d, \"%s\", \"%s\"},\n", code, cublasLtGetStatusName(status), cublasLtGetStatusString(status));
  }
}
