/* Questions about spans by name, about waits and about the loader. */
#include "whatif/ask.h"

#include "base/mem.h"
#include "base/nearest.h"
#include "base/strbuf.h"
#include "base/units.h"
#include "price/evidence_text.h"
#include "rules/fetches.h"

#include <stdio.h>

bool ask_in_window(const struct evidence *e, int64_t span)
{
    return whatif_window_asked(&e->whatif.window, e->replay, span);
}

static bool is_of_rank(const struct evidence *e, size_t span)
{
    int32_t lane = e->run->spans.lane[span];
    return lane >= 0 && e->run->lanes.rank[lane] == e->rank_row;
}

/* --- names that are near --- */

enum { NEAR_SHOWN = 3 };

struct near_names {
    const char **name;  /* (n) distinct, as they come */
    const char **shown; /* (n) the same, as the report has them */
    size_t n, cap, cap_shown;
};

static enum lane_kind place_of(const struct evidence *e, size_t span)
{
    return e->run->lanes.kind[e->run->spans.lane[span]];
}

static void near_names_init(struct near_names *l, const struct evidence *e,
                            const struct selector *s)
{
    struct selector any = {.what = s->what, .pattern = "*"};
    bool *seen = mem_zalloc(e->run->names.n + 1, sizeof *seen);
    *l = (struct near_names){0};
    for (size_t i = 0; i < e->run->spans.table.n; i++) {
        name_id id = e->run->spans.name[i];
        if (seen[id] || !is_of_rank(e, i) || !ask_in_window(e, (int64_t)i) ||
            !selector_takes(&any, e->run->spans.kind[i], run_name(e->run, id)))
            continue;
        seen[id] = true;
        vec_grow(l->name, l->cap, l->n + 1);
        vec_grow(l->shown, l->cap_shown, l->n + 1);
        l->shown[l->n] = analysis_label(e->analysis, place_of(e, i), id);
        l->name[l->n++] = run_name(e->run, id);
    }
    mem_free(seen);
}

/* Names that hold the typed text somewhere, else the one that is nearest to it. */
static void tell_near(struct strbuf *out, const struct near_names *l, const char *pattern)
{
    char inside[PATTERN_MAX + 2];
    size_t shown = 0;
    snprintf(inside, sizeof inside, "*%s*", pattern);
    for (size_t i = 0; i < l->n && shown < NEAR_SHOWN; i++)
        if (pattern_matches(inside, l->name[i]) || pattern_matches(inside, l->shown[i]))
            strbuf_printf(out, "%s\"%.100s\"", shown++ ? ", " : "", l->shown[i]);
    const char *near = shown ? NULL : nearest_name(pattern, l->shown, l->n);
    if (near)
        strbuf_printf(out, "\"%.100s\"", near);
}

static enum status nothing_matches(const struct evidence *e, const struct selector *s,
                                   struct err *err)
{
    struct near_names names;
    struct strbuf near;
    strbuf_init(&near);
    near_names_init(&names, e, s);
    tell_near(&near, &names, s->pattern);
    const char *word = select_word[s->what];
    enum status st;
    if (near.len)
        st = err_set(err, STATUS_USAGE,
                     "nothing in the replayed steps is %s:%.80s; near to it: %s", word,
                     s->pattern, near.s);
    else if (names.n)
        st = err_set(err, STATUS_USAGE,
                     "nothing in the replayed steps is %s:%.80s; of that kind there "
                     "%s %s, like \"%.100s\" (* stands for any text)",
                     word, s->pattern, names.n == 1 ? "is" : "are",
                     unit_plural((double)names.n, "name", "names").s, names.shown[0]);
    else
        st = err_set(err, STATUS_USAGE,
                     "nothing in the replayed steps is %s:%.80s; they hold none of that "
                     "kind at all",
                     word, s->pattern);
    strbuf_release(&near);
    mem_free(names.name);
    mem_free(names.shown);
    return st;
}

/* --- spans by name --- */

static void take_host(struct answer *a, const struct evidence *e, double keep)
{
    for (size_t k = 0; k < e->n_threads; k++) {
        const struct host_thread *t = &e->threads[k];
        int64_t taken_ns = INT64_MIN; /* ops stand in the order of begins */
        for (size_t i = 0; i < t->n; i++) {
            const struct host_op *op = &t->op[i];
            if (!selector_takes(&a->question.selector, op->kind, evidence_name(e, op)))
                continue;
            /* What an operator calls goes with it, backward and launches included: where
             * both match, going over them again would cost the square of their number. */
            bool inside = op->end_ns <= taken_ns;
            if (!inside || keep <= 0)
                evidence_edit_op(e, &a->price.edits, t, op, keep, !inside);
            taken_ns = inside ? taken_ns : op->end_ns;
            a->matched++;
        }
    }
}

/* Work on a device goes by both names: as it was recorded and as the report shows it. */
static bool takes_work(const struct selector *s, const struct evidence *e, size_t span)
{
    name_id name = e->run->spans.name[span];
    enum span_kind kind = e->run->spans.kind[span];
    return selector_takes(s, kind, run_name(e->run, name)) ||
           selector_takes(s, kind, analysis_label(e->analysis, LANE_KIND_DEVICE, name));
}

static void take_device(struct answer *a, const struct evidence *e, double keep)
{
    const struct spans *s = &e->run->spans;
    for (size_t i = 0; i < s->table.n; i++) {
        if (!is_of_rank(e, i) || !ask_in_window(e, (int64_t)i) ||
            e->replay->begin_node[i] == GRAPH_NONE ||
            e->run->lanes.kind[s->lane[i]] != LANE_KIND_DEVICE ||
            !takes_work(&a->question.selector, e, i))
            continue;
        edit_list_work(&a->price.edits, (int64_t)i, keep);
        a->matched++;
    }
}

enum status ask_spans(struct answer *a, const struct evidence *e, struct err *err)
{
    const struct selector *s = &a->question.selector;
    double keep = a->question.kind == QUESTION_REMOVE ? 0 : a->question.factor;
    if (selector_on_device(s))
        take_device(a, e, keep);
    if (!selector_on_device(s) ||
        s->what == SELECT_COLLECTIVE) /* gloo's are on the host */
        take_host(a, e, keep);
    return a->matched ? STATUS_OK : nothing_matches(e, s, err);
}

/* --- waits --- */

enum status ask_no_wait(struct answer *a, const struct evidence *e, struct err *err)
{
    for (size_t k = 0; k < e->n_threads; k++) {
        const struct host_thread *t = &e->threads[k];
        for (size_t i = 0; i < t->n; i++) {
            if (!replay_waits(e->replay, t->op[i].span))
                continue;
            edit_list_unblock(&a->price.edits, t->op[i].span);
            a->matched++;
        }
    }
    if (a->matched)
        return STATUS_OK;
    return err_set(
        err, STATUS_USAGE,
        "no call of the replayed steps waits for a device, so there is no wait "
        "to take away");
}

/* --- the loader --- */

/* Priced as the findings about it are where workers load ahead. */
enum status ask_no_loader(struct answer *a, const struct evidence *e, struct err *err)
{
    struct fetches f = fetches_find(e);
    a->matched = f.count;
    double keep = fetches_price(&a->price, e, &f);
    if (keep > 0)
        evidence_say(
            &a->price,
            "All cores are busy with operators, and workers that load ahead share "
            "them: {} of fetching stays, half way between the least and the most "
            "that may. In the ceiling nothing of it stays",
            quantity_percent("fetching_kept_frac", keep, 0));
    if (a->matched)
        return STATUS_OK;
    return err_set(err, STATUS_USAGE,
                   "no fetching of a batch is recorded in the replayed steps (a "
                   "DataLoader marks it by itself), so there is none to take away");
}
