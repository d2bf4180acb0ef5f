/*
 * A comparison as pictures: the parts of both steps on one scale, and the operators that
 * changed most against zero. The figures are those of the tables below them.
 */
#include "base/units.h"
#include "report/view_parts.h"

#include <math.h>

enum { CHANGES_DRAWN = 12, PARTS_MAX = 8 };

/* What a step consists of, in the order in which it is drawn: a class of time or a phase,
 * on both sides. */
struct part {
    const char *label;
    enum tone tone;
    const double *ns; /* (SIDES) */
};

/* Whole classes alone: reasons of idleness are parts of idle. */
static bool class_part(struct part *part, const struct class_change *c)
{
    static const struct {
        enum time_class what;
        enum tone tone;
    } drawn[] = {{TIME_CLASS_COMPUTE, TONE_COMPUTE},
                 {TIME_CLASS_COMMUNICATION, TONE_COMMUNICATION},
                 {TIME_CLASS_COPIES, TONE_COPIES},
                 {TIME_CLASS_IDLE, TONE_IDLE},
                 {TIME_CLASS_BUSY, TONE_COMPUTE},
                 {TIME_CLASS_WAITING, TONE_COMMUNICATION},
                 {TIME_CLASS_UNATTRIBUTED, TONE_IDLE}};
    for (size_t i = 0; i < sizeof drawn / sizeof *drawn; i++)
        if (drawn[i].what == c->what) {
            *part = (struct part){time_class_text[c->what], drawn[i].tone, c->ns};
            return true;
        }
    return false;
}

static size_t class_parts(struct part *part, const struct comparison *c)
{
    size_t n = 0;
    for (size_t i = 0; i < c->n_classes && n < PARTS_MAX; i++)
        n += class_part(&part[n], &c->classes[i]);
    return n;
}

static size_t phase_parts(struct part *part, const struct comparison *c)
{
    static const enum tone tone[PHASE_COUNT] = {
        [PHASE_DATA] = TONE_DATA,         [PHASE_FORWARD] = TONE_FORWARD,
        [PHASE_BACKWARD] = TONE_BACKWARD, [PHASE_OPTIMIZER] = TONE_OPTIMIZER,
        [PHASE_OTHER] = TONE_OTHER,       [PHASE_UNATTRIBUTED] = TONE_IDLE};
    size_t n = 0;
    for (; n < c->n_phases && n < PARTS_MAX; n++)
        part[n] = (struct part){view_phase_label(c->phases[n].phase),
                                tone[c->phases[n].phase], c->phases[n].ns};
    return n;
}

static double sum_of(const struct part *part, size_t n, int side)
{
    double ns = 0;
    for (size_t i = 0; i < n; i++)
        ns += part[i].ns[side] > 0 ? part[i].ns[side] : 0;
    return ns;
}

static void fill_side(struct view *v, struct bars *bars, const struct part *part,
                      size_t n, int side, double longest_ns)
{
    bars->bar = arena_alloc(&v->arena, (n + 1) * sizeof *bars->bar);
    bars->parts_of_whole = true;
    for (size_t i = 0; i < n; i++)
        bars->bar[bars->n++] =
            (struct bar){.label = part[i].label,
                         .value = view_printf(v, "%s", unit_ns_of(part[i].ns[side]).s),
                         .share = "",
                         .remark = "",
                         .frac = part[i].ns[side] / longest_ns,
                         .tone = part[i].tone};
}

/* By device, else by phase, else by the host's thread. */
void view_add_pair(struct view *v, const struct comparison *c)
{
    static const char *const word[SIDES] = {"before", "after"};
    struct part part[PARTS_MAX];
    bool phases = !c->has_device[BEFORE] && c->n_phases;
    size_t n = phases ? phase_parts(part, c) : class_parts(part, c);
    double ns[SIDES] = {sum_of(part, n, BEFORE), sum_of(part, n, AFTER)};
    double longest_ns = fmax(ns[BEFORE], ns[AFTER]);
    if (v->format != REPORT_HTML || !(longest_ns > 0))
        return;
    bool ranks = c->side[BEFORE]->n_ranks > 1 || c->side[AFTER]->n_ranks > 1;
    struct block *b = view_block(v, BLOCK_BAR_PAIR,
                                 view_printf(v, "%s%s, before and after",
                                             c->by_step ? "A step" : "The recording",
                                             ranks ? " of a mean rank" : ""));
    for (int side = 0; side < SIDES; side++) {
        b->pair.label[side] =
            view_printf(v, "%s: %s", word[side], view_step_ms(v, ns[side]));
        fill_side(v, &b->pair.side[side], part, n, side, longest_ns);
    }
    b->note = "Both on one scale; the figures are in the table below.";
}

void view_add_changes(struct view *v, const struct comparison *c)
{
    if (v->format != REPORT_HTML)
        return;
    struct change_bar *bar = arena_alloc(&v->arena, CHANGES_DRAWN * sizeof *bar);
    size_t n = 0;
    double largest_ns = 0;
    for (size_t i = 0; i < c->n_ops && n < CHANGES_DRAWN; i++) {
        double ns = op_change_ns(&c->ops[i]);
        if (c->ops[i].state == OP_SAME || !isfinite(ns))
            continue;
        largest_ns = fmax(largest_ns, fabs(ns));
        bar[n++] = (struct change_bar){
            .label = view_printf(v, "%s: %s",
                                 c->ops[i].place == LANE_KIND_DEVICE ? "GPU" : "host",
                                 view_clean(v, c->ops[i].label)),
            .value = view_printf(v, "%s ms", unit_signed(ns / 1e6, 3).s),
            .frac = ns};
    }
    if (!n || largest_ns <= 0)
        return;
    for (size_t i = 0; i < n; i++)
        bar[i].frac /= largest_ns;
    struct block *b = view_block(v, BLOCK_CHANGES, "What changed most");
    b->changes = (struct changes){bar, n};
    b->note =
        "Self time of an operator, in all its calls; to the left less, to the right "
        "more than before.";
}
