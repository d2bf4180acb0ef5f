#include "base/new_file.h"

#include "base/clock.h"
#include "base/file.h"
#include "base/leftover.h"
#include "base/mem.h"
#include "base/path.h"
#include "base/strbuf.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    LINKS_MAX = 40, /* as many as the kernel follows */
    NAMES_MAX = 16, /* random names that were all taken: something else is wrong */
};

/* --- where a path leads
 * ---------------------------------------------------------------------------------- */

/* The kernel's rule for links, and for pipes, in folders that everybody can write to.
 * realpath() reads links without it, and not every machine has it turned on. */
static bool is_trusted(const char *path, const struct stat *s)
{
    struct stat folder;
    char *name = path_folder(path);
    bool known = !stat(name, &folder);
    mem_free(name);
    bool open_to_all = known && (folder.st_mode & S_ISVTX) && (folder.st_mode & S_IWOTH);
    return known &&
           (!open_to_all || s->st_uid == geteuid() || s->st_uid == folder.st_uid);
}

/* What a link holds, as seen from the link's own folder; NULL with errno. */
static char *link_target(const char *path)
{
    char text[4096];
    ssize_t len = readlink(path, text, sizeof text);
    if (len < 0)
        return NULL;
    if (len == (ssize_t)sizeof text) {
        errno = ENAMETOOLONG;
        return NULL;
    }
    struct strbuf b;
    strbuf_init(&b);
    if (text[0] != '/') {
        char *folder = path_folder(path);
        strbuf_puts(&b, folder);
        mem_free(folder);
    }
    strbuf_add(&b, text, (size_t)len);
    return b.s;
}

static enum status not_trusted(const char *path, const char *what, struct err *err)
{
    return err_set(err, STATUS_ENVIRONMENT,
                   "cannot write %s: it is a %s that another user created in a "
                   "world-writable folder; choose another name",
                   path, what);
}

/* The path behind all links, also where nothing is there yet. */
static enum status follow_links(char **out, const char *path, struct err *err)
{
    char *at = mem_strdup(path);
    struct stat s;
    for (int i = 0; i < LINKS_MAX; i++) {
        if (lstat(at, &s) || !S_ISLNK(s.st_mode)) {
            *out = at;
            return STATUS_OK;
        }
        if (!is_trusted(at, &s)) {
            mem_free(at);
            return not_trusted(path, "link", err);
        }
        char *next = link_target(at);
        mem_free(at);
        if (!next)
            return file_err(err, "write", path);
        at = next;
    }
    mem_free(at);
    errno = ELOOP;
    return file_err(err, "write", path);
}

/* --- temporary names
 * -------------------------------------------------------------------------------------
 */

char *file_temporary_name(const char *path)
{
    uint64_t bits;
    struct strbuf name;
    if (getrandom(&bits, sizeof bits, 0) != (ssize_t)sizeof bits)
        bits = (uint64_t)clock_now_ns(); /* whoever makes it refuses what is there */
    strbuf_init(&name);
    strbuf_printf(&name, "%s.tmp-%ld-%016llx", path, (long)getpid(),
                  (unsigned long long)bits);
    return name.s;
}

static int make_file(const char *name)
{
    return open(name, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
}

static int make_folder(const char *name)
{
    return mkdir(name, 0777);
}

/* Try names until one is free; -1 with errno. */
static int make_beside(char **name, const char *target, int (*make)(const char *))
{
    for (int i = 0; i < NAMES_MAX; i++) {
        *name = file_temporary_name(target);
        int made = make(*name);
        if (made >= 0) {
            leftover_note(*name);
            return made;
        }
        int saved = errno;
        mem_free(*name);
        *name = NULL;
        errno = saved;
        if (saved != EEXIST)
            return -1;
    }
    return -1;
}

enum status new_folder_make(char **out, const char *path, struct err *err)
{
    char *target;
    enum status st = follow_links(&target, path, err);
    if (st)
        return st;
    if (make_beside(out, target, make_folder) < 0)
        st = file_err(err, "write", path);
    mem_free(target);
    return st;
}

/* --- files
 * -----------------------------------------------------------------------------------------------
 */

static void new_file_release(struct new_file *f)
{
    int saved = errno;
    if (f->fd >= 0)
        close(f->fd);
    if (f->tmp)
        leftover_forget(f->tmp);
    mem_free(f->tmp);
    mem_free(f->target);
    *f = (struct new_file){.fd = -1};
    errno = saved;
}

static enum status not_regular(const struct new_file *f, struct err *err)
{
    return err_set(err, STATUS_ENVIRONMENT,
                   "cannot write %s: it is not a regular file; choose another name",
                   f->path);
}

/* A descriptor of the process is written to as it is: behind what is there already. */
static enum status open_own(struct new_file *f, int fd, enum new_file_kind kind,
                            struct err *err)
{
    if (kind == NEW_FILE_REGULAR)
        return not_regular(f, err);
    f->fd = fcntl(fd, F_DUPFD_CLOEXEC, 0);
    return f->fd < 0 ? file_err(err, "write", f->path) : STATUS_OK;
}

/* A device or pipe, which may have become something else since it was looked at. */
static enum status open_special(struct new_file *f, const struct stat *seen,
                                enum new_file_kind kind, struct err *err)
{
    struct stat s;
    if (kind == NEW_FILE_REGULAR && !S_ISDIR(seen->st_mode))
        return not_regular(f, err);
    if (!is_trusted(f->target, seen))
        return not_trusted(f->path, "pipe or device", err);
    f->fd = open(f->target, O_WRONLY | O_NOFOLLOW | O_NOCTTY | O_CLOEXEC);
    if (f->fd < 0 || fstat(f->fd, &s))
        return file_err(err, "write", f->path);
    if (s.st_dev != seen->st_dev || s.st_ino != seen->st_ino)
        return err_set(err, STATUS_ENVIRONMENT,
                       "cannot write %s: it was replaced meanwhile; choose another name",
                       f->path);
    return STATUS_OK;
}

static enum status open_target(struct new_file *f, enum new_file_kind kind,
                               struct err *err)
{
    struct stat s;
    int own = kind == NEW_FILE_OWN ? -1 : file_own_descriptor(f->path);
    if (own >= 0)
        return open_own(f, own, kind, err);
    if (kind == NEW_FILE_OWN) {
        f->target = mem_strdup(f->path);
    } else {
        enum status st = follow_links(&f->target, f->path, err);
        if (st)
            return st;
    }
    if (kind != NEW_FILE_OWN && !lstat(f->target, &s) && !S_ISREG(s.st_mode))
        return open_special(f, &s, kind, err);
    f->fd = make_beside(&f->tmp, f->target, make_file);
    return f->fd < 0 ? file_err(err, "write", f->path) : STATUS_OK;
}

enum status new_file_open(struct new_file *f, const char *path, enum new_file_kind kind,
                          struct err *err)
{
    *f = (struct new_file){.fd = -1, .path = path};
    enum status st = open_target(f, kind, err);
    if (st)
        new_file_release(f);
    return st;
}

FILE *new_file_stream(const struct new_file *f)
{
    int fd = fcntl(f->fd, F_DUPFD_CLOEXEC, 0);
    FILE *stream = fd < 0 ? NULL : fdopen(fd, "wb");
    if (fd >= 0 && !stream)
        close(fd);
    return stream;
}

void new_file_discard(struct new_file *f)
{
    int saved = errno;
    if (f->tmp)
        unlink(f->tmp);
    errno = saved;
    new_file_release(f);
}

/* close() may be the first to tell of a failed write (NFS). */
static bool close_written(struct new_file *f)
{
    int fd = f->fd;
    f->fd = -1;
    return !close(fd) || errno == EINTR;
}

static bool place(struct new_file *f, bool durable)
{
    struct stat old;
    bool older = !lstat(f->target, &old) && S_ISREG(old.st_mode);
    return (!older || !fchmod(f->fd, old.st_mode & 0777)) &&
           (!durable || !fsync(f->fd)) && close_written(f) && !rename(f->tmp, f->target);
}

static enum status commit(struct new_file *f, bool durable, struct err *err)
{
    enum status st = STATUS_OK;
    if (!f->tmp) {
        if (!close_written(f))
            st = file_err(err, "write", f->path);
    } else if (!place(f, durable)) {
        st = file_err(err, "write", f->path);
        new_file_discard(f);
    } else if (durable && file_sync_name(f->target, NULL)) {
        st = file_err(err, "write", f->path); /* as the user named it */
    }
    new_file_release(f);
    return st;
}

enum status new_file_commit(struct new_file *f, struct err *err)
{
    return commit(f, true, err);
}

enum status new_file_commit_unsynced(struct new_file *f, struct err *err)
{
    return commit(f, false, err);
}

bool write_fully(int fd, const void *data, size_t len)
{
    const char *at = data;
    while (len) {
        ssize_t put = write(fd, at, len);
        if (put < 0 && errno == EINTR)
            continue;
        if (put < 0)
            return false;
        at += put;
        len -= (size_t)put;
    }
    return true;
}
