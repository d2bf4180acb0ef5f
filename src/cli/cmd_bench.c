/* What this machine is, and how fast it was measured to be. */
#include "cli/args.h"

static const struct option options[] = {
    {"threads", 0, "N", "OpenMP threads [all cores]"},
    {"json", 0, NULL, "the facts as JSON"},
    {"output", 'o', "RUN", "write them as a run file too"},
};

#ifdef GAIT_TRAIN
#include "base/json_writer.h"
#include "base/log.h"
#include "base/thread_trial.h"
#include "base/units.h"
#include "cli/output_word.h"
#include "machine/cpu.h"
#include "machine/machine.h"
#include "run/run_file.h"

#include <stdio.h>
#include <string.h>

enum { BENCH_JSON_VERSION = 1, THREADS_MAX = 4096 };

/* A fact is a number with a unit, or a text. */
static void fact_text(struct strbuf *out, const struct run *run, const struct fact *f)
{
    const char *unit = run_name(run, f->unit);
    if (!*unit)
        strbuf_puts(out, run_name(run, f->text));
    else if (!strcmp(unit, "FLOP/s"))
        strbuf_printf(out, "%.1f GFLOP/s", f->value / 1e9);
    else if (!strcmp(unit, "B/s"))
        strbuf_printf(out, "%.2f GB/s", f->value / 1e9);
    else if (!strcmp(unit, "bytes"))
        strbuf_puts(out, unit_mib(f->value).s);
    else
        strbuf_printf(out, "%.6g %s", f->value, unit);
}

/* The origin stands first: values are of any length. */
static void print_table(const struct run *run)
{
    struct strbuf value;
    strbuf_init(&value);
    for (size_t i = 0; i < run->facts.table.n; i++) {
        struct fact f = facts_get(&run->facts, i);
        strbuf_clear(&value);
        fact_text(&value, run, &f);
        printf("%-9s %-34s %s\n", origin_text[f.origin], run_name(run, f.key), value.s);
    }
    strbuf_release(&value);
}

static void print_json(const struct run *run)
{
    struct strbuf out;
    struct json_writer w;
    strbuf_init(&out);
    json_init(&w, &out);
    json_begin_object(&w);
    json_field_string(&w, "format", "gait-bench");
    json_field_int(&w, "version", BENCH_JSON_VERSION);
    json_key(&w, "facts");
    json_begin_array(&w);
    for (size_t i = 0; i < run->facts.table.n; i++) {
        struct fact f = facts_get(&run->facts, i);
        json_begin_object(&w);
        json_field_string(&w, "key", run_name(run, f.key));
        json_field_exact(&w, "value", f.value);
        json_field_string(&w, "unit", run_name(run, f.unit));
        json_field_string(&w, "text", run_name(run, f.text));
        json_field_string(&w, "origin", origin_text[f.origin]);
        json_end(&w);
    }
    json_end(&w);
    json_end(&w);
    fputs(out.s, stdout);
    strbuf_release(&out);
}

static enum status cmd_bench(const struct args *args, struct err *err)
{
    int64_t threads = 0;
    const char *path = args_value(args, "output");
    enum status st = args_int(args, "threads", 1, THREADS_MAX, &threads, err);
    if (!st)
        st = threads_try(threads ? (int)threads : cpu_usable_cores(), err);
    if (st)
        return st;
    struct run run;
    run_init(&run);
    machine_describe(&run, -1);
    log_status("measuring");
    machine_measure(&run, -1, (int)threads);
    log_status_clear();
    if (args_has(args, "json"))
        print_json(&run);
    else
        print_table(&run);
    if (path) {
        const char *wrote = output_word(path);
        st = run_save(&run, path, err);
        if (!st)
            log_line("%s %s", wrote, path);
    }
    run_release(&run);
    return st;
}
#endif

const struct command command_bench = {
    .name = "bench",
#ifdef GAIT_TRAIN
    .run = cmd_bench,
#else
    .run = command_needs_trainer,
#endif
    .summary = "this machine: its facts and its measured ceilings",
    .operands = "",
    OPTIONS(options),
    .example = "bench --json",
};
