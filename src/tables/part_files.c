#include "tables/part_files.h"

#include "base/file.h"
#include "base/leftover.h"
#include "base/mem.h"
#include "base/new_file.h"
#include "base/path.h"
#include "tables/job_folder.h"

#include <stdio.h>
#include <unistd.h>

/* Where the file of a table is, and where it is while others are not complete. */
struct staged {
    char *folder, *path, *hidden;
    bool complete;
};

static void staged_init(struct staged *f, const struct part *p, int table)
{
    struct strbuf hidden;
    char *folder = job_folder_path(p->dir, flat_tables[table].name, p->job);
    strbuf_init(&hidden);
    strbuf_printf(&hidden, "%s/.%s.new", folder, p->file);
    *f = (struct staged){
        .folder = folder, .path = path_join(folder, p->file), .hidden = hidden.s};
}

static void staged_release(struct staged *f)
{
    if (f->complete) {
        unlink(f->hidden);
        leftover_forget(f->hidden);
    }
    mem_free(f->folder);
    mem_free(f->path);
    mem_free(f->hidden);
}

static enum status write_rows(FILE *out, const char *path, const struct part *p,
                              const struct flat_source *s, int table,
                              struct tables_result *result, struct err *err)
{
    const struct flat_table *t = &flat_tables[table];
    struct parquet_options options = parquet_options_of("gait version " GAIT_VERSION);
    struct parquet_writer *w = parquet_writer_new(out, t->columns, t->n, &options);
    for (size_t i = p->first; i < p->first + p->n; i++)
        t->rows(w, s, i);
    enum status st = parquet_writer_end(w, err);
    result->rows += parquet_writer_rows(w);
    result->bytes += parquet_writer_bytes(w);
    parquet_writer_free(w);
    bool failed = ferror(out) || fflush(out);
    return st ? st : failed ? file_err(err, "write", path) : STATUS_OK;
}

static enum status stage(struct staged *f, const struct part *p,
                         const struct flat_source *s, int table,
                         struct tables_result *result, struct err *err)
{
    struct new_file file;
    enum status st = new_file_open(&file, f->hidden, NEW_FILE_OWN, err);
    if (st)
        return st;
    FILE *out = new_file_stream(&file);
    st = out ? write_rows(out, f->path, p, s, table, result, err)
             : file_err(err, "write", f->path);
    if (out && fclose(out) && !st)
        st = file_err(err, "write", f->path);
    if (st) {
        new_file_discard(&file);
        return st;
    }
    st = new_file_commit(&file, err);
    f->complete = !st;
    if (f->complete)
        leftover_note(f->hidden);
    return st;
}

static enum status give_name(struct staged *f, struct err *err)
{
    if (rename(f->hidden, f->path))
        return file_err(err, "write", f->path);
    f->complete = false;
    leftover_forget(f->hidden);
    return STATUS_OK;
}

/* In its own name. No rank is ever there twice: those that it has too go first, and come
 * back where it could not be named. */
static enum status publish(struct staged *f, bool instead_of_ranks, struct err *err)
{
    enum status st = instead_of_ranks ? job_folder_hide_ranks(f->folder, err) : STATUS_OK;
    if (!st)
        st = give_name(f, err);
    if (instead_of_ranks && st)
        job_folder_bring_back_ranks(f->folder, NULL);
    else if (instead_of_ranks)
        st = job_folder_drop_hidden(f->folder, err);
    return st ? st : file_sync_name(f->path, err);
}

enum status part_write(const struct part *p, const struct flat_source *s,
                       struct tables_result *result, struct err *err)
{
    struct staged file[FLAT_TABLE_COUNT];
    enum status st = STATUS_OK;
    for (int t = 0; t < FLAT_TABLE_COUNT; t++)
        staged_init(&file[t], p, t);
    for (int t = 0; t < FLAT_TABLE_COUNT && !st; t++)
        st = file_make_folders(file[t].folder, err);
    for (int t = 0; t < FLAT_TABLE_COUNT && !st; t++)
        st = stage(&file[t], p, s, t, result, err);
    for (int t = 0; t < FLAT_TABLE_COUNT && !st; t++)
        st = publish(&file[t], p->instead_of_ranks, err);
    for (int t = 0; t < FLAT_TABLE_COUNT; t++)
        staged_release(&file[t]);
    result->files += FLAT_TABLE_COUNT;
    return st;
}
