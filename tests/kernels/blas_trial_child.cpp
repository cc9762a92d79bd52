#include "kernels/host/blas_trial.hpp"

int main(int count, char** arguments) { return assay::blas_trial_main(count > 1 ? arguments[1] : ""); }
