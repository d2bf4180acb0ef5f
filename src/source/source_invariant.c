/*
 * What is the same in every step: made of shapes, constants and settings alone. Names are
 * followed to all values that may reach them, self.x to where the class sets it.
 */
#ifdef GAIT_TREE_SITTER
#include "source/source_match.h"

#include <string.h>

struct inquiry {
    const struct source_syntax *s;
    int budget, depth;
};

enum { NODES_LOOKED_AT_MAX = 400, NAMES_DEEP_MAX = 6, BINDINGS_LOOKED_AT_MAX = 12 };

static bool is_invariant(struct inquiry *q, TSNode n);

static struct slice last_part(const char *full)
{
    const char *dot = strrchr(full, '.');
    dot = dot ? dot + 1 : full;
    return (struct slice){dot, strlen(dot)};
}

static int32_t place_of(const struct inquiry *q, TSNode n)
{
    return source_place_at(q->s->facts, ts_node_start_byte(n));
}

static bool is_self(const struct inquiry *q, TSNode n)
{
    return slice_is(python_slice(q->s->text, n), "self");
}

/* Arguments that say where and of what type, not what. */
static bool says_where(struct slice name)
{
    return word_is_listed(name,
                          "device dtype layout pin_memory non_blocking requires_grad");
}

static bool all_invariant(struct inquiry *q, TSNode n)
{
    enum { CHILDREN_MAX = 200 };
    uint32_t count = python_children(n);
    for (uint32_t i = 0; i < count && count <= CHILDREN_MAX; i++)
        if (!is_invariant(q, python_child(n, i)))
            return false;
    return count <= CHILDREN_MAX;
}

/* Does every way to `place` lead over what runs in `other`? */
static bool runs_before(const struct source_facts *f, int32_t other, int32_t place)
{
    for (; place >= 0; place = f->places[place].parent)
        if (place == other)
            return true;
    return false;
}

/* torch.ones(n, n), torch.full((n, n), 0.0): a name that stands there is a number. */
static bool is_size(const struct inquiry *q, TSNode n)
{
    TSNode up = python_parent(n);
    while (python_node(up) == PY_tuple || python_node(up) == PY_list)
        up = python_parent(up);
    if (python_node(up) != PY_argument_list)
        return false;
    char full[FULL_NAME_MAX];
    full_name(q->s, python_field(python_parent(up), FIELD_function), full, sizeof full);
    bool first_only = word_is_listed(last_part(full), "full");
    return !strncmp(full, "torch.", 6) &&
           word_is_listed(last_part(full),
                          "ones zeros eye full tril_indices triu_indices "
                          "generate_square_subsequent_mask") &&
           (!first_only || python_node(python_parent(n)) != PY_argument_list);
}

/* What a forward pass is given may differ in every step; sizes that a helper is given
 * come from shapes and settings. */
static bool parameter_is_invariant(const struct inquiry *q, const struct binding *b,
                                   TSNode n)
{
    const struct source_facts *f = q->s->facts;
    int32_t fn = source_function_of(f, b->place);
    bool number = b->kind == KIND_NUMBER || (b->kind == KIND_UNKNOWN && is_size(q, n));
    return number && fn >= 0 &&
           !name_has_word(b->name, "step idx index epoch iteration iter i t timestep "
                                   "offset start pos") &&
           strcmp(f->functions[fn].name, "forward") != 0;
}

static bool is_settings_name(struct slice name)
{
    return name_has_word(name, "config cfg args opt hparams hps");
}

static bool binding_is_invariant(struct inquiry *q, const struct binding *b, TSNode n)
{
    if (!ts_node_is_null(b->value))
        return is_invariant(q, b->value);
    /* unpacked from a shape, or counted by a loop; or a parameter */
    const struct source_facts *f = q->s->facts;
    bool parameter =
        f->places[b->place].kind == PLACE_FUNCTION && b->byte < f->places[b->place].begin;
    return parameter ? parameter_is_invariant(q, b, n) : b->kind == KIND_NUMBER;
}

/* All values that may reach the name, back to one on every way to it. */
static bool bindings_are_invariant(struct inquiry *q, const struct binding *b, TSNode n)
{
    int32_t place = place_of(q, n);
    for (int looked = 0; b; looked++) {
        if (looked == BINDINGS_LOOKED_AT_MAX || b->changed ||
            !binding_is_invariant(q, b, n))
            return false;
        TSNode statement = python_parent(b->value);
        bool adds_to = python_node(statement) == PY_augmented_assignment;
        if (!adds_to && runs_before(q->s->facts, b->place, place))
            return true;
        b = b->previous >= 0 ? &q->s->bindings[b->previous] : NULL;
    }
    return true;
}

/* A loop around sets the name again behind this place: its next turn has that value. */
static bool is_set_behind(const struct inquiry *q, struct slice name, TSNode n)
{
    const struct source_facts *f = q->s->facts;
    uint32_t byte = ts_node_start_byte(n);
    int32_t loop = source_loop_of(f, place_of(q, n));
    if (loop < 0)
        return false;
    const struct binding *b = binding_of(q->s, name, loop, f->places[loop].end);
    for (int i = 0; b && i < BINDINGS_LOOKED_AT_MAX; i++) {
        bool made_before = b->byte <= byte && b->byte > f->places[loop].begin;
        if (made_before && runs_before(f, b->place, place_of(q, n)))
            return false; /* every turn begins anew */
        if (b->byte > byte && b->byte <= f->places[loop].end)
            return true;
        b = b->previous >= 0 ? &q->s->bindings[b->previous] : NULL;
    }
    return false;
}

static bool name_is_invariant(struct inquiry *q, TSNode n)
{
    const struct source_syntax *s = q->s;
    struct slice name = python_slice(s->text, n);
    uint32_t byte = ts_node_start_byte(n);
    const struct binding *b = binding_of(s, name, place_of(q, n), byte);
    if (!b) {
        char full[FULL_NAME_MAX];
        full_name(s, n, full, sizeof full);
        return is_settings_name(name) || !slice_is(name, full) /* imported */
            ;
    }
    if (is_settings_name(name))
        return true;
    if (b->byte > byte || q->depth >= NAMES_DEEP_MAX || is_set_behind(q, name, n))
        return false;
    q->depth++;
    bool invariant = bindings_are_invariant(q, b, n);
    q->depth--;
    return invariant;
}

static bool is_learned(const struct inquiry *q, const struct binding *b)
{
    char full[FULL_NAME_MAX];
    full_name(q->s, python_field(b->value, FIELD_function), full, sizeof full);
    return b->kind == KIND_MODULE || !strcmp(full, "torch.nn.Parameter") ||
           !strcmp(full, "torch.nn.parameter.Parameter");
}

/* self.x: a setting or a buffer, unless it is learned, or set again later. */
static bool own_field_is_invariant(struct inquiry *q, TSNode n)
{
    const struct source_facts *f = q->s->facts;
    struct slice name = python_slice(q->s->text, python_field(n, FIELD_attribute));
    const struct binding *b = binding_of_self(q->s, name, place_of(q, n), UINT32_MAX);
    if (!b) /* of a base class: who sets it, and when? */
        return is_settings_name(name) || slice_is(name, "training");
    for (int looked = 0; b; looked++) {
        int32_t fn = source_function_of(f, b->place);
        if (looked == BINDINGS_LOOKED_AT_MAX || b->changed || is_learned(q, b) ||
            (fn >= 0 && !(f->functions[fn].roles & ROLE_SETUP)))
            return false;
        b = b->previous >= 0 ? &q->s->bindings[b->previous] : NULL;
    }
    return true;
}

static bool attribute_is_invariant(struct inquiry *q, TSNode n)
{
    struct slice name = python_slice(q->s->text, python_field(n, FIELD_attribute));
    if (word_is_listed(name, "shape device dtype ndim"))
        return true;
    TSNode object = python_field(n, FIELD_object);
    return is_self(q, object) ? own_field_is_invariant(q, n) : is_invariant(q, object);
}

static const char random_makers[] =
    "rand randn randint randperm rand_like randn_like randint_like normal bernoulli "
    "multinomial poisson empty empty_like dropout dropout1d dropout2d dropout3d "
    "alpha_dropout gumbel_softmax load new_empty uniform choice";

static bool library_call_is_invariant(struct inquiry *q, const char *full,
                                      TSNode arguments)
{
    struct slice name = last_part(full);
    if (strstr(full, ".random.") || strstr(full, "_sample") ||
        word_is_listed(name, random_makers) || !strncmp(full, "torch.distributed", 17) ||
        !strncmp(full, "torch.cuda", 10) || !strncmp(full, "torch.nn.Param", 14))
        return false;
    if (word_is_listed(name, "zeros_like ones_like full_like"))
        return ts_node_is_null(argument_at(arguments, 1)) ||
               is_invariant(q, argument_at(arguments, 1));
    return all_invariant(q, arguments);
}

static bool method_is_invariant(struct inquiry *q, TSNode callee, TSNode arguments)
{
    struct slice name = python_slice(q->s->text, python_field(callee, FIELD_attribute));
    TSNode object = python_field(callee, FIELD_object);
    if (word_is_listed(name, "size dim numel ndimension nelement"))
        return true;
    if (word_is_listed(name, "new_zeros new_ones new_full new_tensor"))
        return all_invariant(q, arguments);
    if (is_self(q, object) ||
        word_is_listed(name,
                       "item tolist backward register_buffer uniform_ normal_ random_ "
                       "bernoulli_ exponential_ cauchy_ geometric_ log_normal_ "
                       "requires_grad_ sample"))
        return false; /* what a method of one's own does is not known here */
    char full[FULL_NAME_MAX];
    full_name(q->s, object, full, sizeof full);
    if (*full && !slice_is(python_slice(q->s->text, object), full))
        return false; /* of another module */
    if (word_is_listed(name, "to cuda cpu type type_as expand_as view_as reshape_as"))
        return is_invariant(q, object);
    return is_invariant(q, object) && all_invariant(q, arguments);
}

static bool call_is_invariant(struct inquiry *q, TSNode n)
{
    TSNode callee = python_field(n, FIELD_function),
           arguments = python_field(n, FIELD_arguments);
    if (python_node(arguments) != PY_argument_list ||
        slice_is(
            python_slice(q->s->text, argument_named(q->s, arguments, "requires_grad")),
            "True"))
        return false;
    char full[FULL_NAME_MAX];
    full_name(q->s, callee, full, sizeof full);
    if (!strncmp(full, "torch.", 6) || !strncmp(full, "numpy.", 6) ||
        !strncmp(full, "math.", 5) || !strncmp(full, "os.path.", 8) ||
        !strcmp(full, "pathlib.Path"))
        return library_call_is_invariant(q, full, arguments);
    if (python_node(callee) == PY_attribute)
        return method_is_invariant(q, callee, arguments);
    struct slice name = python_slice(q->s->text, callee);
    return slice_is(name, "len") ||
           (word_is_listed(name,
                           "range int float bool min max list tuple abs round sum str") &&
            all_invariant(q, arguments));
}

static bool is_invariant(struct inquiry *q, TSNode n)
{
    if (ts_node_is_null(n) || q->budget-- <= 0)
        return false;
    switch (python_node(n)) {
    case PY_identifier:
        return name_is_invariant(q, n);
    case PY_attribute:
        return attribute_is_invariant(q, n);
    case PY_call:
        return call_is_invariant(q, n);
    case PY_keyword_argument:
        return says_where(python_slice(q->s->text, python_field(n, FIELD_name))) ||
               is_invariant(q, python_field(n, FIELD_value));
    case PY_lambda:
    case PY_list_comprehension:
    case PY_set_comprehension:
    case PY_generator_expression:
    case PY_dictionary_comprehension:
    case PY_await:
    case PY_list_splat:
    case PY_dictionary_splat:
    case PY_named_expression:
        return false;
    default:
        return all_invariant(q, n);
    }
}

bool value_is_invariant(const struct source_syntax *s, TSNode n)
{
    struct inquiry q = {.s = s, .budget = NODES_LOOKED_AT_MAX};
    return is_invariant(&q, n);
}

/*
 * How many operations make a tensor: views and casts are none, nor is what gives a number.
 * A list that becomes a tensor on the device is two: it is copied, and the host waits.
 */
static int operations(struct inquiry *q, TSNode n);

static const char makers[] =
    "arange linspace logspace ones zeros full eye as_tensor tril_indices triu_indices "
    "zeros_like ones_like full_like hann_window hamming_window new_zeros new_ones "
    "new_full from_numpy";

static const char views[] =
    "view reshape unsqueeze squeeze expand expand_as transpose permute t float long int "
    "bool half double bfloat16 type type_as to cuda cpu contiguous view_as flatten "
    "unbind "
    "chunk split detach swapaxes broadcast_to meshgrid narrow movedim unflatten Variable "
    "clone numpy";

static const char number_functions[] =
    "len int float bool range min max round str list tuple abs sum";
static const char number_methods[] =
    "size dim numel nelement ndimension item tolist keys values items";

static int operations_of_all(struct inquiry *q, TSNode n)
{
    int sum = 0;
    for (uint32_t i = 0; i < python_children(n) && i < 64; i++)
        sum += operations(q, python_child(n, i));
    return sum;
}

static bool is_on_device(const struct inquiry *q, TSNode arguments)
{
    struct slice device =
        python_slice(q->s->text, argument_named(q->s, arguments, "device"));
    return device.len && !memmem(device.s, device.len, "cpu", 3);
}

/* A number alone stays one on the host; on the device it is a matter of GT107. */
static int operations_of_list(const struct inquiry *q, struct slice name,
                              TSNode arguments)
{
    TSNode list = argument_at(arguments, 0);
    enum python_node of = python_node(list);
    bool is_list = of == PY_list || of == PY_tuple;
    bool single = of == PY_integer || of == PY_float || of == PY_unary_operator ||
                  (is_list && python_children(list) == 1 &&
                   python_node(python_child(list, 0)) != PY_list);
    if (single)
        return 0;
    if (slice_is(name, "new_tensor") || is_on_device(q, arguments))
        return 2;
    return is_list;
}

static int operations_of_call(struct inquiry *q, TSNode n)
{
    TSNode callee = python_field(n, FIELD_function),
           arguments = python_field(n, FIELD_arguments);
    bool method = python_node(callee) == PY_attribute;
    struct slice name = python_called(q->s->text, n);
    char full[FULL_NAME_MAX];
    full_name(q->s, callee, full, sizeof full);
    bool torch = !strncmp(full, "torch.", 6);
    if (!strncmp(full, "math.", 5) || !strncmp(full, "numpy.", 6) ||
        (!torch && word_is_listed(name, method ? number_methods : number_functions)))
        return 0;
    if (torch && !method)
        name = last_part(full);
    int inputs = operations_of_all(q, arguments);
    if (method && !torch)
        inputs += operations(q, python_field(callee, FIELD_object));
    if (word_is_listed(name, "tensor new_tensor"))
        return inputs + operations_of_list(q, name, arguments);
    if (word_is_listed(name, makers))
        return inputs + 1;
    if (word_is_listed(name, "generate_square_subsequent_mask")) /* filled, then cut */
        return inputs + 2;
    return inputs && !word_is_listed(name, views) ? inputs + 1 : inputs;
}

static int operations_of_name(struct inquiry *q, TSNode n)
{
    uint32_t byte = ts_node_start_byte(n);
    const struct binding *b =
        binding_of(q->s, python_slice(q->s->text, n), place_of(q, n), byte);
    if (!b || b->byte > byte || q->depth >= NAMES_DEEP_MAX || ts_node_is_null(b->value) ||
        source_function_of(q->s->facts, b->place) !=
            source_function_of(q->s->facts, place_of(q, n)))
        return 0;
    q->depth++;
    int n_operations = operations(q, b->value);
    q->depth--;
    return n_operations;
}

static int operations(struct inquiry *q, TSNode n)
{
    if (ts_node_is_null(n) || q->budget-- <= 0)
        return 0;
    int inputs;
    switch (python_node(n)) {
    case PY_identifier:
        return operations_of_name(q, n);
    case PY_call:
        return operations_of_call(q, n);
    case PY_attribute:
        if (word_is_listed(python_slice(q->s->text, python_field(n, FIELD_attribute)),
                           "shape device dtype ndim"))
            return 0;
        return operations(q, python_field(n, FIELD_object));
    case PY_subscript:
        return operations(q, python_field(n, FIELD_value));
    case PY_binary_operator:
    case PY_comparison_operator:
    case PY_unary_operator:
        inputs = operations_of_all(q, n);
        return inputs ? inputs + 1 : 0;
    case PY_lambda:
    case PY_list_comprehension:
        return 0;
    default:
        return operations_of_all(q, n);
    }
}

static int operations_in(const struct source_syntax *s, TSNode n)
{
    struct inquiry q = {.s = s, .budget = NODES_LOOKED_AT_MAX};
    return operations(&q, n);
}

/* Is it as large as a table of all pairs? */
static bool is_square(struct inquiry *q, TSNode n)
{
    if (ts_node_is_null(n) || q->budget-- <= 0)
        return false;
    if (python_node(n) == PY_identifier) {
        uint32_t byte = ts_node_start_byte(n);
        if (word_is_listed(python_slice(q->s->text, n), "tril triu eye"))
            return true;
        const struct binding *b =
            binding_of(q->s, python_slice(q->s->text, n), place_of(q, n), byte);
        if (!b || b->byte > byte || q->depth >= NAMES_DEEP_MAX)
            return false;
        q->depth++;
        bool square = is_square(q, b->value);
        q->depth--;
        return square;
    }
    bool found = false;
    for (uint32_t i = 0; i < python_children(n) && i < 64 && !found; i++)
        found = is_square(q, python_child(n, i));
    return found;
}

/* A search for names through what they stand for. */
static bool mentions(struct inquiry *q, TSNode n, bool (*fits)(struct inquiry *, TSNode))
{
    if (ts_node_is_null(n) || q->budget-- <= 0)
        return false;
    if (fits(q, n))
        return true;
    if (python_node(n) == PY_identifier) {
        uint32_t byte = ts_node_start_byte(n);
        const struct binding *b =
            binding_of(q->s, python_slice(q->s->text, n), place_of(q, n), byte);
        if (!b || b->byte > byte || q->depth >= NAMES_DEEP_MAX)
            return false;
        q->depth++;
        bool found = mentions(q, ts_node_is_null(b->value) ? b->whole : b->value, fits);
        q->depth--;
        return found;
    }
    bool found = false;
    for (uint32_t i = 0; i < python_children(n) && i < 64 && !found; i++)
        found = mentions(q, python_child(n, i), fits);
    return found;
}

static bool is_size_of_tensor(struct inquiry *q, TSNode n)
{
    static const char sizes[] =
        "shape size len numel zeros_like ones_like full_like new_zeros "
        "new_ones new_full new_tensor";
    return python_node(n) == PY_identifier &&
           word_is_listed(python_slice(q->s->text, n), sizes);
}

static bool is_table(struct inquiry *q, TSNode n)
{
    return python_node(n) == PY_identifier &&
           word_is_listed(python_slice(q->s->text, n),
                          "tril triu eye outer ger meshgrid cos "
                          "sin exp pow hann_window linspace "
                          "generate_square_subsequent_mask");
}

/* As large as a tensor that may differ in each step, and no table of which a slice is the
 * smaller one: kept it would fit one step only, and it is a fill or two. */
static bool follows_sizes(const struct source_syntax *s, TSNode n)
{
    struct inquiry sizes = {.s = s, .budget = NODES_LOOKED_AT_MAX}, table = sizes;
    return mentions(&sizes, n, is_size_of_tensor) && !mentions(&table, n, is_table);
}

/* What stays on the host costs little unless it is large. */
static bool takes_operations(const struct source_syntax *s, TSNode n, int least)
{
    struct inquiry q = {.s = s, .budget = NODES_LOOKED_AT_MAX};
    return operations_in(s, n) >= least &&
           (value_kind(s, n) != KIND_HOST || is_square(&q, n));
}

/* Does a name in an expression stand for so many operations already? */
static bool name_takes(const struct source_syntax *s, TSNode n, int least, int *budget)
{
    if (ts_node_is_null(n) || --*budget < 0)
        return false;
    if (python_node(n) == PY_identifier)
        return takes_operations(s, n, least);
    bool found = false;
    for (uint32_t i = 0; i < python_children(n) && !found; i++)
        found = name_takes(s, python_child(n, i), least, budget);
    return found;
}

bool value_takes_operations(const struct source_syntax *s, TSNode n, int least)
{
    int budget = 60;
    return takes_operations(s, n, least) && !name_takes(s, n, least, &budget) &&
           !follows_sizes(s, n);
}

/* The next expression around that computes with this one; null: a statement is around. */
static TSNode expression_around(TSNode n)
{
    static const TSNode none = {0};
    for (TSNode up = python_parent(n);; up = python_parent(up)) {
        switch (python_node(up)) {
        case PY_call:
        case PY_binary_operator:
        case PY_comparison_operator:
            return up;
        case PY_attribute:
        case PY_argument_list:
        case PY_keyword_argument:
        case PY_parenthesized_expression:
        case PY_subscript:
        case PY_unary_operator:
            continue;
        default:
            return none;
        }
    }
}

bool value_is_whole(const struct source_syntax *s, TSNode n)
{
    if (python_node(python_parent(n)) == PY_expression_statement)
        return false; /* called for what it does, not for its value */
    TSNode around = expression_around(n);
    return ts_node_is_null(around) || !value_is_invariant(s, around);
}

static bool keeps(const struct source_syntax *s, TSNode statement)
{
    TSNode inner = python_child(statement, 0);
    if (python_node(inner) == PY_call)
        return slice_is(
            python_slice(s->text, python_field(python_field(inner, FIELD_function),
                                               FIELD_attribute)),
            "register_buffer");
    TSNode left = python_field(inner, FIELD_left);
    if (python_node(inner) != PY_assignment)
        return false;
    if (python_node(left) == PY_subscript)
        left = python_field(left, FIELD_value);
    return python_node(left) == PY_attribute;
}

/* Is something kept in a field by a statement of this block? */
static bool block_keeps(const struct source_syntax *s, TSNode block)
{
    for (uint32_t i = 0; i < python_children(block) && i < 100; i++)
        if (keeps(s, python_child(block, i)))
            return true;
    return false;
}

bool function_is_decorated(const struct source_syntax *s, TSNode n, const char *words)
{
    while (!ts_node_is_null(n) && python_node(n) != PY_function_definition)
        n = python_parent(n);
    TSNode around = python_parent(n);
    if (python_node(around) != PY_decorated_definition)
        return false;
    for (uint32_t i = 0; i + 1 < python_children(around) && i < 16; i++)
        if (name_has_word(python_slice(s->text, python_child(around, i)), words))
            return true;
    return false;
}

/* A name whose value is changed in place later. */
static bool is_written_into(const struct source_syntax *s, TSNode statement)
{
    TSNode left = python_field(python_child(statement, 0), FIELD_left);
    uint32_t end = python_end(statement);
    if (python_node(left) != PY_identifier)
        return false;
    const struct binding *b =
        binding_of(s, python_slice(s->text, left),
                   source_place_at(s->facts, ts_node_start_byte(left)), end);
    return b && b->changed;
}

/* Under a branch that keeps something, in a helper that does, in a memoized function. */
bool value_is_kept(const struct source_syntax *s, TSNode n)
{
    TSNode child = n;
    for (TSNode up = python_parent(n); !ts_node_is_null(up); up = python_parent(up)) {
        enum python_node kind = python_node(up);
        if (kind == PY_expression_statement && (keeps(s, up) || is_written_into(s, up)))
            return true;
        if (kind == PY_block &&
            python_node(python_parent(up)) != PY_function_definition &&
            block_keeps(s, up))
            return true;
        if (kind == PY_function_definition) {
            struct slice name = python_slice(s->text, python_field(up, FIELD_name));
            return function_is_decorated(s, up, "cache cached lru memoize once") ||
                   (!slice_is(name, "forward") && block_keeps(s, child));
        }
        child = up;
    }
    return false;
}
#endif
