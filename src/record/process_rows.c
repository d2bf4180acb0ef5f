#include "record/process_rows.h"

#include "record/process_model.h"
#include "record/series.h"
#include "run/record_facts.h"

#include <string.h>

enum { ROUND_REST = -1 }; /* untraced steps after the rounds */

/* Of all rounds. */
struct collected {
    struct series event_costs, others; /* a round */
    struct series backwards;           /* an untraced step */
};

static void series_add_finite(struct series *s, double v)
{
    if (isfinite(v))
        series_add(s, v);
}

static void add_timing(struct run *one, enum timing_kind what, int32_t round,
                       int64_t number, int64_t dur_ns)
{
    timings_add(
        &one->timings,
        (struct timing){
            .rank = 0, .what = what, .round = round, .number = number, .dur_ns = dur_ns});
}

static enum status number_of(const struct json *step, int64_t *number, struct err *err)
{
    if (!contract_get(step, RECORD_KEY_STEP_NUMBER))
        return err_set(err, STATUS_INPUT, "a step has no number");
    return contract_ns(step, RECORD_KEY_STEP_NUMBER, number, err);
}

/* Each kind of time of one untraced step. */
static enum status add_untraced(struct run *one, const struct json *step, int32_t round,
                                struct series *backwards, struct err *err)
{
    int64_t number = 0, ns = 0;
    enum status st = number_of(step, &number, err);
    for (int k = 0; k < TIMING_KIND_TRACED_STEP && !st; k++) {
        st = process_file_ns(step, timing_kind_text[k], &ns, err);
        if (!st && json_get(step, timing_kind_text[k]))
            add_timing(one, (enum timing_kind)k, round, number, ns);
    }
    if (!st)
        st = contract_ns(step, RECORD_KEY_STEP_BACKWARDS, &ns, err);
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
        st = process_file_ns(step, timing_kind_text[TIMING_KIND_STEP], &ns, err);
    if (!st)
        add_timing(one, TIMING_KIND_TRACED_STEP, round, number, ns);
    return st;
}

/* With stacks the tracer costs several times as much: its steps are not told. */
static enum status add_round(struct run *one, const struct json *round, int32_t index,
                             struct collected *c, struct err *err)
{
    enum status st = STATUS_OK;
    const struct json *untraced = contract_get(round, RECORD_KEY_ROUND_UNTRACED);
    const struct json *traced = contract_get(round, RECORD_KEY_ROUND_TRACED);
    const struct json *cost = contract_get(round, RECORD_KEY_ROUND_EVENT_COST_NS);
    const struct json *others = contract_get(round, RECORD_KEY_ROUND_OTHERS_CPUS);
    if (untraced)
        for (const struct json *s = untraced->child; s && !st; s = s->next)
            st = add_untraced(one, s, index, &c->backwards, err);
    if (traced && !json_bool_or(contract_get(round, RECORD_KEY_ROUND_STACKS), false))
        for (const struct json *s = traced->child; s && !st; s = s->next)
            st = add_traced(one, s, index, err);
    series_add_finite(&c->event_costs, json_double_or(cost, NAN));
    series_add_finite(&c->others, json_double_or(others, NAN));
    return st;
}

/* A row of the rest is [number, step, save, evaluate, epoch, garbage, cpu]. */
static enum status add_rest(struct run *one, const struct json *row, struct err *err)
{
    static const enum timing_kind what[] = {TIMING_KIND_STEP,     TIMING_KIND_SAVE,
                                            TIMING_KIND_EVALUATE, TIMING_KIND_EPOCH,
                                            TIMING_KIND_GARBAGE,  TIMING_KIND_CPU};
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
    const char *rule = json_string_or(contract_get(row, RECORD_KEY_REPLACEMENT_RULE), "");
    enum status st = contract_ns(row, RECORD_KEY_REPLACEMENT_ROUND, &round, err);
    if (!st)
        st = contract_ns(row, RECORD_KEY_REPLACEMENT_NOW_NS, &now_ns, err);
    if (!st)
        st = contract_ns(row, RECORD_KEY_REPLACEMENT_INSTEAD_NS, &instead_ns, err);
    if (st)
        return st;
    if (!*rule || round > INT32_MAX)
        return err_set(err, STATUS_INPUT, "\"replacements\" has a row without a rule");
    const char *subject =
        json_string_or(contract_get(row, RECORD_KEY_REPLACEMENT_SUBJECT), "");
    const char *how = json_string_or(contract_get(row, RECORD_KEY_REPLACEMENT_HOW), "");
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

/* What the hook says of the process, as it says it. */
static void add_hook_facts(struct run *one, const struct json *facts)
{
    for (int i = 0; i < RECORD_FACT_COUNT; i++) {
        const struct record_fact_def *def = &record_fact_def[i];
        const struct json *said = json_get(facts, def->name);
        const char *text = json_string_or(said, "");
        if (def->source == RECORD_FACT_HOOK_NUMBER)
            record_fact_add(one, 0, (enum record_fact)i, json_double_or(said, NAN));
        else if (def->source == RECORD_FACT_HOOK_TEXT && *text)
            run_add_fact_text(one, 0, def->key, text, ORIGIN_MEASURED);
    }
}

/* --- how long rows are, and up to where they are filled --- */

enum { LENGTHS_MAX = 256 }; /* steps: more are not looked at */

/* Rows of a batch in one step; filled 0: nothing is padded. */
struct lengths {
    double rows, filled, longest;
};

static struct lengths lengths_of(const struct json *step)
{
    struct lengths l = {
        json_double_or(contract_get(step, RECORD_KEY_LENGTHS_ROWS), 0),
        json_double_or(contract_get(step, RECORD_KEY_LENGTHS_FILLED), 0),
        json_double_or(contract_get(step, RECORD_KEY_LENGTHS_LONGEST), 0)};
    bool sound = l.rows >= 1 && l.longest >= 1 && l.filled > l.longest &&
                 l.rows <= INT32_MAX && l.filled <= INT32_MAX;
    return sound ? l : (struct lengths){0};
}

/* What the most of the steps that were looked at have: so many rows, filled up to one
 * length. */
static void add_lengths(struct run *one, const struct json *list)
{
    struct lengths step[LENGTHS_MAX], most = {0};
    size_t n = 0, most_alike = 0;
    double longest = 0;
    for (const struct json *s = list ? list->child : NULL; s && n < LENGTHS_MAX;
         s = s->next)
        step[n++] = lengths_of(s);
    for (size_t i = 0; i < n; i++) {
        size_t alike = 0;
        double sum = 0;
        for (size_t k = 0; k < n; k++)
            if (step[k].rows == step[i].rows && step[k].filled == step[i].filled) {
                alike++;
                sum += step[k].longest;
            }
        if (step[i].filled == 0 || alike < 2 || alike <= most_alike)
            continue;
        most = step[i];
        most_alike = alike;
        longest = sum / (double)alike;
    }
    if (!most_alike)
        return;
    record_fact_add(one, 0, RECORD_FACT_PADDED_ROWS, most.rows);
    record_fact_add(one, 0, RECORD_FACT_PADDED_TO, most.filled);
    record_fact_add(one, 0, RECORD_FACT_PADDED_LONGEST, longest);
    record_fact_add(one, 0, RECORD_FACT_PADDED_FRAC, (double)most_alike / (double)n);
}

static double number_of_file(const struct process_file *p, enum record_key key)
{
    return json_double_or(contract_get(p->root, key), NAN);
}

/* Of the untraced steps of the rounds. */
static double sum_ns(const struct run *one, enum timing_kind what)
{
    double ns = 0;
    for (size_t i = 0; i < one->timings.table.n; i++)
        if (one->timings.what[i] == what && one->timings.round[i] != ROUND_REST)
            ns += (double)one->timings.dur_ns[i];
    return ns;
}

/* Not known where the process does not say how many CPUs it may use, or has no steps. */
static void add_cpu_frac(struct run *one)
{
    double had_ns = sum_ns(one, TIMING_KIND_STEP) * record_fact(one, 0, RECORD_FACT_CPUS);
    double ns = sum_ns(one, TIMING_KIND_CPU);
    record_fact_add(one, 0, RECORD_FACT_CPU_FRAC,
                    had_ns > 0 && ns > 0 ? ns / had_ns : NAN);
}

static void add_facts(struct run *one, const struct process_file *p,
                      const struct collected *c)
{
    run_add_fact_text(one, 0, record_fact_def[RECORD_FACT_STATE].key,
                      record_state_text[p->state], ORIGIN_MEASURED);
    record_fact_add(one, 0, RECORD_FACT_STEPS, (double)p->steps);
    record_fact_add(one, 0, RECORD_FACT_ROUNDS, (double)p->rounds);
    record_fact_add(one, 0, RECORD_FACT_OPTIMIZER_CALLS,
                    number_of_file(p, RECORD_KEY_FILE_OPTIMIZER_CALLS));
    record_fact_add(one, 0, RECORD_FACT_OPTIMIZER_CALLS_PER_STEP,
                    number_of_file(p, RECORD_KEY_FILE_OPTIMIZERS_PER_STEP));
    record_fact_add(one, 0, RECORD_FACT_BACKWARDS_PER_STEP, series_median(&c->backwards));
    record_fact_add(one, 0, RECORD_FACT_EVENT_COST_NS, series_median(&c->event_costs));
    record_fact_add(one, 0, RECORD_FACT_OTHERS_CPUS,
                    c->others.n ? stats_mean(c->others.v, c->others.n) : NAN);
    add_hook_facts(one, contract_get(p->root, RECORD_KEY_FILE_FACTS));
    add_cpu_frac(one);
    add_lengths(one, contract_get(p->root, RECORD_KEY_FILE_LENGTHS));
}

static enum status add_rounds(struct run *one, const struct process_file *p,
                              struct collected *c, struct err *err)
{
    const struct json *rounds, *rest, *replacements;
    int32_t index = 0;
    enum status st = process_file_list(p, RECORD_KEY_FILE_ROUNDS, &rounds, err);
    for (const struct json *r = st ? NULL : rounds->child; r && !st; r = r->next)
        st = add_round(one, r, index++, c, err);
    if (!st)
        st = process_file_list(p, RECORD_KEY_FILE_TAIL, &rest, err);
    for (const struct json *r = st ? NULL : rest->child; r && !st; r = r->next)
        st = add_rest(one, r, err);
    if (!st)
        st = process_file_list(p, RECORD_KEY_FILE_REPLACEMENTS, &replacements, err);
    for (const struct json *r = st ? NULL : replacements->child; r && !st; r = r->next)
        st = add_replacement(one, r, err);
    return st;
}

enum status process_rows_add(struct run *one, const struct process_file *p,
                             struct err *err)
{
    struct collected c = {0};
    enum status st = add_rounds(one, p, &c, err);
    if (!st)
        st = process_model_add(one, p, err);
    if (!st) {
        add_facts(one, p, &c);
        const struct json *notes = contract_get(p->root, RECORD_KEY_FILE_NOTES);
        for (const struct json *n = notes ? notes->child : NULL; n; n = n->next)
            run_add_note(one, 0, -1, "%s", json_string_or(n, "?"));
    }
    mem_free(c.event_costs.v);
    mem_free(c.others.v);
    mem_free(c.backwards.v);
    return st;
}
