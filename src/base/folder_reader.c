#include "base/folder_reader.h"

#include "base/file.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

void folder_open(struct folder_reader *f, const char *path)
{
    *f = (struct folder_reader){.path = path, .dir = opendir(path)};
    f->failed = f->dir ? 0 : errno;
}

const char *folder_next(struct folder_reader *f)
{
    struct dirent *e = NULL;
    if (!f->dir || f->failed)
        return NULL;
    do {
        errno = 0;
        e = readdir(f->dir);
    } while (e && (!strcmp(e->d_name, ".") || !strcmp(e->d_name, "..")));
    if (!e)
        f->failed = errno;
    return e ? e->d_name : NULL;
}

enum status folder_close(struct folder_reader *f, struct err *err)
{
    if (f->dir)
        closedir(f->dir);
    f->dir = NULL;
    errno = f->failed;
    return f->failed ? file_err(err, "read", f->path) : STATUS_OK;
}

enum status folder_is_empty(bool *empty, const char *path, struct err *err)
{
    struct folder_reader f;
    folder_open(&f, path);
    *empty = !folder_next(&f);
    return folder_close(&f, err);
}

void folder_remove(const char *path)
{
    struct folder_reader f;
    folder_open(&f, path);
    for (const char *name; (name = folder_next(&f));)
        unlinkat(dirfd(f.dir), name, 0);
    folder_close(&f, NULL);
    rmdir(path);
}
