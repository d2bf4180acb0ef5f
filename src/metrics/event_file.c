#include "metrics/event_file.h"

#include "base/clock.h"
#include "base/file.h"
#include "base/folder_reader.h"
#include "base/mem.h"
#include "base/strbuf.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char prefix[] = "events.out.tfevents.";
enum { SECOND_DIGITS = 10 };

/* The seconds in the name of an event file; -1 for other names. */
static int64_t seconds_in_name(const char *name)
{
    size_t skip = sizeof prefix - 1;
    if (strncmp(name, prefix, skip) != 0)
        return -1;
    if (strspn(name + skip, "0123456789") != SECOND_DIGITS)
        return -1;
    return strtoll(name + skip, NULL, 10);
}

/* Now or, where a clock was set back, a second after the newest name in dir. */
static int64_t seconds_for_name(const char *dir, int64_t now_s)
{
    const int64_t last = 9999999999;
    struct folder_reader f;
    folder_open(&f, dir);
    for (const char *name; (name = folder_next(&f));) {
        int64_t s = seconds_in_name(name);
        if (s >= now_s)
            now_s = s < last ? s + 1 : last;
    }
    folder_close(&f, NULL);
    return now_s;
}

static void put_host(struct strbuf *out)
{
    char host[256] = "";
    if (gethostname(host, sizeof host - 1) || !*host)
        strcpy(host, "localhost");
    for (const char *p = host; *p; p++)
        strbuf_putc(out, isalnum((unsigned char)*p) || *p == '.' || *p == '-' ? *p : '_');
}

/* A file that was not there before: its fd, its path in *path; -1 with errno set. */
static int create_file(struct strbuf *path, const char *dir)
{
    enum { TRIES = 1000 };
    int64_t second = seconds_for_name(dir, clock_calendar_ns() / 1000000000);
    int fd = -1;
    for (int n = 0; n < TRIES && fd < 0 && (!n || errno == EEXIST); n++) {
        strbuf_clear(path);
        strbuf_printf(path, "%s/%s%010lld.", dir, prefix, (long long)second);
        put_host(path);
        strbuf_printf(path, ".%ld.%d", (long)getpid(), n);
        fd = open(path->s, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    }
    return fd;
}

enum status event_file_open(struct event_file *f, const char *dir, int64_t first_step,
                            struct err *err)
{
    *f = (struct event_file){.file.fd = -1};
    struct strbuf path;
    strbuf_init(&path);
    int fd = create_file(&path, dir);
    enum status st = fd < 0 ? file_err(err, "write", path.s) : STATUS_OK;
    if (!st) {
        double wall_s = (double)clock_calendar_ns() / 1e9;
        append_file_init(&f->file, fd, path.s, 0);
        f->buffer = mem_alloc(EVENT_BUFFER_BYTES);
        f->used = event_record_version(f->buffer, wall_s);
        f->used += event_record_restart(f->buffer + f->used, wall_s, first_step);
        st = event_file_flush(f, err);
        if (st) {
            unlink(path.s);
            event_file_close(f, NULL);
        }
    }
    strbuf_release(&path);
    return st;
}

enum status event_file_close(struct event_file *f, struct err *err)
{
    enum status st = f->used ? event_file_flush(f, err) : STATUS_OK;
    append_file_close(&f->file);
    mem_free(f->buffer);
    f->buffer = NULL;
    return st;
}

enum status event_file_scalar(struct event_file *f, double wall_s, int64_t step,
                              const char *tag, float value, struct err *err)
{
    enum status st = STATUS_OK;
    if (f->used + EVENT_RECORD_BYTES_MAX > EVENT_BUFFER_BYTES)
        st = event_file_flush(f, err);
    f->used += event_record_scalar(f->buffer + f->used, wall_s, step, tag, value);
    return st;
}

enum status event_file_flush(struct event_file *f, struct err *err)
{
    enum status st = append_file_add(&f->file, f->buffer, f->used, err);
    f->used = 0;
    return st;
}
