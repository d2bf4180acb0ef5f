#include "text_out.h"

#include "base/mem.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

enum { BUFFER_BYTES = 4 << 20, SHUFFLE_BYTES = 64 << 20 };

static _Noreturn void cannot_write(const char *path)
{
    fprintf(stderr, "generate_trace: cannot write %s: %s\n", path, strerror(errno));
    exit(4);
}

static void open_pipe(struct text_out *t, const char *path)
{
    char command[4200];
    if (strchr(path, '\'')) {
        fprintf(stderr, "generate_trace: %s: a quote in a path goes too far\n", path);
        exit(2);
    }
    snprintf(command, sizeof command, "gzip -1 -c >'%s'", path);
    t->pipe = popen(command, "w");
    if (!t->pipe)
        cannot_write(path);
    t->fd = fileno(t->pipe);
}

void text_open(struct text_out *t, const char *path, bool gzip)
{
    *t = (struct text_out){.fd = -1, .first = true, .cap = BUFFER_BYTES};
    t->buf = mem_alloc(t->cap);
    if (path && !strcmp(path, "-"))
        t->fd = 1;
    else if (path && gzip)
        open_pipe(t, path);
    else if (path) {
        t->fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
        if (t->fd < 0)
            cannot_write(path);
    }
}

static void write_all(struct text_out *t, const char *s, size_t len)
{
    t->written += (int64_t)len;
    while (t->fd >= 0 && len) {
        ssize_t n = write(t->fd, s, len);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            cannot_write("the trace");
        s += n;
        len -= (size_t)n;
    }
}

void text_close(struct text_out *t)
{
    text_flush(t);
    if (t->pipe && pclose(t->pipe))
        cannot_write("the trace through gzip");
    if (!t->pipe && t->fd > 1 && close(t->fd))
        cannot_write("the trace");
    mem_free(t->buf);
    mem_free(t->ends);
}

/* --- shuffling --- */

void text_shuffle(struct text_out *t, uint64_t seed)
{
    text_flush(t);
    t->shuffle = true;
    t->random = seed * 2 + 1;
    t->cap = SHUFFLE_BYTES;
    t->buf = mem_resize(t->buf, t->cap, 1);
}

void text_event_note_end(struct text_out *t)
{
    vec_grow(t->ends, t->cap_ends, t->n_ends + 1);
    t->ends[t->n_ends++] = t->len;
}

static size_t random_below(struct text_out *t, size_t n)
{
    t->random ^= t->random << 13;
    t->random ^= t->random >> 7;
    t->random ^= t->random << 17;
    return (size_t)(t->random % n);
}

/* The events of the buffer, each with its comma, in random order. */
static void flush_shuffled(struct text_out *t)
{
    size_t *order = mem_alloc((t->n_ends + 1) * sizeof *order), n = 0;
    char *text = mem_alloc(t->len + t->n_ends * 2 + 1);
    for (size_t i = 0; i < t->n_ends; i++) {
        size_t k = random_below(t, i + 1);
        order[i] = order[k];
        order[k] = i;
    }
    for (size_t i = 0; i < t->n_ends; i++) {
        size_t from = order[i] ? t->ends[order[i] - 1] : 0, to = t->ends[order[i]];
        if (t->any_shuffled) {
            text[n++] = ',';
            text[n++] = '\n';
        }
        t->any_shuffled = true;
        memcpy(text + n, t->buf + from, to - from);
        n += to - from;
    }
    write_all(t, text, n);
    mem_free(text);
    mem_free(order);
    t->n_ends = 0;
}

void text_flush(struct text_out *t)
{
    if (t->shuffle)
        flush_shuffled(t);
    else
        write_all(t, t->buf, t->len);
    t->len = 0;
}

void text_events_over(struct text_out *t)
{
    text_flush(t);
    t->shuffle = false;
}
