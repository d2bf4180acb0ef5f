#include "base/file.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/path.h"
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
        char *candidate = path_join(dir, f[i].name);
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
                    why, path_name(intact.s), dir);
    else if (!st)
        st = err_set(err, STATUS_INPUT,
                     "%s, and no checkpoint in %s is intact; train again into another "
                     "folder",
                     why, dir);
    strbuf_release(&intact);
    return st;
}

/* Where a step is now: a save that was cut off may have left it aside. */
static char *where_it_stands(const char *dir, const char *name)
{
    char *path = path_join(dir, name), *aside = durable_aside_name(path);
    bool moved = file_is_absent(path) && file_is_dir(aside);
    mem_free(moved ? path : aside);
    return moved ? aside : path;
}

/* `latest` names a checkpoint that is sound, and yet perhaps not the one that it was
 * written to name. */
static void say_if_older(const char *dir, const char *name)
{
    struct step_folder *f;
    size_t n, named = 0;
    if (step_folders_list(&f, &n, dir, NULL))
        return;
    while (named < n && strcmp(f[named].name, name) != 0)
        named++;
    /* The last saved come first. A later step that was saved before is of a training that
     * was gone back on. */
    for (size_t i = 0; i < named && named < n; i++)
        if (f[i].step > f[named].step && f[i].saved_ns > f[named].saved_ns) {
            log_line("gait: note: %s/latest names %s, and %s was saved after it", dir,
                     name, f[i].name);
            break;
        }
    mem_free(f);
}

static enum status no_latest(const char *dir, struct err *why)
{
    struct step_folder *f;
    size_t n;
    enum status st = step_folders_list(&f, &n, dir, why);
    mem_free(f);
    if (st || !n)
        return st;
    return err_set(why, STATUS_INPUT,
                   "%s has checkpoints and no file `latest` that names one", dir);
}

/* What `latest` names; *path is empty where there are no checkpoints. */
static enum status follow_latest(struct strbuf *path, const char *dir, struct err *why)
{
    char name[STEP_FOLDER_NAME_MAX];
    strbuf_clear(path);
    enum status st = latest_read(name, dir, why);
    if (st || !*name)
        return st ? st : no_latest(dir, why);
    char *latest = where_it_stands(dir, name);
    st = open_and_close(latest, false, why);
    if (st) {
        err_prefix(why, "%s/latest names %s", dir, name);
    } else {
        strbuf_puts(path, latest);
        say_if_older(dir, name);
    }
    mem_free(latest);
    return st;
}

enum status checkpoint_find_latest(struct strbuf *path, const char *dir, struct err *err)
{
    struct err why = ERR_INIT;
    enum status st = follow_latest(path, dir, &why);
    return st ? name_intact(dir, why.text, err) : STATUS_OK;
}

enum status checkpoint_find_usable(struct strbuf *path, const char *dir, struct err *why,
                                   struct err *err)
{
    *why = (struct err)ERR_INIT;
    if (!follow_latest(path, dir, why))
        return STATUS_OK;
    enum status st = checkpoint_find_intact(path, dir, NULL, err);
    return st || path->len ? st : name_intact(dir, why->text, err);
}

enum status checkpoint_resolve(struct strbuf *path, const char *given, struct err *err)
{
    char *state = path_join(given, checkpoint_state_name);
    bool is_checkpoint = !file_is_absent(state);
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
                   "%s %s; name a folder like out/step-00000400 or the one above it",
                   given,
                   file_is_absent(given) ? "does not exist" : "holds no checkpoint");
}
