#include "live/live_file.h"

#include "base/file.h"
#include "base/mem.h"
#include "base/new_file.h"
#include "base/path.h"
#include "live/live_list.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/* Room for all texts and points at their longest: no write allocates. */
enum { TEXT_BYTES = 64 << 10 };
/* Trainings that ended and still can be looked at. */
enum { KEPT_FINISHED = 16 };

static bool is_own_folder(const char *path)
{
    struct stat s;
    return !lstat(path, &s) && S_ISDIR(s.st_mode) && s.st_uid == geteuid() &&
           !(s.st_mode & (S_IWGRP | S_IWOTH));
}

void live_folder(struct strbuf *out)
{
    const char *runtime = getenv("XDG_RUNTIME_DIR");
    if (runtime && *runtime == '/' && is_own_folder(runtime))
        strbuf_printf(out, "%s/gait", runtime);
    else
        strbuf_printf(out, "%s/gait-%lld", file_is_dir("/dev/shm") ? "/dev/shm" : "/tmp",
                      (long long)geteuid());
}

static void remove_oldest_finished(void)
{
    struct live_list list;
    int kept = 0;
    live_list_read(&list);
    for (size_t i = 0; i < list.n; i++) /* the newest first */
        if (!live_entry_is_alive(&list.entry[i]) && ++kept > KEPT_FINISHED)
            unlink(list.entry[i].path);
    live_list_release(&list);
}

void live_file_open(struct live_file *f)
{
    struct strbuf folder;
    char name[64], tmp[64];
    *f = (struct live_file){0};
    strbuf_init(&folder);
    live_folder(&folder);
    mkdir(folder.s, S_IRWXU);
    if (is_own_folder(folder.s)) {
        remove_oldest_finished();
        snprintf(name, sizeof name, "train-%lld.json", (long long)getpid());
        snprintf(tmp, sizeof tmp, "train-%lld.tmp", (long long)getpid());
        f->path = path_join(folder.s, name);
        f->tmp = path_join(folder.s, tmp);
    }
    strbuf_release(&folder);
    strbuf_init(&f->text);
    strbuf_repeat(&f->text, " ", TEXT_BYTES);
}

void live_file_write(struct live_file *f, const struct live_status *s)
{
    if (!f->path)
        return;
    strbuf_clear(&f->text);
    live_status_text(&f->text, s);
    int fd = open(f->tmp, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC,
                  S_IRUSR | S_IWUSR);
    if (fd < 0)
        return;
    bool whole = write_fully(fd, f->text.s, f->text.len);
    close(fd);
    if (!whole || rename(f->tmp, f->path))
        unlink(f->tmp);
}

void live_file_close(struct live_file *f)
{
    if (f->text.s)
        strbuf_release(&f->text);
    mem_free(f->path);
    mem_free(f->tmp);
    *f = (struct live_file){0};
}
