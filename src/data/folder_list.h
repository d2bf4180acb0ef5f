/* The files of a folder by the end of their names, in the order of bytes. */
#ifndef GAIT_DATA_FOLDER_LIST_H
#define GAIT_DATA_FOLDER_LIST_H

#include "base/status.h"

#include <stdbool.h>
#include <stddef.h>

struct folder_list {
    char **path; /* (n) dir/name; owned */
    size_t n, cap;
};

/* Names that begin with a dot, folders and devices are left out. On OK the caller calls
 * folder_list_release(). */
enum status folder_list_read(struct folder_list *l, const char *dir, const char *suffix,
                             struct err *err);
/* The test of such lists: does a name end so, with something before it? */
bool folder_name_ends(const char *name, const char *suffix);
/* A list of one. */
void folder_list_one(struct folder_list *l, const char *path);
void folder_list_release(struct folder_list *l);

#endif
