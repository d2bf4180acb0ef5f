/*
 * What a reader must know beside the figures: what was skipped or lost, how things were
 * measured, and what to run next.
 */
#include "base/path.h"
#include "base/text_fit.h"
#include "base/units.h"
#include "report/one_job.h"
#include "report/view_parts.h"
#include "rules/rule.h"

#include <limits.h>
#include <math.h>
#include <string.h>

enum { WARNINGS_ON_SCREEN = 2, WARNINGS_IN_DOCUMENT = 200, FACTS_SHOWN = 200 };
enum { DOUBT_COLUMNS_MAX = 1000 }; /* two file names of any length fit */

static const char *rank_prefix(struct view *v, int32_t rank_row)
{
    if (rank_row < 0 || v->a->n_ranks < 2)
        return "";
    for (size_t i = 0; i < v->a->n_ranks; i++)
        if (v->a->ranks[i].row == rank_row)
            return view_printf(v, "rank %d: ", rank_number(v->a, i));
    return "";
}

/* "text (12 times, first at byte 1,234)" */
static const char *note_text(struct view *v, size_t i)
{
    const struct notes *n = &v->a->run->notes;
    const char *times = "", *where = "";
    if (n->count[i] > 1)
        times = view_printf(v, "%s times", unit_thousands(n->count[i]).s);
    if (n->offset[i] >= 0)
        where = view_printf(v, "%sat byte %s", *times ? ", first " : "",
                            unit_thousands(n->offset[i]).s);
    bool more = *times || *where;
    return view_printf(v, "%s%s%s%s%s%s", rank_prefix(v, n->rank[i]),
                       view_name(v, n->text[i]), more ? " (" : "", times, where,
                       more ? ")" : "");
}

/* The rule whose other way the note is about ("batch-small: not measured: …"), or NULL.
 */
static const struct rule *rule_of_note(const struct view *v, size_t i)
{
    const char *text = run_name(v->a->run, v->a->run->notes.text[i]);
    size_t len = strcspn(text, ":");
    for (size_t k = 0; text[len] && k < rule_count; k++)
        if (!strncmp(rule_table[k].name, text, len) && !rule_table[k].name[len])
            return &rule_table[k];
    return NULL;
}

static bool rank_has_note(const struct view *v, int32_t row)
{
    const struct notes *n = &v->a->run->notes;
    for (size_t i = 0; i < n->table.n; i++)
        if (n->rank[i] == row)
            return true;
    return false;
}

/* A rank that was cut short and whose notes do not say so. */
static bool cut_in_silence(const struct view *v, size_t rank_index)
{
    int32_t row = v->a->ranks[rank_index].row;
    return !v->a->run->ranks.complete[row] && !rank_has_note(v, row);
}

static void add_cut_short(struct view *v, struct block *b, size_t max)
{
    for (size_t i = 0; i < v->a->n_ranks && b->n_lines < max; i++)
        if (cut_in_silence(v, i))
            view_line(v, b,
                      view_printf(v,
                                  "%sthe recording was cut short; the figures cover what "
                                  "could be read",
                                  rank_prefix(v, v->a->ranks[i].row)),
                      "");
}

/* Why the files may not belong together, or "". */
static const char *doubt_text(struct view *v)
{
    struct strbuf doubt;
    strbuf_init(&doubt);
    one_job_doubt(&doubt, v->a);
    const char *text = text_clean(&v->arena, doubt.s, DOUBT_COLUMNS_MAX);
    strbuf_release(&doubt);
    return text;
}

void view_add_doubt(struct view *v)
{
    const char *doubt = doubt_text(v);
    if (*doubt)
        view_block(v, BLOCK_DOUBT, "Warning")->text = doubt;
}

/* What the recorder did not measure, on a screen: one line for all such notes. */
struct unmeasured {
    size_t notes;
    const char *rules; /* each once: "batch-small, precision-f32" */
};

static struct unmeasured find_unmeasured(struct view *v)
{
    struct unmeasured u = {.rules = ""};
    bool *named = arena_alloc(&v->arena, rule_count * sizeof *named);
    memset(named, 0, rule_count * sizeof *named);
    for (size_t i = 0; view_is_screen(v) && i < v->a->run->notes.table.n; i++) {
        const struct rule *rule = rule_of_note(v, i);
        if (!rule)
            continue;
        u.notes++;
        if (!named[rule - rule_table])
            u.rules = view_printf(v, "%s%s%s", u.rules, *u.rules ? ", " : "", rule->name);
        named[rule - rule_table] = true;
    }
    return u;
}

/* How many notes there are lines for. */
static size_t add_notes(struct view *v, struct block *b, size_t max)
{
    struct unmeasured u = find_unmeasured(v);
    size_t told = u.notes, lines = max - (u.notes > 0);
    for (size_t i = 0; i < v->a->run->notes.table.n && b->n_lines < lines; i++) {
        if (u.notes && rule_of_note(v, i))
            continue;
        view_line(v, b, note_text(v, i), "");
        told++;
    }
    if (u.notes)
        view_line(
            v, b,
            view_printf(v, "other ways not measured in full: %s (why: --json)", u.rules),
            "");
    return told;
}

/* Is there a data flow, and is it of other steps than the trace's? */
static bool flow_is_of_others(const struct view *v)
{
    const struct watched_ops *w = &v->a->run->watched_ops;
    const struct findings *f = v->options.findings;
    const struct analysis_rank *r = view_rank(v);
    if (!f || !f->possible || !r || f->has & NEEDS_FLOW)
        return false;
    for (size_t i = 0; i < w->table.n; i++)
        if (w->rank[i] == r->row)
            return true;
    return false;
}

void view_add_warnings(struct view *v)
{
    size_t max = view_is_screen(v) ? WARNINGS_ON_SCREEN : WARNINGS_IN_DOCUMENT;
    bool others = flow_is_of_others(v);
    size_t total = v->a->run->notes.table.n + others;
    for (size_t i = 0; i < v->a->n_ranks; i++)
        total += cut_in_silence(v, i);
    if (!total)
        return;
    struct block *b = view_block(v, BLOCK_WARNINGS, "Warnings");
    if (others)
        view_line(v, b,
                  "the data flow is not of these steps: fewer than 4 of 5 operators "
                  "match; nothing is told of it",
                  "");
    add_cut_short(v, b, max);
    size_t told = b->n_lines;
    told += add_notes(v, b, max);
    if (total <= told)
        return;
    const char *more = view_printf(v, "%zu more: --json lists them all", total - told);
    if (view_is_screen(v)) {
        const char **last = &b->lines[b->n_lines - 1];
        *last = view_printf(v, "%s; %s", *last, more);
    } else
        view_line(v, b, more, "");
}

static void method_steps(struct view *v, struct block *b, const struct analysis_rank *r)
{
    if (!analysis_has_steps(r)) {
        view_line(
            v, b,
            "No steps were found: the recording is taken as one. PyTorch marks them when "
            "the training loop calls the profiler's step() once per step.",
            "");
        return;
    }
    view_line(v, b,
              view_printf(v,
                          "Steps were found by %s; the shortest took %s ms, the longest "
                          "%s ms. ± is half the distance between the quartiles over the "
                          "median. Where a step goes is taken from %s%zu%s.",
                          step_method_text[r->steps.method],
                          view_number(v, r->steps.min_ms, 3),
                          view_number(v, r->steps.max_ms, 3),
                          r->recorded.mean ? "all that the mean is of, " : "the ",
                          r->steps.typical,
                          r->recorded.mean ? "" : " that are within half of the median"),
              "");
}

static void method_device(struct view *v, struct block *b, const struct analysis_rank *r)
{
    view_line(
        v, b,
        "Compute is the time in which at least one kernel ran. Communication and copies "
        "are what compute did not hide; idle is the rest. The four add up to the span.",
        "");
    if (isfinite(r->kernels_per_step))
        view_line(
            v, b,
            view_printf(v, "%s kernels, copies and fills ran on the device, %s per step.",
                        unit_thousands((int64_t)r->kernels).s,
                        view_number(v, r->kernels_per_step, 1)),
            "");
}

static void method_coverage(struct view *v, struct block *b, int32_t row)
{
    const struct ranks *k = &v->a->run->ranks;
    view_line(v, b,
              view_printf(v, "%s spans went into the sums, %s of them are kept in full.",
                          unit_thousands(k->spans_seen[row]).s,
                          unit_thousands(k->spans_kept[row]).s),
              "");
    if (k->events[row] > 0)
        view_line(v, b,
                  view_printf(v, "%s of %s events could not be used.",
                              unit_thousands(k->events_skipped[row]).s,
                              unit_thousands(k->events[row]).s),
                  "");
}

static void method_phases(struct view *v, struct block *b, const struct analysis_rank *r)
{
    view_line(v, b,
              r->step.basis == STEP_BASIS_TRAINER
                  ? "Phases are wall time on the training thread; what no phase covers "
                    "lies between them."
                  : "Phases are wall time on the training thread: input is the wait for "
                    "the DataLoader; forward goes from the first operator that autograd "
                    "records to the last, backward from its first node to its last; what "
                    "none of them covers lies between.",
              "");
    if (r->phases.timed)
        view_line(v, b,
                  "Input, backward and optimizer are timed in steps without the tracer. "
                  "Forward is that of the traced steps, as much faster as backward is "
                  "without the tracer.",
                  "");
}

void view_add_method(struct view *v)
{
    const struct analysis_rank *r = view_rank(v);
    if (!r || view_is_screen(v))
        return;
    struct block *b = view_block(v, BLOCK_LIST, "What was measured, and how");
    method_steps(v, b, r);
    if (r->has_device)
        method_device(v, b, r);
    else
        view_line(v, b,
                  "GPU times are N/A: nothing ran on a GPU in this recording. A thread's "
                  "time is "
                  "busy, waiting or unattributed.",
                  "");
    if (r->phases.known)
        method_phases(v, b, r);
    method_coverage(v, b, r->row);
    view_line(v, b,
              "Every figure is measured unless it says counted, planned or modelled; N/A "
              "stands "
              "where there is nothing to tell.",
              "");
}

static void fact_row(struct view *v, struct cell *c, size_t i)
{
    const struct facts *f = &v->a->run->facts;
    bool number = isfinite(f->value[i]);
    const char *text = view_name(v, f->text[i]), *unit = view_name(v, f->unit[i]);
    c[0] = cell_text(view_name(v, f->key[i]));
    if (!number)
        c[1] = cell_text(*text ? text : "N/A");
    else if (!strcmp(unit, "bytes"))
        c[1] = cell_text(view_printf(v, "%s", unit_mib(f->value[i]).s));
    else
        c[1] = cell_text(view_printf(v, "%.6g%s%s", f->value[i], *unit ? " " : "", unit));
    c[2] = cell_text(origin_text[f->origin[i]]);
    if (!view_is_screen(v))
        c[3] = cell_text(number ? text : "");
}

void view_add_facts(struct view *v)
{
    const struct facts *f = &v->a->run->facts;
    const struct analysis_rank *r = view_rank(v);
    if (r && view_is_screen(v)) /* a run of the machine alone has nothing else to show */
        return;
    struct block *b = NULL;
    for (size_t i = 0; i < f->table.n; i++) {
        if ((r && f->rank[i] >= 0 && f->rank[i] != r->row) || view_is_ceiling(v, i) ||
            view_is_work_fact(v, i))
            continue;
        if (!b) {
            b = view_block(v, BLOCK_TABLE, "Machine and settings");
            b->detail = true;
            grid_open(v, b, view_is_screen(v) ? 3 : 4, FACTS_SHOWN);
            grid_column(b, 0, "fact", ALIGN_LEFT, false);
            grid_column(b, 1, "value", ALIGN_LEFT, false);
            grid_column(b, 2, "origin", ALIGN_LEFT, false);
            if (!view_is_screen(v))
                grid_column(b, 3, "how it was found", ALIGN_LEFT, false);
        }
        struct cell *c = grid_row(b);
        if (c)
            fact_row(v, c, i);
    }
}

static const char *path_word(struct view *v, const char *raw, const char *otherwise)
{
    struct strbuf word;
    strbuf_init(&word);
    path_add_shell_word(&word, raw, otherwise);
    const char *text = view_printf(v, "%s", word.s);
    strbuf_release(&word);
    return text;
}

const char *view_subject(struct view *v)
{
    return path_word(v, v->options.subject, "RUN…");
}

const char *view_subject_graph(struct view *v)
{
    return v->options.graph ? view_printf(v, "%s --graph %s", view_subject(v),
                                          path_word(v, v->options.graph, "FILE"))
                            : view_subject(v);
}

static const char *report_gives(const struct view *v, const struct analysis_rank *r)
{
    bool has_spans = v->a->run->ranks.spans_kept[r->row] > 0;
    if (!has_spans)
        return r->n_ops ? "every operator, on one page" : "all of it, on one page";
    return analysis_has_steps(r) ? "timeline of a step, every operator"
                                 : "timeline, every operator";
}

void view_add_next(struct view *v)
{
    struct block *b = view_block(v, BLOCK_NEXT, "Next");
    const struct analysis_rank *r = view_rank(v);
    if (!r) {
        view_line(v, b, "gait profile config.yaml", "record a training run");
        view_line(v, b, "gait analyze trace.json.gz", "read a PyTorch profiler trace");
        return;
    }
    const char *raw = v->options.subject ? v->options.subject : "";
    const char *subject = view_subject_graph(v), *alone = view_subject(v);
    bool found = v->options.findings && v->options.findings->n;
    if (found && v->format != REPORT_HTML)
        view_line(v, b, view_printf(v, "gait explain 1 %s", subject),
                  "the evidence and the fix, as code");
    if (!found && v->options.findings && v->options.findings->checked &&
        v->format != REPORT_HTML)
        view_line(v, b, view_printf(v, "gait explain %s", subject),
                  "what was checked, and what could not be");
    if (found && view_is_screen(v) && v->options.findings->n > FINDINGS_KEPT_WHEN_SHORT)
        view_line(v, b, view_printf(v, "gait explain %s", subject),
                  view_printf(v, "all %zu causes", v->options.findings->n));
    if (v->format != REPORT_HTML)
        view_line(v, b, view_printf(v, "gait report %s -o report.html", subject),
                  report_gives(v, r));
    bool trainer = v->a->run->ranks.source[r->row] == RUN_SOURCE_TRAINER;
    if (trainer && !analysis_has_steps(r))
        view_line(v, b, "gait profile config.yaml -o profile.gait",
                  "where a step goes: train alone records no spans");
    if (trainer)
        view_line(v, b,
                  strcmp(path_name(alone), "after.gait")
                      ? view_printf(v, "gait verify %s after.gait", alone)
                      : view_printf(v, "gait verify before.gait %s", alone),
                  "did a change work, and is it still the same model?");
    else if (!text_ends_with(raw, ".gait") && v->a->n_ranks == 1 &&
             !(found && view_is_screen(v)))
        view_line(v, b, view_printf(v, "gait import %s -o run.gait", alone),
                  "keep the sums: opens at once next time");
    else if (!view_is_screen(v))
        view_line(v, b, "gait lint train.py", "causes visible in the source");
}
