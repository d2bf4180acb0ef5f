#include "base/file.h"

#include "base/mem.h"
#include "base/strbuf.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum status file_err(struct err *err, const char *doing, const char *path)
{
    int e = errno;
    const char *what = strerror(e);
    switch (e) {
    case ENOENT:
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

static void file_sync_folder_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    char *folder =
        slash ? mem_strndup(path, (size_t)(slash - path) + 1) : mem_strdup(".");
    int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    mem_free(folder);
    if (fd < 0)
        return;
    fsync(fd);
    close(fd);
}

char *file_temporary_name(const char *path)
{
    struct strbuf name;
    strbuf_init(&name);
    strbuf_printf(&name, "%s.tmp.%ld", path, (long)getpid());
    return name.s;
}

enum status file_commit(const char *tmp, const char *path, struct err *err)
{
    int fd = open(tmp, O_RDONLY | O_CLOEXEC);
    bool good = fd >= 0 && !fsync(fd) && !rename(tmp, path);
    int saved = errno;
    if (fd >= 0)
        close(fd);
    if (!good) {
        unlink(tmp);
        errno = saved;
        return file_err(err, "write", path);
    }
    file_sync_folder_of(path);
    return STATUS_OK;
}

enum status file_write(const char *path, const char *data, size_t len, struct err *err)
{
    char *tmp = file_temporary_name(path);
    enum status st;
    FILE *f = fopen(tmp, "wb");
    if (!f) {
        st = file_err(err, "write", path);
        goto out;
    }
    bool good = fwrite(data, 1, len, f) == len;
    int saved = errno;
    if (fclose(f) && good) {
        saved = errno;
        good = false;
    }
    if (good) {
        st = file_commit(tmp, path, err);
    } else {
        unlink(tmp);
        errno = saved;
        st = file_err(err, "write", path);
    }
out:
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

const char *file_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}
