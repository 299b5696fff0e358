// What is the same in the C of every network.
#pragma once

namespace tessera::runtime {

/// tessera_host.h, from its begin.
inline constexpr const char* kMacros = R"(#ifndef TESSERA_HOST_H
#define TESSERA_HOST_H

/* Name a header there, in quotes, that defines what is to be other than below, or the registers'
 * macros of tessera_program.h. */
#if defined(TESSERA_CONFIG)
#include TESSERA_CONFIG
#endif

#include "tessera_program.h"

/* Where the processor sees a byte of the accelerator's memory: a `uint8_t *`. The address is no
 * constant to the compiler, which would take a low one for a mistake. */
#ifndef TESSERA_MEMORY
static inline uint8_t *tessera_memory(uintptr_t address) {
  const volatile uintptr_t at = address;
  return (uint8_t *)at;
}
#define TESSERA_MEMORY(address) tessera_memory(address)
#endif

/* For processors with a data cache: writes back what the processor has written, before a run; and
 * forgets what it has read, after it. */
#ifndef TESSERA_CLEAN_CACHE
#define TESSERA_CLEAN_CACHE(memory, bytes) ((void)0)
#endif
#ifndef TESSERA_INVALIDATE_CACHE
#define TESSERA_INVALIDATE_CACHE(memory, bytes) ((void)0)
#endif

/* All accesses to memory before it come before all those behind it. */
#ifndef TESSERA_BARRIER
#if defined(__GNUC__)
#define TESSERA_BARRIER() __sync_synchronize()
#else
#error "TESSERA_BARRIER() must be defined for this compiler"
#endif
#endif

/* Waits for a run's end: an `enum tessera_result`. To sleep meanwhile, define it, and
 * TESSERA_INTERRUPT as 1, which raises the interrupt at the run's end. */
#ifndef TESSERA_WAIT
#define TESSERA_WAIT(base, polls) tessera_wait(base, polls)
#endif
#ifndef TESSERA_INTERRUPT
#define TESSERA_INTERRUPT 0
#endif

#if defined(__cplusplus)
extern "C" {
#endif

)";

/// To its end.
inline constexpr const char* kDeclarations = R"(
/* Gives states their first values: before the first inference, and whenever they are to begin anew.
 * Does nothing for a network without states. */
enum tessera_result tessera_reset(void *base, uint32_t polls);

/* One inference; of a network with states, one step. Constants and commands are in memory already,
 * where tessera_program.h says. `base` is the registers'. `inputs` and `outputs` are arrays of
 * pointers to TESSERA_INPUTi_BYTES and TESSERA_OUTPUTi_BYTES each. Each run is looked at `polls`
 * times at most: TESSERA_BUSY then. Not to be called while another inference runs. */
enum tessera_result tessera_infer(void *base, const void *const *inputs, void *const *outputs,
                                  uint32_t polls);

#if defined(__cplusplus)
}
#endif

#endif
)";

/// What every tessera_host.c has.
inline constexpr const char* kSlots = R"(
/* A tensor's bytes out of segments that are `stride` apart. */
TESSERA_KERNEL void tessera_join(const uint8_t *from, int32_t segment, int32_t stride, int32_t bytes,
                                 uint8_t *to) {
  while (bytes > 0) {
    tessera_copy(from, to, segment);
    from += stride;
    to += segment;
    bytes -= segment;
  }
}

/* A run, from its start to its end. */
TESSERA_KERNEL enum tessera_result tessera_execute(void *base, uint32_t run, uint32_t polls) {
  enum tessera_result result;
  TESSERA_CLEAN_CACHE(TESSERA_MEMORY(TESSERA_ARENA_ADDRESS), TESSERA_ARENA_BYTES);
  TESSERA_BARRIER();
  result = tessera_start(base, run, TESSERA_INTERRUPT);
  if (result == TESSERA_DONE) {
    result = TESSERA_WAIT(base, polls);
  }
  TESSERA_BARRIER();
  TESSERA_INVALIDATE_CACHE(TESSERA_MEMORY(TESSERA_ARENA_ADDRESS), TESSERA_ARENA_BYTES);
  return result;
}
)";

}  // namespace tessera::runtime
