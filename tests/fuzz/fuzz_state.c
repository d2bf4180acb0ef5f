/*
 * Any bytes as a checkpoint's state.json, once as they are and once with the hash that
 * they should have: else no changed text would come past it. Taken: a step, and strings
 * where strings are promised. The lines go through the reader of metrics.jsonl too.
 */
#include "base/content_hash.h"
#include "base/mem.h"
#include "checkpoint/state_file.h"
#include "metrics/metrics_lines.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Puts the text's hash where state_read() looks for it: in its last such field. */
static void seal(char *text, size_t len)
{
    static const char field[] = "\"xxh3\": \"";
    char *last = NULL;
    for (size_t at = 0; at + sizeof field - 1 + CONTENT_HASH_DIGITS <= len; at++)
        if (!memcmp(text + at, field, sizeof field - 1))
            last = text + at + sizeof field - 1;
    if (!last)
        return;
    memset(last, '0', CONTENT_HASH_DIGITS);
    struct content_hash_text hash = content_hash_of(text, len);
    memcpy(last, hash.s, CONTENT_HASH_DIGITS);
}

static void read_state(char *text, size_t len)
{
    struct checkpoint c = {0};
    struct err err = ERR_INIT;
    arena_init(&c.arena);
    if (state_read(&c, text, len, &err)) {
        if (!*err.text || err.status != STATUS_INPUT)
            abort();
    } else {
        if (c.step < 0 || !c.optimizer)
            abort();
        for (const struct json *j = c.files->child; j; j = j->next)
            if (strlen(j->text) > j->len)
                abort();
        checkpoint_position(&c, "epoch");
    }
    arena_release(&c.arena);
}

static void read_line(const char *line, size_t len)
{
    char again[METRICS_LINE_BYTES_MAX];
    int64_t step, same;
    if (!metrics_line_step(&step, line, len))
        return;
    size_t n = metrics_line_format(again, step, NULL, 0);
    if (step < 0 || !metrics_line_step(&same, again, n - 1) || same != step)
        abort();
}

static void read_lines(const char *text, size_t len)
{
    for (size_t at = 0; at < len;) {
        const char *end = memchr(text + at, '\n', len - at);
        size_t n = end ? (size_t)(end - text) - at : len - at;
        read_line(text + at, n);
        at += n + 1;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = mem_strndup(size ? (const char *)data : "", size);
    read_lines(text, size);
    read_state(text, size);
    seal(text, size);
    read_state(text, size);
    mem_free(text);
    return 0;
}
