// Part of every program that uses MPI in builds with sanitizers: plug-ins stay loaded until the leak check, which
// otherwise cannot tell to whom a leak belongs (tests/lsan.supp). Weak, since several libraries of a program bring it.
extern "C" [[gnu::weak]] int dlclose(void* /*handle*/) { return 0; }
