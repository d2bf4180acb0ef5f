#include "tables/job_folder.h"

#include "base/file.h"
#include "base/folder_reader.h"
#include "base/mem.h"
#include "base/path.h"
#include "base/strbuf.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { FOLDER_NAME_MAX = 255 /* bytes, of Linux's file systems */ };

/* What engines read as NULL. */
static const char null_name[] = "__HIVE_DEFAULT_PARTITION__";
static const char rank_file_begin[] = "rank-", rank_file_end[] = ".parquet";

static bool is_plain(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           c == '-' || c == '_' || c == '.';
}

enum status job_folder_name(char **out, const char *job, struct err *err)
{
    struct strbuf name;
    if (!*job || !strcmp(job, null_name))
        return err_set(err, STATUS_USAGE,
                       "--job is \"%s\", which engines read as no name at all; choose "
                       "another",
                       job);
    strbuf_init(&name);
    strbuf_puts(&name, "job=");
    for (const char *c = job; *c; c++)
        if (is_plain(*c))
            strbuf_putc(&name, *c);
        else
            strbuf_printf(&name, "%%%02X", (unsigned char)*c);
    if (name.len > FOLDER_NAME_MAX) {
        enum status st = err_set(err, STATUS_USAGE,
                                 "the job's name makes a folder's name of %zu bytes, and "
                                 "%d are possible; choose a shorter one with --job",
                                 name.len, FOLDER_NAME_MAX);
        strbuf_release(&name);
        return st;
    }
    *out = name.s;
    return STATUS_OK;
}

char *job_folder_path(const char *dir, const char *table, const char *name)
{
    struct strbuf path;
    strbuf_init(&path);
    strbuf_printf(&path, "%s/%s/%s", dir, table, name);
    return path.s;
}

char *job_file_of_rank(int32_t rank)
{
    struct strbuf name;
    strbuf_init(&name);
    strbuf_printf(&name, "%s%06d%s", rank_file_begin, (int)rank, rank_file_end);
    return name.s;
}

static bool is_rank_file(const char *name)
{
    size_t begin = strlen(rank_file_begin);
    if (strncmp(name, rank_file_begin, begin) != 0)
        return false;
    size_t digits = strspn(name + begin, "0123456789");
    return digits && !strcmp(name + begin + digits, rank_file_end);
}

/* --- files of ranks, while all.parquet takes their place --- */

static const char hidden_begin[] = ".", hidden_end[] = ".old";

static char *hidden_name(const char *name)
{
    struct strbuf hidden;
    strbuf_init(&hidden);
    strbuf_printf(&hidden, "%s%s%s", hidden_begin, name, hidden_end);
    return hidden.s;
}

/* NULL: it is no hidden file of a rank. The caller frees it. */
static char *name_of_hidden(const char *hidden)
{
    size_t len = strlen(hidden), begin = strlen(hidden_begin), end = strlen(hidden_end);
    if (len < begin + end || strncmp(hidden, hidden_begin, begin) != 0 ||
        strcmp(hidden + len - end, hidden_end) != 0)
        return NULL;
    char *name = mem_strdup(hidden + begin);
    name[len - begin - end] = '\0';
    if (is_rank_file(name))
        return name;
    mem_free(name);
    return NULL;
}

static int hide(int dir, const char *name, const char *hidden)
{
    return renameat(dir, name, dir, hidden);
}

/* A file that was exported since is the newer one. */
static int bring_back(int dir, const char *name, const char *hidden)
{
    bool newer = !faccessat(dir, name, F_OK, 0);
    return newer ? unlinkat(dir, hidden, 0) : renameat(dir, hidden, dir, name);
}

static int drop(int dir, const char *name, const char *hidden)
{
    (void)name;
    return unlinkat(dir, hidden, 0);
}

static enum status each_rank(const char *folder, bool hidden,
                             int (*act)(int dir, const char *name, const char *hidden),
                             const char *doing, struct err *err)
{
    struct folder_reader f;
    enum status st = STATUS_OK;
    folder_open(&f, folder);
    for (const char *found; !st && (found = folder_next(&f));) {
        char *name = hidden                ? name_of_hidden(found)
                     : is_rank_file(found) ? mem_strdup(found)
                                           : NULL;
        if (!name)
            continue;
        char *other = hidden_name(name), *path = path_join(folder, found);
        if (act(dirfd(f.dir), name, other) && errno != ENOENT)
            st = file_err(err, doing, path);
        mem_free(path);
        mem_free(other);
        mem_free(name);
    }
    enum status read = folder_close(&f, st ? NULL : err);
    return st ? st : read;
}

enum status job_folder_hide_ranks(const char *folder, struct err *err)
{
    return each_rank(folder, false, hide, "rename", err);
}

enum status job_folder_bring_back_ranks(const char *folder, struct err *err)
{
    return each_rank(folder, true, bring_back, "rename", err);
}

enum status job_folder_drop_hidden(const char *folder, struct err *err)
{
    return each_rank(folder, true, drop, "remove", err);
}

enum status job_folder_settle(const char *folder, struct err *err)
{
    if (file_is_absent(folder))
        return STATUS_OK;
    char *all = path_join(folder, JOB_FILE_ALL);
    enum status st = file_exists(all) ? job_folder_drop_hidden(folder, err)
                                      : job_folder_bring_back_ranks(folder, err);
    mem_free(all);
    return st;
}

enum status job_folder_find_rank(char **out, const char *folder, struct err *err)
{
    struct folder_reader f;
    *out = NULL;
    if (file_is_absent(folder))
        return STATUS_OK;
    folder_open(&f, folder);
    for (const char *name; !*out && (name = folder_next(&f));)
        if (is_rank_file(name))
            *out = path_join(folder, name);
    return folder_close(&f, err);
}
