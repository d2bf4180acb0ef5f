/* How fast a checkpoint is written and read: one file, from beginning to end. */
#include "base/clock.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/strbuf.h"
#include "machine/ceiling.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { REPETITIONS = 5, BLOCK = 1 << 20, BLOCKS = 32 };

/* A file that is gone when it is closed; -1. */
static int open_unnamed(const char *folder)
{
    struct strbuf path;
    strbuf_init(&path);
    strbuf_printf(&path, "%s/.gait-bench-XXXXXX", folder);
    int fd = mkstemp(path.s);
    if (fd >= 0)
        unlink(path.s);
    strbuf_release(&path);
    return fd;
}

/* NULL: it can be measured. Four times what is written must be free: the disk is the
 * user's. */
static const char *why_not(const char *folder)
{
    double room = file_room(folder);
    if (isnan(room))
        return "there is no such folder, or it may not be looked at";
    return room >= 4.0 * BLOCK * BLOCKS ? NULL
                                        : "less than 128 MiB are free in this folder";
}

static bool write_all(int fd, const char *block)
{
    if (lseek(fd, 0, SEEK_SET) < 0)
        return false;
    for (int i = 0; i < BLOCKS; i++)
        for (size_t done = 0; done < BLOCK;) {
            ssize_t n = write(fd, block + done, BLOCK - done);
            if (n < 0 && errno == EINTR)
                continue;
            if (n <= 0)
                return false;
            done += (size_t)n;
        }
    return !fsync(fd);
}

static bool read_all(int fd, char *block)
{
    size_t sum = 0;
    if (lseek(fd, 0, SEEK_SET) < 0)
        return false;
    for (ssize_t n; (n = read(fd, block, BLOCK)) != 0; sum += n > 0 ? (size_t)n : 0)
        if (n < 0 && errno != EINTR)
            return false;
    return sum == (size_t)BLOCK * BLOCKS;
}

/* Forget what the system keeps of the file: else its memory is measured. */
static bool let_go(int fd)
{
    return !posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
}

static void measure(struct ceiling *c, int fd, bool reads)
{
    double per_s[REPETITIONS];
    char *block = mem_alloc(BLOCK);
    uint32_t x = 1; /* a disk may compress what repeats itself */
    for (size_t i = 0; i < BLOCK; i++)
        block[i] = (char)((x = x * 1664525 + 1013904223) >> 24);
    bool ok = !reads || write_all(fd, block);
    int64_t begin_ns = clock_now_ns(), cpu_begin_ns = clock_cpu_ns();
    while (ok && c->repetitions < REPETITIONS) {
        ok = !reads || let_go(fd);
        int64_t first_ns = clock_now_ns();
        ok = ok && (reads ? read_all(fd, block) : write_all(fd, block));
        int64_t dur_ns = clock_now_ns() - first_ns;
        if (ok)
            per_s[c->repetitions++] =
                (double)BLOCK * BLOCKS * 1e9 / (double)(dur_ns > 0 ? dur_ns : 1);
    }
    mem_free(block);
    if (!ok) {
        *c = (struct ceiling){.how = "the file could not be written or read"};
        return;
    }
    ceiling_summarize(c, per_s, false, begin_ns, cpu_begin_ns);
    c->cpu_frac = 1; /* it waits for the disk */
}

static struct ceiling rate_of(const char *folder, bool reads)
{
    struct ceiling c = {.threads = 1,
                        .how = reads ? "32 MiB, not from memory"
                                     : "32 MiB, until it is on the disk"};
    const char *why = why_not(folder);
    if (why) {
        c.how = why;
        return c;
    }
    int fd = open_unnamed(folder);
    if (fd < 0) {
        c.how = "no file can be made in this folder";
        return c;
    }
    measure(&c, fd, reads);
    close(fd);
    return c;
}

struct ceiling ceiling_disk_write(const char *folder)
{
    return rate_of(folder, false);
}

struct ceiling ceiling_disk_read(const char *folder)
{
    return rate_of(folder, true);
}
