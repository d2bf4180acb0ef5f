/*
 * The first line as a path, the rest as the .gitignore of its top. Beside not crashing: with
 * a last pattern that takes all names everything is left out, and with "!" nothing is.
 */
#include "base/file.h"
#include "base/mem.h"
#include "base/path.h"
#include "base/strbuf.h"
#include "lint/git_ignore.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static char top[64], patterns[96], repository[96];

static void remove_top(void)
{
    struct strbuf command;
    strbuf_init(&command);
    strbuf_printf(&command, "rm -rf %s", top);
    if (system(command.s))
        abort();
    strbuf_release(&command);
}

static void make_top(void)
{
    if (*top)
        return;
    strcpy(top, "/tmp/fuzz-git-ignore-XXXXXX");
    if (!mkdtemp(top))
        abort();
    snprintf(patterns, sizeof patterns, "%s/.gitignore", top);
    snprintf(repository, sizeof repository, "%s/.git", top);
    if (mkdir(repository, 0700))
        abort();
    atexit(remove_top);
}

static void write_patterns(const char *text, size_t len, const char *more)
{
    FILE *f = fopen(patterns, "w");
    if (!f || fwrite(text, 1, len, f) != len || fputs(more, f) < 0 || fclose(f))
        abort();
}

/* Is the path left out, or a folder above it? 2: it took too long */
static int is_left_out(const char *path)
{
    struct git_ignore *g = git_ignore_new();
    const struct git_folder *in;
    struct err err = ERR_INIT;
    bool ignored = false;
    enum status st = git_ignore_open(g, &in, top, &err);
    while (!st && !ignored && *path) {
        size_t len = strcspn(path, "/");
        char *name = mem_strndup(path, len);
        bool folder = path[len] == '/';
        if (len)
            st = git_ignore_has(g, &ignored, in, name, folder, &err);
        if (len && !st && !ignored && folder)
            st = git_ignore_enter(g, &in, in, name, &err);
        mem_free(name);
        path += len + folder;
    }
    if (st && !*err.text)
        abort();
    git_ignore_free(g);
    return st ? 2 : ignored;
}

static void check_last(const char *path, const char *text, size_t len, const char *more,
                       int want)
{
    write_patterns(text, len, more);
    int got = is_left_out(path);
    if (got != want && got != 2)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    enum { PATH_BYTES_MAX = 300 };
    const char *text = (const char *)data, *end = memchr(data, '\n', size);
    if (!end || end == text || end - text > PATH_BYTES_MAX || memchr(text, 0, size) ||
        memmem(text, (size_t)(end - text), "..", 2))
        return 0;
    make_top();
    char *first = mem_strndup(text, (size_t)(end - text)), *path = path_plain(first);
    size_t len = size - (size_t)(end + 1 - text);
    if (*path && *path != '/' && path[strlen(path) - 1] != '/') {
        write_patterns(end + 1, len, "");
        is_left_out(path);
        check_last(path, end + 1, len, "\n*\n", 1);
        check_last(path, end + 1, len, "\n!*\n", 0);
    }
    mem_free(path);
    mem_free(first);
    return 0;
}
