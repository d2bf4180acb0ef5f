/*
 * Text to a file as fast as it can be copied: numbers are formatted by hand into a large
 * buffer. An event is written between text_event_begin(), which makes room for
 * EVENT_BYTES_MAX, and text_event_end(); the put functions check nothing.
 */
#ifndef GAIT_TESTS_TEXT_OUT_H
#define GAIT_TESTS_TEXT_OUT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { EVENT_BYTES_MAX = 8 << 10 };

struct text_out {
    char *buf;
    size_t len, cap;
    int fd;            /* -1: count only */
    FILE *pipe;        /* to gzip; NULL: none */
    int64_t written;   /* bytes handed on */
    int64_t events;    /* so far */
    bool first;        /* no comma is due */
    bool compact;      /* no white space */
    bool shuffle;      /* events[] of the buffer are put in any order */
    bool any_shuffled; /* an event was written: a comma is due */
    size_t *ends;      /* (n_ends) of the events in the buffer, when shuffling */
    size_t n_ends, cap_ends;
    uint64_t random;
};

/* path "-" is standard output, NULL counts only. Exits with 4 where it cannot be written.
 */
void text_open(struct text_out *t, const char *path, bool gzip);
void text_close(struct text_out *t);

/* Before the first event: shuffling begins behind what was put so far. */
void text_shuffle(struct text_out *t, uint64_t seed);
/* All events are in the file, in their final order. */
void text_events_over(struct text_out *t);
void text_flush(struct text_out *t);

static inline void text_event_begin(struct text_out *t)
{
    if (t->cap - t->len < EVENT_BYTES_MAX)
        text_flush(t);
    if (!t->first && !t->shuffle) {
        t->buf[t->len++] = ',';
        if (!t->compact)
            t->buf[t->len++] = '\n';
    }
    t->first = false;
}

void text_event_note_end(struct text_out *t);

static inline void text_event_end(struct text_out *t)
{
    t->events++;
    if (t->shuffle)
        text_event_note_end(t);
}

static inline void put_bytes(struct text_out *t, const char *s, size_t len)
{
    memcpy(t->buf + t->len, s, len);
    t->len += len;
}

/* A literal: its length is known to the compiler. */
#define PUT(t, literal) put_bytes((t), (literal), sizeof(literal) - 1)
/* One form for people, one without white space. */
#define PUT2(t, pretty, compact_form)                                                    \
    do {                                                                                 \
        if ((t)->compact)                                                                \
            PUT(t, compact_form);                                                        \
        else                                                                             \
            PUT(t, pretty);                                                              \
    } while (0)

static inline void put_unsigned(struct text_out *t, uint64_t v)
{
    static const char pairs[] = "00010203040506070809101112131415161718192021222324"
                                "25262728293031323334353637383940414243444546474849"
                                "50515253545556575859606162636465666768697071727374"
                                "75767778798081828384858687888990919293949596979899";
    char digits[20], *p = digits + sizeof digits;
    while (v >= 100) {
        p -= 2;
        memcpy(p, pairs + v % 100 * 2, 2);
        v /= 100;
    }
    if (v >= 10) {
        p -= 2;
        memcpy(p, pairs + v * 2, 2);
    } else {
        *--p = (char)('0' + v);
    }
    put_bytes(t, p, (size_t)(digits + sizeof digits - p));
}

static inline void put_number(struct text_out *t, int64_t v)
{
    if (v < 0)
        PUT(t, "-");
    put_unsigned(t, v < 0 ? 0 - (uint64_t)v : (uint64_t)v);
}

/* Nanoseconds as microseconds, with three decimals where the dialect has them. */
static inline void put_us(struct text_out *t, int64_t ns, bool fraction)
{
    uint64_t us = (uint64_t)ns / 1000, rest = (uint64_t)ns % 1000;
    put_unsigned(t, us);
    if (!fraction)
        return;
    char s[4] = {'.', (char)('0' + rest / 100), (char)('0' + rest / 10 % 10),
                 (char)('0' + rest % 10)};
    put_bytes(t, s, 4);
}

#endif
