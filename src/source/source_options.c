#ifdef GAIT_TREE_SITTER
#include "source/source_options.h"

#include "base/mem.h"
#include "source/source_project.h"

#include <string.h>

enum { DEPTH_MAX = 10, NAME_MAX_BYTES = 80 };

/* What objects with options are called. */
static const char option_objects[] =
    "args arg opt opts option options cfg config configs conf hparams hp hps params "
    "flags settings namespace hyp";

/* --- what a file declares --- */

static void add_option(struct source_syntax *s, struct slice name, struct default_value v)
{
    struct source_facts *f = s->facts;
    if (!name.len || name.len >= NAME_MAX_BYTES)
        return;
    vec_grow(f->options, f->cap_options, f->n_options + 1);
    f->options[f->n_options++] = (struct source_option){
        .name = arena_strndup(&f->text, name.s, name.len),
        .known = (int)v.known,
        .number = v.number,
        .text = arena_strndup(&f->text, v.text.s ? v.text.s : "", v.text.len),
    };
}

/* "--model.aux-loss" is args.model.aux_loss: its last part, as Python writes it. */
static struct slice python_name(struct source_syntax *s, struct slice option)
{
    while (option.len && (*option.s == '-' || *option.s == '"' || *option.s == '\''))
        option.s++, option.len--;
    while (option.len &&
           (option.s[option.len - 1] == '"' || option.s[option.len - 1] == '\''))
        option.len--;
    const char *dot = memrchr(option.s, '.', option.len);
    if (dot)
        option = (struct slice){dot + 1, option.len - (size_t)(dot + 1 - option.s)};
    char *name = arena_strndup(&s->facts->text, option.s, option.len);
    for (char *c = name; *c; c++)
        *c = *c == '-' ? '_' : *c;
    return (struct slice){name, option.len};
}

/* add_argument("-c", "--clip", dest="max_norm", default=0) */
static void note_argument(struct source_syntax *s, TSNode call)
{
    TSNode arguments = python_field(call, FIELD_arguments);
    TSNode dest = argument_named(s, arguments, "dest");
    struct slice name = python_slice(s->text, dest);
    for (uint32_t i = 0; i < 4 && ts_node_is_null(dest); i++) {
        struct slice word = python_slice(s->text, argument_at(arguments, i));
        if (word.len > 4 && word.s[1] == '-' && word.s[2] == '-')
            name = word;
    }
    add_option(s, python_name(s, name), default_of_option_call(s, call));
}

/* HParams(clip=-1), Namespace(clip=0): settings as the arguments of a call. */
static void note_settings_call(struct source_syntax *s, TSNode call)
{
    TSNode arguments = python_field(call, FIELD_arguments);
    for (uint32_t i = 0; i < python_children(arguments) && i < 300; i++) {
        TSNode a = python_child(arguments, i);
        if (python_node(a) == PY_keyword_argument)
            add_option(s, python_slice(s->text, python_field(a, FIELD_name)),
                       default_of_literal(s, python_field(a, FIELD_value)));
    }
}

/* 0.0, Field(0.0), field(default=0.0): what describes a field takes its default. */
static struct default_value default_of_field(const struct source_syntax *s, TSNode value)
{
    TSNode arguments = python_field(value, FIELD_arguments);
    if (python_node(value) != PY_call)
        return default_of_literal(s, value);
    TSNode given = argument_named(s, arguments, "default");
    bool alone = ts_node_is_null(given) && python_children(arguments) == 1;
    return default_of_literal(s, alone ? argument_at(arguments, 0) : given);
}

/* class Config: clip: float = 0.0 */
static void note_fields(struct source_syntax *s)
{
    const struct source_facts *f = s->facts;
    for (size_t i = 0; i < s->n_bindings; i++) {
        const struct binding *b = &s->bindings[i];
        TSNode statement = python_parent(b->value);
        if (f->places[b->place].kind == PLACE_CLASS && !ts_node_is_null(b->value) &&
            !ts_node_is_null(python_field(statement, FIELD_type)))
            add_option(s, b->name, default_of_field(s, b->value));
    }
}

void source_options_note(struct source_syntax *s)
{
    for (size_t i = 0; i < s->n_calls; i++) {
        struct slice name = python_called(s->text, s->calls[i]);
        if (slice_is(name, "add_argument") || slice_is(name, "option"))
            note_argument(s, s->calls[i]);
        else if (slice_is(name, "HParams") || slice_is(name, "Namespace") ||
                 slice_is(name, "SimpleNamespace") || slice_is(name, "ConfigDict"))
            note_settings_call(s, s->calls[i]);
    }
    note_fields(s);
}

/* args.x, self.cfg.model.x: the last name of what x is a field of speaks of options, or
 * that before it. */
static bool is_option(const struct source_syntax *s, TSNode n)
{
    TSNode object = python_field(n, FIELD_object);
    for (int i = 0; i < 3 && python_node(n) == PY_attribute; i++) {
        bool dotted = python_node(object) == PY_attribute;
        struct slice name = python_slice(
            s->text, dotted ? python_field(object, FIELD_attribute) : object);
        if (name.len && name.len < NAME_MAX_BYTES && name_has_word(name, option_objects))
            return true;
        n = object;
        object = python_field(n, FIELD_object);
    }
    return false;
}

/* args.x = f(args.x) keeps what was chosen. */
void source_option_assigned(struct source_syntax *s, TSNode target, TSNode value)
{
    enum { LOOKED_AT_MAX = 400 };
    struct slice text = python_slice(s->text, value), old = python_slice(s->text, target);
    text.len = text.len < LOOKED_AT_MAX ? text.len : LOOKED_AT_MAX;
    bool keeps = old.len && memmem(text.s, text.len, old.s, old.len);
    if (python_node(target) == PY_attribute && is_option(s, target) && !keeps)
        add_option(s, python_slice(s->text, python_field(target, FIELD_attribute)),
                   (struct default_value){.known = NOT_KNOWN});
}

/* What a name or self.x stands for, if it is set once. */
static TSNode meaning(const struct source_syntax *s, TSNode n)
{
    static const TSNode none = {0};
    uint32_t byte = ts_node_start_byte(n);
    int32_t place = source_place_at(s->facts, byte);
    const struct binding *b = NULL;
    if (python_node(n) == PY_identifier)
        b = binding_of(s, python_slice(s->text, n), place, byte);
    else if (slice_is(python_slice(s->text, python_field(n, FIELD_object)), "self"))
        b = binding_of_self(s, python_slice(s->text, python_field(n, FIELD_attribute)),
                            place, byte);
    return b && b->previous < 0 && !b->changed ? b->value : none;
}

const char *source_option_name(struct source_syntax *s, TSNode n)
{
    if (python_node(n) == PY_identifier)
        n = meaning(s, n);
    struct slice name = python_slice(s->text, python_field(n, FIELD_attribute));
    return python_node(n) == PY_attribute && is_option(s, n)
               ? arena_strndup(&s->facts->text, name.s, name.len)
               : NULL;
}

/* --- what a branch asks --- */

static void add_atom(struct source_syntax *s, struct source_choice *c, TSNode option,
                     const char *op, struct default_value to, bool negated)
{
    struct slice name = python_slice(s->text, python_field(option, FIELD_attribute));
    if (c->n == SOURCE_ATOMS_MAX || default_is_left_open(name))
        return; /* one that is not known is true: fewer are no harm */
    c->atom[c->n++] = (struct source_atom){
        .option = arena_strndup(&s->facts->text, name.s, name.len),
        .op = op,
        .known = (int)to.known,
        .number = to.number,
        .text = arena_strndup(&s->facts->text, to.text.s ? to.text.s : "", to.text.len),
        .negated = negated,
    };
}

/* The operator of a comparison of two as the text has it. */
static const char *operator_of(TSNode n)
{
    return ts_node_child_count(n) == 3 ? python_type(ts_node_child(n, 1)) : "";
}

static void take_atoms(struct source_syntax *s, struct source_choice *c, TSNode n,
                       bool negated, int depth)
{
    if (ts_node_is_null(n) || depth > DEPTH_MAX)
        return;
    switch (python_node(n)) {
    case PY_parenthesized_expression:
        take_atoms(s, c, python_child(n, 0), negated, depth + 1);
        break;
    case PY_not_operator:
        take_atoms(s, c, python_field(n, FIELD_argument), !negated, depth + 1);
        break;
    case PY_boolean_operator: {
        bool and =
            slice_is(python_slice(s->text, python_field(n, FIELD_operator)), "and");
        if (and == negated)
            break; /* one of two may do */
        take_atoms(s, c, python_field(n, FIELD_left), negated, depth + 1);
        take_atoms(s, c, python_field(n, FIELD_right), negated, depth + 1);
        break;
    }
    case PY_comparison_operator: {
        TSNode option = ts_node_child(n, 0);
        if (python_node(option) == PY_identifier || !is_option(s, option))
            option = meaning(s, option);
        struct default_value to = default_of_literal(s, ts_node_child(n, 2));
        if (python_node(option) == PY_attribute && is_option(s, option) &&
            to.known != NOT_KNOWN)
            add_atom(s, c, option, operator_of(n), to, negated);
        break;
    }
    case PY_attribute:
        if (is_option(s, n) && ts_node_is_null(meaning(s, n)))
            add_atom(s, c, n, "", (struct default_value){.known = NOT_KNOWN}, negated);
        else
            take_atoms(s, c, meaning(s, n), negated, depth + 1);
        break;
    case PY_identifier:
        take_atoms(s, c, meaning(s, n), negated, depth + 1);
        break;
    default:
        break;
    }
}

void source_choice_note(struct source_syntax *s, TSNode n, TSNode body, int32_t place)
{
    enum { TEXT_MAX = 400 };
    struct source_facts *f = s->facts;
    struct source_choice c = {.place = place};
    TSNode chain = python_node(n) == PY_if_statement ? n : python_parent(n);
    TSNode condition = python_field(n, FIELD_condition);
    if (python_node(chain) != PY_if_statement || default_holds_training(s, body))
        return;
    if (ts_node_is_null(condition)) { /* else: what leads to it is false */
        condition = python_field(chain, FIELD_condition);
        if (python_slice(s->text, condition).len < TEXT_MAX)
            take_atoms(s, &c, condition, true, 0);
    } else if (python_slice(s->text, condition).len < TEXT_MAX) {
        take_atoms(s, &c, condition, false, 0);
    }
    if (!c.n)
        return;
    vec_grow(f->choices, f->cap_choices, f->n_choices + 1);
    f->choices[f->n_choices++] = c;
}

/* --- once all files are read --- */

struct options {
    struct names names;
    struct source_option *value; /* (names): NOT_KNOWN where files differ */
    size_t cap;
};

static struct default_value value_of(const struct source_option *o)
{
    return (struct default_value){
        (enum known)o->known, o->number, {o->text, strlen(o->text)}};
}

static void collect(struct options *o, const struct source_facts *f)
{
    for (size_t i = 0; i < f->n_options; i++) {
        size_t known = o->names.n;
        name_id id = names_add_z(&o->names, f->options[i].name);
        vec_grow(o->value, o->cap, o->names.n);
        struct default_value new = value_of(&f->options[i]);
        if (o->names.n > known) {
            o->value[id] = f->options[i];
            continue;
        }
        struct default_value old = value_of(&o->value[id]);
        if (new.known == NOT_KNOWN || old.known == NOT_KNOWN || !default_same(&old, &new))
            o->value[id].known = NOT_KNOWN;
    }
}

static enum truth atom_holds(const struct options *o, const struct source_atom *a)
{
    int64_t id = names_find_z(&o->names, a->option);
    if (id <= 0)
        return MAYBE;
    struct default_value v = value_of(&o->value[id]);
    struct default_value to = {
        (enum known)a->known, a->number, {a->text, strlen(a->text)}};
    enum truth t = *a->op ? default_compared(&v, a->op, &to) : default_truth(&v);
    return t == MAYBE || !a->negated ? t : t == IS_TRUE ? IS_FALSE : IS_TRUE;
}

static bool is_off(const struct options *o, const struct source_choice *c)
{
    for (int32_t i = 0; i < c->n; i++)
        if (atom_holds(o, &c->atom[i]) == IS_FALSE)
            return true;
    return false;
}

/* .to(args.device), where nobody asks for another one than the host. */
static bool stays_on_host(const struct options *o, const char *option)
{
    int64_t id = names_find_z(&o->names, option);
    return id > 0 && o->value[id].known == IS_TEXT && !strcmp(o->value[id].text, "cpu");
}

/* --- the program that a file is part of: what it imports, who imports it, and what those
 * import. Another program's options say nothing of it. --- */

struct importers { /* of unit u: unit[first[u]..first[u + 1]) */
    size_t *first;
    int32_t *unit;
};

static struct importers importers_of(const struct source_project *p)
{
    struct importers m = {mem_zalloc(p->n + 2, sizeof *m.first), NULL};
    size_t total = 0;
    for (size_t u = 0; u < p->n; u++)
        for (int32_t i = 0; i < p->units[u].n_imports; i++)
            m.first[p->units[u].imports[i] + 2]++, total++;
    for (size_t u = 2; u < p->n + 2; u++)
        m.first[u] += m.first[u - 1];
    m.unit = mem_zalloc(total + 1, sizeof *m.unit);
    for (size_t u = 0; u < p->n; u++)
        for (int32_t i = 0; i < p->units[u].n_imports; i++)
            m.unit[m.first[p->units[u].imports[i] + 1]++] = (int32_t)u;
    return m;
}

struct program {
    const struct source_project *project;
    struct importers importers;
    int32_t *unit; /* (n) its files, the one that was asked for first */
    size_t n;
    int32_t *round; /* (units) of the last program that a unit was part of */
    int32_t rounds;
    int64_t budget; /* imports to follow, for all programs together */
};

static void add_to_program(struct program *g, int32_t unit)
{
    g->budget--;
    if (g->round[unit] == g->rounds)
        return;
    g->round[unit] = g->rounds;
    g->unit[g->n++] = unit;
}

/* False where programs are so many and large that they are not gathered. */
static bool gather_program(struct program *g, int32_t unit)
{
    const struct importers *m = &g->importers;
    g->n = 0;
    g->rounds++;
    add_to_program(g, unit);
    for (size_t i = 0; i < g->n && g->budget > 0; i++)
        for (size_t k = m->first[g->unit[i]]; k < m->first[g->unit[i] + 1]; k++)
            add_to_program(g, m->unit[k]);
    for (size_t i = 0; i < g->n && g->budget > 0; i++)
        for (int32_t k = 0; k < g->project->units[g->unit[i]].n_imports; k++)
            add_to_program(g, g->project->units[g->unit[i]].imports[k]);
    return g->budget > 0;
}

static void decide_unit(struct program *g, struct source_facts *f, int32_t unit)
{
    struct options o = {0};
    if (!gather_program(g, unit))
        return;
    names_init(&o.names);
    for (size_t i = 0; i < g->n; i++)
        collect(&o, &g->project->units[g->unit[i]].file.facts);
    f->uses_device |= f->device_option && !stays_on_host(&o, f->device_option);
    for (size_t i = 0; i < f->n_choices; i++)
        if (is_off(&o, &f->choices[i]))
            f->places[f->choices[i].place].off = f->places[f->choices[i].place].seldom =
                true;
    names_release(&o.names);
    mem_free(o.value);
}

void source_choices_decide(struct source_project *p)
{
    enum {
        IMPORTS_FOLLOWED_MAX = 50 * 1000 * 1000
    }; /* a second; projects take far less */
    struct program g = {.project = p,
                        .importers = importers_of(p),
                        .unit = mem_zalloc(p->n + 1, sizeof *g.unit),
                        .round = mem_zalloc(p->n + 1, sizeof *g.round),
                        .budget = IMPORTS_FOLLOWED_MAX};
    for (size_t u = 0; u < p->n; u++) {
        struct source_facts *f = &p->units[u].file.facts;
        if (f->n_choices || f->device_option)
            decide_unit(&g, f, (int32_t)u);
    }
    mem_free(g.importers.first);
    mem_free(g.importers.unit);
    mem_free(g.unit);
    mem_free(g.round);
}
#endif
