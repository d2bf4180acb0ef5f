#include "tables/job_folder.h"

#include "base/file.h"
#include "base/folder_reader.h"
#include "base/mem.h"
#include "base/strbuf.h"

#include <errno.h>
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

enum status job_folder_drop_ranks(const char *folder, struct err *err)
{
    struct folder_reader f;
    enum status st = STATUS_OK;
    folder_open(&f, folder);
    for (const char *name; !st && (name = folder_next(&f));)
        if (is_rank_file(name) && unlinkat(dirfd(f.dir), name, 0) && errno != ENOENT)
            st = file_err(err, "remove", name);
    enum status read = folder_close(&f, st ? NULL : err);
    return st ? st : read;
}
