/* Questions about places, answered by going up from the innermost one. */
#include "source/source_facts.h"

#include "base/mem.h"

#include <string.h>

void source_facts_init(struct source_facts *f)
{
    *f = (struct source_facts){0};
    arena_init(&f->text);
}

void source_facts_release(struct source_facts *f)
{
    arena_release(&f->text);
    mem_free(f->places);
    mem_free(f->statements);
    mem_free(f->functions);
    mem_free(f->classes);
    mem_free(f->links);
    mem_free(f->modules);
    mem_free(f->options);
    mem_free(f->choices);
    mem_free(f->wait_calls);
    *f = (struct source_facts){0};
}

int32_t source_place_at(const struct source_facts *f, uint32_t byte)
{
    size_t low = 0, high = f->n_places;
    while (low + 1 < high) {
        size_t mid = low + (high - low) / 2;
        if (f->places[mid].begin <= byte)
            low = mid;
        else
            high = mid;
    }
    int32_t p = (int32_t)low;
    while (p > 0 && byte >= f->places[p].end)
        p = f->places[p].parent;
    return p;
}

const struct source_statement *source_statement_at(const struct source_facts *f,
                                                   uint32_t begin, uint32_t end)
{
    size_t low = 0, high = f->n_statements;
    while (low < high) {
        size_t mid = low + (high - low) / 2;
        if (f->statements[mid].begin <= begin)
            low = mid + 1;
        else
            high = mid;
    }
    const struct source_statement *s = low ? &f->statements[low - 1] : NULL;
    return s && end <= s->end ? s : NULL;
}

int32_t source_function_of(const struct source_facts *f, int32_t place)
{
    for (; place >= 0; place = f->places[place].parent)
        if (f->places[place].kind == PLACE_FUNCTION)
            return f->places[place].row;
    return -1;
}

struct source_place *source_turn_of(struct source_facts *f, int32_t place)
{
    while (place > 0 && f->places[place].kind != PLACE_LOOP &&
           f->places[place].kind != PLACE_FUNCTION)
        place = f->places[place].parent;
    return &f->places[place];
}

int32_t source_class_of(const struct source_facts *f, int32_t place)
{
    for (; place >= 0; place = f->places[place].parent)
        if (f->places[place].kind == PLACE_CLASS)
            return f->places[place].row;
    return -1;
}

bool source_places_exclude(const struct source_facts *f, int32_t a, int32_t b)
{
    for (; a > 0; a = f->places[a].parent) {
        if (!f->places[a].chain)
            continue;
        for (int32_t i = b; i > 0; i = f->places[i].parent)
            if (i != a && f->places[i].chain == f->places[a].chain)
                return true;
    }
    return false;
}

int32_t source_branches_within(const struct source_facts *f, int32_t place,
                               int32_t around)
{
    int32_t n = 0;
    for (; place > around; place = f->places[place].parent)
        n += f->places[place].kind == PLACE_BRANCH;
    return n;
}

static bool runs_whenever(const struct source_facts *f, int32_t place, int32_t other,
                          int32_t turn)
{
    for (; other > turn; other = f->places[other].parent) {
        int32_t around = place;
        while (around > other)
            around = f->places[around].parent;
        if (around != other && f->places[other].kind == PLACE_BRANCH &&
            !f->places[other].on)
            return false;
    }
    return other == turn;
}

bool source_calls_wait(const struct source_facts *f, int32_t place, int32_t turn,
                       uint32_t after)
{
    for (size_t i = 0; i < f->n_wait_calls; i++) {
        const struct source_wait_call *c = &f->wait_calls[i];
        bool beside = c->waits_last && c->turn == turn && c->after == after;
        if ((beside || c->waits_often) && runs_whenever(f, place, c->place, turn))
            return true;
    }
    return false;
}

bool source_loop_trains(const struct source_place *p)
{
    return p->kind == PLACE_LOOP && (p->backward || p->step);
}

/* In a test or benchmark, or the main block of a file that others import: it shows or
 * tries what they use. */
static bool in_demonstration(const struct source_facts *f, int32_t place)
{
    if (f->is_trial)
        return true;
    for (; f->imported && place >= 0; place = f->places[place].parent)
        if (f->places[place].is_main)
            return true;
    return false;
}

bool source_is_off(const struct source_facts *f, int32_t place)
{
    for (; place >= 0; place = f->places[place].parent) {
        if (f->places[place].off)
            return true;
        if (f->places[place].kind == PLACE_FUNCTION)
            return f->functions[f->places[place].row].off;
    }
    return false;
}

bool source_in_step(const struct source_facts *f, int32_t place, bool also_seldom)
{
    if (in_demonstration(f, place) || (!also_seldom && source_is_off(f, place)))
        return false;
    for (; place >= 0; place = f->places[place].parent) {
        const struct source_place *p = &f->places[place];
        if (source_loop_trains(p))
            return true;
        if (p->kind == PLACE_FUNCTION)
            return f->functions[p->row].roles & ROLE_STEP;
        if ((p->seldom && !also_seldom) || p->kind == PLACE_CLASS)
            return false;
    }
    return false;
}

bool source_in_batch_step(const struct source_facts *f, int32_t place)
{
    if (in_demonstration(f, place) || source_is_off(f, place))
        return false;
    for (; place >= 0; place = f->places[place].parent) {
        const struct source_place *p = &f->places[place];
        if (source_loop_trains(p))
            return !p->counts_epochs || p->over_data;
        if (p->kind == PLACE_FUNCTION)
            return f->functions[p->row].roles & ROLE_BATCH;
        if (p->seldom || p->kind == PLACE_CLASS)
            return false;
    }
    return false;
}

bool source_in_role(const struct source_facts *f, int32_t place, unsigned roles)
{
    if (f->is_trial || source_is_off(f, place))
        return false;
    for (; place >= 0 && !f->places[place].seldom; place = f->places[place].parent)
        if (f->places[place].kind == PLACE_FUNCTION)
            return f->functions[f->places[place].row].roles & roles;
    return false;
}

bool source_in_evaluation(const struct source_facts *f, int32_t place)
{
    bool loop = false;
    for (; place >= 0; place = f->places[place].parent) {
        const struct source_place *p = &f->places[place];
        if (source_loop_trains(p))
            return false;
        if (p->evaluates)
            return true;
        loop |= p->kind == PLACE_LOOP;
        if (p->kind == PLACE_FUNCTION)
            return loop && f->functions[p->row].evaluates;
    }
    return false;
}

int32_t source_loop_of(const struct source_facts *f, int32_t place)
{
    for (; place >= 0; place = f->places[place].parent) {
        if (f->places[place].kind == PLACE_LOOP)
            return place;
        if (f->places[place].kind == PLACE_FUNCTION)
            return -1;
    }
    return -1;
}

bool source_in_loop(const struct source_facts *f, int32_t place)
{
    return source_loop_of(f, place) >= 0;
}

bool source_in_epochs(const struct source_facts *f, int32_t place)
{
    for (; place >= 0; place = f->places[place].parent) {
        const struct source_place *p = &f->places[place];
        if (p->kind == PLACE_LOOP && p->first_step_at)
            return true;
        if (p->kind == PLACE_FUNCTION)
            return f->functions[p->row].roles & ROLE_EPOCH;
    }
    return false;
}

static bool is_around(const struct source_facts *f, int32_t outer, int32_t place)
{
    while (place > outer)
        place = f->places[place].parent;
    return place == outer;
}

/* A loop that holds a training as a whole: no turn of an outer one that counts epochs. */
static bool holds_training(const struct source_facts *f, int32_t place)
{
    const struct source_place *p = &f->places[place];
    return p->kind == PLACE_LOOP && p->first_step_at &&
           (p->counts_epochs || (p->counted && source_loop_of(f, p->parent) < 0));
}

/* Places are in the order of the text: from the byte back. */
int32_t source_epochs_before(const struct source_facts *f, int32_t place, uint32_t byte)
{
    enum { LOOKED_AT_MAX = 2000 };
    int32_t i = place, looked_at = 0;
    while (i + 1 < (int32_t)f->n_places && f->places[i + 1].begin <= byte)
        i++;
    for (; i > 0 && looked_at++ < LOOKED_AT_MAX; i--)
        if (f->places[i].end <= byte && holds_training(f, i) &&
            is_around(f, f->places[i].parent, place))
            return i;
    return -1;
}

int32_t source_mention(struct source_facts *f, int32_t place, unsigned mentions)
{
    for (; mentions && place >= 0; place = f->places[place].parent) {
        struct source_place *p = &f->places[place];
        if ((p->mentions & mentions) == mentions)
            return -1; /* then all around have them too */
        p->mentions |= mentions;
        if (p->kind == PLACE_FUNCTION)
            return p->row;
    }
    return -1;
}

bool source_in_test(const struct source_facts *f, int32_t place)
{
    for (; place >= 0; place = f->places[place].parent) {
        const struct source_place *p = &f->places[place];
        if ((p->kind == PLACE_FUNCTION &&
             !strncmp(f->functions[p->row].name, "test_", 5)) ||
            (p->kind == PLACE_CLASS && !strncmp(f->classes[p->row].name, "Test", 4)))
            return true;
    }
    return false;
}

bool source_without_grad(const struct source_facts *f, int32_t place)
{
    for (; place >= 0; place = f->places[place].parent) {
        const struct source_place *p = &f->places[place];
        if (p->no_grad)
            return true;
        if (p->kind == PLACE_FUNCTION)
            return f->functions[p->row].no_grad;
    }
    return false;
}
