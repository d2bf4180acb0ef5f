/*
 * Writes event files for tensorboard_agrees.py and says on stdout what must be read back:
 * a line a scalar, "tag step bits of the float in hexadecimal", with tabs between.
 *
 *   write_events DIR odd N       one file of N scalars whose values, steps and tags are
 * odd write_events DIR killed      steps 0 … 99, then the process ends without closing
 *   write_events DIR resumed     goes on from step 50 to 79
 */
#include "metrics/event_file.h"
#include "metrics/metrics.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static uint64_t mix(uint64_t x)
{
    x = (x ^ x >> 33) * UINT64_C(0xff51afd7ed558ccd);
    x = (x ^ x >> 33) * UINT64_C(0xc4ceb9fe1a85ec53);
    return x ^ x >> 33;
}

static void say(const char *tag, int64_t step, float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    printf("%s\t%" PRId64 "\t%08" PRIx32 "\n", tag, step, bits);
}

static float odd_value(uint64_t i)
{
    static const float odd[] = {0,       -0.0f,    INFINITY,      -INFINITY,    NAN,
                                FLT_MAX, -FLT_MAX, FLT_MIN,       FLT_TRUE_MIN, 1,
                                -1.5f,   3.25f,    -FLT_TRUE_MIN, FLT_EPSILON,  1e-40f};
    uint32_t bits = (uint32_t)mix(i); /* any bits: every NaN and denormal there is */
    float value;
    memcpy(&value, &bits, sizeof value);
    return i % 3 ? value : odd[i / 3 % (sizeof odd / sizeof *odd)];
}

static int64_t odd_step(uint64_t i)
{
    static const int64_t odd[] = {0, -1, 1, 127, 128, INT64_MAX, INT64_MIN, 1 << 30};
    return i % 5 ? (int64_t)(mix(i) >> (mix(~i) & 63)) : odd[i / 5 % 8];
}

static void odd_tag(char tag[EVENT_TAG_BYTES_MAX + 1], uint64_t i)
{
    static const char *const odd[] = {"train/loss", "a", "größe/損失", "with space",
                                      "x/y/z"};
    uint64_t kind = i % 7;
    if (kind < 5) {
        strcpy(tag, odd[kind]);
        return;
    }
    size_t len = kind == 5 ? 120 + i % 11 : EVENT_TAG_BYTES_MAX - i % 3;
    memset(tag, 'l', len);
    tag[len] = '\0';
}

static enum status write_odd(const char *dir, uint64_t n, struct err *err)
{
    struct event_file f;
    char tag[EVENT_TAG_BYTES_MAX + 1];
    enum status st = event_file_open(&f, dir, INT64_MIN, err);
    if (st)
        return st;
    for (uint64_t i = 0; i < n && !st; i++) {
        odd_tag(tag, i);
        st = event_file_scalar(&f, 1e9 + (double)i / 8, odd_step(i), tag, odd_value(i),
                               err);
        say(tag, odd_step(i), odd_value(i));
    }
    enum status closed = event_file_close(&f, err);
    return st ? st : closed;
}

static enum status write_steps(const char *dir, int64_t first, int64_t end, double scale,
                               struct err *err)
{
    struct metrics m;
    enum status st = metrics_open(&m, dir, first, err);
    for (int64_t step = first; step < end && !st; step++) {
        double loss = scale / (double)(step + 3);
        metrics_scalar(&m, "train/loss", step, loss);
        say("train/loss", step, (float)loss);
        if (step % 10 == 9) {
            metrics_scalar(&m, "validation/loss", step, 2 * loss);
            say("validation/loss", step, (float)(2 * loss));
        }
        metrics_commit(&m, step);
    }
    return st; /* not closed: the caller ends as if it were killed */
}

int main(int argc, char **argv)
{
    struct err err = ERR_INIT;
    enum status st = STATUS_USAGE;
    if (argc == 4 && !strcmp(argv[2], "odd"))
        st = write_odd(argv[1], strtoull(argv[3], NULL, 10), &err);
    else if (argc == 3 && !strcmp(argv[2], "killed"))
        st = write_steps(argv[1], 0, 100, 1, &err);
    else if (argc == 3 && !strcmp(argv[2], "resumed"))
        st = write_steps(argv[1], 50, 80, 7, &err);
    else
        err_set(&err, STATUS_USAGE, "usage: write_events DIR odd N|killed|resumed");
    fflush(stdout);
    if (st)
        fprintf(stderr, "write_events: %s\n", err.text);
    _exit((int)st);
}
