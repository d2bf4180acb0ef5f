#include "metrics/metrics_lines.h"

#include "base/file.h"
#include "base/mem.h"
#include "base/strbuf.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

static const char line_head[] = "{\"step\":";

size_t metrics_line_format(char *out, int64_t step, const struct metrics_value *values,
                           size_t n)
{
    const size_t max = METRICS_LINE_BYTES_MAX;
    size_t len = (size_t)snprintf(out, max, "%s%" PRId64, line_head, step);
    for (size_t i = 0; i < n && len < max; i++) {
        len += (size_t)snprintf(out + len, max - len, ",\"%s\":", values[i].key);
        if (len < max)
            len += (size_t)snprintf(out + len, max - len,
                                    isfinite(values[i].value) ? "%.9g" : "null",
                                    values[i].value);
    }
    if (len + 3 > max)
        BUG("a line of metrics of more than %zu bytes", max);
    memcpy(out + len, "}\n", 3);
    return len + 2;
}

bool metrics_line_step(int64_t *step, const char *line, size_t len)
{
    enum { DIGITS_MAX = 20 };
    size_t head = sizeof line_head - 1;
    char number[DIGITS_MAX + 1] = "";
    if (len < head + 2 || memcmp(line, line_head, head) != 0 || line[len - 1] != '}')
        return false;
    size_t digits = strspn(line + head, "0123456789");
    if (!digits || digits > DIGITS_MAX || !strchr(",}", line[head + digits]))
        return false;
    memcpy(number, line + head, digits);
    char *end;
    errno = 0;
    *step = strtoll(number, &end, 10);
    return !*end && !errno;
}

/* What a scan of the file found. */
struct scan {
    int64_t keep_bytes; /* up to the first line that goes */
    int64_t unreadable; /* number of the first line that is none of ours; 0: none */
    int64_t after_cut;  /* number of the first line below first_step behind it; 0 */
};

static void scan_line(struct scan *s, const char *line, size_t len, int64_t number,
                      int64_t begin, bool cutting, int64_t first_step)
{
    int64_t step = 0;
    bool ours = len < METRICS_LINE_BYTES_MAX && metrics_line_step(&step, line, len);
    bool stays = ours && step < first_step;
    if (!stays && !cutting)
        s->keep_bytes = begin;
    if (!ours && !s->unreadable)
        s->unreadable = number;
    if (stays && cutting && !s->after_cut)
        s->after_cut = number;
}

/* A last line without its break was cut: it goes, whatever it holds. */
static struct scan scan_lines(FILE *f, int64_t first_step)
{
    char line[METRICS_LINE_BYTES_MAX];
    struct scan s = {.keep_bytes = -1};
    int64_t begin = 0, at = 0, number = 1;
    size_t len = 0;
    for (int c; (c = getc(f)) != EOF; at++) {
        if (c != '\n') {
            if (len < sizeof line)
                line[len++] = (char)c;
            continue;
        }
        if (len < sizeof line)
            line[len] = '\0';
        scan_line(&s, line, len, number++, begin, s.keep_bytes >= 0, first_step);
        begin = at + 1;
        len = 0;
    }
    if (s.keep_bytes < 0)
        s.keep_bytes = begin;
    return s;
}

/* How many bytes of the file stay. */
static enum status bytes_to_keep(int64_t *keep, const char *path, int64_t first_step,
                                 struct err *err)
{
    FILE *f;
    enum status st = file_open_stream(&f, path, err);
    if (st)
        return st;
    struct scan s = scan_lines(f, first_step);
    st = ferror(f) ? file_err(err, "read", path) : STATUS_OK;
    fclose(f);
    *keep = s.keep_bytes;
    if (!st && (s.unreadable == 1 || (s.unreadable && s.after_cut)))
        st = err_set(err, STATUS_INPUT,
                     "%s: line %" PRId64 " is not a line of metrics; move the file away "
                     "or choose another log_dir",
                     path, s.unreadable);
    return st;
}

/* A new run keeps what an older one wrote under another name. */
static enum status put_aside(const char *path, const char *dir, struct err *err)
{
    enum { NAMES_MAX = 10000 };
    struct stat s;
    if (stat(path, &s) || !s.st_size)
        return STATUS_OK;
    struct strbuf name;
    strbuf_init(&name);
    int n = 1;
    do {
        strbuf_clear(&name);
        strbuf_printf(&name, "%s/metrics.%d.jsonl", dir, n);
    } while (file_exists(name.s) && ++n < NAMES_MAX);
    enum status st = STATUS_OK;
    if (n == NAMES_MAX)
        st = err_set(err, STATUS_ENVIRONMENT,
                     "%s holds %d files of metrics; choose another log_dir", dir,
                     NAMES_MAX);
    else if (rename(path, name.s))
        st = file_err(err, "write", name.s);
    strbuf_release(&name);
    return st;
}

static enum status open_locked(int *fd, const char *path, struct err *err)
{
    struct stat s;
    *fd = open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0666);
    if (*fd < 0)
        return file_err(err, "write", path);
    enum status st = STATUS_OK;
    if (fstat(*fd, &s) || !S_ISREG(s.st_mode))
        st = err_set(err, STATUS_INPUT, "%s is not a file; choose another log_dir", path);
    else if (flock(*fd, LOCK_EX | LOCK_NB) && errno == EWOULDBLOCK)
        st = err_set(err, STATUS_ENVIRONMENT,
                     "another training writes to %s; choose another log_dir", path);
    if (st)
        close(*fd);
    return st;
}

static enum status open_at_step(struct append_file *f, const char *path,
                                int64_t first_step, struct err *err)
{
    int fd;
    int64_t keep = 0;
    enum status st = open_locked(&fd, path, err);
    if (st)
        return st;
    st = bytes_to_keep(&keep, path, first_step, err);
    if (!st && ftruncate(fd, keep))
        st = file_err(err, "write", path);
    if (st)
        close(fd);
    else
        append_file_init(f, fd, path, keep);
    return st;
}

enum status metrics_lines_open(struct append_file *f, const char *dir, int64_t first_step,
                               struct err *err)
{
    int fd;
    struct strbuf path;
    *f = (struct append_file){.fd = -1};
    strbuf_init(&path);
    strbuf_printf(&path, "%s/metrics.jsonl", dir);
    enum status st = STATUS_OK;
    if (first_step <= 0) { /* the lock tells whether another process is at it */
        st = open_locked(&fd, path.s, err);
        if (!st) {
            st = put_aside(path.s, dir, err);
            close(fd);
        }
    }
    if (!st)
        st = open_at_step(f, path.s, first_step, err);
    strbuf_release(&path);
    return st;
}
