/* The names in a folder, one by one, in the order of the disk, without "." and "..".
 *
 *     folder_open(&f, path);
 *     for (const char *name; (name = folder_next(&f));)
 *         …
 *     st = folder_close(&f, err);
 *
 * A disk can fail in the middle: what was read until then looks like a whole folder, and
 * only folder_close() tells. */
#ifndef GAIT_BASE_FOLDER_READER_H
#define GAIT_BASE_FOLDER_READER_H

#include "base/status.h"

#include <dirent.h>
#include <stdbool.h>

struct folder_reader {
    const char *path;
    DIR *dir;   /* NULL: could not be opened */
    int failed; /* errno of the first failure; 0: none */
};

/* path is kept, not copied. folder_close() follows, whatever came of it. */
void folder_open(struct folder_reader *f, const char *path);
/* It lives until the next call. NULL: there are no more, or reading failed. */
const char *folder_next(struct folder_reader *f);
/* Leaves errno as the failure set it. */
enum status folder_close(struct folder_reader *f, struct err *err);

/* Is there nothing at all in it? */
enum status folder_is_empty(bool *empty, const char *path, struct err *err);

/* Remove a folder with the files in it; one that holds folders stays. */
void folder_remove(const char *path);

#endif
