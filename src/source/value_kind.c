/*
 * What an expression is, by how it was made: torch.* makes tensors, a module called
 * returns one, .item() a number. A name takes the kind of its newest value. Where nothing
 * is known, common names speak: loss, model, loader.
 */
#ifdef GAIT_TREE_SITTER
#include "source/source_syntax.h"

#include <string.h>

enum { EXPRESSION_DEPTH_MAX = 40 };

static enum value_kind kind_of(const struct source_syntax *s, TSNode n, int depth);
static enum value_kind kind_of_attribute(const struct source_syntax *s, TSNode n,
                                         int depth);

static const struct {
    const char *words;
    enum value_kind kind;
} common_names[] = {
    {"loader loaders dataloader dataloaders dl trainloader testloader valloader",
     KIND_LOADER},
    {"losses metrics meter meters history", KIND_UNKNOWN},
    {"fn func fct function criterion crit", KIND_MODULE},
    {"loss logits", KIND_TENSOR},
    {"optimizer optimiser optim opt", KIND_OPTIMIZER},
};

static enum value_kind kind_of_common_name(struct slice name)
{
    for (size_t i = 0; i < sizeof common_names / sizeof *common_names; i++)
        if (name_has_word(name, common_names[i].words))
            return common_names[i].kind;
    static const char *const models[] = {"model",     "net",      "network",
                                         "netD",      "netG",     "discriminator",
                                         "ddp_model", "generator"};
    for (size_t i = 0; i < sizeof models / sizeof *models; i++)
        if (slice_is(name, models[i]))
            return KIND_MODULE;
    return KIND_UNKNOWN;
}

/* b, or what was bound before it, if b is in a branch that is not taken where the name
 * is used; where nothing was, b. */
static const struct binding *binding_reaching(const struct source_syntax *s,
                                              const struct binding *b, int32_t place)
{
    const struct binding *reaching = b;
    while (reaching && source_places_exclude(s->facts, reaching->place, place))
        reaching = reaching->previous >= 0 ? &s->bindings[reaching->previous] : NULL;
    return reaching ? reaching : b;
}

static enum value_kind kind_of_name(const struct source_syntax *s, TSNode n)
{
    struct slice name = python_slice(s->text, n);
    uint32_t byte = ts_node_start_byte(n);
    int32_t place = source_place_at(s->facts, byte);
    const struct binding *b =
        binding_reaching(s, binding_of(s, name, place, byte), place);
    if (b && b->kind != KIND_UNKNOWN)
        return b->kind;
    return kind_of_common_name(name);
}

/* Of both branches, of both operands. */
static enum value_kind joined(enum value_kind a, enum value_kind b)
{
    if (a == KIND_TENSOR || b == KIND_TENSOR)
        return KIND_TENSOR;
    if (a == KIND_UNKNOWN || b == KIND_UNKNOWN)
        return KIND_UNKNOWN;
    if (a == KIND_HOST || b == KIND_HOST)
        return KIND_HOST;
    return a == KIND_ARRAY || b == KIND_ARRAY ? KIND_ARRAY : a;
}

static bool is_one_of(const char *word, const char *words)
{
    for (const char *at = words; *at; at += *at == ' ') {
        const char *w = word;
        while (*w && *w == *at)
            w++, at++;
        if (!*w && (!*at || *at == ' '))
            return true;
        while (*at && *at != ' ')
            at++;
    }
    return false;
}

static bool starts(const char *text, const char *with)
{
    return !strncmp(text, with, strlen(with));
}

/* What torch.NAME(…) returns that is no tensor. */
static const char torch_others[] =
    "load save device manual_seed seed get_default_dtype is_tensor is_grad_enabled "
    "Generator Size no_grad enable_grad inference_mode set_grad_enabled autocast "
    "set_float32_matmul_precision set_num_threads get_num_threads finfo iinfo numel "
    "set_default_device set_default_dtype get_rng_state initial_seed dtype equal "
    "set_printoptions is_floating_point get_autocast_gpu_dtype use_deterministic_"
    "algorithms allclose Event typename result_type promote_types broadcast_shapes "
    "can_cast vmap";

/* Tensors on the host, unless a device is named or an argument is on it. */
static const char torch_makers[] =
    "tensor from_file zeros ones empty full rand randn randint randperm arange linspace "
    "eye as_"
    "tensor from_numpy FloatTensor LongTensor IntTensor Tensor normal logspace";

static bool names_device(const struct source_syntax *s, TSNode arguments)
{
    TSNode device = argument_named(s, arguments, "device");
    return !ts_node_is_null(device) &&
           !memmem(python_slice(s->text, device).s, python_slice(s->text, device).len,
                   "cpu", 3);
}

static enum value_kind kind_of_torch_call(const struct source_syntax *s, const char *name,
                                          TSNode arguments, int depth)
{
    if (starts(name, "nn.functional."))
        return KIND_TENSOR;
    if (starts(name, "nn.") && !starts(name, "nn.utils.") && !starts(name, "nn.init."))
        return starts(name, "nn.Parameter") ? KIND_TENSOR : KIND_MODULE;
    if (starts(name, "optim.lr_scheduler") || starts(name, "optim.swa_utils"))
        return KIND_NUMBER;
    if (starts(name, "optim."))
        return KIND_OPTIMIZER;
    if (!strcmp(name, "utils.data.DataLoader") ||
        !strcmp(name, "utils.data.dataloader.DataLoader"))
        return KIND_LOADER;
    if (!strcmp(name, "compile") || starts(name, "jit."))
        return KIND_MODULE;
    if (starts(name, "linalg.") || starts(name, "fft.") || starts(name, "special."))
        return KIND_TENSOR;
    if (starts(name, "nn.utils.clip_grad"))
        return KIND_TENSOR; /* the norm */
    if (strchr(name, '.') || starts(name, "is_") || starts(name, "get_") ||
        starts(name, "are_") || is_one_of(name, torch_others))
        return KIND_NUMBER;
    TSNode first = argument_at(arguments, 0);
    if (is_one_of(name, torch_makers) && !names_device(s, arguments))
        return KIND_HOST;
    enum value_kind of = ts_node_is_null(first) ? KIND_TENSOR : kind_of(s, first, depth);
    return of == KIND_HOST && !names_device(s, arguments) ? KIND_HOST : KIND_TENSOR;
}

static enum value_kind kind_of_builtin_call(const struct source_syntax *s,
                                            const char *name, TSNode arguments, int depth)
{
    TSNode first = argument_at(arguments, 0);
    if (ts_node_is_null(first) ||
        !is_one_of(name, "sum max min abs round next iter tqdm enumerate reversed"))
        return KIND_NUMBER;
    enum value_kind of = kind_of(s, first, depth); /* once: calls may lie in calls */
    return of == KIND_LOADER && !strcmp(name, "next") ? KIND_HOST : of;
}

static const char builtins[] =
    "abs all any bool bytes dict divmod enumerate filter float format getattr hasattr "
    "hash int isinstance iter len list map max min next open ord print range repr "
    "reversed round set sorted str sum tqdm tuple type zip";

static bool moves_to_host(const struct source_syntax *s, TSNode arguments)
{
    struct slice to = python_slice(s->text, argument_at(arguments, 0));
    return slice_is(to, "\"cpu\"") || slice_is(to, "'cpu'");
}

/* self.layer(x), or self.method(x) of the same class. */
static enum value_kind kind_of_own_method(const struct source_syntax *s, TSNode callee)
{
    struct slice name = python_slice(s->text, python_field(callee, FIELD_attribute));
    int32_t owner =
        source_class_of(s->facts, source_place_at(s->facts, ts_node_start_byte(callee)));
    for (size_t i = 0; i < s->facts->n_functions; i++)
        if (s->facts->functions[i].owner == owner && owner >= 0 &&
            slice_is(name, s->facts->functions[i].name))
            return s->returns[i];
    return kind_of_attribute(s, callee, EXPRESSION_DEPTH_MAX) == KIND_MODULE
               ? KIND_TENSOR
               : KIND_UNKNOWN;
}

static enum value_kind kind_of_method(const struct source_syntax *s, TSNode callee,
                                      TSNode arguments, int depth)
{
    struct slice method = python_slice(s->text, python_field(callee, FIELD_attribute));
    char name[40];
    if (method.len >= sizeof name)
        return KIND_UNKNOWN;
    memcpy(name, method.s, method.len);
    name[method.len] = '\0';
    if (starts(name, "is_"))
        return KIND_NUMBER;
    if (!strcmp(name, "cpu") || (!strcmp(name, "to") && moves_to_host(s, arguments)))
        return KIND_HOST;
    TSNode object = python_field(callee, FIELD_object);
    if (slice_is(python_slice(s->text, object), "self"))
        return kind_of_own_method(s, callee);
    enum value_kind of = kind_of(s, object, depth);
    if (is_one_of(name, "item tolist size dim numel stride nelement data_ptr backward "
                        "is_contiguous get_device storage_offset element_size format "
                        "ndimension keys strip split join lower"))
        return KIND_NUMBER;
    if (!strcmp(name, "numpy"))
        return KIND_ARRAY;
    if (!strcmp(name, "type_as") && of == KIND_HOST) /* to where the other one is */
        return kind_of(s, argument_at(arguments, 0), depth);
    if (is_one_of(name, "cuda to half float bfloat16 double eval train requires_grad_"))
        return of == KIND_MODULE                                 ? KIND_MODULE
               : is_one_of(name, "cuda to") && of != KIND_NUMBER ? KIND_TENSOR
                                                                 : of;
    if (of == KIND_TENSOR || of == KIND_HOST || of == KIND_ARRAY)
        return of;
    if (is_one_of(name, "softmax log_softmax logsumexp"))
        return KIND_TENSOR; /* nothing else has these */
    return kind_of_common_name(method) == KIND_MODULE ? KIND_TENSOR : KIND_UNKNOWN;
}

/* Of a function of this file: what it returns. */
static enum value_kind kind_of_own_call(const struct source_syntax *s, struct slice name)
{
    for (size_t i = 0; i < s->facts->n_functions; i++)
        if (slice_is(name, s->facts->functions[i].name) &&
            s->facts->functions[i].owner < 0)
            return s->returns[i];
    for (size_t i = 0; i < s->facts->n_classes; i++)
        if (slice_is(name, s->facts->classes[i].name))
            return s->facts->classes[i].is_module ? KIND_MODULE : KIND_UNKNOWN;
    return KIND_UNKNOWN;
}

static enum value_kind kind_of_call(const struct source_syntax *s, TSNode n, int depth)
{
    TSNode callee = python_field(n, FIELD_function),
           arguments = python_field(n, FIELD_arguments);
    char full[FULL_NAME_MAX];
    full_name(s, callee, full, sizeof full);
    if (starts(full, "torch."))
        return kind_of_torch_call(s, full + 6, arguments, depth);
    if (starts(full, "numpy."))
        return KIND_ARRAY;
    if (starts(full, "math.") || starts(full, "time.") || starts(full, "os."))
        return KIND_NUMBER;
    if (starts(full, "tqdm.") && !ts_node_is_null(argument_at(arguments, 0)))
        return kind_of(s, argument_at(arguments, 0), depth);
    if (python_node(callee) == PY_identifier) {
        if (is_one_of(full, builtins))
            return kind_of_builtin_call(s, full, arguments, depth);
        enum value_kind own = kind_of_own_call(s, python_slice(s->text, callee));
        if (own != KIND_UNKNOWN)
            return own;
    }
    if (python_node(callee) == PY_attribute)
        return kind_of_method(s, callee, arguments, depth);
    return kind_of(s, callee, depth) == KIND_MODULE ? KIND_TENSOR : KIND_UNKNOWN;
}

static enum value_kind kind_of_attribute(const struct source_syntax *s, TSNode n,
                                         int depth)
{
    TSNode object = python_field(n, FIELD_object);
    struct slice name = python_slice(s->text, python_field(n, FIELD_attribute));
    uint32_t byte = ts_node_start_byte(n);
    if (slice_is(python_slice(s->text, object), "self")) {
        int32_t place = source_place_at(s->facts, byte);
        const struct binding *b =
            binding_reaching(s, binding_of_self(s, name, place, byte), place);
        if (b && b->kind != KIND_UNKNOWN)
            return b->kind;
        return kind_of_common_name(name);
    }
    if (slice_is(name, "shape") || slice_is(name, "dtype") || slice_is(name, "device") ||
        slice_is(name, "ndim") || slice_is(name, "requires_grad") ||
        slice_is(name, "placements") || slice_is(name, "layout") ||
        slice_is(name, "grad_fn") || slice_is(name, "names") ||
        (name.len > 3 && !memcmp(name.s, "is_", 3)))
        return KIND_NUMBER;
    if (slice_is(name, "loss") || slice_is(name, "logits"))
        return KIND_TENSOR;
    enum value_kind of = kind_of(s, object, depth);
    if (of == KIND_TENSOR || of == KIND_HOST)
        return of;
    return of == KIND_MODULE ? KIND_UNKNOWN : kind_of_common_name(name);
}

static bool is_text(TSNode n)
{
    enum python_node kind = python_node(n);
    return kind == PY_string || kind == PY_none || kind == PY_concatenated_string;
}

static enum value_kind kind_of_comparison(const struct source_syntax *s, TSNode n,
                                          int depth)
{
    TSNode left = python_child(n, 0), right = python_child(n, 1);
    if (is_text(left) || is_text(right))
        return KIND_NUMBER;
    for (uint32_t i = 0; i < ts_node_child_count(n) && i < 8; i++) {
        const char *type = python_type(ts_node_child(n, i));
        if (!strcmp(type, "is") || !strcmp(type, "in") || !strcmp(type, "is not") ||
            !strcmp(type, "not in"))
            return KIND_NUMBER;
    }
    return joined(kind_of(s, left, depth), kind_of(s, right, depth));
}

static enum value_kind kind_found(const struct source_syntax *s, TSNode n, int depth)
{
    switch (python_node(n)) {
    case PY_identifier:
        return kind_of_name(s, n);
    case PY_attribute:
        return kind_of_attribute(s, n, depth);
    case PY_call:
        return kind_of_call(s, n, depth);
    case PY_comparison_operator:
        return kind_of_comparison(s, n, depth);
    case PY_binary_operator:
        return joined(kind_of(s, python_field(n, FIELD_left), depth),
                      kind_of(s, python_field(n, FIELD_right), depth));
    case PY_unary_operator:
        return kind_of(s, python_field(n, FIELD_argument), depth);
    case PY_parenthesized_expression:
    case PY_await:
        return kind_of(s, python_child(n, 0), depth);
    case PY_conditional_expression:
        return joined(kind_of(s, python_child(n, 0), depth),
                      kind_of(s, python_child(n, 2), depth));
    case PY_subscript: {
        enum value_kind of = kind_of(s, python_field(n, FIELD_value), depth);
        return of == KIND_TENSOR || of == KIND_HOST || of == KIND_ARRAY ? of
                                                                        : KIND_UNKNOWN;
    }
    case PY_integer:
    case PY_float:
    case PY_string:
    case PY_concatenated_string:
    case PY_true:
    case PY_false:
    case PY_none:
    case PY_list:
    case PY_tuple:
    case PY_set:
    case PY_dictionary:
    case PY_list_comprehension:
    case PY_dictionary_comprehension:
    case PY_generator_expression:
    case PY_lambda:
    case PY_not_operator:
        return KIND_NUMBER;
    default:
        return KIND_UNKNOWN;
    }
}

static enum value_kind kind_of(const struct source_syntax *s, TSNode n, int depth)
{
    if (ts_node_is_null(n) || depth > EXPRESSION_DEPTH_MAX)
        return KIND_UNKNOWN;
    uint32_t byte = ts_node_start_byte(n);
    struct known_kind *known =
        s->kinds ? &s->kinds[(byte * 8 + (uintptr_t)n.id / 8) % KINDS_KEPT] : NULL;
    if (known && known->node == n.id && known->byte == byte)
        return known->kind;
    enum value_kind kind = kind_found(s, n, depth + 1);
    if (known)
        *known = (struct known_kind){n.id, byte, kind};
    return kind;
}

enum value_kind value_kind(const struct source_syntax *s, TSNode n)
{
    return kind_of(s, n, 0);
}

static bool shown(const struct source_syntax *s, TSNode n, int depth);

static bool call_shown(const struct source_syntax *s, TSNode n, int depth)
{
    TSNode callee = python_field(n, FIELD_function),
           arguments = python_field(n, FIELD_arguments);
    char full[FULL_NAME_MAX];
    full_name(s, callee, full, sizeof full);
    if (starts(full, "torch."))
        return true;
    if (value_kind(s, callee) == KIND_MODULE) /* make_fn() may return anything */
        return !name_has_word(python_last_name(s->text, callee),
                              "fn func fct function") ||
               name_has_word(python_last_name(s->text, callee), "loss");
    if (python_node(callee) == PY_attribute)
        return shown(s, python_field(callee, FIELD_object), depth);
    return shown(s, argument_at(arguments, 0), depth); /* sum(x), abs(x) */
}

/* Is one of a node's parts a tensor for certain? */
static bool part_shown(const struct source_syntax *s, TSNode n, int depth)
{
    for (uint32_t i = 0; i < python_children(n) && i < 4; i++)
        if (kind_of(s, python_child(n, i), depth) == KIND_TENSOR &&
            shown(s, python_child(n, i), depth))
            return true;
    return false;
}

static bool shown(const struct source_syntax *s, TSNode n, int depth)
{
    if (ts_node_is_null(n) || depth++ > EXPRESSION_DEPTH_MAX)
        return false;
    uint32_t byte = ts_node_start_byte(n);
    int32_t place = source_place_at(s->facts, byte);
    const struct binding *b = NULL;
    switch (python_node(n)) {
    case PY_identifier:
        b = binding_of(s, python_slice(s->text, n), place, byte);
        return b && b->shown;
    case PY_attribute:
        if (!slice_is(python_slice(s->text, python_field(n, FIELD_object)), "self"))
            return shown(s, python_field(n, FIELD_object), depth);
        b = binding_of_self(s, python_slice(s->text, python_field(n, FIELD_attribute)),
                            place, byte);
        return b && b->shown;
    case PY_call:
        return call_shown(s, n, depth);
    case PY_subscript:
        return shown(s, python_field(n, FIELD_value), depth);
    case PY_binary_operator:
    case PY_unary_operator:
    case PY_comparison_operator:
    case PY_parenthesized_expression:
    case PY_conditional_expression:
        return part_shown(s, n, depth);
    default:
        return false;
    }
}

bool value_shown(const struct source_syntax *s, TSNode n)
{
    return kind_of(s, n, 0) == KIND_TENSOR && shown(s, n, 0);
}
#endif
