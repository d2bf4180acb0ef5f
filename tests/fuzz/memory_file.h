/* Files and folders without a disk, for readers that take a path: a file in memory,
 * written anew for each input, and a folder of names for such files. */
#ifndef GAIT_FUZZ_MEMORY_FILE_H
#define GAIT_FUZZ_MEMORY_FILE_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* Zeroed before its first use. */
struct memory_file {
    int fd;
    char path[64];
};

/* The file has these bytes from now on. */
static inline const char *memory_file_set(struct memory_file *f, const void *data,
                                          size_t size)
{
    if (!*f->path) {
        f->fd = memfd_create("fuzz", MFD_CLOEXEC);
        snprintf(f->path, sizeof f->path, "/proc/self/fd/%d", f->fd);
    }
    if (f->fd < 0 || ftruncate(f->fd, 0) ||
        (size && pwrite(f->fd, data, size, 0) != (ssize_t)size))
        abort();
    return f->path;
}

enum { MEMORY_FOLDER_NAMES_MAX = 8 };

struct memory_folder {
    char path[64];
    const char *name[MEMORY_FOLDER_NAMES_MAX];
    int names;
};

/* A new folder with links of these names to the files. The caller removes it at exit. */
static inline void memory_folder_init(struct memory_folder *d)
{
    *d = (struct memory_folder){.path = "/tmp/gait-fuzz-XXXXXX"};
    if (!mkdtemp(d->path))
        abort();
}

static inline void memory_folder_name(const struct memory_folder *d, const char *name,
                                      char out[128])
{
    snprintf(out, 128, "%s/%s", d->path, name);
}

static inline void memory_folder_add(struct memory_folder *d, const char *name,
                                     const struct memory_file *f)
{
    char path[128];
    memory_folder_name(d, name, path);
    if (d->names == MEMORY_FOLDER_NAMES_MAX || symlink(f->path, path))
        abort();
    d->name[d->names++] = name;
}

static inline void memory_folder_remove(struct memory_folder *d)
{
    char path[128];
    for (int i = 0; i < d->names; i++) {
        memory_folder_name(d, d->name[i], path);
        unlink(path);
    }
    rmdir(d->path);
}

#endif
