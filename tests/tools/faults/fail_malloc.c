/*
 * A preloaded library: the Nth allocation of one program fails.
 *
 *   GAIT_FAULTS_PROGRAM   the program; in others that it starts, nothing is done
 *   GAIT_FAULTS_REPORT    a file: without AT, a record of each allocation and behind them
 * the memory map; with it, "hit" where that allocation was asked for GAIT_FAULTS_AT the
 * number of the allocation that fails GAIT_FAULTS_ONWARD    all after it fail too
 *
 * A record is RECORD_WORDS words of 64 bits: the bytes, and the return addresses of the
 * stack, innermost first. Whoever reads them tells call sites apart and to which library
 * they belong.
 */
#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <limits.h>
#include <malloc.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { RECORD_FRAMES = 15, RECORD_WORDS = 1 + RECORD_FRAMES };

/* glibc's own names for what is interposed here. */
void *__libc_malloc(size_t bytes);
void *__libc_calloc(size_t n, size_t bytes);
void *__libc_realloc(void *p, size_t bytes);
void *__libc_memalign(size_t alignment, size_t bytes);

static atomic_long asked;
static long at;
static bool counts, onward;
static int list_fd = -1;
static _Thread_local bool inside __attribute__((tls_model("initial-exec")));

static void put(int fd, const void *data, size_t n)
{
    ssize_t written = write(fd, data, n);
    if (written != (ssize_t)n)
        abort(); /* a list with holes would number the calls wrongly */
}

static void list(size_t bytes)
{
    uint64_t record[RECORD_WORDS] = {bytes};
    void *frames[RECORD_FRAMES];
    int n = backtrace(frames, RECORD_FRAMES);
    for (int i = 0; i < n; i++)
        record[1 + i] = (uint64_t)(uintptr_t)frames[i];
    put(list_fd, record, sizeof record);
}

static void tell_hit(void)
{
    int fd = open(getenv("GAIT_FAULTS_REPORT"), O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
    if (fd >= 0) {
        put(fd, "hit\n", 4);
        close(fd);
    }
}

static bool __attribute__((noinline)) refused(size_t bytes)
{
    if (!counts || inside)
        return false;
    inside = true;
    long number = atomic_fetch_add(&asked, 1) + 1;
    int saved = errno;
    if (list_fd >= 0)
        list(bytes);
    if (number == at)
        tell_hit();
    errno = saved;
    inside = false;
    bool fails = at && (number == at || (onward && number > at));
    if (fails)
        errno = ENOMEM;
    return fails;
}

void *malloc(size_t bytes)
{
    return refused(bytes) ? NULL : __libc_malloc(bytes);
}

void *calloc(size_t n, size_t bytes)
{
    return refused(n * bytes) ? NULL : __libc_calloc(n, bytes);
}

void *realloc(void *p, size_t bytes)
{
    return bytes && refused(bytes) ? NULL : __libc_realloc(p, bytes);
}

void *memalign(size_t alignment, size_t bytes)
{
    return refused(bytes) ? NULL : __libc_memalign(alignment, bytes);
}

void *aligned_alloc(size_t alignment, size_t bytes)
{
    return refused(bytes) ? NULL : __libc_memalign(alignment, bytes);
}

int posix_memalign(void **out, size_t alignment, size_t bytes)
{
    void *p = refused(bytes) ? NULL : __libc_memalign(alignment, bytes);
    if (!p)
        return ENOMEM;
    *out = p;
    return 0;
}

static bool is_the_program(void)
{
    char path[PATH_MAX];
    const char *wanted = getenv("GAIT_FAULTS_PROGRAM");
    ssize_t n = readlink("/proc/self/exe", path, sizeof path - 1);
    if (n < 0 || !wanted)
        return false;
    path[n] = '\0';
    return !strcmp(path, wanted);
}

static void __attribute__((constructor)) begin(void)
{
    void *first[1];
    const char *number = getenv("GAIT_FAULTS_AT"), *report = getenv("GAIT_FAULTS_REPORT");
    if (!is_the_program() || !report || strlen(report) > PATH_MAX)
        return;
    backtrace(first, 1); /* loads the unwinder, which allocates */
    onward = getenv("GAIT_FAULTS_ONWARD") != NULL;
    at = number ? strtol(number, NULL, 10) : 0;
    if (!at)
        list_fd = open(report, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    counts = true;
}

static void __attribute__((destructor)) end(void)
{
    char piece[4096], name[PATH_MAX + 8];
    counts = false;
    if (list_fd < 0)
        return;
    strcpy(name, getenv("GAIT_FAULTS_REPORT"));
    strcat(name, ".maps");
    int from = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
    int to = open(name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    for (ssize_t n; from >= 0 && to >= 0 && (n = read(from, piece, sizeof piece)) > 0;)
        put(to, piece, (size_t)n);
    close(from);
    close(to);
}
