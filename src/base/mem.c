#include "base/mem.h"

#include "base/address_space.h"
#include "base/leftover.h"
#include "base/status.h"
#include "base/units.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *said_if_refused;

void mem_say_if_refused(const char *sentence)
{
    said_if_refused = sentence;
}

static _Noreturn void exit_without_memory(const char *what)
{
    double limit = address_space_limit_bytes();
    fprintf(stderr, "gait: out of memory: %s refused. ", what);
    if (isfinite(limit))
        fprintf(stderr,
                "The address space is limited to %s (ulimit -v): raise the limit, or use "
                "a smaller input or batch.",
                unit_mib(limit).s);
    else
        fputs("Close other programs, or use a smaller input or batch.", stderr);
    fprintf(stderr, "%s%s\n", said_if_refused ? " " : "",
            said_if_refused ? said_if_refused : "");
    leftover_remove_all();
    exit(STATUS_ENVIRONMENT);
}

static void *mem_or_exit(void *p, size_t bytes)
{
    if (!p) {
        char what[64];
        snprintf(what, sizeof what, "%zu bytes were", bytes);
        exit_without_memory(what);
    }
    return p;
}

void mem_refused(const char *who)
{
    char what[64];
    snprintf(what, sizeof what, "what %s asked for was", who);
    exit_without_memory(what);
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
