#include "live/live_process.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PROC_FILE_BYTES = 1024, FIELD_START_TIME = 22, FIELD_STATE = 3 };

static bool read_small(char *out, size_t size, const char *path)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t len = fd < 0 ? -1 : read(fd, out, size - 1);
    if (fd >= 0)
        close(fd);
    out[len > 0 ? len : 0] = '\0';
    out[strcspn(out, "\n")] = '\0';
    return len > 0;
}

static void read_boot(char out[LIVE_TEXT_MAX])
{
    read_small(out, LIVE_TEXT_MAX, "/proc/sys/kernel/random/boot_id");
}

/* State letter and start time in clock ticks since boot (proc(5)); false: no such
 * process. The name in parentheses may hold blanks and parentheses itself. */
static bool look_at(int64_t pid, char *state, int64_t *start)
{
    char path[64], text[PROC_FILE_BYTES];
    snprintf(path, sizeof path, "/proc/%lld/stat", (long long)pid);
    if (!read_small(text, sizeof text, path))
        return false;
    char *at = strrchr(text, ')');
    for (int field = FIELD_STATE - 1; at && field < FIELD_START_TIME; field++) {
        at = strchr(at + 1, ' ');
        if (at && field == FIELD_STATE - 1)
            *state = at[1];
    }
    if (at)
        *start = strtoll(at + 1, NULL, 10);
    return at != NULL;
}

void live_process_fill(struct live_status *s)
{
    char state;
    s->pid = getpid();
    if (!look_at(s->pid, &state, &s->process_start))
        s->process_start = 0;
    read_boot(s->boot);
}

enum live_state live_process_state(const struct live_status *s)
{
    char state = 0, boot[LIVE_TEXT_MAX];
    int64_t start = 0;
    if (s->doing == LIVE_DOING_ENDED || s->doing == LIVE_DOING_FAILED)
        return LIVE_FINISHED;
    read_boot(boot);
    if (strcmp(boot, s->boot) != 0 || !look_at(s->pid, &state, &start) ||
        start != s->process_start || state == 'Z' || state == 'X')
        return LIVE_GONE;
    return state == 'T' || state == 't' ? LIVE_SUSPENDED : LIVE_RUNNING;
}
