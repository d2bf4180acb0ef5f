#include "cli/verify_history.h"

#include "base/file.h"
#include "base/log.h"
#include "cli/verify_machine.h"
#include "history/trend.h"

#include <stdio.h>
#include <string.h>

/* --- the command line */

static enum status usage(struct err *err, const char *what)
{
    return err_set(err, STATUS_USAGE, "%s", what);
}

/* Options that say what to do with two operands. */
static bool has_options_of_a_comparison(const struct args *a)
{
    return args_has(a, "targets") || args_has(a, "budget") || args_has(a, "junit") ||
           args_has(a, "markdown") || args_has(a, "baseline") ||
           args_has(a, "save-baseline") || args_has(a, "replace");
}

static bool is_name(const char *name)
{
    size_t len = strlen(name);
    for (size_t i = 0; i < len; i++)
        if ((unsigned char)name[i] <= ' ' || (unsigned char)name[i] >= 0x7f)
            return false;
    return len > 0 && len <= HISTORY_NAME_MAX;
}

static enum status check_baseline_options(const struct args *a, struct err *err)
{
    bool save = args_has(a, "save-baseline"), use = args_has(a, "baseline");
    if (save && use)
        return usage(err,
                     "--save-baseline and --baseline exclude each other; save first");
    if (args_has(a, "replace") && !save)
        return usage(err, "--replace goes with --save-baseline NAME");
    if (save && !is_name(args_value(a, "save-baseline")))
        return usage(err, "a baseline's name has 1 to 100 visible ASCII characters");
    if (save && (args_has(a, "json") || args_has(a, "junit") || args_has(a, "markdown") ||
                 args_has(a, "targets")))
        return usage(err, "--save-baseline compares nothing: it has no gates to write");
    if ((save || use) && a->n_operands != 1)
        return usage(err, "a baseline is for one CONFIG: gait verify CONFIG --baseline "
                          "NAME --history FILE");
    return save || use || a->n_operands == 2 ? STATUS_OK : args_wrong_operands(a, err);
}

static enum status check_options(const struct args *a, struct err *err)
{
    if (!args_has(a, "history") &&
        (args_has(a, "trend") || args_has(a, "baseline") || args_has(a, "save-baseline")))
        return usage(err, "name the history: add --history FILE");
    if (!args_has(a, "trend"))
        return check_baseline_options(a, err);
    if (a->n_operands || has_options_of_a_comparison(a))
        return usage(err, "--trend compares nothing: gait verify --history FILE --trend");
    return STATUS_OK;
}

enum status verify_history_check(const struct args *args, struct err *err)
{
    const char *path = args_value(args, "history");
    struct history h;
    enum status st = check_options(args, err);
    if (st || !path || args_has(args, "trend"))
        return st;
    st = file_check_writable(path, err);
    if (st || file_is_absent(path))
        return st;
    history_init(&h);
    st = history_load(&h, path, err);
    history_release(&h);
    return st;
}

/* --- over time */

enum status verify_trend(const struct args *args, struct err *err)
{
    struct history h;
    struct trend t;
    struct strbuf out;
    history_init(&h);
    strbuf_init(&out);
    enum status st = history_load(&h, args_value(args, "history"), err);
    if (!st) {
        trend_find(&t, &h);
        if (args_has(args, "json"))
            trend_print_json(&out, &t, &h);
        else
            trend_print(&out, &t, &h);
        fwrite(out.s, 1, out.len, stdout);
        st = trend_status(&t, err);
        trend_release(&t);
    }
    strbuf_release(&out);
    history_release(&h);
    return st;
}

/* --- appending */

static void fill_gates(struct history_gate *gate, const struct verify_result *r)
{
    for (size_t i = 0; i < r->n; i++) {
        const struct gate_numbers *n = &r->gate[i].numbers;
        gate[i] = (struct history_gate){.name = r->gate[i].name,
                                        .verdict = verdict_text[r->gate[i].verdict],
                                        .unit = n->unit,
                                        .change_unit = n->change_unit,
                                        .before = n->before,
                                        .after = n->after,
                                        .change = n->change,
                                        .low = n->change_low,
                                        .high = n->change_high};
    }
}

enum status verify_history_add(enum status st, const struct args *args,
                               const struct history_comparison *c,
                               const struct verify_result *r, size_t unread,
                               struct err *err)
{
    const char *path = args_value(args, "history");
    struct history_gate gate[VERIFY_GATES_MAX];
    struct history_utc now = history_now();
    struct err why = ERR_INIT;
    struct history_comparison whole = *c;
    fill_gates(gate, r);
    whole.utc = now.s;
    whole.verdict = verdict_text[verify_verdict(r, unread)];
    whole.gate = gate;
    whole.n_gates = r->n;
    enum status kept = history_append(path, &whole, &why);
    if (!kept)
        return st;
    *err = why; /* the gates are on the screen; that they are not kept is not */
    return kept;
}

enum status verify_keep_runs(enum status st, const struct args *args,
                             const struct run *after, const struct verify_result *r,
                             size_t unread, struct err *err)
{
    struct strbuf machine;
    if (!args_has(args, "history"))
        return st;
    strbuf_init(&machine);
    verify_machine_of_run(&machine, after);
    struct history_comparison c = {.kind = "recordings",
                                   .before = args->operands[0],
                                   .after = args->operands[1],
                                   .before_hash = "",
                                   .after_hash = "",
                                   .machine = machine.s};
    st = verify_history_add(st, args, &c, r, unread, err);
    strbuf_release(&machine);
    return st;
}
