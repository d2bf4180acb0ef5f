#include "live/live_file.h"

#include "base/file.h"
#include "base/mem.h"
#include "base/new_file.h"
#include "base/path.h"
#include "live/live_list.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* Room for all texts and points at their longest: no write allocates. */
enum { TEXT_BYTES = 64 << 10 };
/* Trainings that ended and still can be looked at. */
enum { KEPT_FINISHED = 16 };

int live_folder_open(const char *path, struct err *err)
{
    static const char *const remedy = "remove it, or set XDG_RUNTIME_DIR to a folder "
                                      "that is yours alone";
    struct stat s;
    int fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0) {
        if (errno != ENOENT)
            err_set(err, STATUS_ENVIRONMENT, "%s is not used: %s; %s", path,
                    errno == ELOOP || errno == ENOTDIR ? "it is a link or a file"
                                                       : strerror(errno),
                    remedy);
        return -1;
    }
    if (fstat(fd, &s))
        err_set(err, STATUS_ENVIRONMENT, "%s is not used: %s", path, strerror(errno));
    else if (s.st_uid != geteuid())
        err_set(err, STATUS_ENVIRONMENT,
                "%s is not used: it belongs to user %lld, and you are user %lld; %s",
                path, (long long)s.st_uid, (long long)geteuid(), remedy);
    else if (s.st_mode & (S_IWGRP | S_IWOTH))
        err_set(err, STATUS_ENVIRONMENT,
                "%s is not used: others can write to it; chmod go-w %s", path, path);
    else
        return fd;
    close(fd);
    return -1;
}

static bool is_own_folder(const char *path)
{
    int fd = live_folder_open(path, NULL);
    if (fd >= 0)
        close(fd);
    return fd >= 0;
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
    live_list_read(&list, NULL);
    for (size_t i = 0; i < list.n; i++) /* the newest first */
        if (!live_entry_is_alive(&list.entry[i]) && ++kept > KEPT_FINISHED)
            unlink(list.entry[i].path);
    live_list_release(&list);
}

/* Of a training that was killed while it wrote: one that lives replaces its own within
 * moments. */
static void remove_stale(const char *folder)
{
    enum { STALE_S = 3600 };
    int fd = live_folder_open(folder, NULL);
    DIR *d = fd < 0 ? NULL : fdopendir(fd);
    for (const struct dirent *e; d && (e = readdir(d));) {
        const char *ending = strrchr(e->d_name, '.');
        struct stat s;
        if (!strncmp(e->d_name, "train-", 6) && ending && !strcmp(ending, ".tmp") &&
            !fstatat(fd, e->d_name, &s, AT_SYMLINK_NOFOLLOW) &&
            s.st_mtime < time(NULL) - STALE_S)
            unlinkat(fd, e->d_name, 0);
    }
    if (d)
        closedir(d);
    else if (fd >= 0)
        close(fd);
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
        remove_stale(folder.s);
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
