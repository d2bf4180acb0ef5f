#include "cli/marked_processes.h"

#include "base/folder_reader.h"
#include "base/strbuf.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* One that is being killed may still start another: looked at again until none is left. */
enum { ROUNDS_MAX = 32, READ_BYTES = 16 << 10, ENVIRONMENT_BYTES_MAX = 4 << 20 };

/* Of another user's process, or of one that is gone: nothing. */
static void read_environment(struct strbuf *out, const char *pid)
{
    char path[64], bytes[READ_BYTES];
    ssize_t n;
    snprintf(path, sizeof path, "/proc/%.20s/environ", pid);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return;
    do {
        n = read(fd, bytes, sizeof bytes);
        if (n > 0)
            strbuf_add(out, bytes, (size_t)n);
    } while ((n > 0 && out->len < ENVIRONMENT_BYTES_MAX) || (n < 0 && errno == EINTR));
    close(fd);
}

static bool is_marked(const struct strbuf *environment, const char *mark)
{
    const char *end = environment->s + environment->len;
    for (const char *e = environment->s; e < end; e += strlen(e) + 1)
        if (!strcmp(e, mark))
            return true;
    return false;
}

static bool kill_once(const char *mark)
{
    struct folder_reader proc;
    struct strbuf environment;
    bool found = false;
    strbuf_init(&environment);
    folder_open(&proc, "/proc");
    for (const char *name; (name = folder_next(&proc));) {
        pid_t pid = (pid_t)strtol(name, NULL, 10);
        strbuf_clear(&environment);
        if (pid <= 1 || pid == getpid())
            continue;
        read_environment(&environment, name);
        if (is_marked(&environment, mark) && !kill(pid, SIGKILL))
            found = true;
    }
    folder_close(&proc, NULL);
    strbuf_release(&environment);
    return found;
}

void marked_processes_kill(const char *name, const char *value)
{
    struct strbuf mark;
    strbuf_init(&mark);
    strbuf_printf(&mark, "%s=%s", name, value);
    for (int i = 0; i < ROUNDS_MAX && kill_once(mark.s); i++)
        ;
    strbuf_release(&mark);
}
