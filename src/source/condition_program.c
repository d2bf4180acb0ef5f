/* Conditions of rules that are judged once all files of a program are read. */
#ifdef GAIT_TREE_SITTER
#include "source/condition_list.h"

#include <stdlib.h>
#include <string.h>

bool condition_in_epochs(const struct project_view *v, const struct predicate *p)
{
    (void)p;
    return source_in_epochs(v->facts, v->place);
}

/* In every turn of a loop that takes a step for each batch, whatever it finds: one that
 * counts epochs takes one step for all data. */
bool condition_in_batch_loop(const struct project_view *v, const struct predicate *p)
{
    (void)p;
    const struct source_facts *f = v->facts;
    for (int32_t i = v->place; i >= 0 && !f->places[i].seldom; i = f->places[i].parent) {
        if (source_loop_trains(&f->places[i]))
            return !f->places[i].counts_epochs;
        if (f->places[i].kind == PLACE_FUNCTION || f->places[i].kind == PLACE_BRANCH)
            return false;
    }
    return false;
}

/* (#after-training? "evaluation"): behind the loop of all epochs, which speaks of no such
 * thing; and not in a function that is called from a training. */
bool condition_after_training(const struct project_view *v, const struct predicate *p)
{
    int32_t loop = source_in_epochs(v->facts, v->place)
                       ? -1
                       : source_epochs_before(v->facts, v->place, v->byte);
    unsigned what = slice_is(p->arguments[0].text, "evaluation") ? MENTIONS_EVALUATION
                                                                 : MENTIONS_SAVING;
    return loop >= 0 && !(v->facts->places[loop].mentions & what);
}

/* In every turn of a loop of epochs, before the loop or call that takes the steps. */
bool condition_before_steps(const struct project_view *v, const struct predicate *p)
{
    (void)p;
    const struct source_place *at = &v->facts->places[v->place];
    return at->kind == PLACE_LOOP && !source_loop_trains(at) && at->first_step_at &&
           v->byte < at->first_step_at;
}

/* In a forward pass that may be one of training: what is decorated to run without
 * gradients is not. */
static bool in_learning_forward(const struct project_view *v)
{
    int32_t fn = source_function_of(v->facts, v->place);
    return source_in_role(v->facts, v->place, ROLE_FORWARD) &&
           !v->facts->functions[fn].no_grad;
}

bool condition_every_step(const struct project_view *v, const struct predicate *p)
{
    (void)p;
    return source_in_step(v->facts, v->place, false) || in_learning_forward(v);
}

bool condition_every_batch(const struct project_view *v, const struct predicate *p)
{
    (void)p;
    return source_in_batch_step(v->facts, v->place) || in_learning_forward(v);
}

bool condition_training_step(const struct project_view *v, const struct predicate *p)
{
    (void)p;
    return source_in_step(v->facts, v->place, false);
}

bool condition_training_loop(const struct project_view *v, const struct predicate *p)
{
    (void)p;
    return source_in_step(v->facts, v->place, true);
}

/* The innermost loop around, of the same function, takes a training step in each turn. */
bool condition_step_loop(const struct project_view *v, const struct predicate *p)
{
    (void)p;
    int32_t place = v->place;
    while (place > 0 && v->facts->places[place].kind != PLACE_LOOP &&
           v->facts->places[place].kind != PLACE_FUNCTION)
        place = v->facts->places[place].parent;
    return source_loop_trains(&v->facts->places[place]);
}

/* The innermost loop or function around that goes backward, itself. */
static int32_t backward_around(const struct source_facts *f, int32_t place)
{
    for (; place >= 0; place = f->places[place].parent)
        if ((f->places[place].kind == PLACE_LOOP ||
             f->places[place].kind == PLACE_FUNCTION) &&
            (f->places[place].backward || f->places[place].step ||
             f->places[place].kind == PLACE_FUNCTION))
            return place;
    return -1;
}

/* Does one of the turns around a place, within its function, step the optimizer? */
static bool turn_around_steps(const struct source_facts *f, int32_t place)
{
    for (; place >= 0; place = f->places[place].parent) {
        if (f->places[place].step)
            return true;
        if (f->places[place].kind == PLACE_FUNCTION)
            break;
    }
    return false;
}

/* The loop around goes backward in parts of a step, which is taken around it. */
bool condition_steps_behind(const struct project_view *v, const struct predicate *p)
{
    (void)p;
    const struct source_facts *f = v->facts;
    int32_t loop = backward_around(f, v->place);
    return loop >= 0 && f->places[loop].kind == PLACE_LOOP && f->places[loop].backward &&
           !f->places[loop].step && turn_around_steps(f, f->places[loop].parent);
}

/* No loop around that goes backward does so without a step: importances, attacks. */
bool condition_steps_here(const struct project_view *v, const struct predicate *p)
{
    (void)p;
    const struct source_facts *f = v->facts;
    int32_t loop = backward_around(f, v->place);
    return loop < 0 || f->places[loop].kind != PLACE_LOOP || !f->places[loop].backward ||
           f->places[loop].step || turn_around_steps(f, f->places[loop].parent);
}

/* The function around runs anew in every step: what it sums up ends with the call. */
bool condition_called_in_step(const struct project_view *v, const struct predicate *p)
{
    (void)p;
    int32_t fn = source_function_of(v->facts, v->place);
    return fn >= 0 && (v->facts->functions[fn].roles & ROLE_STEP);
}

bool condition_in_forward(const struct project_view *v, const struct predicate *p)
{
    (void)p;
    return source_in_role(v->facts, v->place, ROLE_FORWARD);
}

bool condition_in_loader(const struct project_view *v, const struct predicate *p)
{
    (void)p;
    return source_in_role(v->facts, v->place, ROLE_LOADER);
}

bool condition_in_evaluation(const struct project_view *v, const struct predicate *p)
{
    (void)p;
    return source_in_evaluation(v->facts, v->place);
}

bool condition_without_grad(const struct project_view *v, const struct predicate *p)
{
    (void)p;
    return source_without_grad(v->facts, v->place);
}

bool condition_job_has(const struct project_view *v, const struct predicate *p)
{
    for (int32_t i = 0; i < p->n; i++) {
        int32_t w = source_word_find(v->query, p->arguments[i].text);
        if (w >= 0 && v->job_words[w / 64] >> (w % 64) & 1)
            return true;
    }
    return false;
}

bool condition_file_has(const struct project_view *v, const struct predicate *p)
{
    for (int32_t i = 0; i < p->n; i++) {
        int32_t w = source_word_find(v->query, p->arguments[i].text);
        if (w >= 0 && v->facts->words[w / 64] >> (w % 64) & 1)
            return true;
    }
    return false;
}
#endif
