#include "spans/spill_file.h"

#include "base/mem.h"
#include "base/strbuf.h"
#include "base/units.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void spill_file_init(struct spill_file *f, const char *folder)
{
    const char *from_user = getenv("TMPDIR");
    if (!folder)
        folder = from_user && *from_user ? from_user : "/tmp";
    *f = (struct spill_file){.folder = mem_strdup(folder), .fd = -1};
}

void spill_file_release(struct spill_file *f)
{
    if (f->fd >= 0)
        close(f->fd);
    mem_free(f->folder);
}

/* For file systems without O_TMPFILE: the name is gone before anything is written. */
static int open_and_unlink(const char *folder)
{
    struct strbuf name;
    strbuf_init(&name);
    strbuf_printf(&name, "%s/gait-spans-XXXXXX", folder);
    int fd = mkostemp(name.s, O_CLOEXEC);
    if (fd >= 0)
        unlink(name.s);
    strbuf_release(&name);
    return fd;
}

static enum status spill_file_make(struct spill_file *f, struct err *err)
{
    f->fd = open(f->folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    if (f->fd < 0)
        f->fd = open_and_unlink(f->folder);
    if (f->fd >= 0)
        return STATUS_OK;
    return err_set(err, STATUS_ENVIRONMENT,
                   "cannot make a temporary file in %s: %s; set TMPDIR to a folder that "
                   "can be written to, or raise --memory",
                   f->folder, strerror(errno));
}

enum status spill_file_reserve(struct spill_file *f, size_t bytes, int64_t *offset,
                               struct err *err)
{
    enum status st = f->fd < 0 ? spill_file_make(f, err) : STATUS_OK;
    if (st != STATUS_OK)
        return st;
    *offset = f->size_bytes;
    f->size_bytes += (int64_t)bytes;
    return STATUS_OK;
}

enum status spill_file_write(const struct spill_file *f, const void *data, size_t bytes,
                             int64_t offset, struct err *err)
{
    for (size_t done = 0; done < bytes;) {
        ssize_t wrote = pwrite(f->fd, (const char *)data + done, bytes - done,
                               (off_t)(offset + (int64_t)done));
        if (wrote > 0) {
            done += (size_t)wrote;
            continue;
        }
        if (wrote < 0 && errno == EINTR)
            continue;
        return err_set(err, STATUS_ENVIRONMENT,
                       "cannot put %s of spans behind %s of them in a temporary file in "
                       "%s: %s; set TMPDIR to a folder with more room, or raise --memory",
                       unit_bytes((double)bytes).s, unit_bytes((double)offset).s,
                       f->folder, strerror(wrote ? errno : ENOSPC));
    }
    return STATUS_OK;
}

enum status spill_file_read(const struct spill_file *f, void *dst, size_t bytes,
                            int64_t offset, struct err *err)
{
    for (size_t done = 0; done < bytes;) {
        ssize_t got = pread(f->fd, (char *)dst + done, bytes - done,
                            (off_t)(offset + (int64_t)done));
        if (got > 0) {
            done += (size_t)got;
            continue;
        }
        if (got < 0 && errno == EINTR)
            continue;
        return err_set(err, STATUS_ENVIRONMENT,
                       "cannot read spans back from a temporary file in %s: %s; set "
                       "TMPDIR to another disk, or raise --memory",
                       f->folder, got ? strerror(errno) : "the file has become shorter");
    }
    return STATUS_OK;
}
