#include "checkpoint/durable.h"

#include "base/file.h"
#include "base/mem.h"
#include "base/new_file.h"
#include "base/strbuf.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* A name that no user has: what bears it is removed where it was replaced. */
char *durable_aside_name(const char *path)
{
    struct strbuf b;
    strbuf_init(&b);
    strbuf_printf(&b, "%s.gait-old", path);
    return b.s;
}

/* A folder itself, not a link to one. */
static bool is_folder(const char *path)
{
    struct stat s;
    return !lstat(path, &s) && S_ISDIR(s.st_mode);
}

/* Not even a link that leads nowhere. */
static bool is_absent(const char *path)
{
    struct stat s;
    return lstat(path, &s) && errno == ENOENT;
}

enum status durable_write(const char *path, const char *bytes, size_t n, struct err *err)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
    if (fd < 0)
        return file_err(err, "write", path);
    bool good = write_fully(fd, bytes, n) && !fsync(fd);
    int saved = errno;
    if (close(fd) && good) {
        saved = errno;
        good = false;
    }
    errno = saved;
    return good ? STATUS_OK : file_err(err, "write", path);
}

/* Where a file system cannot exchange two names. Between the first two renames nothing
 * has the name `to`: durable_recover() gives it back after a crash there. The third one
 * only moves what is to be removed. */
static bool replace_in_steps(const char *from, const char *to)
{
    char *aside = durable_aside_name(to);
    bool good = !rename(to, aside);
    if (good && rename(from, to)) {
        int saved = errno;
        good = false;
        rename(aside, to);
        errno = saved;
    }
    int saved = errno;
    if (good)
        rename(aside, from);
    mem_free(aside);
    errno = saved;
    return good;
}

/* What stood at `to` is at `from` afterwards. */
static bool exchange(const char *from, const char *to)
{
    if (!renameat2(AT_FDCWD, from, AT_FDCWD, to, RENAME_EXCHANGE))
        return true;
    return (errno == EINVAL || errno == ENOSYS) && replace_in_steps(from, to);
}

/* durable_recover() removes it when `to` is surely on disk. */
static void set_aside(const char *from, const char *to)
{
    char *aside = durable_aside_name(to);
    rename(from, aside);
    mem_free(aside);
}

enum status durable_place_folder(const char *from, const char *to, struct err *err)
{
    bool replaced = false, good = !rename(from, to);
    if (!good && (errno == ENOTEMPTY || errno == EEXIST))
        good = replaced = exchange(from, to);
    if (!good)
        return file_err(err, "write", to);
    enum status st = file_sync_name(to, err);
    /* The caller removes what is at `from`: not the only one that is surely on disk. */
    if (st && replaced && !exchange(from, to))
        set_aside(from, to);
    else if (st && !replaced)
        rename(to, from);
    return st;
}

/* The removal begins under a name that is never brought back. */
static enum status remove_replaced(const char *aside, const char *to, struct err *err)
{
    char *gone = file_temporary_name(aside);
    enum status st = file_sync_name(to, err);
    if (!st && rename(aside, gone))
        st = file_err(err, "remove", aside);
    if (!st)
        st = durable_remove(gone, err);
    mem_free(gone);
    return st;
}

enum status durable_recover(const char *to, struct err *err)
{
    enum status st = STATUS_OK;
    char *aside = durable_aside_name(to);
    if (!is_folder(aside))
        goto out;
    if (!is_absent(to))
        st = remove_replaced(aside, to, err);
    else if (rename(aside, to))
        st = file_err(err, "write", to);
    else
        st = file_sync_name(to, err);
out:
    mem_free(aside);
    return st;
}

/* Everything in the folder open at fd, which is closed. */
static bool remove_content(int fd)
{
    DIR *d = fdopendir(fd);
    bool good = d != NULL;
    if (!d)
        close(fd);
    for (struct dirent *e; good && (errno = 0, e = readdir(d)) != NULL;) {
        if (!strcmp(e->d_name, ".") || !strcmp(e->d_name, ".."))
            continue;
        if (!unlinkat(fd, e->d_name, 0))
            continue;
        int inner =
            errno == EISDIR || errno == EPERM
                ? openat(fd, e->d_name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
                : -1;
        good =
            inner >= 0 && remove_content(inner) && !unlinkat(fd, e->d_name, AT_REMOVEDIR);
    }
    good = good && !errno;
    int saved = errno;
    if (d)
        closedir(d);
    errno = saved;
    return good;
}

enum status durable_remove(const char *folder, struct err *err)
{
    int fd = open(folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd >= 0 && remove_content(fd) && !rmdir(folder))
        return STATUS_OK;
    return file_err(err, "remove", folder);
}
