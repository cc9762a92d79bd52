// Linked into programs that use MPI in builds with sanitizers: plug-ins stay loaded until the leak check, which
// otherwise cannot tell to whom a leak belongs (tests/lsan.supp).
extern "C" int dlclose(void* /*handle*/) { return 0; }
