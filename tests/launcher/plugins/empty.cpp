extern "C" __attribute__((visibility("default"))) int nothing_of_interest() { return 0; }
