#include "checkpoint/step_folder.h"

#include "base/file.h"
#include "base/folder_reader.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/new_file.h"
#include "base/path.h"
#include "checkpoint/durable.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char step_prefix[] = "step-";

void step_folder_name(char name[STEP_FOLDER_NAME_MAX], int64_t step)
{
    if (step < 0)
        BUG("a checkpoint of step %" PRId64, step);
    snprintf(name, STEP_FOLDER_NAME_MAX, "%s%08" PRId64, step_prefix, step);
}

bool step_folder_parse(const char *name, int64_t *step)
{
    char again[STEP_FOLDER_NAME_MAX];
    size_t prefix = sizeof step_prefix - 1;
    if (strncmp(name, step_prefix, prefix) != 0 || name[prefix] < '0' ||
        name[prefix] > '9')
        return false;
    errno = 0;
    *step = strtoll(name + prefix, NULL, 10);
    if (errno || *step < 0)
        return false;
    step_folder_name(again, *step);
    return !strcmp(again, name);
}

static int compare_saved(const void *a, const void *b)
{
    const struct step_folder *x = a, *y = b;
    if (x->saved_ns != y->saved_ns)
        return x->saved_ns > y->saved_ns ? -1 : 1;
    return (x->step < y->step) - (x->step > y->step);
}

/* A folder's time is that of the last file made in it; a rename leaves it. */
static bool look_at(struct step_folder *f, const char *dir, const char *name)
{
    struct stat s;
    if (!step_folder_parse(name, &f->step))
        return false;
    char *path = path_join(dir, name);
    bool folder = !stat(path, &s) && S_ISDIR(s.st_mode);
    mem_free(path);
    if (!folder)
        return false;
    step_folder_name(f->name, f->step);
    f->saved_ns = (int64_t)s.st_mtim.tv_sec * 1000000000 + s.st_mtim.tv_nsec;
    return true;
}

enum status step_folders_list(struct step_folder **out, size_t *n, const char *dir,
                              struct err *err)
{
    size_t cap = 0;
    *out = NULL;
    *n = 0;
    struct folder_reader r;
    folder_open(&r, dir);
    bool absent = r.failed == ENOENT;
    for (const char *name; (name = folder_next(&r));) {
        struct step_folder f;
        if (!look_at(&f, dir, name))
            continue;
        vec_grow(*out, cap, *n + 1);
        (*out)[(*n)++] = f;
    }
    enum status st = folder_close(&r, absent ? NULL : err);
    if (*n)
        qsort(*out, *n, sizeof **out, compare_saved);
    if (!st || absent)
        return STATUS_OK;
    mem_free(*out);
    *out = NULL;
    *n = 0;
    return st;
}

enum status latest_read(char name[STEP_FOLDER_NAME_MAX], const char *dir, struct err *err)
{
    char *path = path_join(dir, "latest"), *text = NULL;
    size_t len;
    int64_t step;
    enum status st = STATUS_OK;
    *name = '\0';
    if (file_is_absent(path))
        goto out;
    st = file_read(&text, &len, path, STEP_FOLDER_NAME_MAX, err);
    if (st)
        goto out;
    text[strcspn(text, "\n")] = '\0';
    if (strlen(text) < STEP_FOLDER_NAME_MAX && step_folder_parse(text, &step))
        strcpy(name, text);
    else
        st =
            err_set(err, STATUS_INPUT, "%s does not hold the name of a checkpoint", path);
out:
    mem_free(text);
    mem_free(path);
    return st;
}

enum status latest_write(const char *dir, const char *name, struct err *err)
{
    char text[STEP_FOLDER_NAME_MAX + 1];
    char *path = path_join(dir, "latest");
    int len = snprintf(text, sizeof text, "%s\n", name);
    struct new_file f;
    enum status st = new_file_open(&f, path, NEW_FILE_OWN, err);
    if (!st && write_fully(f.fd, text, (size_t)len)) {
        st = new_file_commit(&f, err);
    } else if (!st) {
        st = file_err(err, "write", path);
        new_file_discard(&f);
    }
    mem_free(path);
    return st;
}

/* Is it a step's name and the mark of one that stands aside? Then name is the step's. */
static bool parse_aside(char name[STEP_FOLDER_NAME_MAX], const char *aside)
{
    int64_t step;
    if (strlen(aside) >= STEP_FOLDER_NAME_MAX)
        return false;
    strcpy(name, aside);
    char *suffix = strrchr(name, '.');
    if (!suffix)
        return false;
    *suffix = '\0';
    char *again = durable_aside_name(name);
    bool is = step_folder_parse(name, &step) && !strcmp(again, aside);
    mem_free(again);
    return is;
}

void step_folders_recover(const char *dir)
{
    struct folder_reader r;
    folder_open(&r, dir);
    for (const char *aside; (aside = folder_next(&r));) {
        char name[STEP_FOLDER_NAME_MAX];
        struct err err = ERR_INIT;
        if (!parse_aside(name, aside))
            continue;
        char *path = path_join(dir, name);
        if (durable_recover(path, &err))
            log_line("gait: warning: %s is left of a save that was cut off: %s", aside,
                     err.text);
        mem_free(path);
    }
    folder_close(&r, NULL);
}

/* The process that a temporary name belongs to, or 0 where it is none of ours. */
static pid_t temporary_owner(const char *name)
{
    static const char tmp[] = ".tmp-";
    bool ours = !strncmp(name, step_prefix, sizeof step_prefix - 1) ||
                !strncmp(name, "latest.", 7);
    const char *mark = ours ? strstr(name, tmp) : NULL;
    if (!mark)
        return 0;
    const char *digits = mark + sizeof tmp - 1;
    char *end;
    errno = 0;
    long pid = strtol(digits, &end, 10);
    bool valid = !errno && end != digits && *end == '-' && pid > 0 && pid <= INT32_MAX;
    return valid ? (pid_t)pid : 0;
}

/* This process writes one checkpoint at a time: what bears its number is from another
 * that had it before. */
static bool is_abandoned(const char *name)
{
    pid_t owner = temporary_owner(name);
    return owner && (owner == getpid() || (kill(owner, 0) && errno == ESRCH));
}

void temporaries_remove(const char *dir)
{
    struct folder_reader r;
    folder_open(&r, dir);
    for (const char *name; (name = folder_next(&r));) {
        if (!is_abandoned(name))
            continue;
        char *path = path_join(dir, name);
        struct err err = ERR_INIT;
        bool gone =
            !unlink(path); /* a folder is refused, a link to one is not followed */
        if (!gone && durable_remove(path, &err))
            log_line("could not remove %s, left by a process that has ended: %s", path,
                     err.text);
        mem_free(path);
    }
    folder_close(&r, NULL);
}

/* Under a temporary name first: a checkpoint that lost a part must not pass for one. */
void step_folder_remove(const char *dir, const char *name)
{
    struct err err = ERR_INIT;
    char *path = path_join(dir, name), *gone = file_temporary_name(path);
    if (rename(path, gone))
        file_err(&err, "remove", path);
    else
        durable_remove(gone, &err);
    if (err.status)
        log_line("an old checkpoint stays: %s", err.text);
    mem_free(gone);
    mem_free(path);
}

void old_checkpoints_remove(const char *dir, const char *latest, int64_t keep)
{
    struct step_folder *f = NULL;
    size_t n = 0;
    if (keep <= 0 || step_folders_list(&f, &n, dir, NULL))
        return;
    int64_t kept = 1; /* latest */
    for (size_t i = 0; i < n; i++)
        if (strcmp(f[i].name, latest) != 0 && ++kept > keep)
            step_folder_remove(dir, f[i].name);
    mem_free(f);
}
