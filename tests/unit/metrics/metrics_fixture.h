/* A folder that lives as long as one test, and whole files in it. */
#ifndef GAIT_TESTS_METRICS_FIXTURE_H
#define GAIT_TESTS_METRICS_FIXTURE_H

#include "cmocka_setup.h"

#include "base/file.h"
#include "base/mem.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct folder {
    char dir[64];
    char path[512]; /* of the file last asked for */
};

static inline int folder_make(void **state)
{
    struct folder *f = mem_zalloc(1, sizeof *f);
    strcpy(f->dir, "/tmp/gait-metrics-XXXXXX");
    *state = f;
    return mkdtemp(f->dir) ? 0 : -1;
}

static inline const char *folder_path(struct folder *f, const char *name)
{
    snprintf(f->path, sizeof f->path, "%s/%s", f->dir, name);
    return f->path;
}

static inline int folder_remove(void **state)
{
    struct folder *f = *state;
    DIR *d = opendir(f->dir);
    for (struct dirent *e; d && (e = readdir(d));)
        if (e->d_name[0] != '.') {
            unlink(folder_path(f, e->d_name));
            rmdir(f->path);
        }
    if (d)
        closedir(d);
    rmdir(f->dir);
    mem_free(f);
    return 0;
}

static inline void folder_write(struct folder *f, const char *name, const char *text)
{
    assert_int_equal(file_write(folder_path(f, name), text, strlen(text), NULL), 0);
}

static inline void assert_file(struct folder *f, const char *name, const char *text)
{
    char *got;
    size_t len;
    assert_int_equal(file_read(&got, &len, folder_path(f, name), 1 << 20, NULL), 0);
    assert_string_equal(got, text);
    assert_int_equal(len, strlen(text));
    mem_free(got);
}

/* The event files of the folder; the path of the last in order of names is f->path. */
static inline int folder_event_files(struct folder *f)
{
    char last[256] = "";
    int n = 0;
    DIR *d = opendir(f->dir);
    for (struct dirent *e; d && (e = readdir(d));)
        if (!strncmp(e->d_name, "events.", 7)) {
            n++;
            if (strcmp(e->d_name, last) > 0)
                strcpy(last, e->d_name);
        }
    if (d)
        closedir(d);
    folder_path(f, last);
    return n;
}

#define test_in_folder(test)                                                             \
    cmocka_unit_test_setup_teardown(test, folder_make, folder_remove)

#endif
