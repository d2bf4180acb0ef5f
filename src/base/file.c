#include "base/file.h"

#include "base/mem.h"
#include "base/strbuf.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum status file_err(struct err *err, const char *doing, const char *path)
{
    int e = errno;
    const char *what = strerror(e);
    bool writing = !strcmp(doing, "write");
    switch (e) {
    case ENOENT:
    case ENOTDIR:
        if (writing)
            return err_set(err, STATUS_ENVIRONMENT,
                           "cannot write %s: its folder does not exist; make it first",
                           path);
        return err_set(err, STATUS_INPUT, "cannot %s %s: no such file; check the path",
                       doing, path);
    case EACCES:
    case EPERM:
        return err_set(err, STATUS_ENVIRONMENT,
                       "cannot %s %s: %s; check its owner and mode", doing, path, what);
    case ENOSPC:
    case EDQUOT:
        return err_set(err, STATUS_ENVIRONMENT,
                       "cannot %s %s: %s; free some room or choose another place", doing,
                       path, what);
    case EFBIG:
        return err_set(err, STATUS_ENVIRONMENT,
                       "cannot %s %s: %s; check the space and limits of the disk "
                       "(ulimit -f)",
                       doing, path, what);
    case EISDIR:
        return err_set(err, STATUS_INPUT,
                       "cannot %s %s: it is a folder; name a file in it", doing, path);
    default:
        return err_set(err, STATUS_ENVIRONMENT, "cannot %s %s: %s", doing, path, what);
    }
}

enum status file_read(char **out, size_t *len, const char *path, size_t max_bytes,
                      struct err *err)
{
    FILE *f = fopen(path, "rb");
    if (!f)
        return file_err(err, "read", path);
    struct strbuf b;
    strbuf_init(&b);
    char chunk[1 << 16];
    enum status st = STATUS_OK;
    for (;;) {
        size_t got = fread(chunk, 1, sizeof chunk, f);
        if (!got)
            break;
        strbuf_add(&b, chunk, got);
        if (b.len > max_bytes) {
            st = err_set(err, STATUS_INPUT,
                         "%s is larger than %zu bytes; is it the right file?", path,
                         max_bytes);
            goto out;
        }
    }
    if (ferror(f)) {
        st = file_err(err, "read", path);
        goto out;
    }
    *len = b.len;
    *out = strbuf_detach(&b);
out:
    fclose(f);
    strbuf_release(&b);
    return st;
}

static bool file_sync_folder_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    char *folder =
        slash ? mem_strndup(path, (size_t)(slash - path) + 1) : mem_strdup(".");
    int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    mem_free(folder);
    if (fd < 0)
        return false;
    /* Some file systems have nothing to sync in a folder and say EINVAL. */
    bool good = !fsync(fd) || errno == EINVAL;
    int saved = errno;
    close(fd);
    errno = saved;
    return good;
}

/* Where a path really leads: a symbolic link is followed, also one whose target is not
 * there yet. The caller frees it. */
static char *file_resolve(const char *path)
{
    char *real = realpath(path, NULL);
    return real ? real : mem_strdup(path);
}

char *file_temporary_name(const char *path)
{
    struct strbuf name;
    char *real = file_resolve(path);
    strbuf_init(&name);
    strbuf_printf(&name, "%s.tmp.%ld", real, (long)getpid());
    mem_free(real);
    return name.s;
}

/* A device, pipe or folder: what must not be replaced by a file. */
static bool file_is_special(const char *path)
{
    struct stat s;
    return stat(path, &s) == 0 && !S_ISREG(s.st_mode);
}

enum status file_commit(const char *tmp, const char *path, struct err *err)
{
    if (file_is_special(path)) {
        unlink(tmp);
        return err_set(err, STATUS_ENVIRONMENT,
                       "cannot write %s: it is no regular file; choose another name",
                       path);
    }
    char *real = file_resolve(path);
    struct stat old;
    int fd = open(tmp, O_RDONLY | O_CLOEXEC);
    bool good = fd >= 0 && (stat(real, &old) || !fchmod(fd, old.st_mode & 07777)) &&
                !fsync(fd) && !rename(tmp, real) && file_sync_folder_of(real);
    int saved = errno;
    if (fd >= 0)
        close(fd);
    if (!good)
        unlink(tmp);
    mem_free(real);
    errno = saved;
    return good ? STATUS_OK : file_err(err, "write", path);
}

/* All of data to a file that is opened anew; false with errno. */
static bool file_put(const char *path, const char *data, size_t len)
{
    FILE *f = fopen(path, "wb");
    if (!f)
        return false;
    bool good = fwrite(data, 1, len, f) == len;
    int saved = errno;
    if (fclose(f) && good) {
        saved = errno;
        good = false;
    }
    errno = saved;
    return good;
}

enum status file_write(const char *path, const char *data, size_t len, struct err *err)
{
    if (file_is_special(path))
        return file_put(path, data, len) ? STATUS_OK : file_err(err, "write", path);
    char *tmp = file_temporary_name(path);
    enum status st;
    if (file_put(tmp, data, len)) {
        st = file_commit(tmp, path, err);
    } else {
        st = file_err(err, "write", path);
        unlink(tmp);
    }
    mem_free(tmp);
    return st;
}

bool file_exists(const char *path)
{
    return access(path, F_OK) == 0;
}

bool file_is_dir(const char *path)
{
    struct stat s;
    return stat(path, &s) == 0 && S_ISDIR(s.st_mode);
}

bool file_is_same(const char *a, const char *b)
{
    struct stat x, y;
    return stat(a, &x) == 0 && stat(b, &y) == 0 && x.st_dev == y.st_dev &&
           x.st_ino == y.st_ino;
}

const char *file_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

enum status file_check_writable(const char *path, struct err *err)
{
    const char *slash = strrchr(path, '/');
    if (file_is_dir(path))
        return err_set(err, STATUS_ENVIRONMENT,
                       "cannot write %s: it is a folder; name a file in it", path);
    char *folder =
        slash ? mem_strndup(path, (size_t)(slash - path) + 1) : mem_strdup(".");
    enum status st = STATUS_OK;
    if (!file_is_dir(folder))
        st = err_set(err, STATUS_ENVIRONMENT,
                     "cannot write %s: there is no folder %s; make it first", path,
                     folder);
    else if (access(folder, W_OK | X_OK))
        st = err_set(err, STATUS_ENVIRONMENT,
                     "cannot write %s: %s for the folder %s; choose another place", path,
                     strerror(errno), folder);
    mem_free(folder);
    return st;
}

enum status file_make_folders(const char *dir, struct err *err)
{
    char *path = mem_strdup(dir);
    enum status s = STATUS_OK;
    bool there = file_is_dir(dir);
    for (char *at = path; s == STATUS_OK && at && !there;) {
        at = strchr(at + 1, '/');
        if (at)
            *at = '\0';
        if (mkdir(path, 0777) && errno != EEXIST)
            s = file_err(err, "make the folder", dir);
        if (at)
            *at = '/';
    }
    if (s == STATUS_OK && !file_is_dir(dir))
        s = err_set(err, STATUS_ENVIRONMENT, "%s is a file; name a folder", dir);
    mem_free(path);
    return s;
}
