#include "base/mem.h"

#include "base/leftover.h"
#include "base/status.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

_Noreturn void mem_refused(size_t bytes)
{
    fprintf(stderr,
            "gait: out of memory: %zu bytes were refused. Close other programs, or use "
            "a smaller input or batch.\n",
            bytes);
    leftover_remove_all();
    exit(STATUS_ENVIRONMENT);
}

static void *mem_or_exit(void *p, size_t bytes)
{
    if (!p)
        mem_refused(bytes);
    return p;
}

static size_t mem_product(size_t n, size_t size)
{
    size_t bytes;
    if (__builtin_mul_overflow(n, size, &bytes))
        BUG("allocation of %zu x %zu bytes", n, size);
    return bytes ? bytes : 1;
}

void *mem_alloc(size_t bytes)
{
    return mem_or_exit(malloc(bytes ? bytes : 1), bytes);
}

void *mem_zalloc(size_t n, size_t size)
{
    size_t bytes = mem_product(n, size);
    return mem_or_exit(calloc(1, bytes), bytes);
}

void *mem_resize(void *p, size_t n, size_t size)
{
    size_t bytes = mem_product(n, size);
    return mem_or_exit(realloc(p, bytes), bytes);
}

char *mem_strndup(const char *s, size_t n)
{
    char *copy = mem_alloc(n + 1);
    memcpy(copy, s, n);
    copy[n] = '\0';
    return copy;
}

char *mem_strdup(const char *s)
{
    return mem_strndup(s, strlen(s));
}

void mem_free(void *p)
{
    free(p);
}
