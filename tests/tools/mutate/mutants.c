#include "mutants.h"

#include "guard.h"
#include "mutate.h"

#include "base/mem.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SECONDS_A_RUN = 20, MEMORY_MIB = 1024, FILE_BYTES_MAX = 2 << 20 };

struct bases {
    const struct mutants *kind;
    struct strbuf *text; /* (n) */
    const char **name;   /* (n) */
    size_t n, cap, cap_name;
};

struct settings {
    uint64_t seed, runs, from;
    int64_t save;
    const char *out;
};

_Noreturn void mutants_stop(const struct mutants *kind, const char *what,
                            const char *name)
{
    fprintf(stderr, "%s: %s %s\n", kind->program, what, name);
    exit(2);
}

static void add_base(struct bases *b, const struct strbuf *text, const char *name)
{
    vec_grow(b->text, b->cap, b->n + 1);
    vec_grow(b->name, b->cap_name, b->n + 1);
    b->text[b->n] = *text;
    b->name[b->n++] = name;
}

static struct strbuf read_file(const struct bases *b, const char *path)
{
    char buf[65536];
    struct strbuf text;
    strbuf_init(&text);
    FILE *f = fopen(path, "rb");
    if (!f)
        mutants_stop(b->kind, "cannot read", path);
    for (size_t n; (n = fread(buf, 1, sizeof buf, f)) > 0;)
        strbuf_add(&text, buf, n);
    fclose(f);
    if (!text.len || text.len > FILE_BYTES_MAX)
        mutants_stop(b->kind, "empty, or too large to be damaged often:", path);
    return text;
}

static void load_bases(struct bases *b, char **paths, int n)
{
    for (int i = 0; i < n; i++) {
        struct strbuf text = read_file(b, paths[i]), other;
        add_base(b, &text, paths[i]);
        if (b->kind->other_form && b->kind->other_form(&text, &other))
            add_base(b, &other, paths[i]);
    }
    if (!b->n)
        mutants_stop(b->kind, "no files to damage", "");
}

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

static enum status try_mutant(const struct bases *b, const struct settings *s, uint64_t i)
{
    char label[512];
    size_t len;
    char *text = make_mutant(b, s, i, &len, label, sizeof label);
    guard_begin(label, SECONDS_A_RUN);
    struct mutant m = {i, text, len, label};
    enum status st = b->kind->try(&m);
    guard_end();
    mem_free(text);
    return st;
}

static int save_mutant(const struct bases *b, const struct settings *s)
{
    char label[512];
    size_t len;
    char *mutant = make_mutant(b, s, (uint64_t)s->save, &len, label, sizeof label);
    FILE *f = fopen(s->out, "wb");
    if (!f || fwrite(mutant, 1, len, f) != len || fclose(f))
        mutants_stop(b->kind, "cannot write", s->out);
    printf("%s\n", label);
    mem_free(mutant);
    return 0;
}

/* Returns the index of the first file. */
static int parse(struct settings *s, const struct mutants *kind, int argc, char **argv)
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
            mutants_stop(kind, "unknown option", argv[i]);
    }
    return i;
}

static void release_bases(struct bases *b)
{
    for (size_t i = 0; i < b->n; i++)
        strbuf_release(&b->text[i]);
    mem_free(b->text);
    mem_free(b->name);
}

int mutants_main(const struct mutants *kind, int argc, char **argv)
{
    struct settings s;
    struct bases b = {.kind = kind};
    int first = parse(&s, kind, argc, argv);
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
    release_bases(&b);
    return failed != 0;
}
