// A libnccl.so.2 from before 2.18, as far as anybody gets who asks for its version first.

extern "C" int ncclGetVersion(int* version) {
  *version = 21602;
  return 0;
}
