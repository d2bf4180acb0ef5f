#ifdef GAIT_TREE_SITTER
#include "source/tree_memory.h"

#include "base/mem.h"

#include <pthread.h>
#include <tree_sitter/api.h>

static void *resize(void *p, size_t bytes)
{
    return mem_resize(p, 1, bytes);
}

static void set_allocator(void)
{
    ts_set_allocator(mem_alloc, mem_zalloc, resize, mem_free);
}

/* The allocator is global: set again while another thread parses, it would be a race. */
void tree_memory_use(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, set_allocator);
}
#endif
