/* checkpoint_dir: the folder, the room on its disk, and a checkpoint to go on from. */
#include "base/file.h"
#include "base/mem.h"
#include "base/path.h"
#include "checkpoint/checkpoint.h"
#include "checkpoint/step_folder.h"
#include "diagnose/gather.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* dir, or the nearest folder above it that exists: there training would make it. */
static char *nearest_folder(const char *dir, struct reason *why_not)
{
    char *path = mem_strdup(dir);
    while (!file_is_dir(path)) {
        if (file_exists(path) && !*why_not->text)
            *why_not = reason_of("%s is a file", path);
        size_t len = strlen(path);
        while (len > 1 && path[len - 1] == '/')
            path[--len] = '\0';
        char *slash = strrchr(path, '/');
        if (!slash)
            memcpy(path, ".", 2); /* a name alone: dir is not empty */
        else if (slash == path)
            slash[1] = '\0'; /* the root */
        else
            *slash = '\0';
    }
    return path;
}

/* What permissions and mounts come to is only known by trying. */
static void try_to_write(struct disk_facts *d)
{
    struct strbuf name;
    strbuf_init(&name);
    strbuf_printf(&name, "%s/.gait-diagnose-XXXXXX", d->folder);
    if (mkdtemp(name.s))
        rmdir(name.s);
    else
        d->unwritable = reason_of("%s: %s", d->folder, strerror(errno));
    strbuf_release(&name);
}

static void gather_folder(struct disk_facts *d, const char *dir)
{
    char *folder = nearest_folder(dir, &d->unwritable);
    snprintf(d->folder, sizeof d->folder, "%s", folder);
    d->is_there = file_is_dir(dir);
    if (!*d->unwritable.text)
        try_to_write(d);
    d->free_bytes = file_room(folder);
    mem_free(folder);
}

static void gather_present(struct disk_facts *d, const char *dir)
{
    struct step_folder *folders;
    size_t n;
    if (step_folders_list(&folders, &n, dir, NULL))
        return;
    d->present = (int64_t)n;
    mem_free(folders);
}

static enum status look_at_checkpoint(struct training_facts *f, const char *path,
                                      const struct trainer *t, struct err *err)
{
    struct checkpoint c;
    enum status st = checkpoint_open(&c, path, err);
    if (st)
        return st;
    f->disk.resume_step = c.step;
    f->disk.resume_from = reason_of("%s", path);
    if (training_facts_has(f, TRAINER_MODEL))
        st = checkpoint_check_model(&c, &t->model.shape, err);
    checkpoint_close(&c);
    return st;
}

static void gather_resume(struct training_facts *f, const char *dir,
                          const struct trainer *t)
{
    struct err why = ERR_INIT, err = ERR_INIT;
    struct strbuf path;
    strbuf_init(&path);
    enum status st = checkpoint_find_usable(&path, dir, &why, &err);
    if (!st && path.len)
        st = look_at_checkpoint(f, path.s, t, &err);
    if (st)
        f->disk.resume_error = reason_of("%s", err.text);
    strbuf_release(&path);
}

void gather_disk(struct training_facts *f, const struct trainer *t)
{
    const char *dir = f->config->checkpoint_dir;
    f->disk.wanted = *dir != '\0';
    if (!f->disk.wanted)
        return;
    gather_folder(&f->disk, dir);
    if (!f->disk.is_there)
        return;
    gather_present(&f->disk, dir);
    gather_resume(f, dir, t);
}
