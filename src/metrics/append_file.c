#include "metrics/append_file.h"

#include "base/file.h"
#include "base/mem.h"

#include <errno.h>
#include <unistd.h>

void append_file_init(struct append_file *f, int fd, const char *path, int64_t end)
{
    *f = (struct append_file){.fd = fd, .path = mem_strdup(path), .end = end};
}

void append_file_close(struct append_file *f)
{
    if (f->fd >= 0)
        close(f->fd);
    mem_free(f->path);
    *f = (struct append_file){.fd = -1};
}

static bool write_all(int fd, const char *data, size_t len, int64_t at)
{
    while (len) {
        ssize_t wrote = pwrite(fd, data, len, at);
        if (wrote < 0 && errno == EINTR)
            continue;
        if (wrote <= 0) {
            errno = wrote ? errno : ENOSPC;
            return false;
        }
        data += wrote;
        at += wrote;
        len -= (size_t)wrote;
    }
    return true;
}

enum status append_file_add(struct append_file *f, const void *data, size_t len,
                            struct err *err)
{
    if (f->is_damaged)
        return err_set(err, STATUS_ENVIRONMENT, "%s ends in half a record", f->path);
    if (write_all(f->fd, data, len, f->end)) {
        f->end += (int64_t)len;
        return STATUS_OK;
    }
    enum status st = file_err(err, "write", f->path);
    f->is_damaged = ftruncate(f->fd, f->end) != 0;
    return st;
}
