/*
 * The system calls that change files, watched: the program's own definitions come before
 * libc's. While armed, each call is counted and noted; the one at fault_at ends the
 * process before it is done (half-way through a write), or fails. Armed or not, the file
 * system can be made one that does not exchange two names.
 */
#ifndef GAIT_TESTS_FAULTY_CALLS_H
#define GAIT_TESTS_FAULTY_CALLS_H

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

enum fault { FAULT_NONE, FAULT_CRASH, FAULT_FAIL, FAULT_FAIL_ON };
enum call { CALL_MKDIR, CALL_WRITE, CALL_SYNC, CALL_RENAME, CALL_REMOVE };
enum { CALLS_MAX = 4096, CRASHED = 99 };

struct call_note {
    enum call call;
    char path[160], to[160];
};

static struct {
    bool armed;
    bool no_exchange;
    enum fault fault;
    long fault_at; /* from 1 on */
    int error;
    long n;
    struct call_note note[CALLS_MAX];
} calls;

static void calls_arm(enum fault fault, long at, int error)
{
    calls.armed = true;
    calls.fault = fault;
    calls.fault_at = at;
    calls.error = error;
    calls.n = 0;
}

/* Count a call; is it to fail? */
static bool call_fails(enum call call, const char *path, const char *to)
{
    if (!calls.armed)
        return false;
    if (calls.n < CALLS_MAX) {
        struct call_note *note = &calls.note[calls.n];
        note->call = call;
        snprintf(note->path, sizeof note->path, "%s", path);
        snprintf(note->to, sizeof note->to, "%s", to);
    }
    bool here = ++calls.n == calls.fault_at;
    if (here && calls.fault == FAULT_CRASH)
        _exit(CRASHED);
    bool later =
        calls.fault == FAULT_FAIL_ON && calls.n > calls.fault_at && call != CALL_REMOVE;
    if (!later && !(here && calls.fault >= FAULT_FAIL))
        return false;
    errno = calls.error;
    return true;
}

static const char *path_of(int fd)
{
    static char path[160];
    char link[64];
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t n = readlink(link, path, sizeof path - 1);
    path[n > 0 ? n : 0] = '\0';
    return path;
}

int mkdir(const char *path, mode_t mode)
{
    return call_fails(CALL_MKDIR, path, "") ? -1 : (int)syscall(SYS_mkdir, path, mode);
}

/* A crash leaves half of the bytes. */
static void crash_half_way(int fd, const void *bytes, size_t n, off_t at)
{
    if (calls.armed && calls.fault == FAULT_CRASH && calls.n + 1 == calls.fault_at &&
        syscall(SYS_pwrite64, fd, bytes, n / 2, at) < 0)
        _exit(1);
}

ssize_t write(int fd, const void *bytes, size_t n)
{
    if (calls.armed) {
        crash_half_way(fd, bytes, n, lseek(fd, 0, SEEK_CUR));
        if (call_fails(CALL_WRITE, path_of(fd), ""))
            return -1;
    }
    return syscall(SYS_write, fd, bytes, n);
}

ssize_t pwrite(int fd, const void *bytes, size_t n, off_t at)
{
    crash_half_way(fd, bytes, n, at);
    if (call_fails(CALL_WRITE, path_of(fd), ""))
        return -1;
    return syscall(SYS_pwrite64, fd, bytes, n, at);
}

int fsync(int fd)
{
    return call_fails(CALL_SYNC, path_of(fd), "") ? -1 : (int)syscall(SYS_fsync, fd);
}

int rename(const char *from, const char *to)
{
    if (call_fails(CALL_RENAME, from, to))
        return -1;
    return (int)syscall(SYS_rename, from, to);
}

int renameat2(int from_at, const char *from, int to_at, const char *to,
              unsigned int flags)
{
    if (call_fails(CALL_RENAME, from, to))
        return -1;
    if (calls.no_exchange && flags & RENAME_EXCHANGE) {
        errno = EINVAL;
        return -1;
    }
    return (int)syscall(SYS_renameat2, from_at, from, to_at, to, flags);
}

int unlink(const char *path)
{
    return call_fails(CALL_REMOVE, path, "") ? -1 : (int)syscall(SYS_unlink, path);
}

int unlinkat(int at, const char *path, int flags)
{
    if (call_fails(CALL_REMOVE, path_of(at), path))
        return -1;
    return (int)syscall(SYS_unlinkat, at, path, flags);
}

int rmdir(const char *path)
{
    return call_fails(CALL_REMOVE, path, "") ? -1 : (int)syscall(SYS_rmdir, path);
}

#endif
