// The SystemC library has a main() of its own, which wants this; programs here have their own.
extern "C" int sc_main(int /*argc*/, char* /*argv*/[]) {
  return 0;
}
