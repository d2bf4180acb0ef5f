#include "record/round_choice.h"

#include "record/series.h"
#include "run/run.h"

enum { ROUNDS_MAX = 1024 }; /* what comes after these is not looked at */

/* Its median; and frees it. */
static double series_end(struct series *s)
{
    double median = series_median(s);
    mem_free(s->v);
    return median;
}

static const struct json *first_of(const struct json *list)
{
    return list && list->kind == JSON_KIND_ARRAY ? list->child : NULL;
}

static void add_steps(struct series *s, const struct json *round, enum record_key key)
{
    for (const struct json *j = first_of(contract_get(round, key)); j; j = j->next)
        series_add(
            s, (double)json_int_or(json_get(j, timing_kind_text[TIMING_KIND_STEP]), 0));
}

static double traced_ns(const struct json *round)
{
    struct series s = {0};
    add_steps(&s, round, RECORD_KEY_ROUND_TRACED);
    return series_end(&s);
}

/* Also those after the rounds, whose rows are [number, step, …]. */
static double untraced_ns(const struct process_file *p)
{
    struct series s = {0};
    for (const struct json *r = first_of(contract_get(p->root, RECORD_KEY_FILE_ROUNDS));
         r; r = r->next)
        add_steps(&s, r, RECORD_KEY_ROUND_UNTRACED);
    for (const struct json *r = first_of(contract_get(p->root, RECORD_KEY_FILE_TAIL)); r;
         r = r->next)
        if (first_of(r) && r->child->next)
            series_add(&s, (double)json_int_or(r->child->next, 0));
    return series_end(&s);
}

static int64_t last_number(const struct json *steps)
{
    int64_t number = 0;
    for (const struct json *j = first_of(steps); j; j = j->next)
        number = json_int_or(contract_get(j, RECORD_KEY_STEP_NUMBER), 0);
    return number;
}

static int64_t first_number(const struct json *steps)
{
    const struct json *first = first_of(steps);
    return first ? json_int_or(contract_get(first, RECORD_KEY_STEP_NUMBER), 0) : 0;
}

/* Collectives of two ranks can only meet where both traced the same steps. */
static bool same_steps(const struct json *a, const struct json *b)
{
    return a && b &&
           first_number(contract_get(a, RECORD_KEY_ROUND_TRACED)) ==
               first_number(contract_get(b, RECORD_KEY_ROUND_TRACED));
}

/* What the tracer adds to a step of this round; 0: not known. */
static double tracer_ns(const struct json *round)
{
    double cost_ns =
        json_double_or(contract_get(round, RECORD_KEY_ROUND_EVENT_COST_NS), 0);
    double events = (double)json_int_or(contract_get(round, RECORD_KEY_ROUND_EVENTS), 0);
    int64_t steps = last_number(contract_get(round, RECORD_KEY_ROUND_TRACED)) -
                    last_number(contract_get(round, RECORD_KEY_ROUND_UNTRACED));
    return steps > 0 && cost_ns > 0 ? cost_ns * events / (double)steps : 0;
}

static bool has_stacks(const struct json *round)
{
    return json_bool_or(contract_get(round, RECORD_KEY_ROUND_STACKS), false);
}

static bool has_trace(const struct json *round)
{
    return round && *json_string_or(contract_get(round, RECORD_KEY_ROUND_TRACE), "");
}

/* How far the round's traced steps are from what is expected, as a part of that. NAN: the
 * process has no such round; 0: it is not known. */
static double strangeness(const struct json *round, double untraced_step_ns)
{
    if (!has_trace(round) || has_stacks(round))
        return NAN;
    double expected_ns = untraced_step_ns + tracer_ns(round);
    double off_ns = fabs(traced_ns(round) - expected_ns);
    return expected_ns > 0 && isfinite(off_ns) ? off_ns / expected_ns : 0;
}

const struct json *round_at(const struct process_file *p, int index)
{
    const struct json *r = first_of(contract_get(p->root, RECORD_KEY_FILE_ROUNDS));
    for (int i = 0; r && i < index; i++)
        r = r->next;
    return index < 0 ? NULL : r;
}

int round_choose(const struct process_file *const *p, size_t n)
{
    double off[ROUNDS_MAX] = {0}; /* NAN where they have no such round in common */
    for (size_t i = 0; i < n; i++) {
        double step_ns = untraced_ns(p[i]);
        const struct json *r = round_at(p[i], 0), *first = round_at(p[0], 0);
        for (int k = 0; k < ROUNDS_MAX; k++) {
            off[k] += same_steps(r, first) ? strangeness(r, step_ns) : NAN;
            r = r ? r->next : NULL;
            first = first ? first->next : NULL;
        }
    }
    int best = ROUND_NONE;
    for (int k = 0; n && k < ROUNDS_MAX; k++)
        if (!isnan(off[k]) && (best == ROUND_NONE || off[k] < off[best]))
            best = k;
    return best;
}

int round_with_stacks(const struct process_file *p)
{
    int found = ROUND_NONE;
    const struct json *r = round_at(p, 0);
    for (int k = 0; r && k < ROUNDS_MAX; k++, r = r->next)
        if (has_trace(r) && has_stacks(r))
            found = k;
    return found;
}
