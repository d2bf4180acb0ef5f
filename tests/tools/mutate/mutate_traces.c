/*
 * Traces with random damage through the reader, many thousands in one process: each is
 * answered with a sound run or refused with a message, within bounded time and memory;
 * every eighth is read through a small window too and must give the same. mutate_traces
 * [--seed S] [--runs N] [--from I] FILE… mutate_traces --seed S --save I OUT FILE… write
 * the Ith mutant, to look at it Plain and gzip files are damaged as they are; a gzip file
 * is used in its plain form too.
 */
#include "guard.h"
#include "mutate.h"

#include "base/mem.h"
#include "trace/byte_source.h"
#include "trace/trace_reader.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SECONDS_A_RUN = 20, MEMORY_MIB = 1024, FILE_BYTES_MAX = 2 << 20 };

struct bases {
    struct strbuf *text; /* (n) */
    const char **name;   /* (n) */
    size_t n, cap, cap_name;
};

struct settings {
    uint64_t seed, runs, from;
    int64_t save;
    const char *out;
};

static _Noreturn void stop(const char *what, const char *name)
{
    fprintf(stderr, "mutate_traces: %s %s\n", what, name);
    exit(2);
}

static void add_base(struct bases *b, const struct strbuf *text, const char *name)
{
    vec_grow(b->text, b->cap, b->n + 1);
    vec_grow(b->name, b->cap_name, b->n + 1);
    b->text[b->n] = *text;
    b->name[b->n++] = name;
}

static struct strbuf read_file(const char *path)
{
    char buf[65536];
    struct strbuf text;
    strbuf_init(&text);
    FILE *f = fopen(path, "rb");
    if (!f)
        stop("cannot read", path);
    for (size_t n; (n = fread(buf, 1, sizeof buf, f)) > 0;)
        strbuf_add(&text, buf, n);
    fclose(f);
    if (!text.len || text.len > FILE_BYTES_MAX)
        stop("empty, or too large to be damaged often:", path);
    return text;
}

static struct strbuf decompress(const struct strbuf *gz)
{
    char buf[65536];
    struct strbuf text;
    struct byte_source *source;
    struct err err = ERR_INIT;
    strbuf_init(&text);
    if (byte_source_from_memory(&source, gz->s, gz->len, "gzip", &err))
        stop("cannot decompress:", err.text);
    for (size_t n; (n = byte_source_read(source, buf, sizeof buf)) > 0;)
        strbuf_add(&text, buf, n);
    byte_source_close(source);
    return text;
}

static void load_bases(struct bases *b, char **paths, int n)
{
    for (int i = 0; i < n; i++) {
        struct strbuf text = read_file(paths[i]);
        add_base(b, &text, paths[i]);
        if (text.len > 2 && !memcmp(text.s, "\x1f\x8b", 2)) {
            struct strbuf plain = decompress(&text);
            add_base(b, &plain, paths[i]);
        }
    }
    if (!b->n)
        stop("no files to damage", "");
}

/* The ith mutant, in storage of exactly its size so that a read beyond it is seen. */
static char *make_mutant(const struct bases *b, const struct settings *s, uint64_t i,
                         size_t *len, char *label, size_t label_cap)
{
    struct mutator m;
    struct strbuf text;
    mutator_init(&m, s->seed, i);
    size_t base = mutator_below(&m, b->n), other = mutator_below(&m, b->n);
    strbuf_init(&text);
    strbuf_add(&text, b->text[base].s, b->text[base].len);
    mutate(&m, &text, &b->text[other]);
    snprintf(label, label_cap, "mutant %llu of seed %llu: %s%s", (unsigned long long)i,
             (unsigned long long)s->seed, b->name[base], m.what);
    char *mutant = mem_alloc(text.len + !text.len);
    memcpy(mutant, text.s, text.len);
    *len = text.len;
    strbuf_release(&text);
    return mutant;
}

static enum status read_mutant(struct run *r, const char *mutant, size_t len,
                               size_t window, const char *label)
{
    struct trace_options options = {.block_bytes = window};
    struct err err = ERR_INIT;
    run_init(r);
    enum status st = trace_read_memory(r, mutant, len, "t.json", &options, &err);
    bool bad = st != STATUS_OK && (st != STATUS_INPUT || !err.text[0]);
    if (st == STATUS_OK)
        bad = run_check(r, &err) != STATUS_OK;
    if (bad)
        printf("FAILED %s: status %d, %s\n", label, st, err.text);
    return bad ? STATUS_FAILED : st;
}

static bool same_through_a_small_window(const struct run *want, enum status st,
                                        const char *mutant, size_t len, const char *label)
{
    struct run r;
    struct err err = ERR_INIT;
    enum status other = read_mutant(&r, mutant, len, 64, label);
    bool same = other == st && (st != STATUS_OK || run_equal(want, &r, &err));
    if (!same)
        printf("FAILED %s: a small window gives status %d and not %d; %s\n", label, other,
               st, err.text);
    run_release(&r);
    return same;
}

/* Returns the status, STATUS_FAILED where something is wrong. */
static enum status try_mutant(const struct bases *b, const struct settings *s, uint64_t i)
{
    char label[512];
    size_t len;
    struct run r;
    char *mutant = make_mutant(b, s, i, &len, label, sizeof label);
    guard_begin(label, SECONDS_A_RUN);
    enum status st = read_mutant(&r, mutant, len, 0, label);
    if (st != STATUS_FAILED && i % 8 == 0 &&
        !same_through_a_small_window(&r, st, mutant, len, label))
        st = STATUS_FAILED;
    guard_end();
    run_release(&r);
    mem_free(mutant);
    return st;
}

static int save_mutant(const struct bases *b, const struct settings *s)
{
    char label[512];
    size_t len;
    char *mutant = make_mutant(b, s, (uint64_t)s->save, &len, label, sizeof label);
    FILE *f = fopen(s->out, "wb");
    if (!f || fwrite(mutant, 1, len, f) != len || fclose(f))
        stop("cannot write", s->out);
    printf("%s\n", label);
    mem_free(mutant);
    return 0;
}

/* Returns the index of the first file. */
static int parse(struct settings *s, int argc, char **argv)
{
    int i = 1;
    *s = (struct settings){.seed = 1, .runs = 2000, .save = -1};
    for (; i + 1 < argc && !strncmp(argv[i], "--", 2); i += 2) {
        unsigned long long v = strtoull(argv[i + 1], NULL, 10);
        if (!strcmp(argv[i], "--seed"))
            s->seed = v;
        else if (!strcmp(argv[i], "--runs"))
            s->runs = v;
        else if (!strcmp(argv[i], "--from"))
            s->from = v;
        else if (!strcmp(argv[i], "--save") && i + 2 < argc) {
            s->save = (int64_t)v;
            s->out = argv[++i + 1];
        } else
            stop("unknown option", argv[i]);
    }
    return i;
}

int main(int argc, char **argv)
{
    struct settings s;
    struct bases b = {0};
    int first = parse(&s, argc, argv);
    load_bases(&b, argv + first, argc - first);
    if (s.save >= 0)
        return save_mutant(&b, &s);
    guard_memory(MEMORY_MIB);
    uint64_t answered = 0, refused = 0, failed = 0;
    for (uint64_t i = s.from; i < s.from + s.runs; i++) {
        enum status st = try_mutant(&b, &s, i);
        answered += st == STATUS_OK;
        refused += st == STATUS_INPUT;
        failed += st == STATUS_FAILED;
    }
    printf(
        "%llu mutants of %zu files, seed %llu: %llu answered, %llu refused, %llu failed; "
        "peak %d MiB\n",
        (unsigned long long)s.runs, b.n, (unsigned long long)s.seed,
        (unsigned long long)answered, (unsigned long long)refused,
        (unsigned long long)failed, guard_peak_mib());
    for (size_t i = 0; i < b.n; i++)
        strbuf_release(&b.text[i]);
    mem_free(b.text);
    mem_free(b.name);
    return failed != 0;
}
