/* The gates as a comment of a pull request. Commands, names of files and of parameters
 * are the user's: data, never markup. */
#include "base/markdown.h"
#include "base/text_fit.h"
#include "base/units.h"
#include "verify/verify_files.h"

#include <limits.h>
#include <math.h>
#include <string.h>

enum { SUBJECT_COLUMNS = 160 };

static void put_clean(struct strbuf *out, const char *s)
{
    struct arena a;
    arena_init(&a);
    markdown_text(out, text_clean(&a, s, INT_MAX));
    arena_release(&a);
}

/* --- the verdict */

static bool any_of(const struct verify_result *r, enum verdict verdict)
{
    for (size_t i = 0; i < r->n; i++)
        if (r->gate[i].verdict == verdict)
            return true;
    return false;
}

static void put_names(struct strbuf *out, const struct verify_result *r,
                      enum verdict verdict)
{
    const char *between = ": ";
    for (size_t i = 0; i < r->n; i++)
        if (r->gate[i].verdict == verdict) {
            strbuf_puts(out, between);
            put_clean(out, r->gate[i].name);
            between = ", ";
        }
}

/* ", step time −25.0 % [−30.0, −20.0]"; nothing without an interval. */
static void put_step_time(struct strbuf *out, const struct verify_result *r)
{
    for (size_t i = 0; i < r->n; i++) {
        const struct gate_numbers *n = &r->gate[i].numbers;
        if (!strcmp(r->gate[i].name, "step time") && isfinite(n->change_low) &&
            isfinite(n->change_high))
            strbuf_printf(out, ", step time %s %% [%s, %s]",
                          unit_signed(n->change * 100, 1).s,
                          unit_signed(n->change_low * 100, 1).s,
                          unit_signed(n->change_high * 100, 1).s);
    }
}

/* What the gates say, in one line. */
static void put_sum(struct strbuf *out, const struct verify_result *r)
{
    if (!r->failed && !r->unsure)
        strbuf_printf(out, "%zu of %zu gates passed", r->applied, r->applied);
    if (r->failed) {
        strbuf_printf(out, "%zu of %zu gates failed", r->failed, r->applied);
        put_names(out, r, VERDICT_FAIL);
    }
    if (r->unsure) {
        strbuf_puts(out, r->failed ? "; " : "");
        strbuf_printf(out, "%zu of %zu gates cannot tell", r->unsure, r->applied);
        put_names(out, r, VERDICT_UNSURE);
    }
    if (any_of(r, VERDICT_NOT_APPLICABLE)) {
        strbuf_puts(out, ". Not compared");
        put_names(out, r, VERDICT_NOT_APPLICABLE);
    }
    strbuf_puts(out, ".\n");
}

static void put_verdict(struct strbuf *out, const struct verify_result *r, size_t unread)
{
    enum verdict v = verify_verdict(r, unread);
    struct err why = ERR_INIT;
    strbuf_printf(out, "### gait verify: %s",
                  v == VERDICT_NOT_APPLICABLE ? "nothing is proved" : verdict_text[v]);
    if (v != VERDICT_NOT_APPLICABLE)
        put_step_time(out, r);
    strbuf_puts(out, "\n\n");
    if (unread) {
        strbuf_printf(out, "%zu file%s could not be read; the gates are of the others.\n",
                      unread, unread == 1 ? "" : "s");
    } else if (verify_status(r, &why) == STATUS_INPUT) {
        put_clean(out, why.text);
        strbuf_putc(out, '\n');
    } else {
        put_sum(out, r);
    }
}

static void put_subject(struct strbuf *out, const char *label, const char *subject)
{
    struct arena a;
    arena_init(&a);
    strbuf_puts(out, label);
    markdown_code(out, text_clean(&a, subject, SUBJECT_COLUMNS));
    arena_release(&a);
}

/* --- the gates */

static void put_gate(struct strbuf *out, const struct gate_result *g)
{
    const char *const cells[] = {g->name, g->before, g->after, verdict_text[g->verdict],
                                 g->remark};
    for (size_t i = 0; i < sizeof cells / sizeof *cells; i++) {
        strbuf_puts(out, "| ");
        put_clean(out, cells[i]);
        strbuf_puts(out, *cells[i] ? " " : "");
    }
    strbuf_puts(out, "|\n");
}

static void put_gates(struct strbuf *out, const struct verify_result *r)
{
    bool interval = false;
    strbuf_puts(out, "\n| gate | before | after | verdict | |\n|:--|--:|--:|:--|:--|\n");
    for (size_t i = 0; i < r->n; i++) {
        put_gate(out, &r->gate[i]);
        interval = interval || isfinite(r->gate[i].numbers.change_low);
    }
    if (interval)
        strbuf_puts(out, "\nIn brackets: the interval of the change.\n");
}

/* Lines of a note are lines of a comment. */
static void put_notes(struct strbuf *out, const struct verify_result *r)
{
    struct strbuf notes;
    strbuf_init(&notes);
    verify_print_notes(&notes, r);
    for (char *line = notes.s, *end; (end = strchr(line, '\n')); line = end + 1) {
        *end = '\0';
        strbuf_puts(out, line == notes.s ? "\n" : "");
        put_clean(out, line);
        strbuf_putc(out, '\n');
    }
    strbuf_release(&notes);
}

/* --- what to do next */

static const char other_model[] =
    "Not the same model: take parts of the change back, one "
    "by one, until the gate passes; the remark names where "
    "the two differ most.";
static const char not_recorded[] = "Losses, gradients and movement were not compared: "
                                   "record both with `gait record`, and set a seed.";

/* By the code of a gate: of two recordings, and of two that ran here. NULL: nothing. */
static const struct advice {
    const char *code, *recordings, *here;
} advice[] = {
    {"slower",
     "What takes longer: `gait analyze --compare BEFORE AFTER`, with the two recordings.",
     "What takes longer: record both (`gait profile CONFIG -o RUN.gait`, or `gait record "
     "-o RUN.gait -- COMMAND`), then `gait analyze --compare BEFORE.gait AFTER.gait`."},
    {"more_memory", "Memory over time: `gait report AFTER -o after.html`.",
     "Memory over time: record the second, then `gait report AFTER.gait -o after.html`."},
    {"different_weights",
     "Set the same seed in both jobs and record them again: their weights differ before "
     "the first step.",
     "Set the same seed in both jobs: their weights differ before the first step."},
    {"losses_differ", other_model, other_model},
    {"loss_not_finite", other_model, other_model},
    {"gradients_differ", other_model, other_model},
    {"movement_differs", other_model, other_model},
    {"parameters_differ", other_model, other_model},
    {"logits_differ", NULL, other_model},
    {"no_steps", "Record at least 10 steps of both.", NULL},
    {"no_common_losses", not_recorded, NULL},
    {"no_common_gradients", not_recorded, NULL},
    {"no_common_movement", not_recorded, NULL},
    {"one_batch", NULL, "Set `eval_batches` above 1."},
};

static const char *advice_of(const struct gate_result *g, bool recordings)
{
    for (size_t i = 0; i < sizeof advice / sizeof *advice; i++)
        if (!strcmp(g->code, advice[i].code))
            return recordings ? advice[i].recordings : advice[i].here;
    return NULL;
}

/* Does a gate before this one have the same advice? */
static bool is_said(const struct verify_result *r, size_t gate, const char *what,
                    bool recordings)
{
    for (size_t i = 0; i < gate; i++)
        if (advice_of(&r->gate[i], recordings) == what)
            return true;
    return false;
}

static void put_item(struct strbuf *out, bool *begun, const char *what)
{
    strbuf_puts(out, *begun ? "- " : "\nNext:\n\n- ");
    strbuf_puts(out, what);
    strbuf_putc(out, '\n');
    *begun = true;
}

static void put_advice(struct strbuf *out, const struct verify_result *r, bool recordings)
{
    bool begun = false;
    for (size_t i = 0; i < r->n; i++) {
        const char *what = advice_of(&r->gate[i], recordings);
        if (what && !is_said(r, i, what, recordings))
            put_item(out, &begun, what);
    }
    if (recordings && *r->busy && (r->failed || r->unsure))
        put_item(
            out, &begun,
            "A difference may be the machine's: record both again while it is quiet, "
            "or run both in turns (`gait verify --ab`).");
    else if (r->unsure)
        put_item(out, &begun,
                 recordings
                     ? "It cannot tell yet: record more steps of both, close together."
                     : "It cannot tell yet: give it more time (`--budget`), on a quiet "
                       "machine, or let both train longer.");
}

void verify_print_markdown(struct strbuf *out, const struct verify_result *r,
                           const struct verify_shown *shown)
{
    put_verdict(out, r, shown->unread);
    if (shown->subject[0] && shown->subject[1]) {
        put_subject(out, "\nBefore: ", shown->subject[0]);
        put_subject(out, ", after: ", shown->subject[1]);
        strbuf_puts(out, ".\n");
    }
    put_gates(out, r);
    put_notes(out, r);
    put_advice(out, r, shown->recordings);
}
