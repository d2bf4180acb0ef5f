#include "base/file.h"

#include "base/mem.h"
#include "base/new_file.h"
#include "base/path.h"
#include "base/strbuf.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
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
    case ELOOP:
        return err_set(err, STATUS_ENVIRONMENT,
                       "cannot %s %s: it is a symbolic link, or too many of them; name "
                       "the file itself",
                       doing, path);
    case EISDIR:
        return err_set(err, STATUS_INPUT,
                       "cannot %s %s: it is a folder; name a file in it", doing, path);
    default:
        return err_set(err, STATUS_ENVIRONMENT, "cannot %s %s: %s", doing, path, what);
    }
}

int file_own_descriptor(const char *path)
{
    static const char *const standard[] = {"/dev/stdin", "/dev/stdout", "/dev/stderr"};
    static const char *const folders[] = {"/dev/fd/", "/proc/self/fd/"};
    for (int fd = 0; fd < 3; fd++)
        if (!strcmp(path, standard[fd]))
            return fd;
    for (int i = 0; i < 2; i++) {
        size_t len = strlen(folders[i]);
        char *end;
        if (strncmp(path, folders[i], len) || path[len] < '0' || path[len] > '9')
            continue;
        errno = 0;
        long fd = strtol(path + len, &end, 10);
        return errno || *end || fd > INT_MAX ? -1 : (int)fd;
    }
    return -1;
}

static const char *what_it_is(mode_t mode)
{
    return S_ISFIFO(mode) ? "a pipe" : S_ISSOCK(mode) ? "a socket" : "a device";
}

/* O_NONBLOCK: opening a pipe would wait until somebody writes to it. */
enum status file_open_input(int *out, const char *path, struct err *err)
{
    struct stat s;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (fd < 0)
        return file_err(err, "read", path);
    enum status st = STATUS_OK;
    if (fstat(fd, &s)) {
        st = file_err(err, "read", path);
    } else if (S_ISDIR(s.st_mode)) {
        errno = EISDIR;
        st = file_err(err, "read", path);
    } else if (!S_ISREG(s.st_mode) && file_own_descriptor(path) < 0) {
        st = err_set(err, STATUS_INPUT,
                     "cannot read %s: it is %s, not a file; write what it gives to a "
                     "file first",
                     path, what_it_is(s.st_mode));
    } else if (fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) & ~O_NONBLOCK)) {
        st = file_err(err, "read", path);
    }
    if (st)
        close(fd);
    else
        *out = fd;
    return st;
}

enum status file_open_stream(FILE **out, const char *path, struct err *err)
{
    int fd = -1;
    enum status st = file_open_input(&fd, path, err);
    if (st)
        return st;
    *out = fdopen(fd, "rb");
    if (*out)
        return STATUS_OK;
    st = file_err(err, "read", path);
    close(fd);
    return st;
}

static ssize_t read_some(int fd, void *to, size_t len)
{
    ssize_t got;
    do
        got = read(fd, to, len);
    while (got < 0 && errno == EINTR);
    return got;
}

enum status file_read(char **out, size_t *len, const char *path, size_t max_bytes,
                      struct err *err)
{
    int fd = -1;
    enum status st = file_open_input(&fd, path, err);
    if (st)
        return st;
    struct strbuf b;
    strbuf_init(&b);
    char chunk[1 << 16];
    ssize_t got;
    while ((got = read_some(fd, chunk, sizeof chunk)) > 0) {
        strbuf_add(&b, chunk, (size_t)got);
        if (b.len > max_bytes) {
            st = err_set(err, STATUS_INPUT,
                         "%s is larger than %zu bytes; is it the right file?", path,
                         max_bytes);
            goto out;
        }
    }
    if (got < 0) {
        st = file_err(err, "read", path);
        goto out;
    }
    *len = b.len;
    *out = strbuf_detach(&b);
out:
    close(fd);
    strbuf_release(&b);
    return st;
}

enum status file_write(const char *path, const char *data, size_t len, struct err *err)
{
    struct new_file f;
    enum status st = new_file_open(&f, path, NEW_FILE_ANY, err);
    if (st)
        return st;
    if (write_fully(f.fd, data, len))
        return new_file_commit(&f, err);
    st = file_err(err, "write", path);
    new_file_discard(&f);
    return st;
}

bool file_exists(const char *path)
{
    return access(path, F_OK) == 0;
}

bool file_is_absent(const char *path)
{
    return access(path, F_OK) && (errno == ENOENT || errno == ENOTDIR);
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

enum status file_check_writable(const char *path, struct err *err)
{
    if (file_is_dir(path))
        return err_set(err, STATUS_ENVIRONMENT,
                       "cannot write %s: it is a folder; name a file in it", path);
    char *folder = path_folder(path);
    enum status st = STATUS_OK;
    errno = 0;
    bool is_dir = file_is_dir(folder);
    if (!is_dir && (!errno || errno == ENOENT || errno == ENOTDIR))
        st = err_set(err, STATUS_ENVIRONMENT,
                     "cannot write %s: there is no folder %s; make it first", path,
                     folder);
    else if (!is_dir || access(folder, W_OK | X_OK))
        st = err_set(err, STATUS_ENVIRONMENT,
                     "cannot write %s: %s for the folder %s; choose another place", path,
                     strerror(errno), folder);
    mem_free(folder);
    return st;
}

static bool sync_path(const char *path)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return false;
    /* Some file systems have nothing to sync in a folder and say EINVAL. */
    bool good = !fsync(fd) || errno == EINVAL;
    int saved = errno;
    close(fd);
    errno = saved;
    return good;
}

enum status file_sync(const char *path, struct err *err)
{
    return sync_path(path) ? STATUS_OK : file_err(err, "write", path);
}

enum status file_sync_name(const char *path, struct err *err)
{
    char *folder = path_folder(path);
    bool good = sync_path(folder);
    int saved = errno;
    mem_free(folder);
    errno = saved;
    return good ? STATUS_OK : file_err(err, "write", path);
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
    errno = 0;
    if (s == STATUS_OK && !file_is_dir(dir))
        s = errno ? file_err(err, "make the folder", dir)
                  : err_set(err, STATUS_ENVIRONMENT, "%s is a file; name a folder", dir);
    mem_free(path);
    return s;
}

double file_room(const char *folder)
{
    struct statvfs disk;
    return statvfs(folder, &disk) ? NAN : (double)disk.f_bavail * (double)disk.f_frsize;
}
