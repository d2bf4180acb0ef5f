#include "cli/record_files.h"

#include "base/file.h"
#include "base/folder_reader.h"
#include "base/leftover.h"
#include "base/mem.h"
#include "base/path.h"
#include "base/strbuf.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Only root or whoever owns the program may have put it there: the folder above a build
 * folder can be /tmp. */
static bool is_of_owner(const char *path, uid_t owner)
{
    struct stat s;
    return !stat(path, &s) && (s.st_uid == 0 || s.st_uid == owner) &&
           !(s.st_mode & S_IWOTH);
}
enum { LEAST_ROOM_BYTES = 1 << 16 }; /* the traces of a tiny job */

static enum status open_hook(const char *folder, struct err *err)
{
    int fd;
    char *path = path_join(folder, "sitecustomize.py");
    enum status st = file_open_input(&fd, path, err);
    if (!st)
        close(fd);
    mem_free(path);
    return st;
}

/* Found from the program's own place, never from a path that was compiled in. */
static char *hook_beside_program(void)
{
    static const char *const places[] = {
        "hook",               /* in a build folder, a link to the sources */
        "../share/gait/hook", /* installed */
    };
    char program[PATH_MAX];
    char *found = NULL;
    struct stat self;
    ssize_t len = readlink("/proc/self/exe", program, sizeof program - 1);
    if (len <= 0 || stat("/proc/self/exe", &self))
        return NULL;
    program[len] = '\0';
    *strrchr(program, '/') = '\0';
    for (size_t i = 0; i < sizeof places / sizeof *places && !found; i++) {
        struct strbuf path;
        strbuf_init(&path);
        strbuf_printf(&path, "%s/%s", program, places[i]);
        char *real = realpath(path.s, NULL);
        if (real && !open_hook(real, NULL) && is_of_owner(real, self.st_uid))
            found = mem_strdup(real);
        free(real);
        strbuf_release(&path);
    }
    return found;
}

enum status record_find_hook(char **out, struct err *err)
{
    const char *given = getenv("GAIT_HOOK");
    if (given && *given) {
        if (open_hook(given, err)) {
            err_prefix(err, "GAIT_HOOK is %s", given);
            return STATUS_ENVIRONMENT;
        }
        char *real = realpath(given, NULL);
        *out = mem_strdup(real ? real : given);
        free(real);
        return STATUS_OK;
    }
    *out = hook_beside_program();
    if (*out)
        return STATUS_OK;
    return err_set(err, STATUS_ENVIRONMENT,
                   "the recorder's Python files are not in ../share/gait/hook beside "
                   "the program; install it whole, or name their folder in GAIT_HOOK");
}

char *record_python_path(const char *hook)
{
    const char *now = getenv("PYTHONPATH");
    struct strbuf path;
    strbuf_init(&path);
    strbuf_puts(&path, hook);
    if (now && *now)
        strbuf_printf(&path, ":%s", now);
    return path.s;
}

static enum status use_folder(char **out, const char *wanted, struct err *err)
{
    bool empty;
    enum status st = file_make_folders(wanted, err);
    if (!st)
        st = folder_is_empty(&empty, wanted, err);
    if (st)
        return st;
    if (!empty)
        return err_set(err, STATUS_USAGE, "%s is not empty; name a new folder", wanted);
    char *real = realpath(wanted, NULL);
    if (!real)
        return file_err(err, "use", wanted);
    *out = mem_strdup(real);
    free(real);
    return STATUS_OK;
}

/* A disk that is full already would cost the recording, after the job has run for it. */
static enum status check_room(const char *folder, struct err *err)
{
    struct strbuf path;
    strbuf_init(&path);
    strbuf_printf(&path, "%s/room", folder);
    int fd = open(path.s, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    int why = fd < 0 ? errno : posix_fallocate(fd, 0, LEAST_ROOM_BYTES);
    if (fd >= 0) {
        close(fd);
        unlink(path.s);
    }
    strbuf_release(&path);
    if (!why || why == EINVAL || why == EOPNOTSUPP)
        return STATUS_OK;
    return err_set(err, STATUS_ENVIRONMENT,
                   "cannot record to %s: %s; free some room, or set TMPDIR to a folder "
                   "that has it",
                   folder, strerror(why));
}

enum status record_make_folder(char **out, const char *wanted, struct err *err)
{
    if (wanted)
        return use_folder(out, wanted, err);
    const char *tmp = getenv("TMPDIR");
    struct strbuf path;
    strbuf_init(&path);
    strbuf_printf(&path, "%s/gait-record-XXXXXX", tmp && *tmp == '/' ? tmp : "/tmp");
    if (!mkdtemp(path.s)) {
        file_err(err, "make", path.s);
        strbuf_release(&path);
        return err->status;
    }
    leftover_note(path.s);
    *out = path.s;
    return check_room(path.s, err);
}

static bool ends_with(const char *s, const char *end)
{
    size_t ls = strlen(s), le = strlen(end);
    return ls > le && !strcmp(s + ls - le, end);
}

/* The script, or the module behind -m, or the program; without folder and ".py". */
static char *job_name(const char *const *words, size_t n)
{
    const char *name = words[0];
    for (size_t i = 1; i < n; i++) {
        if (ends_with(words[i], ".py")) {
            name = words[i];
            break;
        }
        bool launcher = i + 1 < n && strstr(words[i + 1], "torch.distributed");
        if (!strcmp(words[i], "-m") && i + 1 < n && !launcher && name == words[0])
            name = words[i + 1];
    }
    name = path_name(name);
    size_t len = strlen(name);
    return mem_strndup(name, ends_with(name, ".py") ? len - 3 : len);
}

char *record_output_name(const char *const *words, size_t n)
{
    char *name = job_name(words, n);
    struct strbuf path;
    strbuf_init(&path);
    strbuf_printf(&path, "%s.gait", name);
    for (int i = 2; file_exists(path.s); i++) {
        strbuf_clear(&path);
        strbuf_printf(&path, "%s-%d.gait", name, i);
    }
    mem_free(name);
    return path.s;
}
