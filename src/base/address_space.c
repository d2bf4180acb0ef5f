#include "base/address_space.h"

#include "base/units.h"

#include <fcntl.h>
#include <malloc.h>
#include <math.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

/* Of the main thread, twice what the kernel maps of a stack at first; and what must be
 * free to begin at all. tests/e2e/memory_limits_end_well.sh holds that it is enough. */
enum { STACK_BYTES = 256 << 10, START_BYTES = 1 << 20 };

/* glibc gives threads heaps of their own, which map 64 MiB each. */
static const double HEAP_BYTES = 64 << 20;
/* All of them together may have this part of a limit. */
static const double HEAPS_FRAC = 1.0 / 8;

double address_space_limit_bytes(void)
{
    struct rlimit l;
    if (getrlimit(RLIMIT_AS, &l) || l.rlim_cur == RLIM_INFINITY)
        return INFINITY;
    return (double)l.rlim_cur;
}

/* /proc/self/statm begins with the pages that are mapped. Read without the heap, which
 * may be what there is no room for. */
double address_space_used_bytes(void)
{
    char text[64];
    int fd = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
    ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof text - 1);
    if (fd >= 0)
        close(fd);
    if (n <= 0)
        return NAN;
    text[n] = '\0';
    return (double)strtoull(text, NULL, 10) * (double)sysconf(_SC_PAGESIZE);
}

bool address_space_has(size_t bytes)
{
    void *p =
        mmap(NULL, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (p == MAP_FAILED)
        return false;
    munmap(p, bytes);
    return true;
}

enum status address_space_require(size_t bytes, const char *who, const char *remedy,
                                  struct err *err)
{
    if (address_space_has(bytes))
        return STATUS_OK;
    double limit = address_space_limit_bytes();
    if (isinf(limit)) /* the machine does not overcommit, or has no more mappings */
        return err_set(err, STATUS_ENVIRONMENT,
                       "the system does not give %s %s of memory: close other programs, "
                       "or %s",
                       who, unit_mib((double)bytes).s, remedy);
    return err_set(
        err, STATUS_ENVIRONMENT,
        "%s needs %s of address space, and of the limit of %s (ulimit -v) %s are in "
        "use: raise the limit, or %s",
        who, unit_mib((double)bytes).s, unit_mib(limit).s,
        unit_mib(address_space_used_bytes()).s, remedy);
}

/* The stack grows as it is touched, and does not shrink. */
static __attribute__((noinline)) void touch_stack(void)
{
    volatile char page[STACK_BYTES];
    for (size_t i = sizeof page; i >= 1024; i -= 1024)
        page[i - 1] = 0;
}

static bool stack_is_small(void)
{
    struct rlimit l;
    return getrlimit(RLIMIT_STACK, &l) ||
           (l.rlim_cur != RLIM_INFINITY && l.rlim_cur < 2 * (rlim_t)STACK_BYTES);
}

enum status address_space_begin(struct err *err)
{
    double limit = address_space_limit_bytes();
    if (isinf(limit))
        return STATUS_OK;
    enum status s =
        address_space_require(START_BYTES, "the program", "use a smaller build", err);
    if (s == STATUS_OK && !stack_is_small())
        touch_stack();
    double heaps = floor(limit * HEAPS_FRAC / HEAP_BYTES);
    mallopt(M_ARENA_MAX, heaps > 1 ? (int)fmin(heaps, 1 << 20) : 1);
    return s;
}
