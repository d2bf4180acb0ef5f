/* Programs of tests/lint/: a file, or a folder of files that import each other. */
#ifndef GAIT_TESTS_PROGRAM_FIXTURE_H
#define GAIT_TESTS_PROGRAM_FIXTURE_H

#include "base/file.h"
#include "base/mem.h"
#include "base/path.h"
#include "cmocka_setup.h"
#include "lint/lint_check.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PROGRAM_FILES_MAX = 16 };

struct program {
    char *paths[PROGRAM_FILES_MAX], *texts[PROGRAM_FILES_MAX];
    struct lint_input inputs[PROGRAM_FILES_MAX];
    size_t n;
};

static int complaints;

static inline void complain(const char *path, int line, const char *what)
{
    fprintf(stderr, "%s:%d: %s\n", path, line, what);
    complaints++;
}

static inline int is_python(const struct dirent *e)
{
    size_t n = strlen(e->d_name);
    return n > 3 && !strcmp(e->d_name + n - 3, ".py");
}

static inline int is_visible(const struct dirent *e)
{
    return e->d_name[0] != '.';
}

static inline void program_add(struct program *p, const char *path)
{
    struct err err = ERR_INIT;
    size_t len;
    assert_true(p->n < PROGRAM_FILES_MAX);
    p->paths[p->n] = mem_strdup(path);
    if (file_read(&p->texts[p->n], &len, path, 1 << 20, &err))
        fail_msg("%s", err.text);
    p->inputs[p->n] = (struct lint_input){p->paths[p->n], p->texts[p->n], len};
    p->n++;
}

static inline void program_read(struct program *p, const char *path)
{
    *p = (struct program){0};
    if (!file_is_dir(path)) {
        program_add(p, path);
        return;
    }
    struct dirent **names;
    int n = scandir(path, &names, is_python, alphasort);
    for (int i = 0; i < n; i++) {
        char *file = path_join(path, names[i]->d_name);
        program_add(p, file);
        mem_free(file);
        free(names[i]);
    }
    free(names);
}

static inline void program_release(struct program *p)
{
    for (size_t i = 0; i < p->n; i++) {
        mem_free(p->paths[i]);
        mem_free(p->texts[i]);
    }
}

#endif
