/*
 * Slots are marked in bit masks with atomic operations: a slot may be given back by any
 * thread and at any later time. Where no slot is left or the size is larger, malloc
 * serves, so nothing depends on oneDNN's habits but the count of allocations.
 */
#include "engine/onednn_new.h"

#include "base/mem.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { SLOT_BYTES = 128, MASKS = 4, SLOTS_A_MASK = 64 };

static _Alignas(64) unsigned char slots[MASKS * SLOTS_A_MASK][SLOT_BYTES];
static _Atomic uint64_t taken[MASKS];
static _Thread_local bool inside_execute;

/* operator new(size_t) and operator delete(void *), under their C++ names; libstdc++'s
 * other forms call these two. */
void *operator_new(size_t bytes) __asm__("_Znwm");
void operator_delete(void *p) __asm__("_ZdlPv");

void onednn_new_enter(void)
{
    inside_execute = true;
}

void onednn_new_leave(void)
{
    inside_execute = false;
}

static void *slot_take(void)
{
    for (int m = 0; m < MASKS; m++) {
        uint64_t seen = atomic_load_explicit(&taken[m], memory_order_relaxed);
        while (~seen) {
            int bit = __builtin_ctzll(~seen);
            if (atomic_compare_exchange_weak(&taken[m], &seen, seen | UINT64_C(1) << bit))
                return slots[m * SLOTS_A_MASK + bit];
        }
    }
    return NULL;
}

void *operator_new(size_t bytes)
{
    if (inside_execute && bytes <= SLOT_BYTES) {
        void *slot = slot_take();
        if (slot)
            return slot;
    }
    return mem_alloc(bytes);
}

void operator_delete(void *p)
{
    uintptr_t at = (uintptr_t)p, first = (uintptr_t)slots;
    if (at < first || at >= first + sizeof slots) {
        mem_free(p);
        return;
    }
    size_t i = (at - first) / SLOT_BYTES;
    atomic_fetch_and(&taken[i / SLOTS_A_MASK], ~(UINT64_C(1) << i % SLOTS_A_MASK));
}
