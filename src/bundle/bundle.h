/*
 * One file to send for help: a gzipped tar archive with a manifest that has the size and
 * the SHA-256 of everything in it. docs/bundle.md lists what `gait bundle` puts there.
 *
 * Legal order: bundle_init, bundle_add …, bundle_write, bundle_release.
 */
#ifndef GAIT_BUNDLE_BUNDLE_H
#define GAIT_BUNDLE_BUNDLE_H

#include "base/status.h"

#include <stdbool.h>
#include <stddef.h>

struct bundle_file {
    char *name;       /* in the archive, without its folder */
    const char *what; /* a literal: for the manifest */
    char *data;       /* (bytes) */
    size_t bytes;
};

struct bundle {
    struct bundle_file *file; /* (n) */
    size_t n, cap;
    bool anonymous;
    size_t unread; /* files that were given and could not be read: for the manifest */
};

void bundle_init(struct bundle *b, bool anonymous);
void bundle_release(struct bundle *b);

/* A copy of data. */
void bundle_add(struct bundle *b, const char *name, const char *what, const char *data,
                size_t bytes);
/* The whole file at path, under that name. */
enum status bundle_add_file(struct bundle *b, const char *name, const char *what,
                            const char *path, struct err *err);

/* A reader sees an older file at path or the whole new one (base/new_file.h). */
enum status bundle_write(const struct bundle *b, const char *path, struct err *err);

#endif
