/*
 * A good run whose rows are changed: the input is a list of changes, a value of any
 * column or the length of a table. What run_check() takes can be analysed, shown and
 * verified; it is what stands between a run file and the rest, and fuzz_run hardly gets
 * past SQLite.
 */
#include "analyze/analysis.h"
#include "report/report.h"
#include "run/table_def.h"
#include "trace/trace_reader.h"
#include "verify/verify.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { CHANGE_BYTES = 12, CHANGES_MAX = 64, SHORTEN = 0x80 };

struct change {
    uint8_t table, column;
    uint16_t row;
    int64_t value;
};

static const struct run *good_run(void)
{
    static struct run run;
    const struct trace_options options = {.threads = 1};
    struct err err = ERR_INIT;
    if (!run.ranks.table.n) {
        run_init(&run);
        if (trace_read(&run, EXAMPLES_DIR "/three_steps.trace.json", &options, &err))
            abort();
    }
    return &run;
}

static struct change next_change(const uint8_t *p)
{
    struct change c = {.table = p[0], .column = p[1]};
    memcpy(&c.row, p + 2, sizeof c.row);
    memcpy(&c.value, p + 4, sizeof c.value);
    return c;
}

static void apply(struct run *run, struct change c)
{
    enum run_table which = (enum run_table)((c.table & ~SHORTEN) % RUN_TABLE_COUNT);
    const struct table_def *def = &run_table_def[which];
    struct table *t = run_table(run, which);
    if (!t->n)
        return;
    size_t row = c.row % t->n;
    const struct column_def *column = &def->columns[c.column % def->n_columns];
    if (c.table & SHORTEN)
        t->n = row;
    else if (column->type == COLUMN_F64)
        memcpy((double *)column_data(t, column) + row, &c.value, sizeof(double));
    else
        column_set_int(t, column, row, c.value);
}

static void use(const struct run *run, int format)
{
    struct analysis *a = analysis_new(run);
    struct verify_result verdict;
    struct strbuf out;
    strbuf_init(&out);
    report_render(&out, a, format, &(struct report_options){0});
    strbuf_release(&out);
    analysis_free(a);
    verify_runs(&verdict, run, good_run());
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct run run;
    struct err err = ERR_INIT;
    if (!size || size > CHANGE_BYTES * CHANGES_MAX)
        return 0;
    run_init(&run);
    run_merge(&run, good_run());
    for (size_t at = 1; at + CHANGE_BYTES <= size; at += CHANGE_BYTES)
        apply(&run, next_change(data + at));
    if (run_check(&run, &err) == STATUS_OK)
        use(&run, REPORT_TERMINAL + data[0] % (REPORT_JSON - REPORT_TERMINAL + 1));
    else if (!*err.text)
        abort();
    run_release(&run);
    return 0;
}
