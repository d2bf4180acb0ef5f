/*
 * Traces with random damage through the reader: each is answered with a sound run or
 * refused with a message; every eighth is read through a small window too and must give
 * the same. Plain and gzip files are damaged as they are; a gzip file is used in its
 * plain form too.
 */
#include "mutants.h"

#include "base/mem.h"
#include "trace/byte_source.h"
#include "trace/trace_reader.h"

#include <stdio.h>
#include <string.h>

static bool decompress(const struct strbuf *gz, struct strbuf *out);
static enum status try_mutant(const struct mutant *m);
static const struct mutants traces = {
    .program = "mutate_traces", .try = try_mutant, .other_form = decompress};

static bool decompress(const struct strbuf *gz, struct strbuf *out)
{
    char buf[65536];
    struct byte_source *source;
    struct err err = ERR_INIT;
    if (gz->len <= 2 || memcmp(gz->s, "\x1f\x8b", 2) != 0)
        return false;
    strbuf_init(out);
    if (byte_source_from_memory(&source, gz->s, gz->len, "gzip", &err))
        mutants_stop(&traces, "cannot decompress:", err.text);
    for (size_t n; (n = byte_source_read(source, buf, sizeof buf)) > 0;)
        strbuf_add(out, buf, n);
    byte_source_close(source);
    return true;
}

static enum status read_mutant(struct run *r, const struct mutant *m, size_t window)
{
    struct trace_options options = {.block_bytes = window};
    struct err err = ERR_INIT;
    run_init(r);
    enum status st = trace_read_memory(r, m->text, m->len, "t.json", &options, &err);
    bool bad = st != STATUS_OK && (st != STATUS_INPUT || !err.text[0]);
    if (st == STATUS_OK)
        bad = run_check(r, &err) != STATUS_OK;
    if (bad)
        printf("FAILED %s: status %d, %s\n", m->label, st, err.text);
    return bad ? STATUS_FAILED : st;
}

static bool same_through_a_small_window(const struct run *want, enum status st,
                                        const struct mutant *m)
{
    struct run r;
    struct err err = ERR_INIT;
    enum status other = read_mutant(&r, m, 64);
    bool same = other == st && (st != STATUS_OK || run_equal(want, &r, &err));
    if (!same)
        printf("FAILED %s: a small window gives status %d and not %d; %s\n", m->label,
               other, st, err.text);
    run_release(&r);
    return same;
}

static enum status try_mutant(const struct mutant *m)
{
    struct run r;
    enum status st = read_mutant(&r, m, 0);
    if (st != STATUS_FAILED && m->number % 8 == 0 &&
        !same_through_a_small_window(&r, st, m))
        st = STATUS_FAILED;
    run_release(&r);
    return st;
}

int main(int argc, char **argv)
{
    return mutants_main(&traces, argc, argv);
}
