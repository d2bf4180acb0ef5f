#include "base/leftover.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdbool.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/* A command writes a file or a folder at a time, and a file inside a folder. */
enum { NOTED_MAX = 8 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char noted[NOTED_MAX][PATH_MAX]; /* "" = free */

/* The place of path, or of a free one for ""; -1: there is none. */
static int find(const char *path)
{
    for (int i = 0; i < NOTED_MAX; i++)
        if (!strcmp(noted[i], path))
            return i;
    return -1;
}

void leftover_note(const char *path)
{
    size_t len = strlen(path);
    if (len >= PATH_MAX)
        return;
    pthread_mutex_lock(&lock);
    int i = find("");
    if (i >= 0)
        memcpy(noted[i], path, len + 1);
    pthread_mutex_unlock(&lock);
}

void leftover_forget(const char *path)
{
    pthread_mutex_lock(&lock);
    int i = *path ? find(path) : -1;
    if (i >= 0)
        *noted[i] = '\0';
    pthread_mutex_unlock(&lock);
}

static void remove_tree(int above, const char *name);

/* All entries of one buffer; false: nothing could be removed. */
static bool remove_entries(int folder, const char *entries, ssize_t bytes)
{
    bool any = false;
    for (ssize_t at = 0; at < bytes;) {
        const struct dirent64 *e = (const void *)(entries + at);
        at += e->d_reclen;
        if (!strcmp(e->d_name, ".") || !strcmp(e->d_name, ".."))
            continue;
        remove_tree(folder, e->d_name);
        any = any || (faccessat(folder, e->d_name, F_OK, AT_SYMLINK_NOFOLLOW) &&
                      errno == ENOENT);
    }
    return any;
}

/* opendir() would allocate. The folder is read anew after each removal, until nothing in
 * it can be removed any more. */
static void remove_tree(int above, const char *name)
{
    _Alignas(struct dirent64) char entries[4096];
    if (!unlinkat(above, name, 0) || (errno != EISDIR && errno != EPERM))
        return;
    int folder = openat(above, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (folder < 0)
        return;
    for (bool any = true; any;) {
        long n;
        any = false;
        /* getdents64() exists from glibc 2.30 on; the wheel needs 2.28 alone. */
        lseek(folder, 0, SEEK_SET);
        while ((n = syscall(SYS_getdents64, folder, entries, sizeof entries)) > 0)
            any = remove_entries(folder, entries, n) || any;
    }
    close(folder);
    unlinkat(above, name, AT_REMOVEDIR);
}

void leftover_remove_all(void)
{
    pthread_mutex_lock(&lock);
    for (int i = 0; i < NOTED_MAX; i++) {
        if (*noted[i])
            remove_tree(AT_FDCWD, noted[i]);
        *noted[i] = '\0';
    }
    pthread_mutex_unlock(&lock);
}
