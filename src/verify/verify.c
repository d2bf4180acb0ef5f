#include "verify/verify.h"

#include "analyze/compare.h"
#include "base/json_writer.h"
#include "base/units.h"
#include "run/record_facts.h"
#include "verify/gates.h"

#include <math.h>
#include <stdio.h>

const char *const verdict_text[4] = {"PASS", "FAIL", "UNSURE", "N/A"};

/* Thresholds: docs/verify.md says why. */
#define STEP_GROWTH_MAX_FRAC 0.02
#define MEMORY_GROWTH_MAX_FRAC 0.05
enum { STEPS_TO_BE_SURE = 10 };

/* --- step time
 * ------------------------------------------------------------------------------ */

enum run_source run_kind(const struct run *run)
{
    return run->ranks.table.n ? run->ranks.source[0] : RUN_SOURCE_UNKNOWN;
}

static bool is_low(const struct run *run)
{
    const char *key = record_fact_def[RECORD_FACT_LOWEST_PRECISION].key;
    bool low = false;
    for (size_t i = 0; i < run->ranks.table.n && !low; i++)
        low = *run_fact_text(run, (int32_t)i, key) != '\0';
    return low;
}

bool is_low_precision(const struct pair *p)
{
    return is_low(p->before) || is_low(p->after);
}

/* How to get more steps than the runs have. */
static const char *too_few(const struct step_time *b, const struct step_time *a,
                           bool untraced)
{
    if (b->count >= STEPS_TO_BE_SURE && a->count >= STEPS_TO_BE_SURE)
        return "";
    return untraced
               ? "; too few to be sure, record more with --untraced N"
               : "; too few to be sure, record at least 10, or both with gait record";
}

/* Whose step it is, of jobs with several ranks. */
static const char *of_which_rank(const struct pair *p)
{
    bool several = p->before->ranks.table.n > 1 || p->after->ranks.table.n > 1;
    return several ? " of the rank that stands for each job" : "";
}

static bool find_steps(struct step_time step[SIDES], const struct pair *p)
{
    struct analysis *before = analysis_new(p->before), *after = analysis_new(p->after);
    bool untraced = steps_in_common(step, before, after);
    analysis_free(before);
    analysis_free(after);
    return untraced;
}

/* A recording that is taken as one step lasts as long as someone recorded. */
static bool has_steps(const struct step_time *t)
{
    return t->basis && t->basis != STEP_BASIS_RECORDING && t->low_ns > 0;
}

/* Fails when the step became slower beyond doubt: more than allowed, and the whole
 * interval lies above 0. */
static enum verdict gate_step_time(struct gate_result *g, const struct pair *p)
{
    struct step_time step[SIDES];
    const struct step_time *b = &step[BEFORE], *a = &step[AFTER];
    if (run_kind(p->before) != run_kind(p->after))
        return does_not_apply(g, "different_recorders",
                              "a run of the trainer and a trace have no step in common");
    bool untraced = find_steps(step, p);
    if (!has_steps(b) || !has_steps(a)) {
        snprintf(g->remark, sizeof g->remark, "needs steps in both runs: %s has none",
                 !has_steps(b) ? "the first" : "the second");
        g->code = "no_steps";
        return VERDICT_NOT_APPLICABLE;
    }
    struct gate_numbers *n = &g->numbers;
    *n = (struct gate_numbers){.unit = "ms",
                               .before = b->ns / 1e6,
                               .after = a->ns / 1e6,
                               .change_unit = "frac",
                               .change = a->ns / b->ns - 1,
                               .change_low = a->low_ns / b->high_ns - 1,
                               .change_high = a->high_ns / b->low_ns - 1,
                               .allowed = STEP_GROWTH_MAX_FRAC,
                               .before_count = (int64_t)b->count,
                               .after_count = (int64_t)a->count,
                               .untraced = untraced,
                               .at_step = -1};
    snprintf(g->before, sizeof g->before, "%.2f ms", n->before);
    snprintf(g->after, sizeof g->after, "%.2f ms", n->after);
    const char *few = too_few(b, a, untraced);
    snprintf(g->remark, sizeof g->remark, "%s %% [%s, %s], %zu and %zu %ssteps%s%s",
             unit_signed(n->change * 100, 1).s, unit_signed(n->change_low * 100, 1).s,
             unit_signed(n->change_high * 100, 1).s, b->count, a->count,
             untraced ? "untraced " : "", of_which_rank(p), few);
    if (n->change <= n->allowed)
        return VERDICT_PASS;
    g->code = n->change_low > 0 ? "slower" : *few ? "too_few_steps" : "within_spread";
    return n->change_low > 0 ? VERDICT_FAIL : VERDICT_UNSURE;
}

/* --- memory
 * --------------------------------------------------------------------------------- */

/* The largest value of a class over time, all devices; -1 where there is none. */
static int64_t peak_bytes(const struct run *run, enum memory_class what)
{
    int64_t peak = -1;
    for (size_t i = 0; i < run->memories.table.n; i++)
        if (run->memories.what[i] == what && run->memories.bytes[i] > peak)
            peak = run->memories.bytes[i];
    return peak;
}

static enum verdict gate_memory(struct gate_result *g, const struct pair *p)
{
    static const enum memory_class classes[] = {
        MEMORY_CLASS_RESERVED, MEMORY_CLASS_ALLOCATED, MEMORY_CLASS_PROCESS};
    for (size_t i = 0; i < sizeof classes / sizeof *classes; i++) {
        int64_t b = peak_bytes(p->before, classes[i]),
                a = peak_bytes(p->after, classes[i]);
        if (b <= 0 || a < 0)
            continue;
        struct gate_numbers *n = &g->numbers;
        n->unit = "bytes";
        n->before = (double)b;
        n->after = (double)a;
        n->change_unit = "frac";
        n->change = n->after / n->before - 1;
        n->allowed = MEMORY_GROWTH_MAX_FRAC;
        snprintf(g->before, sizeof g->before, "%s", unit_mib(n->before).s);
        snprintf(g->after, sizeof g->after, "%s", unit_mib(n->after).s);
        snprintf(g->remark, sizeof g->remark, "%s %% (%s); allowed +%.0f %%",
                 unit_signed(n->change * 100, 1).s, memory_class_text[classes[i]],
                 n->allowed * 100);
        if (n->change <= n->allowed)
            return VERDICT_PASS;
        g->code = "more_memory";
        return VERDICT_FAIL;
    }
    return does_not_apply(g, "no_memory", "memory was not recorded in both runs");
}

/* --- all gates
 * ------------------------------------------------------------------------------ */

static const struct gate {
    const char *name;
    enum verdict (*check)(struct gate_result *g, const struct pair *p);
} gates[] = {
    {"step time", gate_step_time},    {"peak memory", gate_memory},
    {"same losses", gate_losses},     {"same gradients", gate_gradients},
    {"same movement", gate_movement},
};

/* --- a machine that was not quiet: a difference may be its own */

/* Of the rank where others took most. */
static double others_cpus(const struct run *run)
{
    double most = 0;
    for (size_t i = 0; i < run->ranks.table.n; i++)
        most = fmax(most, record_others_cpus(run, (int32_t)i));
    return most;
}

static void note_others(struct verify_result *out, const struct run *before,
                        const struct run *after)
{
    double others[2] = {others_cpus(before), others_cpus(after)};
    if (others[0] > 0 || others[1] > 0)
        snprintf(out->busy, sizeof out->busy,
                 "other programs took %.1f CPUs before, %.1f after", others[0],
                 others[1]);
}

void verify_runs(struct verify_result *out, const struct run *before,
                 const struct run *after)
{
    struct pair p = {.before = before, .after = after, .targets = targets_default()};
    *out = (struct verify_result){.shared = shared_work_of(before, after)};
    note_others(out, before, after);
    if (*out->busy)
        out->if_unsure = "record both again on a quiet machine, or run both in turns: "
                         "gait verify --ab";
    for (size_t i = 0; i < sizeof gates / sizeof *gates; i++) {
        struct gate_result *g = gate_add(out, gates[i].name);
        gate_count(out, g, gates[i].check(g, &p));
    }
}

enum verdict verify_verdict(const struct verify_result *r, size_t unread)
{
    if (unread || !r->applied || *r->incomparable)
        return VERDICT_NOT_APPLICABLE;
    return r->failed ? VERDICT_FAIL : r->unsure ? VERDICT_UNSURE : VERDICT_PASS;
}

enum status verify_status(const struct verify_result *r, struct err *err)
{
    if (*r->incomparable)
        return err_set(err, STATUS_INPUT,
                       "nothing is proved: %s. How a step grows with a setting: gait "
                       "profile --sweep",
                       r->incomparable);
    if (!r->applied)
        return err_set(
            err, STATUS_INPUT,
            "nothing could be compared: the two have neither steps nor losses nor "
            "memory in common; compare two recordings of one kind");
    if (r->failed)
        return err_set(err, STATUS_FAILED, "%zu of %zu gates failed", r->failed,
                       r->applied);
    if (r->unsure)
        return err_set(
            err, STATUS_FAILED, "%zu of %zu gates cannot tell; %s", r->unsure, r->applied,
            r->if_unsure ? r->if_unsure : "record more steps of both, close together");
    return STATUS_OK;
}

static int wider(int a, int b)
{
    return a > b ? a : b;
}

static void print_row(struct strbuf *out, const char *const cell[3], const int width[3])
{
    strbuf_printf(out, "%s%*s", cell[0], width[0] - utf8_letters(cell[0]), "");
    for (int i = 1; i < 3; i++)
        strbuf_printf(out, " %*s%s", width[i] - utf8_letters(cell[i]), "", cell[i]);
}

void verify_print_notes(struct strbuf *out, const struct verify_result *r)
{
    if (*r->baseline.name)
        strbuf_printf(out,
                      "Baseline %s when it was saved, %s%s: %s per step, %s. Above, both "
                      "were trained now.\n",
                      r->baseline.name, r->baseline.saved,
                      r->baseline.same_machine ? "" : ", on another machine",
                      unit_ns_of(r->baseline.step_ms * 1e6).s,
                      unit_mib(r->baseline.memory_bytes).s);
    if (*r->busy)
        strbuf_printf(out, "The machine was not quiet: %s.\n", r->busy);
    if (shared_work_is_little(&r->shared))
        strbuf_printf(out,
                      "Warning: perhaps these are two jobs, which no gate can tell: "
                      "operators that both have take\n%s of the time in operators "
                      "before, %s after. Compare two versions of one job.\n",
                      unit_percent(r->shared.before_frac).s,
                      unit_percent(r->shared.after_frac).s);
}

void verify_print(struct strbuf *out, const struct verify_result *r)
{
    if (r->subject[0])
        strbuf_printf(out, "before: %s\nafter:  %s\n\n", r->subject[0], r->subject[1]);
    int width[3] = {14, 12, 12};
    for (size_t i = 0; i < r->n; i++) {
        width[0] = wider(width[0], utf8_letters(r->gate[i].name));
        width[1] = wider(width[1], utf8_letters(r->gate[i].before));
        width[2] = wider(width[2], utf8_letters(r->gate[i].after));
    }
    print_row(out, (const char *const[]){"", "before", "after"}, width);
    strbuf_puts(out, "   verdict\n");
    for (size_t i = 0; i < r->n; i++) {
        const struct gate_result *g = &r->gate[i];
        print_row(out, (const char *const[]){g->name, g->before, g->after}, width);
        strbuf_printf(out, "   %-6s  %s\n", verdict_text[g->verdict], g->remark);
    }
    verify_print_notes(out, r);
}
