/* What a program on a core may ask for; see docs/kernels.md. */
#ifndef SCALEIN_H
#define SCALEIN_H

#include <stdint.h>

#define SCALEIN_MAILBOX 0x10000000u
#define SCALEIN_SCRATCHPAD 0x20000000u

/* Number of this core, from 0. */
static inline unsigned long scalein_hart(void) {
  unsigned long hart;
  __asm__ volatile("csrr %0, mhartid" : "=r"(hart));
  return hart;
}

/* Argument register i, 0 to 15, of the mailbox: what `scalein exec --args` gives. */
static inline uint64_t scalein_argument(unsigned i) {
  return *(volatile uint64_t *)(uintptr_t)(SCALEIN_MAILBOX + 0x80 + 8 * i);
}

/* Leaves a value for the host, beside the exit code. */
static inline void scalein_return(uint64_t value) {
  *(volatile uint64_t *)(uintptr_t)(SCALEIN_MAILBOX + 0x18) = value;
}

/* Core cycles since the start. */
static inline uint64_t scalein_cycles(void) {
#if __riscv_xlen == 64
  uint64_t cycles;
  __asm__ volatile("csrr %0, mcycle" : "=r"(cycles));
  return cycles;
#else
  uint32_t high, low, again;
  do {
    __asm__ volatile("csrr %0, mcycleh" : "=r"(high));
    __asm__ volatile("csrr %0, mcycle" : "=r"(low));
    __asm__ volatile("csrr %0, mcycleh" : "=r"(again));
  } while (high != again);
  return (uint64_t)high << 32 | low;
#endif
}

/* Makes this core's stores visible to others that share its memory, and theirs to this one. */
static inline void scalein_fence(void) { __asm__ volatile("fence" ::: "memory"); }

/* Moves bytes between memory and scratchpad past the line buffers, and waits. One address is in memory, the other in the
 * scratchpad; all in whole columns (8 B; a row with the row port, 64 B at the rank). Does what a fence does, too. */
static inline void scalein_dma(void *destination, const void *source, unsigned long bytes) {
  const uintptr_t engine = SCALEIN_MAILBOX + 0x100;
  __asm__ volatile("" ::: "memory");
  *(volatile uintptr_t *)engine = (uintptr_t)source;
  *(volatile uintptr_t *)(engine + 8) = (uintptr_t)destination;
  *(volatile uintptr_t *)(engine + 16) = bytes;
  __asm__ volatile("" ::: "memory");
}

#endif
