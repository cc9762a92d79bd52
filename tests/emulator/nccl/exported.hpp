#pragma once

// The declarations of nccl.h, visible outside of the library: to be included before anything else includes nccl.h.
#pragma GCC visibility push(default)
#include <nccl.h>
#pragma GCC visibility pop
