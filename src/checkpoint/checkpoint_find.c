#include "base/file.h"
#include "base/mem.h"
#include "checkpoint/checkpoint.h"
#include "checkpoint/durable.h"
#include "checkpoint/state_file.h"
#include "checkpoint/step_folder.h"

#include <string.h>

static enum status open_and_close(const char *path, bool verify, struct err *err)
{
    struct checkpoint c;
    enum status st = checkpoint_open(&c, path, err);
    if (st)
        return st;
    if (verify)
        st = checkpoint_verify(&c, err);
    checkpoint_close(&c);
    return st;
}

enum status checkpoint_find_intact(struct strbuf *path, const char *dir,
                                   const char *except, struct err *err)
{
    struct step_folder *f;
    size_t n;
    strbuf_clear(path);
    enum status st = step_folders_list(&f, &n, dir, err);
    for (size_t i = 0; !st && !path->len && i < n; i++) {
        if (except && !strcmp(f[i].name, except))
            continue;
        char *candidate = durable_join(dir, f[i].name);
        if (!open_and_close(candidate, true, NULL))
            strbuf_puts(path, candidate);
        mem_free(candidate);
    }
    mem_free(f);
    return st;
}

/* `latest` cannot be followed, for the reason in *why: name what can be loaded. */
static enum status name_intact(const char *dir, const char *why, struct err *err)
{
    struct strbuf intact;
    strbuf_init(&intact);
    enum status st = checkpoint_find_intact(&intact, dir, NULL, err);
    if (!st && intact.len)
        st =
            err_set(err, STATUS_INPUT,
                    "%s; the newest intact checkpoint is %s: to go on from it, write its "
                    "name into %s/latest",
                    why, file_name(intact.s), dir);
    else if (!st)
        st = err_set(err, STATUS_INPUT,
                     "%s, and no checkpoint in %s is intact; train again into another "
                     "folder",
                     why, dir);
    strbuf_release(&intact);
    return st;
}

static enum status no_latest(const char *dir, struct err *err)
{
    struct step_folder *f;
    struct strbuf why;
    size_t n;
    enum status st = step_folders_list(&f, &n, dir, err);
    mem_free(f);
    if (st || !n)
        return st;
    strbuf_init(&why);
    strbuf_printf(&why, "%s has checkpoints and no file `latest` that names one", dir);
    st = name_intact(dir, why.s, err);
    strbuf_release(&why);
    return st;
}

/* Where a step is now: a save that was cut off may have left it aside. */
static char *where_it_stands(const char *dir, const char *name)
{
    char *path = durable_join(dir, name), *aside = durable_aside_name(path);
    bool moved = !file_exists(path) && file_is_dir(aside);
    mem_free(moved ? path : aside);
    return moved ? aside : path;
}

enum status checkpoint_find_latest(struct strbuf *path, const char *dir, struct err *err)
{
    char name[STEP_FOLDER_NAME_MAX];
    struct err why = ERR_INIT;
    strbuf_clear(path);
    if (latest_read(name, dir, &why))
        return name_intact(dir, why.text, err);
    if (!*name)
        return no_latest(dir, err);
    char *latest = where_it_stands(dir, name);
    enum status st = open_and_close(latest, false, &why);
    if (!st)
        strbuf_puts(path, latest);
    else
        st = name_intact(dir, why.text, err);
    mem_free(latest);
    return st;
}

enum status checkpoint_resolve(struct strbuf *path, const char *given, struct err *err)
{
    char *state = durable_join(given, checkpoint_state_name);
    bool is_checkpoint = file_exists(state);
    mem_free(state);
    strbuf_clear(path);
    if (is_checkpoint) {
        strbuf_puts(path, given);
        while (path->len > 1 && path->s[path->len - 1] == '/')
            path->s[--path->len] = '\0';
        return STATUS_OK;
    }
    enum status st = checkpoint_find_latest(path, given, err);
    if (st || path->len)
        return st;
    return err_set(err, STATUS_INPUT,
                   "%s holds no checkpoint; name a folder like out/step-00000400 or the "
                   "one above it",
                   given);
}
