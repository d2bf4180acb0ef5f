#include "record/process_rows.h"

#include "record/series.h"

#include <string.h>

/* What is timed step by step, as the hook names it and as the table timings does. */
static const char *const timed[] = {
    "step",    "optimizer", "backward", "loader",   "loader_cpu", "save",      "evaluate",
    "garbage", "collate",   "stack",    "exchange", "buffers",    "collective"};
enum { TIMED_COUNT = sizeof timed / sizeof *timed };
enum { ROUND_REST = -1 }; /* untraced steps after the rounds */

static void add_timing(struct run *one, const char *what, int32_t round, int64_t number,
                       int64_t dur_ns)
{
    timings_add(&one->timings, (struct timing){.rank = 0,
                                               .what = names_add_z(&one->names, what),
                                               .round = round,
                                               .number = number,
                                               .dur_ns = dur_ns});
}

static enum status number_of(const struct json *step, int64_t *number, struct err *err)
{
    if (!json_get(step, "number"))
        return err_set(err, STATUS_INPUT, "a step has no number");
    return process_file_ns(step, "number", number, err);
}

/* Each kind of time of one untraced step. */
static enum status add_untraced(struct run *one, const struct json *step, int32_t round,
                                struct series *backwards, struct err *err)
{
    int64_t number = 0, ns = 0;
    enum status st = number_of(step, &number, err);
    for (int i = 0; i < TIMED_COUNT && !st; i++) {
        st = process_file_ns(step, timed[i], &ns, err);
        if (!st && json_get(step, timed[i]))
            add_timing(one, timed[i], round, number, ns);
    }
    if (!st)
        st = process_file_ns(step, "backwards", &ns, err);
    if (!st)
        series_add(backwards, (double)ns);
    return st;
}

static enum status add_traced(struct run *one, const struct json *step, int32_t round,
                              struct err *err)
{
    int64_t number = 0, ns = 0;
    enum status st = number_of(step, &number, err);
    if (!st)
        st = process_file_ns(step, "step", &ns, err);
    if (!st)
        add_timing(one, "traced step", round, number, ns);
    return st;
}

/* With stacks the tracer costs several times as much: its steps are not told. */
static enum status add_round(struct run *one, const struct json *round, int32_t index,
                             struct series *costs, struct series *backwards,
                             struct err *err)
{
    enum status st = STATUS_OK;
    const struct json *untraced = json_get(round, "untraced");
    const struct json *traced = json_get(round, "traced");
    const struct json *cost = json_get(round, "event_cost_ns");
    if (untraced)
        for (const struct json *s = untraced->child; s && !st; s = s->next)
            st = add_untraced(one, s, index, backwards, err);
    if (traced && !json_bool_or(json_get(round, "stacks"), false))
        for (const struct json *s = traced->child; s && !st; s = s->next)
            st = add_traced(one, s, index, err);
    double ns = json_double_or(cost, NAN);
    if (isfinite(ns))
        series_add(costs, ns);
    return st;
}

/* A row of the rest is [number, step, save, evaluate, garbage]. */
static enum status add_rest(struct run *one, const struct json *row, struct err *err)
{
    static const char *const what[] = {"step", "save", "evaluate", "garbage"};
    enum { WHATS = sizeof what / sizeof *what };
    const struct json *j = row->kind == JSON_KIND_ARRAY ? row->child : NULL;
    int64_t number = json_int_or(j, -1);
    if (!j || number < 0 || number > RUN_TIME_MAX_NS || row->n != 1 + WHATS)
        return err_set(err, STATUS_INPUT, "\"tail\" has a row that is none");
    for (int i = 0; i < WHATS; i++) {
        j = j ? j->next : NULL;
        int64_t ns = json_int_or(j, -1);
        if (ns < 0 || ns > RUN_TIME_MAX_NS)
            return err_set(err, STATUS_INPUT, "\"tail\" has a time that is none");
        if (ns || !i)
            add_timing(one, what[i], ROUND_REST, number, ns);
    }
    return STATUS_OK;
}

static enum status add_replacement(struct run *one, const struct json *row,
                                   struct err *err)
{
    int64_t round, now_ns, instead_ns;
    const char *rule = json_string_or(json_get(row, "rule"), "");
    enum status st = process_file_ns(row, "round", &round, err);
    if (!st)
        st = process_file_ns(row, "now_ns", &now_ns, err);
    if (!st)
        st = process_file_ns(row, "instead_ns", &instead_ns, err);
    if (st)
        return st;
    if (!*rule || round > INT32_MAX)
        return err_set(err, STATUS_INPUT, "\"replacements\" has a row without a rule");
    const char *subject = json_string_or(json_get(row, "subject"), "");
    const char *how = json_string_or(json_get(row, "how"), "");
    replacements_add(&one->replacements,
                     (struct replacement){.rank = 0,
                                          .rule = names_add_z(&one->names, rule),
                                          .subject = names_add_z(&one->names, subject),
                                          .how = names_add_z(&one->names, how),
                                          .round = (int32_t)round,
                                          .now_ns = now_ns,
                                          .instead_ns = instead_ns});
    return STATUS_OK;
}

static void add_number(struct run *one, const struct json *from, const char *member,
                       const char *key)
{
    double v = json_double_or(json_get(from, member), NAN);
    if (isfinite(v))
        run_add_fact(one, 0, key, v, "", ORIGIN_MEASURED, "");
}

static void add_text(struct run *one, const struct json *from, const char *member,
                     const char *key)
{
    const char *text = json_string_or(json_get(from, member), "");
    if (*text)
        run_add_fact_text(one, 0, key, text, ORIGIN_MEASURED);
}

/* --- how long rows are, and up to where they are filled --- */

enum { LENGTHS_MAX = 256 }; /* steps: more are not looked at */

/* Rows of a batch in one step; filled 0: nothing is padded. */
struct lengths {
    double rows, filled, longest;
};

static struct lengths lengths_of(const struct json *step)
{
    struct lengths l = {json_double_or(json_get(step, "rows"), 0),
                        json_double_or(json_get(step, "filled"), 0),
                        json_double_or(json_get(step, "longest"), 0)};
    bool sound = l.rows >= 1 && l.longest >= 1 && l.filled > l.longest &&
                 l.rows <= INT32_MAX && l.filled <= INT32_MAX;
    return sound ? l : (struct lengths){0};
}

/* What most of the steps that were looked at have: so many rows, filled up to one length.
 */
static void add_lengths(struct run *one, const struct json *list)
{
    struct lengths step[LENGTHS_MAX];
    size_t n = 0;
    for (const struct json *s = list ? list->child : NULL; s && n < LENGTHS_MAX;
         s = s->next)
        step[n++] = lengths_of(s);
    for (size_t i = 0; i < n; i++) {
        double alike = 0, longest = 0;
        for (size_t k = 0; k < n; k++)
            if (step[k].rows == step[i].rows && step[k].filled == step[i].filled) {
                alike++;
                longest += step[k].longest;
            }
        if (step[i].filled == 0 || alike < 2 || 2 * alike <= (double)n)
            continue;
        run_add_fact(one, 0, "record.padded_rows", step[i].rows, "", ORIGIN_MEASURED, "");
        run_add_fact(one, 0, "record.padded_to", step[i].filled, "", ORIGIN_MEASURED,
                     "the length that rows of a batch are filled up to");
        run_add_fact(one, 0, "record.padded_longest", longest / alike, "",
                     ORIGIN_MEASURED, "the longest row of a batch, mean");
        return;
    }
}

static void add_facts(struct run *one, const struct process_file *p,
                      const struct series *costs, const struct series *backwards)
{
    const struct json *facts = json_get(p->root, "facts");
    run_add_fact_text(one, 0, "record.state", record_state_text[p->state],
                      ORIGIN_MEASURED);
    run_add_fact(one, 0, "record.steps", (double)p->steps, "", ORIGIN_MEASURED, "");
    run_add_fact(one, 0, "record.rounds", (double)p->rounds, "", ORIGIN_MEASURED, "");
    add_number(one, p->root, "optimizer_calls", "record.optimizer_calls");
    add_number(one, p->root, "optimizers_per_step", "record.optimizer_calls_per_step");
    if (backwards->n)
        run_add_fact(one, 0, "record.backwards_per_step", series_median(backwards), "",
                     ORIGIN_MEASURED, "");
    if (costs->n)
        run_add_fact(one, 0, "record.event_cost_ns", series_median(costs), "ns",
                     ORIGIN_MEASURED, "what the tracer adds to a small operator");
    add_number(one, facts, "threads", "record.threads");
    add_number(one, facts, "cpus", "record.cpus");
    add_number(one, facts, "cores", "record.cores"); /* absent where they are not told */
    add_lengths(one, json_get(p->root, "lengths"));
    add_number(one, facts, "loader_draws", "record.loader_draws");
    add_number(one, facts, "loader_items", "record.loader_items");
    add_number(one, facts, "loader_item_bytes", "record.loader_item_bytes");
    add_number(one, facts, "free_bytes", "record.free_bytes");
    add_text(one, facts, "torch", "record.torch");
    add_text(one, facts, "python", "record.python");
    add_text(one, facts, "device", "record.device");
}

static enum status add_rounds(struct run *one, const struct process_file *p,
                              struct series *costs, struct series *backwards,
                              struct err *err)
{
    const struct json *rounds, *rest, *replacements;
    int32_t index = 0;
    enum status st = process_file_list(p, "rounds", &rounds, err);
    for (const struct json *r = st ? NULL : rounds->child; r && !st; r = r->next)
        st = add_round(one, r, index++, costs, backwards, err);
    if (!st)
        st = process_file_list(p, "tail", &rest, err);
    for (const struct json *r = st ? NULL : rest->child; r && !st; r = r->next)
        st = add_rest(one, r, err);
    if (!st)
        st = process_file_list(p, "replacements", &replacements, err);
    for (const struct json *r = st ? NULL : replacements->child; r && !st; r = r->next)
        st = add_replacement(one, r, err);
    return st;
}

enum status process_rows_add(struct run *one, const struct process_file *p,
                             struct err *err)
{
    struct series costs = {0}, backwards = {0};
    enum status st = add_rounds(one, p, &costs, &backwards, err);
    if (!st) {
        add_facts(one, p, &costs, &backwards);
        const struct json *notes = json_get(p->root, "notes");
        for (const struct json *n = notes ? notes->child : NULL; n; n = n->next)
            run_add_note(one, 0, -1, "%s", json_string_or(n, "?"));
    }
    mem_free(costs.v);
    mem_free(backwards.v);
    return st;
}
