/*
 * Follows calls. Reaching backward spreads from a function to the loops and functions
 * that call it; running in every step spreads from callers to what they call.
 */
#ifdef GAIT_TREE_SITTER
#include "source/source_project.h"

#include "base/mem.h"
#include "source/source_match.h"

#include <stdio.h>
#include <string.h>

struct target {
    int32_t unit, function;
    bool several; /* more than one has this name */
};

struct edge {                  /* a link that was resolved */
    int32_t unit, place, next; /* next: edge to the same function, -1: none */
    int32_t to;                /* number of the function */
    uint32_t byte;             /* of the call */
    bool for_loader;
};

struct linking {
    struct source_project *p;
    struct names keys;
    struct target *target; /* (keys) */
    size_t cap_target;
    struct edge *edges;
    size_t n_edges, cap_edges;
    int32_t *first_function; /* (units + 1): functions are numbered through all units */
    int32_t *unit_of;        /* (functions) */
    int32_t *first_edge_to;  /* (functions) */
    int32_t *queue;          /* (functions) */
    bool *queued;
    size_t n_queue;
    int64_t lookups; /* that the file at hand may still make in bases */
};

static struct source_function *function_at(struct linking *l, int32_t number)
{
    int32_t unit = l->unit_of[number];
    return &l->p->units[unit].file.facts.functions[number - l->first_function[unit]];
}

static struct source_facts *facts_of(struct linking *l, int32_t unit)
{
    return &l->p->units[unit].file.facts;
}

enum { KEY_MAX = 400 };

static void add_key(struct linking *l, const char *key, int32_t unit, int32_t function)
{
    size_t known = l->keys.n;
    name_id id = names_add_z(&l->keys, key);
    vec_grow(l->target, l->cap_target, l->keys.n);
    if (l->keys.n > known)
        l->target[id] = (struct target){unit, function, false};
    else
        l->target[id].several = true;
}

static int32_t find_key(const struct linking *l, const char *key, bool only)
{
    int64_t id = names_find_z(&l->keys, key);
    if (id <= 0 || (only && l->target[id].several))
        return -1;
    return l->first_function[l->target[id].unit] + l->target[id].function;
}

/* "3:train", "3:Trainer.fit" and, for methods whose receiver is unknown, "*.fit". */
static void number_functions(struct linking *l)
{
    char key[KEY_MAX];
    int32_t n = 0;
    for (size_t u = 0; u < l->p->n; u++) {
        const struct source_facts *f = facts_of(l, (int32_t)u);
        l->first_function[u] = n;
        n += (int32_t)f->n_functions;
        for (size_t i = 0; i < f->n_functions; i++) {
            const struct source_function *fn = &f->functions[i];
            if (!*fn->name)
                continue;
            if (fn->owner < 0) {
                snprintf(key, sizeof key, "%zu:%s", u, fn->name);
            } else {
                snprintf(key, sizeof key, "*.%s", fn->name);
                add_key(l, key, (int32_t)u, (int32_t)i);
                snprintf(key, sizeof key, "%zu:%s.%s", u, f->classes[fn->owner].name,
                         fn->name);
            }
            add_key(l, key, (int32_t)u, (int32_t)i);
        }
    }
    l->first_function[l->p->n] = n;
}

static int32_t find_in(const struct linking *l, int32_t unit, const char *owner,
                       const char *name)
{
    char key[KEY_MAX];
    if (*owner)
        snprintf(key, sizeof key, "%d:%s.%s", (int)unit, owner, name);
    else
        snprintf(key, sizeof key, "%d:%s", (int)unit, name);
    return find_key(l, key, false);
}

/* NAME of "pkg.mod" or of class "pkg.mod.Class", as a unit imports them. */
static int32_t find_imported(struct linking *l, int32_t unit, const char *from,
                             const char *name)
{
    int32_t module = source_module_find(l->p, unit, from, false);
    if (module >= 0)
        return find_in(l, module, "", name);
    const char *last = strrchr(from, '.');
    if (!last || last == from)
        return -1;
    char *folder = mem_strndup(from, (size_t)(last - from));
    module = source_module_find(l->p, unit, folder, false);
    mem_free(folder);
    return module < 0 ? -1 : find_in(l, module, last + 1, name);
}

/* Many classes may have one name, and each many bases: what people write stays far below
 * LOOKUPS_MAX. */
enum { LOOKUPS_MAX = 20 * 1000 * 1000, LOOKUPS_OF_BASE = 500, BASES_DEPTH_MAX = 4 };

static int32_t find_method(struct linking *l, int32_t unit, int32_t owner,
                           const char *name, int depth);

static int32_t find_in_base(struct linking *l, int32_t unit, int32_t owner,
                            const char *base, const char *name, int depth)
{
    const struct source_facts *f = facts_of(l, unit);
    int32_t found = -1;
    for (size_t k = 0; k < f->n_classes && found < 0 && l->lookups-- > 0; k++) {
        if (strcmp(f->classes[k].name, base) != 0 || (int32_t)k == owner)
            continue;
        l->lookups -= LOOKUPS_OF_BASE;
        found = find_method(l, unit, (int32_t)k, name, depth);
    }
    if (found >= 0 || l->lookups <= 0)
        return found;
    l->lookups -= LOOKUPS_OF_BASE;
    return find_imported(l, unit, base, name);
}

static int32_t find_method(struct linking *l, int32_t unit, int32_t owner,
                           const char *name, int depth)
{
    const struct source_class *c = &facts_of(l, unit)->classes[owner];
    int32_t found = find_in(l, unit, c->name, name);
    for (int32_t i = 0; i < c->n_bases && found < 0 && depth < BASES_DEPTH_MAX; i++)
        found = find_in_base(l, unit, owner, c->bases[i], name, depth + 1);
    return found;
}

/* Names that many classes have: alone they do not tell which. */
static bool is_common(const char *name)
{
    static const char *const list[] = {
        "zero_grad", "update", "append", "get",      "add",    "forward", "reset",
        "close",     "write",  "items",  "__init__", "keys",   "values",  "load",
        "save",      "run",    "log",    "print",    "format", "mean",    "sum"};
    for (size_t i = 0; i < sizeof list / sizeof *list; i++)
        if (!strcmp(name, list[i]))
            return true;
    return false;
}

static int32_t resolve(struct linking *l, int32_t unit, const struct source_link *link)
{
    const struct source_facts *f = facts_of(l, unit);
    if (!*link->from)
        return find_in(l, unit, "", link->name);
    if (!strcmp(link->from, "self")) {
        int32_t owner = source_class_of(f, link->place);
        return owner < 0 ? -1 : find_method(l, unit, owner, link->name, 0);
    }
    int32_t found = find_in(l, unit, link->from, link->name);
    if (found < 0)
        found = find_imported(l, unit, link->from, link->name);
    if (found >= 0 || is_common(link->name))
        return found;
    char key[KEY_MAX];
    snprintf(key, sizeof key, "*.%s", link->name);
    return find_key(l, key, true);
}

static void resolve_all(struct linking *l)
{
    for (size_t u = 0; u < l->p->n; u++) {
        const struct source_facts *f = facts_of(l, (int32_t)u);
        l->lookups = LOOKUPS_MAX;
        for (size_t i = 0; i < f->n_links; i++) {
            int32_t to = resolve(l, (int32_t)u, &f->links[i]);
            if (to < 0)
                continue;
            vec_grow(l->edges, l->cap_edges, l->n_edges + 1);
            l->edges[l->n_edges] =
                (struct edge){(int32_t)u, f->links[i].place, l->first_edge_to[to],
                              to,         f->links[i].byte,  f->links[i].for_loader};
            l->first_edge_to[to] = (int32_t)l->n_edges++;
            function_at(l, to)->called = true;
        }
    }
}

static void enqueue(struct linking *l, int32_t function)
{
    if (!l->queued[function])
        l->queue[l->n_queue++] = function;
    l->queued[function] = true;
}

static int32_t dequeue(struct linking *l)
{
    int32_t function = l->queue[--l->n_queue];
    l->queued[function] = false;
    return function;
}

/* A function takes a step, or a part of one, where its own place does. */
static void note_reach(struct linking *l, int32_t number)
{
    struct source_function *fn = function_at(l, number);
    const struct source_place *p = &facts_of(l, l->unit_of[number])->places[fn->place];
    if ((p->backward && !fn->backward) || (p->step && !fn->step)) {
        fn->backward |= p->backward;
        fn->step |= p->step;
        enqueue(l, number);
    }
}

static void spread_reach(struct linking *l, int32_t functions)
{
    for (int32_t i = 0; i < functions; i++)
        note_reach(l, i);
    while (l->n_queue) {
        int32_t number = dequeue(l);
        const struct source_function *fn = function_at(l, number);
        for (int32_t e = l->first_edge_to[number]; e >= 0; e = l->edges[e].next) {
            struct source_facts *f = facts_of(l, l->edges[e].unit);
            struct source_place *turn = source_turn_of(f, l->edges[e].place);
            if (source_in_test(f, l->edges[e].place))
                continue;
            turn->backward |= fn->backward;
            turn->step |= fn->step;
            if (turn->kind == PLACE_FUNCTION)
                note_reach(l, l->first_function[l->edges[e].unit] + turn->row);
        }
    }
}

/* All places around `place`, up to its function, hold what trains at a byte. Returns the
 * function if it is new there, -1: none. */
static int32_t mark_training(struct source_facts *f, int32_t place, uint32_t byte)
{
    for (; place >= 0; place = f->places[place].parent) {
        struct source_place *p = &f->places[place];
        bool known = p->first_step_at != 0;
        if (!known || byte < p->first_step_at)
            p->first_step_at = byte;
        if (p->kind == PLACE_FUNCTION)
            return known ? -1 : p->row;
    }
    return -1;
}

static void mark_training_of(struct linking *l, int32_t unit, int32_t place,
                             uint32_t byte)
{
    int32_t row = mark_training(facts_of(l, unit), place, byte);
    if (row >= 0)
        enqueue(l, l->first_function[unit] + row);
}

/* Which loops and functions lead to training steps, however deep: an epoch's loop holds
 * the loop of its steps, or calls the function that does. */
static void spread_training(struct linking *l)
{
    for (size_t u = 0; u < l->p->n; u++) {
        const struct source_facts *f = facts_of(l, (int32_t)u);
        for (size_t i = 0; i < f->n_places; i++)
            if (f->places[i].backward ||
                (f->places[i].step && source_loop_trains(&f->places[i])))
                mark_training_of(l, (int32_t)u, (int32_t)i, f->places[i].begin + 1);
    }
    while (l->n_queue) {
        int32_t number = dequeue(l);
        for (int32_t e = l->first_edge_to[number]; e >= 0; e = l->edges[e].next)
            mark_training_of(l, l->edges[e].unit, l->edges[e].place,
                             l->edges[e].byte + 1);
    }
}

/* What a function speaks of, its callers do too. */
static void spread_mentions(struct linking *l, int32_t functions)
{
    for (int32_t i = 0; i < functions; i++)
        enqueue(l, i);
    while (l->n_queue) {
        int32_t number = dequeue(l);
        const struct source_function *fn = function_at(l, number);
        unsigned mentions = facts_of(l, l->unit_of[number])->places[fn->place].mentions;
        for (int32_t e = l->first_edge_to[number]; e >= 0; e = l->edges[e].next) {
            int32_t unit = l->edges[e].unit;
            int32_t row = source_mention(facts_of(l, unit), l->edges[e].place, mentions);
            if (row >= 0)
                enqueue(l, l->first_function[unit] + row);
        }
    }
}

/* A function that takes a step and that nobody is seen to call is called by a framework,
 * once a step. */
static void start_roles(struct linking *l, int32_t functions)
{
    for (int32_t i = 0; i < functions; i++) {
        struct source_function *fn = function_at(l, i);
        const struct source_facts *f = facts_of(l, l->unit_of[i]);
        if (fn->backward && fn->step && !fn->called && !(fn->roles & ROLE_SETUP))
            fn->roles |= ROLE_STEP | ROLE_BATCH;
        bool plain_forward = fn->owner >= 0 && !f->classes[fn->owner].is_module;
        if (plain_forward && f->classes[fn->owner].n_bases == 0)
            fn->roles &= ~(unsigned)ROLE_FORWARD;
    }
}

/* What a call at this place passes on to the function it leads to. */
static unsigned roles_at(const struct source_facts *f, const struct edge *e)
{
    unsigned roles = e->for_loader ? ROLE_LOADER : 0;
    if (source_in_step(f, e->place, false))
        roles |= ROLE_STEP;
    if (source_in_batch_step(f, e->place))
        roles |= ROLE_BATCH;
    if (source_in_epochs(f, e->place))
        roles |= ROLE_EPOCH;
    static const unsigned each[] = {ROLE_FORWARD, ROLE_LOADER};
    for (size_t i = 0; i < 2; i++)
        if (source_in_role(f, e->place, each[i]))
            roles |= each[i];
    return roles;
}

static void spread_roles(struct linking *l)
{
    enum { ROUNDS_MAX = 12 };
    bool changed = true;
    for (int round = 0; changed && round < ROUNDS_MAX; round++) {
        changed = false;
        for (size_t i = 0; i < l->n_edges; i++) {
            const struct edge *e = &l->edges[i];
            struct source_function *fn = function_at(l, e->to);
            unsigned roles = roles_at(facts_of(l, e->unit), e) & ~fn->roles;
            if (fn->evaluates)
                roles &= ROLE_EPOCH;
            if (!roles || fn->roles & ROLE_SETUP)
                continue;
            fn->roles |= roles;
            changed = true;
        }
    }
}

static bool only_called_without_grad(struct linking *l, int32_t number)
{
    int32_t e = l->first_edge_to[number];
    bool all = e >= 0;
    for (; e >= 0 && all; e = l->edges[e].next)
        all = source_without_grad(facts_of(l, l->edges[e].unit), l->edges[e].place);
    return all;
}

static void spread_no_grad(struct linking *l, int32_t functions)
{
    enum { ROUNDS_MAX = 6 };
    bool changed = true;
    for (int round = 0; changed && round < ROUNDS_MAX; round++) {
        changed = false;
        for (int32_t i = 0; i < functions; i++) {
            struct source_function *fn = function_at(l, i);
            if (fn->no_grad || !only_called_without_grad(l, i))
                continue;
            fn->no_grad = changed = true;
        }
    }
}

/* Functions that are called from branches alone that the program's defaults do not take,
 * and from functions that are. */
static void spread_off(struct linking *l, int32_t functions)
{
    enum { ROUNDS_MAX = 6 };
    bool changed = true;
    for (int round = 0; changed && round < ROUNDS_MAX; round++) {
        changed = false;
        for (int32_t i = 0; i < functions; i++) {
            bool all = l->first_edge_to[i] >= 0 && !function_at(l, i)->off;
            for (int32_t e = l->first_edge_to[i]; e >= 0 && all; e = l->edges[e].next)
                all = source_is_off(facts_of(l, l->edges[e].unit), l->edges[e].place);
            if (all)
                function_at(l, i)->off = changed = true;
        }
    }
}

/* NAME of class "pkg.Class" that pkg's __init__ imports from one of its modules. */
static int32_t find_reexported(struct linking *l, int32_t unit, const char *from,
                               const char *name)
{
    enum { MODULES_MAX = 200 };
    const char *class = strrchr(from, '.');
    if (!class || class == from)
        return -1;
    char *folder = mem_strndup(from, (size_t)(class - from));
    int32_t package = source_module_find(l->p, unit, folder, false), found = -1;
    mem_free(folder);
    const struct source_facts *f = package < 0 ? NULL : facts_of(l, package);
    for (size_t i = 0; f && i < f->n_modules && i < MODULES_MAX && found < 0; i++) {
        const char *last = strrchr(f->modules[i], '.');
        if (last && !strcmp(last, class))
            found = find_imported(l, package, f->modules[i], name);
    }
    return found;
}

/* What runs where an instance of a class is called: a __call__ of its own, which shadows
 * that of a module, or forward. */
static int32_t resolve_called(struct linking *l, int32_t unit,
                              const struct source_wait_call *c)
{
    struct source_link link = {.name = c->name, .from = c->from, .place = c->place};
    int32_t found = -1;
    if (!strcmp(c->name, "forward")) {
        found = find_in(l, unit, c->from, "__call__");
        if (found < 0)
            found = find_imported(l, unit, c->from, "__call__");
    }
    found = found >= 0 ? found : resolve(l, unit, &link);
    return found >= 0 ? found : find_reexported(l, unit, c->from, c->name);
}

/* From what a call leads to, to the function around it. True where that is new. */
static bool spread_wait(struct linking *l, int32_t unit, struct source_wait_call *c)
{
    struct source_facts *f = facts_of(l, unit);
    int32_t to = resolve_called(l, unit, c), row = source_function_of(f, c->place);
    if (to < 0)
        return false;
    const struct source_function *called = function_at(l, to);
    c->waits_last = called->waits_last;
    c->waits_often = called->waits_often;
    if (row < 0)
        return false;
    struct source_function *fn = &f->functions[row];
    bool last = c->last && called->waits_last;
    bool often = called->waits_often || (c->in_loop && called->waits_last);
    bool news = (last && !fn->waits_last) || (often && !fn->waits_often);
    fn->waits_last |= last;
    fn->waits_often |= often;
    return news;
}

/* Functions that wait for the device, and those that call them last, or in a loop. */
static void spread_waits(struct linking *l)
{
    enum { ROUNDS_MAX = 4 };
    bool changed = true;
    for (int round = 0; changed && round < ROUNDS_MAX; round++) {
        changed = false;
        for (size_t u = 0; u < l->p->n; u++) {
            struct source_facts *f = facts_of(l, (int32_t)u);
            l->lookups = LOOKUPS_MAX;
            for (size_t i = 0; i < f->n_wait_calls; i++)
                changed |= spread_wait(l, (int32_t)u, &f->wait_calls[i]);
        }
    }
}

static bool add_words(uint64_t to[SOURCE_WORD_SETS],
                      const uint64_t from[SOURCE_WORD_SETS])
{
    bool more = false;
    for (int i = 0; i < SOURCE_WORD_SETS; i++) {
        more |= (from[i] & ~to[i]) != 0;
        to[i] |= from[i];
    }
    return more;
}

/* A program's words: of a file, of all it imports, and of those that import it with all
 * that they import. */
static void spread_words(struct source_project *p)
{
    bool changed = true;
    uint64_t(*below)[SOURCE_WORD_SETS] = mem_zalloc(p->n + 1, sizeof *below);
    for (size_t u = 0; u < p->n; u++)
        memcpy(below[u], p->units[u].file.facts.words, sizeof *below);
    while (changed) {
        changed = false;
        for (size_t u = p->n; u-- > 0;)
            for (int32_t i = 0; i < p->units[u].n_imports; i++)
                changed |= add_words(below[u], below[p->units[u].imports[i]]);
    }
    for (size_t u = 0; u < p->n; u++)
        memcpy(p->units[u].program_words, below[u], sizeof *below);
    for (changed = true; changed;) {
        changed = false;
        for (size_t u = 0; u < p->n; u++)
            for (int32_t i = 0; i < p->units[u].n_imports; i++)
                changed |= add_words(p->units[p->units[u].imports[i]].program_words,
                                     p->units[u].program_words);
    }
    mem_free(below);
}

static bool has_training(const struct source_facts *f)
{
    for (size_t i = 0; i < f->n_places; i++)
        if (f->places[i].backward && f->places[i].step)
            return true;
    return false;
}

/* Some freeze batch norm so, on purpose. */
static bool trains_in_eval(const struct source_facts *f)
{
    for (size_t i = 0; i < f->n_places; i++)
        if (f->places[i].starts_in_eval && f->places[i].first_step_at)
            return true;
    return false;
}

/* What files do, as words that rules may ask the program for. */
static void facts_to_words(struct source_project *p)
{
    for (size_t u = 0; u < p->n; u++) {
        struct source_facts *f = &p->units[u].file.facts;
        const struct {
            const char *word;
            bool holds;
        } facts[] = {
            {"<trains>", has_training(f)},
            {"<trains in eval mode>", trains_in_eval(f)},
            {"<calls train()>", f->calls_train},
            {"<calls eval()>", f->calls_eval},
            {"<differentiates>", f->differentiates},
            {"<own optimizer>", f->own_optimizer},
            {"<own scheduler>", f->own_scheduler},
            {"<batch size configured>", f->batch_configured},
            {"<device>", f->uses_device},
            {"<loads to device>", f->loads_to_device},
            {"<compiles>", f->compiles},
            {"<joins batches>", f->joins_batches},
            {"<moves batches>", f->moves_batches},
            {"<old torch>", f->old_torch},
            {"<torch 0>", f->torch_0},
            {"<recent torch>", f->recent_torch},
            {"<unread imports>", f->is_open},
        };
        for (size_t i = 0; i < sizeof facts / sizeof *facts; i++)
            if (facts[i].holds)
                source_fact_note(p->query, facts[i].word, f->words);
    }
}

static void linking_init(struct linking *l, struct source_project *p)
{
    size_t functions = 1;
    for (size_t u = 0; u < p->n; u++)
        functions += p->units[u].file.facts.n_functions;
    *l = (struct linking){.p = p};
    names_init(&l->keys);
    vec_grow(l->target, l->cap_target, 1);
    l->first_function = mem_zalloc(p->n + 1, sizeof *l->first_function);
    l->unit_of = mem_zalloc(functions, sizeof *l->unit_of);
    l->first_edge_to = mem_alloc(functions * sizeof *l->first_edge_to);
    l->queue = mem_zalloc(functions, sizeof *l->queue);
    l->queued = mem_zalloc(functions, sizeof *l->queued);
    memset(l->first_edge_to, 0xff, functions * sizeof *l->first_edge_to);
    int32_t n = 0;
    for (size_t u = 0; u < p->n; u++)
        for (size_t i = 0; i < p->units[u].file.facts.n_functions; i++)
            l->unit_of[n++] = (int32_t)u;
}

static void linking_release(struct linking *l)
{
    names_release(&l->keys);
    mem_free(l->target);
    mem_free(l->edges);
    mem_free(l->first_function);
    mem_free(l->unit_of);
    mem_free(l->first_edge_to);
    mem_free(l->queue);
    mem_free(l->queued);
}

void source_link(struct source_project *p)
{
    struct linking l;
    linking_init(&l, p);
    number_functions(&l);
    int32_t functions = l.first_function[p->n];
    resolve_all(&l);
    source_choices_decide(p);
    spread_off(&l, functions);
    spread_reach(&l, functions);
    spread_training(&l);
    spread_mentions(&l, functions);
    start_roles(&l, functions);
    spread_roles(&l);
    spread_no_grad(&l, functions);
    spread_waits(&l);
    facts_to_words(p);
    spread_words(p);
    linking_release(&l);
}
#endif
