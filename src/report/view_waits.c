/*
 * Who waits for whom: the rank that comes last and why, how far clocks could be aligned,
 * and which rank was last step by step.
 */
#include "base/units.h"
#include "report/job_text.h"
#include "report/view_parts.h"

#include <math.h>
#include <string.h>

enum { STEPS_IN_MARKDOWN = 64, STEPS_IN_HTML = 4096 };

static int row_number(const struct view *v, int32_t row)
{
    return rank_number(v->a, v->a->index_of_row[row]);
}

/* "Rank 3 is last in 48 of 50 collectives: others wait 2.1 ms per step (≤ 1.2 ms
 * exposed)." Others: the median of them. */
static const char *straggler_sentence(struct view *v)
{
    const struct analysis_job *j = &v->a->job;
    if (j->straggler < 0)
        return "No rank comes later than the clocks can tell.";
    const struct rank_waits *w = &j->waits.rank[j->straggler];
    const struct analysis_rank *late = &v->a->ranks[v->a->index_of_row[j->straggler]];
    bool steps = late->steps.total_ns > 0;
    double late_ns =
        steps ? analysis_of_step_ns(late, (double)w->steps_late_ns) : (double)w->late_ns;
    double exposed_ns = steps
                            ? analysis_of_step_ns(late, (double)w->steps_late_exposed_ns)
                            : (double)w->late_exposed_ns;
    return view_printf(v,
                       "Rank %d is last in %s of %s collectives: others wait %s %s "
                       "(≤ %s exposed).",
                       row_number(v, j->straggler), unit_thousands((int64_t)w->last).s,
                       unit_thousands((int64_t)w->meetings).s, unit_ns_of(late_ns).s,
                       steps ? "per step" : "in all", unit_ns_of(exposed_ns).s);
}

/* A class at the beginning of a sentence: "Its idle (input)". */
static const char *class_words(struct view *v, enum time_class what)
{
    const char *text = time_class_text[what], *colon = strchr(text, ':');
    return colon ? view_printf(v, "Its %.*s (%s)", (int)(colon - text), text, colon + 2)
                 : view_printf(v, "Its %s", text);
}

static const char *cause_sentence(struct view *v)
{
    const struct analysis_job *j = &v->a->job;
    const struct job_cause *c = &j->cause;
    if (j->straggler < 0)
        return "";
    if (!c->known && !v->a->ranks[v->a->index_of_row[j->straggler]].step_split.known)
        return " Why: N/A, its times are not known step by step.";
    if (!c->known)
        return " Why: N/A, no part of its step is longer than others'.";
    return view_printf(v, " %s is %s, the median rank's %s.", class_words(v, c->what),
                       unit_ns(c->own_ns).s, unit_ns(c->median_ns).s);
}

static const char *aligned_ranks(struct view *v)
{
    const struct analysis_job *j = &v->a->job;
    if (j->clocks.aligned == v->a->n_ranks)
        return "Clocks are";
    return view_printf(v, "Clocks of %zu of %zu ranks are", j->clocks.aligned,
                       v->a->n_ranks);
}

static const char *clock_sentence(struct view *v)
{
    const struct analysis_job *j = &v->a->job;
    if (view_is_screen(v))
        return view_printf(v, " Clocks%s ±%s (worst %s).",
                           j->clocks.aligned == v->a->n_ranks
                               ? ""
                               : view_printf(v, " of %zu ranks", j->clocks.aligned),
                           unit_ns(j->clocks.skew_median_ns).s,
                           unit_ns(j->clocks.skew_max_ns).s);
    return view_printf(
        v, " %s aligned on %s collectives; their ends still differ by %s (at most %s).",
        aligned_ranks(v), unit_thousands((int64_t)j->waits.meetings).s,
        unit_ns(j->clocks.skew_median_ns).s, unit_ns(j->clocks.skew_max_ns).s);
}

static const char *match_note(struct view *v)
{
    const struct analysis_job *j = &v->a->job;
    const char *how = j->by_seq == j->matched ? "by group and sequence number"
                      : !j->by_seq ? "by their order in a step: no sequence numbers"
                                   : "by sequence number, some by order in a step";
    const char *unclear = j->ambiguous
                              ? view_printf(v, "; %s could not be told apart",
                                            unit_thousands((int64_t)j->ambiguous).s)
                              : "";
    const char *sends = j->sends ? view_printf(v, "; %s sends and receives left out",
                                               unit_thousands((int64_t)j->sends).s)
                                 : "";
    return view_printf(
        v,
        "%s of %s collectives told one by one were matched, %s%s%s. A wait is the time "
        "from a rank's begin to that of the last one; exposed is what compute did not "
        "hide.",
        unit_thousands((int64_t)j->matched).s, unit_thousands((int64_t)j->collectives).s,
        how, unclear, sends);
}

void view_add_waits(struct view *v)
{
    const struct analysis_job *j = &v->a->job;
    if (j->state == JOB_ONE_RANK)
        return;
    struct block *b = view_block(v, BLOCK_TEXT, "Waiting");
    if (j->state != JOB_ALIGNED) {
        b->text = view_printf(v, "N/A: %s.", job_reason(j->state));
        b->spare = SPARE_WORK;
        return;
    }
    b->text = view_printf(v, "%s%s%s", straggler_sentence(v), cause_sentence(v),
                          clock_sentence(v));
    b->note = match_note(v);
}

static void skew_row(struct view *v, struct cell *c, const struct step_skew *s)
{
    double spread_ms = ns_to_ms(s->spread_ns), wait_ms = ns_to_ms(s->wait_ns);
    bool late = s->latest >= 0;
    c[0] = cell_number(v, (double)s->number, 0);
    c[1] = late ? cell_rank(v, row_number(v, s->latest)) : cell_text("N/A");
    c[2] = cell_number(v, late ? ns_to_ms(s->late_ns) : NAN, 3);
    c[3] = cell_number(v, spread_ms, 3);
    c[4] = cell_number(v, wait_ms, 3);
    c[5] = cell_number(v, (double)s->meetings, 0);
}

void view_add_skew(struct view *v)
{
    static const char *const titles[] = {"step",         "latest rank", "late ms",
                                         "longest wait", "all waits",   "collectives"};
    enum { COLUMNS = sizeof titles / sizeof *titles };
    const struct job_waits *w = &v->a->job.waits;
    if (!w->n_steps || view_is_screen(v))
        return;
    size_t max = v->format == REPORT_MARKDOWN ? STEPS_IN_MARKDOWN : STEPS_IN_HTML;
    size_t shown = w->n_steps < max ? w->n_steps : max;
    struct block *b = view_block(v, BLOCK_TABLE, "Who was last, step by step (ms)");
    b->detail = true;
    grid_open(v, b, COLUMNS, shown);
    for (size_t i = 0; i < COLUMNS; i++)
        grid_column(b, i, titles[i], i ? ALIGN_RIGHT : ALIGN_LEFT, false);
    for (size_t i = 0; i < shown; i++)
        skew_row(v, grid_row(b), &w->step[i]);
    b->grid.total_rows = w->n_steps;
    b->note =
        "Late is what a typical rank waited for the latest one; all waits are of all "
        "ranks together.";
}
