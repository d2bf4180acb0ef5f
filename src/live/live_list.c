#include "live/live_list.h"

#include "base/file.h"
#include "base/mem.h"
#include "base/path.h"
#include "live/live_file.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum status live_entry_read(struct live_entry *e, const char *path, struct err *err)
{
    char *text;
    size_t len;
    enum status st = file_read(&text, &len, path, LIVE_FILE_BYTES_MAX, err);
    if (st)
        return st;
    st = live_status_read(&e->status, text, len, err);
    mem_free(text);
    if (st)
        return err_prefix(err, "%s", path);
    e->state = live_process_state(&e->status);
    return STATUS_OK;
}

bool live_entry_is_alive(const struct live_entry *e)
{
    return e->state == LIVE_RUNNING || e->state == LIVE_SUSPENDED;
}

static bool is_folder(const char *path, const char *what)
{
    return *path && file_is_same(path, what);
}

bool live_entry_is(const struct live_entry *e, const char *what)
{
    char number[32];
    snprintf(number, sizeof number, "%lld", (long long)e->status.pid);
    return !strcmp(number, what) || is_folder(e->status.checkpoint_dir, what) ||
           is_folder(e->status.log_dir, what) || is_folder(e->status.folder, what);
}

static int by_begin(const void *a, const void *b)
{
    const struct live_entry *x = a, *y = b;
    bool x_lives = live_entry_is_alive(x), y_lives = live_entry_is_alive(y);
    if (x_lives != y_lives)
        return x_lives ? -1 : 1;
    return (x->status.begun_ns < y->status.begun_ns) -
           (x->status.begun_ns > y->status.begun_ns);
}

static void add_file(struct live_list *l, const char *folder, const char *name)
{
    const char *ending = strrchr(name, '.');
    if (strncmp(name, "train-", 6) != 0 || !ending || strcmp(ending, ".json") != 0)
        return;
    vec_grow(l->entry, l->cap, l->n + 1);
    struct live_entry *e = &l->entry[l->n];
    e->path = path_join(folder, name);
    if (live_entry_read(e, e->path, NULL))
        mem_free(e->path);
    else
        l->n++;
}

enum status live_list_read(struct live_list *l, struct err *err)
{
    struct strbuf folder;
    struct err refused = ERR_INIT;
    *l = (struct live_list){0};
    strbuf_init(&folder);
    live_folder(&folder);
    int fd = live_folder_open(folder.s, &refused);
    DIR *d = fd < 0 ? NULL : fdopendir(fd);
    for (const struct dirent *f; d && l->n < LIVE_LIST_MAX && (f = readdir(d));)
        add_file(l, folder.s, f->d_name);
    if (d)
        closedir(d);
    else if (fd >= 0)
        close(fd);
    if (l->n)
        qsort(l->entry, l->n, sizeof *l->entry, by_begin);
    strbuf_release(&folder);
    return refused.status ? err_set(err, refused.status, "%s", refused.text) : STATUS_OK;
}

void live_list_release(struct live_list *l)
{
    for (size_t i = 0; i < l->n; i++)
        mem_free(l->entry[i].path);
    mem_free(l->entry);
    *l = (struct live_list){0};
}
