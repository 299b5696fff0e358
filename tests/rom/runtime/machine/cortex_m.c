/* QEMU's mps2-an386 (Cortex-M4): reset, a line to the semihosting console, the end. */
#include <stddef.h>
#include <stdint.h>

extern uint32_t stack_end[];
int run_cases(void);
void* memcpy(void* to, const void* from, size_t bytes);
void* memset(void* to, int value, size_t bytes);
void reset(void);

void* memcpy(void* to, const void* from, size_t bytes) {
  size_t i;
  for (i = 0; i < bytes; ++i) {
    ((volatile uint8_t*)to)[i] = ((const uint8_t*)from)[i];
  }
  return to;
}

void* memset(void* to, int value, size_t bytes) {
  size_t i;
  for (i = 0; i < bytes; ++i) {
    ((volatile uint8_t*)to)[i] = (uint8_t)value;
  }
  return to;
}

static void host(uint32_t operation, const void* argument) {
  register uint32_t r0 __asm__("r0") = operation;
  register const void* r1 __asm__("r1") = argument;
  __asm__ volatile("bkpt 0xab" : "+r"(r0) : "r"(r1) : "memory");
}

void reset(void) {
  const int failed = run_cases();
  host(4u, failed == 0 ? "OK\n" : "FAILED\n");
  host(0x18u, (const void*)0x20026u);
  for (;;) {
  }
}

/* Memory begins with zeros: QEMU loads initialised data where it is. */
__attribute__((section(".vectors"), used)) static const uintptr_t vectors[2] = {
    (uintptr_t)stack_end, (uintptr_t)reset};
