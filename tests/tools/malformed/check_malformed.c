/*
 * Every malformed trace of the corpus through the reader, in one process: the right
 * answer or refusal, the good events around the damage, the same result whatever the
 * window, bounded memory and time.
 *   check_malformed                       all of them
 *   check_malformed --every N             one in so many
 *   check_malformed --write DIR [EVERY]   put them (or each EVERYth) into files, with the
 * list DIR/expected: file, exit code or "either"
 */
#include "corpus.h"
#include "guard.h"

#include "base/clock.h"
#include "base/mem.h"
#include "trace/trace_reader.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SECONDS_A_CASE = 20, MEMORY_MIB = 1024 };

struct totals {
    int every, seen; /* one case in so many is checked */
    int cases, failed, known, reads;
    int64_t slowest_ns;
    char slowest[160];
};

static void fail(struct totals *t, const struct bad_case *c, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

static void fail(struct totals *t, const struct bad_case *c, const char *fmt, ...)
{
    va_list args;
    printf("%s %s/%s: ", c->known_fault ? "known fault" : "FAILED", c->trap, c->variant);
    va_start(args, fmt);
    vprintf(fmt, args);
    va_end(args);
    if (c->known_fault)
        printf(" (%s)", c->known_fault);
    printf("\n");
    t->failed += !c->known_fault;
    t->known += c->known_fault != NULL;
}

static int64_t count_ops(const struct run *r, const char *name)
{
    int64_t n = 0;
    for (size_t i = 0; i < r->ops.table.n; i++)
        if (!strcmp(run_name(r, r->ops.name[i]), name))
            n += r->ops.count[i];
    return n;
}

static bool check_found(struct totals *t, const struct bad_case *c, const struct run *r)
{
    struct err err = ERR_INIT;
    int64_t before = count_ops(r, GOOD_BEFORE), after = count_ops(r, GOOD_AFTER);
    if (run_check(r, &err))
        fail(t, c, "the run is not sound: %s", err.text);
    else if (before < c->before_min || before > c->before)
        fail(t, c, "%lld good events before the damage, not %lld to %lld",
             (long long)before, (long long)c->before_min, (long long)c->before);
    else if (after < c->after_min || after > c->after)
        fail(t, c, "%lld good events behind the damage, not %lld to %lld",
             (long long)after, (long long)c->after_min, (long long)c->after);
    else if (count_ops(r, PHANTOM))
        fail(t, c, "%lld events that are none", (long long)count_ops(r, PHANTOM));
    else
        return true;
    return false;
}

static bool check_status(struct totals *t, const struct bad_case *c, enum status st,
                         const struct err *err)
{
    if (st != STATUS_OK && st != STATUS_INPUT)
        fail(t, c, "status %d: %s", st, err->text);
    else if (!c->either && st != c->status)
        fail(t, c, "%s", st ? err->text : "answered, but there is nothing to answer");
    else if (st && !err->text[0])
        fail(t, c, "refused without a word");
    else
        return true;
    return false;
}

static enum status read_case(struct run *r, const struct bad_case *c, size_t window,
                             struct err *err)
{
    struct trace_options options = {.block_bytes = window};
    if (strstr(c->trap, "too_many")) /* such limits hold for each reading thread */
        options.threads = 1;
    run_init(r);
    return trace_read_memory(r, c->data, c->len, "t.json", &options, err);
}

/* The same through other windows: nothing may change. */
static bool check_windows(struct totals *t, const struct bad_case *c, enum status st,
                          const struct run *want)
{
    static const size_t windows[] = {64, 4096};
    bool good = true;
    for (size_t i = 0; good && i < sizeof windows / sizeof *windows; i++) {
        struct run r;
        struct err err = ERR_INIT;
        enum status other = read_case(&r, c, windows[i], &err);
        t->reads++;
        good = other == st && (st || run_equal(want, &r, &err));
        if (!good)
            fail(t, c, "with a window of %zu bytes: status %d and not %d, %s", windows[i],
                 other, st, err.text);
        run_release(&r);
    }
    return good;
}

static void note_time(struct totals *t, const struct bad_case *c, int64_t ns)
{
    if (ns <= t->slowest_ns)
        return;
    t->slowest_ns = ns;
    snprintf(t->slowest, sizeof t->slowest, "%s/%s", c->trap, c->variant);
}

static void check_case(void *context, const struct bad_case *c)
{
    struct totals *t = context;
    struct run r;
    struct err err = ERR_INIT;
    char name[160];
    if (t->seen++ % t->every)
        return;
    /* Bytes of their own, so that reading past them is seen. */
    char *copy = mem_alloc(c->len + !c->len);
    struct bad_case mine = *c;
    memcpy(copy, c->data, c->len);
    mine.data = copy;
    snprintf(name, sizeof name, "%s/%s", c->trap, c->variant);
    guard_begin(name, SECONDS_A_CASE);
    int64_t begin_ns = clock_cpu_ns();
    enum status st = read_case(&r, &mine, 0, &err);
    note_time(t, c, clock_cpu_ns() - begin_ns);
    t->cases++;
    t->reads++;
    if (check_status(t, &mine, st, &err) && (st || check_found(t, &mine, &r)) &&
        check_windows(t, &mine, st, &r) && mine.known_fault)
        printf("mended %s: remove its mark of a known fault\n", name);
    guard_end();
    run_release(&r);
    mem_free(copy);
}

/* --- files --- */

struct writing {
    const char *dir;
    int every, n;
    FILE *list;
};

static void write_case(void *context, const struct bad_case *c)
{
    struct writing *w = context;
    char path[4096];
    if (w->n++ % w->every)
        return;
    snprintf(path, sizeof path, "%s/%04d.trace", w->dir, w->n - 1);
    FILE *f = fopen(path, "wb");
    if (!f || fwrite(c->data, 1, c->len, f) != c->len || fclose(f)) {
        fprintf(stderr, "check_malformed: cannot write %s\n", path);
        exit(4);
    }
    fprintf(w->list, "%04d.trace %s %s/%s\n", w->n - 1,
            c->either   ? "either"
            : c->status ? "3"
                        : "0",
            c->trap, c->variant);
}

static int write_all(const char *dir, int every)
{
    char path[4096];
    struct writing w = {.dir = dir, .every = every};
    snprintf(path, sizeof path, "%s/expected", dir);
    w.list = fopen(path, "w");
    if (!w.list || every < 1) {
        fprintf(stderr, "check_malformed: cannot write %s\n", path);
        return 4;
    }
    corpus_each(write_case, &w);
    fclose(w.list);
    return 0;
}

int main(int argc, char **argv)
{
    if (argc >= 3 && !strcmp(argv[1], "--write"))
        return write_all(argv[2], argc > 3 ? atoi(argv[3]) : 1);
    struct totals t = {.every = 1};
    if (argc == 3 && !strcmp(argv[1], "--every"))
        t.every = atoi(argv[2]) > 1 ? atoi(argv[2]) : 1;
    guard_memory(MEMORY_MIB);
    corpus_each(check_case, &t);
    printf(
        "%d malformed traces, %d reads, %d failed, %d known faults; slowest %s %.2f s; "
        "peak %d MiB\n",
        t.cases, t.reads, t.failed, t.known, t.slowest, (double)t.slowest_ns / 1e9,
        guard_peak_mib());
    return t.failed != 0;
}
