#include "whatif/answer.h"

#include "base/mem.h"
#include "price/price.h"
#include "whatif/ask.h"

static enum status ask(struct answer *a, const struct evidence *e, struct err *err)
{
    a->price = (struct finding){.of_recording = !e->whatif.window.steps,
                                .low_frac = 1,
                                .high_frac = 1,
                                .price = PRICE_REPLAYED};
    a->has_ceiling = true;
    switch (a->question.kind) {
    case QUESTION_REMOVE:
    case QUESTION_SCALE:
        return ask_spans(a, e, err);
    case QUESTION_NO_WAIT:
        return ask_no_wait(a, e, err);
    case QUESTION_NO_LOADER:
        return ask_no_loader(a, e, err);
    case QUESTION_BATCH:
        return ask_batch(a, e, err);
    case QUESTION_NETWORK:
        return ask_network(a, e, err);
    }
    BUG("question %d", (int)a->question.kind);
}

/* Work grows with the batch by nothing at least, and in proportion at most: the step lies
 * between what it is and what was replayed. */
static void widen_batch(struct finding *f)
{
    if (f->gain_ns < 0)
        f->gain_high_ns = 0;
    else
        f->gain_low_ns = 0;
}

/* --- what a step hangs on --- */

#define PATH_PART_TEXT(v, text, kinds) text,
const char *const path_part_text[PATH_PART_COUNT] = {PATH_PART_LIST(PATH_PART_TEXT)};

/* Parts of a replayed window, as parts of the step: window_ns of it are step_ns. */
static void sum_path(double part_ns[PATH_PART_COUNT], const struct critical_path *p,
                     double window_ns, double step_ns)
{
#define PATH_PART_KINDS(v, text, kinds) kinds,
    static const unsigned kinds[PATH_PART_COUNT] = {PATH_PART_LIST(PATH_PART_KINDS)};
    for (int part = 0; part < PATH_PART_COUNT; part++) {
        double ns = 0;
        for (int k = 0; k < GRAPH_EDGE_COUNT; k++)
            if (kinds[part] >> k & 1)
                ns += (double)p->kind_ns[k];
        part_ns[part] = window_ns > 0 ? ns / window_ns * step_ns : 0;
    }
}

/* After the last replay, which is that of all together. */
static void find_paths(struct answers *a, const struct evidence *e)
{
    critical_path_init(&a->before, &e->whatif, NULL, NULL);
    critical_path_init(&a->after, &e->whatif, e->whatif.weight_ns, e->whatif.at_ns);
    double window_ns = (double)a->before.window_ns;
    sum_path(a->path_before_ns, &a->before, window_ns, a->of.step_ns);
    sum_path(a->path_after_ns, &a->after, window_ns, a->of.step_ns);
}

/* --- all of them --- */

static void price_answers(struct answers *a, struct evidence *e)
{
    struct finding *all = mem_alloc((a->n + 1) * sizeof *all);
    bool *use = mem_alloc((a->n + 1) * sizeof *use);
    double low_ns = 0, high_ns = 0;
    for (size_t i = 0; i < a->n; i++) {
        struct finding *f = &a->answer[i].price;
        price_finding(e, f);
        if (a->answer[i].question.kind == QUESTION_BATCH)
            widen_batch(f);
        low_ns += f->gain_ns - f->gain_low_ns;
        high_ns += f->gain_high_ns - f->gain_ns;
        all[i] = *f;
        use[i] = true;
    }
    a->together_gain_ns = price_together(e, all, a->n, use);
    a->together_low_ns = a->together_gain_ns - low_ns;
    a->together_high_ns = a->together_gain_ns + high_ns;
    find_paths(a, e);
    mem_free(all);
    mem_free(use);
}

static void ask_all(struct answers *a, const struct evidence *e,
                    const struct question *question, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        struct answer *at = &a->answer[a->n];
        struct err err = ERR_INIT;
        *at = (struct answer){.question = question[i]};
        if (!ask(at, e, &err)) {
            at->spans_per_step = (double)at->matched / (double)e->steps;
            a->n++;
            continue;
        }
        edit_list_release(&at->price.edits);
        a->refused[a->n_refused++] = (struct refusal){question[i], err};
    }
}

/* The same question to another rank; one of the network is of all of them already. */
static void ask_elsewhere(void *answers, const struct evidence *there)
{
    struct answers *a = answers;
    for (size_t i = 0; i < a->n; i++) {
        struct answer own = {.question = a->answer[i].question};
        struct err none = ERR_INIT;
        if (own.question.kind == QUESTION_NETWORK)
            continue;
        if (!ask(&own, there, &none))
            edit_list_append(&a->answer[i].price.edits, &own.price.edits);
        edit_list_release(&own.price.edits);
    }
}

struct answers *answers_new(const struct run *run, const struct analysis *analysis,
                            const struct question *question, size_t n, struct err *err)
{
    enum no_replay why_not = findings_why_not(run, analysis);
    if (why_not) {
        err_set(
            err, STATUS_INPUT,
            "%s, and a question is answered by replaying spans; give a trace, or a run "
            "of gait import or gait profile",
            no_replay_text[why_not]);
        return NULL;
    }
    struct answers *a = mem_zalloc(1, sizeof *a);
    struct evidence *e = evidence_new(run, analysis, analysis->shown);
    a->answer = mem_zalloc(n + 1, sizeof *a->answer);
    a->refused = mem_zalloc(n + 1, sizeof *a->refused);
    findings_describe(&a->of, e);
    ask_all(a, e, question, n);
    if (a->n)
        evidence_elsewhere(e, ask_elsewhere, a);
    if (a->n)
        price_answers(a, e);
    evidence_free(e);
    if (a->n)
        return a;
    if (err)
        *err = a->refused[0].err;
    answers_free(a);
    return NULL;
}

void answers_free(struct answers *a)
{
    if (!a)
        return;
    for (size_t i = 0; i < a->n; i++)
        edit_list_release(&a->answer[i].price.edits);
    critical_path_release(&a->before);
    critical_path_release(&a->after);
    mem_free(a->answer);
    mem_free(a->refused);
    mem_free(a);
}
