/*
 * Which waits and which calls lie in one stretch of a turn, between two pieces of work:
 * asked by rules for a read, and told to those who call a function that waits.
 */
#ifdef GAIT_TREE_SITTER
#include "base/mem.h"
#include "source/condition_list.h"
#include "source/source_waits.h"

#include <string.h>

static size_t first_behind(const struct wait_events *w, uint32_t byte)
{
    size_t low = 0, high = w->n;
    while (low < high) {
        size_t mid = low + (high - low) / 2;
        if (w->event[mid].at <= byte)
            low = mid + 1;
        else
            high = mid;
    }
    return low;
}

/* In a branch that is off, which does not hold `place` as well? */
static bool is_passed_by(const struct source_facts *f, int32_t event, int32_t place)
{
    for (; event > 0 && f->places[event].kind != PLACE_FUNCTION;
         event = f->places[event].parent) {
        if (!f->places[event].off)
            continue;
        while (place > event)
            place = f->places[place].parent;
        if (place != event)
            return true;
    }
    return false;
}

/* The last work of the function around a place in begin..end; 0: none. */
static uint32_t last_work(const struct source_syntax *s, const struct wait_events *w,
                          int32_t place, uint32_t begin, uint32_t end)
{
    int32_t function = source_function_of(s->facts, place);
    for (size_t i = first_behind(w, end); i-- > 0 && w->event[i].at > begin;)
        if (w->event[i].is_work &&
            source_function_of(s->facts, w->event[i].place) == function &&
            !is_passed_by(s->facts, w->event[i].place, place))
            return w->event[i].at;
    return 0;
}

/* The loop or function that a place is a turn of. Loops without long work of their own
 * are part of the turn around. */
static int32_t turn_of(const struct source_syntax *s, const struct wait_events *w,
                       int32_t place)
{
    const struct source_facts *f = s->facts;
    int32_t from = place;
    for (; place > 0; place = f->places[place].parent) {
        const struct source_place *p = &f->places[place];
        if (p->kind == PLACE_FUNCTION ||
            (p->kind == PLACE_LOOP && last_work(s, w, from, p->begin, p->end)))
            return place;
    }
    return 0;
}

/* Does a function call nothing of its object before a byte? What a class inherits may be
 * its model. */
static bool begins_without_calls(const struct source_syntax *s,
                                 const struct source_place *p, uint32_t at)
{
    enum { CALLS_MAX = 40 }; /* before them */
    size_t low = 0, high = s->n_calls;
    while (low < high) {
        size_t mid = low + (high - low) / 2;
        if (ts_node_start_byte(s->calls[mid]) < p->begin)
            low = mid + 1;
        else
            high = mid;
    }
    for (size_t i = low; i < s->n_calls && ts_node_start_byte(s->calls[i]) < at; i++) {
        TSNode callee = python_field(s->calls[i], FIELD_function);
        TSNode object = python_field(callee, FIELD_object);
        if (i - low > CALLS_MAX || slice_is(python_slice(s->text, object), "self"))
            return false;
    }
    return true;
}

/* Does one turn follow the other, with no work of others between: those of a loop, the
 * calls of what takes a step by itself? */
static bool turns_follow(const struct source_syntax *s, const struct source_place *p,
                         uint32_t at)
{
    return p->kind == PLACE_LOOP || (p->kind == PLACE_FUNCTION && p->backward &&
                                     p->step && begins_without_calls(s, p, at));
}

static struct wait_stretch stretch_at(const struct source_syntax *s,
                                      const struct wait_events *w, int32_t place,
                                      uint32_t at)
{
    int32_t turn = turn_of(s, w, place);
    const struct source_place *p = &s->facts->places[turn];
    uint32_t end = p->end < s->len ? p->end : (uint32_t)s->len;
    uint32_t before = last_work(s, w, place, p->begin, at);
    struct wait_stretch r = {.turn = turn, .after = before};
    if (!before && turns_follow(s, p, at)) {
        r.after = last_work(s, w, place, p->begin, end);
        r.wrapped = true;
    }
    r.after = r.after ? r.after : p->begin;
    return r;
}

struct wait_stretch wait_stretch_of(const struct source_syntax *s, int32_t place,
                                    uint32_t at)
{
    return stretch_at(s, wait_events_of(s), place, at);
}

/* Does what is at `waits` run in every turn in which `place` does, unless somebody chooses
 * otherwise? */
static bool runs_with(const struct source_facts *f, int32_t place, int32_t waits,
                      int32_t turn)
{
    for (; waits > turn; waits = f->places[waits].parent) {
        int32_t around = place;
        while (around > waits)
            around = f->places[around].parent;
        if (around != waits && f->places[waits].kind == PLACE_BRANCH &&
            !f->places[waits].on)
            return false;
    }
    return true;
}

/* Has a loop more turns than a model has parts? */
static bool has_many_turns(const struct source_place *p)
{
    return p->kind == PLACE_LOOP && !p->over_parts;
}

/* A wait in each turn of a loop within: the device is never far behind. */
static bool waits_often(const struct source_facts *f, int32_t waits, int32_t turn)
{
    for (; waits > turn; waits = f->places[waits].parent)
        if (has_many_turns(&f->places[waits]))
            return true;
    return false;
}

void wait_stretches_find(const struct source_syntax *s, struct wait_events *w)
{
    for (size_t i = 0; i < w->n; i++) {
        int32_t function = source_function_of(s->facts, w->event[i].place);
        if (w->event[i].is_work && function >= 0)
            w->function[function].last_work = w->event[i].at;
    }
    for (size_t i = 0; i < w->n && !work_limit_is_over(s->limit); i++)
        if (!w->event[i].is_work)
            w->event[i].stretch = stretch_at(s, w, w->event[i].place, w->event[i].at);
}

bool wait_lies_beside(const struct source_syntax *s, TSNode n)
{
    const struct wait_events *w = wait_events_of(s);
    int32_t place = source_place_at(s->facts, ts_node_start_byte(n));
    struct wait_stretch here = stretch_at(s, w, place, python_end(n));
    const struct source_place *turn = &s->facts->places[here.turn];
    uint32_t end = turn->end < s->len ? turn->end : (uint32_t)s->len;
    for (size_t i = first_behind(w, turn->begin); i < w->n && w->event[i].at <= end;
         i++) {
        const struct wait_event *e = &w->event[i];
        bool itself = e->at > ts_node_start_byte(n) && e->at <= python_end(n);
        bool beside = !e->is_work && !itself && e->stretch.turn == here.turn &&
                      (e->stretch.after == here.after ||
                       waits_often(s->facts, e->place, here.turn));
        if (beside && runs_with(s->facts, place, e->place, here.turn))
            return true;
    }
    return false;
}

/* --- functions that wait, for those who call them --- */

/* Between a place and its function: is there a loop of many turns? A branch that is seldom
 * taken? */
static bool in_own_loop(const struct source_facts *f, int32_t place)
{
    for (; place > 0 && f->places[place].kind != PLACE_FUNCTION;
         place = f->places[place].parent)
        if (has_many_turns(&f->places[place]))
            return true;
    return false;
}

static bool always_runs(const struct source_facts *f, int32_t place)
{
    for (; place > 0 && f->places[place].kind != PLACE_FUNCTION;
         place = f->places[place].parent)
        if (f->places[place].kind == PLACE_BRANCH && !f->places[place].on)
            return false;
    return true;
}

static bool is_often_passed(const struct source_facts *f, int32_t place)
{
    for (; place > 0 && f->places[place].kind != PLACE_FUNCTION;
         place = f->places[place].parent)
        if (f->places[place].seldom)
            return false;
    return true;
}

static void note_waiting_functions(struct source_syntax *s, const struct wait_events *w)
{
    struct source_facts *f = s->facts;
    for (size_t i = 0; i < w->n && !work_limit_is_over(s->limit); i++) {
        const struct wait_event *e = &w->event[i];
        int32_t function = source_function_of(f, e->place);
        if (e->is_work || function < 0)
            continue;
        struct source_function *fn = &f->functions[function];
        bool last = w->function[function].last_work <= e->at;
        fn->waits_last |= last && always_runs(f, e->place);
        fn->waits_often |= in_own_loop(f, e->place) && is_often_passed(f, e->place);
    }
}

/* Net(x).to(device) of model = Net(x).to(device): the class, as the imports name it. */
static const char *class_called(struct source_syntax *s, TSNode callee)
{
    uint32_t byte = ts_node_start_byte(callee);
    int32_t place = source_place_at(s->facts, byte);
    const struct binding *b =
        python_node(callee) == PY_identifier
            ? binding_of(s, python_slice(s->text, callee), place, byte)
        : slice_is(python_slice(s->text, python_field(callee, FIELD_object)), "self")
            ? binding_of_self(s, python_last_name(s->text, callee), place, byte)
            : NULL;
    TSNode made = b ? python_field(b->value, FIELD_function) : (TSNode){0};
    for (int i = 0; i < 4 && python_node(made) == PY_attribute &&
                    python_node(python_field(made, FIELD_object)) == PY_call;
         i++)
        made = python_field(python_field(made, FIELD_object), FIELD_function);
    char full[FULL_NAME_MAX];
    full_name(s, made, full, sizeof full);
    return *full && strncmp(full, "torch.", 6) != 0 ? arena_strdup(&s->facts->text, full)
                                                    : NULL;
}

static void add_wait_call(struct source_syntax *s, const struct wait_events *w,
                          TSNode call, const char *name, const char *from)
{
    struct source_facts *f = s->facts;
    int32_t place = source_place_at(f, ts_node_start_byte(call));
    int32_t function = source_function_of(f, place);
    uint32_t at = python_end(call);
    struct wait_stretch here = stretch_at(s, w, place, at);
    vec_grow(f->wait_calls, f->cap_wait_calls, f->n_wait_calls + 1);
    f->wait_calls[f->n_wait_calls++] = (struct source_wait_call){
        .name = name,
        .from = from,
        .place = place,
        .turn = here.turn,
        .after = here.after,
        .last = function >= 0 && w->function[function].last_work <= at &&
                always_runs(f, place),
        .in_loop = in_own_loop(f, place),
    };
}

/* compute(self.criterion, out, y): who gets a callable with tensors applies it to them. */
static void note_handed_on(struct source_syntax *s, const struct wait_events *w,
                           TSNode call)
{
    enum { ARGUMENTS_MAX = 8 };
    TSNode arguments = python_field(call, FIELD_arguments);
    uint32_t n = python_children(arguments);
    bool tensors = false;
    for (uint32_t i = 0; i < n && i < ARGUMENTS_MAX && n > 1; i++)
        tensors |= value_kind(s, python_child(arguments, i)) == KIND_TENSOR;
    for (uint32_t i = 0; i < n && i < ARGUMENTS_MAX && tensors; i++) {
        TSNode a = python_child(arguments, i);
        bool named = python_node(a) == PY_identifier || python_node(a) == PY_attribute;
        const char *class = named ? class_called(s, a) : NULL;
        if (class)
            add_wait_call(s, w, call, "forward", class);
    }
}

/* The link that a call is, found by the byte where both begin. */
static const struct source_link *link_of(const struct source_facts *f, TSNode call,
                                         struct slice name)
{
    uint32_t byte = ts_node_start_byte(call);
    size_t low = 0, high = f->n_links;
    while (low < high) {
        size_t mid = low + (high - low) / 2;
        if (f->links[mid].byte < byte)
            low = mid + 1;
        else
            high = mid;
    }
    for (; low < f->n_links && f->links[low].byte == byte; low++)
        if (slice_is(name, f->links[low].name))
            return &f->links[low];
    return NULL;
}

/* What has no tensors waits for none. */
static bool may_wait(const struct source_syntax *s)
{
    return memmem(s->text, s->len, "torch", 5) != NULL;
}

static bool has_waiting_hits(const struct source_syntax *s)
{
    for (size_t i = 0; i < s->file->n_hits; i++)
        if (s->file->hits[i].wait_turn)
            return true;
    return false;
}

bool wait_calls_note(struct source_syntax *s)
{
    if (!has_waiting_hits(s) && !may_wait(s))
        return true;
    const struct wait_events *w = wait_events_of(s);
    note_waiting_functions(s, w);
    for (size_t i = 0; i < s->n_calls && !work_limit_is_over(s->limit); i++) {
        TSNode callee = python_field(s->calls[i], FIELD_function);
        const struct source_link *l =
            link_of(s->facts, s->calls[i], python_last_name(s->text, callee));
        const char *class = class_called(s, callee);
        if (class)
            add_wait_call(s, w, s->calls[i], "forward", class);
        else if (l)
            add_wait_call(s, w, s->calls[i], l->name, l->from);
        note_handed_on(s, w, s->calls[i]);
    }
    return !s->limit->over;
}

/* (#beside-wait? @hit): in the same turn, with no pass of a model between the two, the
 * host waits in any case. */
bool condition_beside_wait(const struct match *m, const struct predicate *p)
{
    return wait_lies_beside(m->syntax, match_node(m, &p->arguments[0]));
}
#endif
