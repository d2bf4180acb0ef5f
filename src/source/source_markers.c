/*
 * What calls tell of where a program runs and of the PyTorch it is written for: rules that
 * speak of a device, or of what only newer versions have, ask for such evidence.
 */
#ifdef GAIT_TREE_SITTER
#include "source/source_calls.h"
#include "source/source_options.h"

#include <string.h>

static bool holds_any(struct slice text, const char *const *words)
{
    for (; *words; words++)
        if (slice_has(text, *words))
            return true;
    return false;
}

static struct slice short_text(const struct source_syntax *s, TSNode n)
{
    enum { LOOKED_AT_MAX = 200 };
    struct slice text = python_slice(s->text, n);
    text.len = text.len < LOOKED_AT_MAX ? text.len : LOOKED_AT_MAX;
    return text;
}

/* ---- is it a device? ---- */

static bool says_host(struct slice text)
{
    static const char *const accelerators[] = {"cuda", "gpu", "mps", "xpu",
                                               "npu",  "hpu", NULL};
    return slice_has(text, "cpu") && !holds_any(text, accelerators);
}

/* x.device follows x, wherever that is. */
static bool follows_value(const struct source_syntax *s, TSNode n)
{
    TSNode object = python_field(n, FIELD_object);
    return python_node(n) == PY_attribute && python_node(object) == PY_identifier &&
           slice_is(python_slice(s->text, python_field(n, FIELD_attribute)), "device") &&
           !name_has_word(python_slice(s->text, object),
                          "self cls args arg opt opts option options cfg config conf "
                          "hparams params flags accelerator fabric trainer strategy");
}

/* "cuda", device, args.gpu, rank; not a name that stands for "cpu". */
static bool is_device(const struct source_syntax *s, TSNode n, int32_t place)
{
    struct slice text = short_text(s, n);
    if (follows_value(s, n))
        return false;
    if (python_node(n) == PY_identifier) {
        const struct binding *b = binding_of(s, text, place, ts_node_start_byte(n));
        if (b && says_host(short_text(s, b->value)))
            return false;
    }
    return !says_host(text) && name_has_word(text, "device devices dev cuda gpu gpus "
                                                   "rank mps xpu npu hpu");
}

static TSNode named_device(const struct source_syntax *s, TSNode arguments)
{
    return argument_named(s, arguments, "device");
}

/* x.cuda(), x.to(device): does it move something to a device? */
static bool moves(const struct source_syntax *s, struct slice method, TSNode arguments,
                  int32_t place)
{
    TSNode to = argument_at(arguments, 0);
    if (ts_node_is_null(to))
        to = named_device(s, arguments);
    return slice_is(method, "cuda") ||
           (slice_is(method, "to") && is_device(s, to, place));
}

/* In a function that makes samples or batches. */
static bool in_loading(const struct source_facts *f, int32_t place)
{
    int32_t fn = source_function_of(f, place);
    const char *name = fn < 0 ? "" : f->functions[fn].name;
    return !strcmp(name, "__getitem__") || strstr(name, "collate");
}

static bool in_evaluation(const struct source_facts *f, int32_t place)
{
    int32_t fn = source_function_of(f, place);
    return fn >= 0 && f->functions[fn].evaluates;
}

/* torch.cat((x, y)) of what loaders gave: what then goes to the device is new memory. */
static bool joins_loaded(const struct source_syntax *s, TSNode callee, TSNode arguments)
{
    char full[FULL_NAME_MAX];
    full_name(s, callee, full, sizeof full);
    TSNode parts = argument_at(arguments, 0);
    if (strcmp(full, "torch.cat") != 0 && strcmp(full, "torch.stack") != 0)
        return false;
    for (uint32_t i = 0; i < python_children(parts) && i < 16; i++)
        if (value_is_loaded(s, python_child(parts, i)))
            return true;
    return false;
}

static void note_device(struct source_syntax *s, TSNode callee, TSNode arguments,
                        TSNode named, int32_t place)
{
    struct source_facts *f = s->facts;
    struct slice method = python_slice(s->text, python_field(callee, FIELD_attribute));
    TSNode device = named_device(s, named);
    bool moved =
        python_node(callee) == PY_attribute && moves(s, method, arguments, place);
    bool made = !ts_node_is_null(device) && is_device(s, device, place);
    TSNode to = made ? device : argument_at(arguments, 0);
    const char *option = moved || made ? source_option_name(s, to) : NULL;
    if (option && (!f->device_option || !strcmp(f->device_option, option)))
        f->device_option = option; /* its default says whether there is one */
    else
        f->uses_device |= moved || made;
    f->loads_to_device |= (moved || made) && in_loading(f, place);
    f->joins_batches |= joins_loaded(s, callee, arguments);
    f->moves_batches |= moved && !in_evaluation(f, place) &&
                        value_is_loaded(s, python_field(callee, FIELD_object));
}

/* Libraries that move a program to the device by themselves. */
void source_note_library(struct source_syntax *s, const char *name)
{
    static const char *const movers[] = {"accelerate",
                                         "lightning",
                                         "pytorch_lightning",
                                         "deepspeed",
                                         "transformers.Trainer",
                                         "transformers.TrainingArguments",
                                         "composer",
                                         "transformers.Seq2SeqTrainer"};
    for (size_t i = 0; i < sizeof movers / sizeof *movers; i++) {
        size_t n = strlen(movers[i]);
        if (!strncmp(name, movers[i], n) && (!name[n] || name[n] == '.'))
            s->facts->uses_device = true;
    }
}

/* ---- which PyTorch? ---- */

/* What newer versions warn of or do not have. */
static bool is_old(const struct source_syntax *s, TSNode callee, TSNode arguments,
                   TSNode named, const char *full)
{
    static const char *const arguments_of_old[] = {"volatile", "retain_variables",
                                                   "size_average"};
    for (size_t i = 0; i < sizeof arguments_of_old / sizeof *arguments_of_old; i++)
        if (!ts_node_is_null(argument_named(s, named, arguments_of_old[i])))
            return true;
    if (!strcmp(full, "torch.stft"))
        return ts_node_is_null(argument_named(s, named, "return_complex")) &&
               !arguments_splat(arguments);
    if (!strcmp(full, "torch.autograd.Variable") ||
        !strcmp(full, "torch.nn.utils.clip_grad_norm") ||
        !strcmp(full, "torch.set_default_tensor_type") ||
        !strncmp(full, "torchtext.legacy.", 17))
        return true;
    return python_node(callee) == PY_attribute && !python_children(arguments) &&
           slice_is(python_slice(s->text, python_field(callee, FIELD_attribute)), "next");
}

/* x.cuda(async=True): no Python since 3.7 reads it. */
static bool is_torch_0(const struct source_syntax *s, TSNode named)
{
    return !ts_node_is_null(argument_named(s, named, "async"));
}

/* loss.data[0]: a number, until a tensor without dimensions had no first element. */
void source_note_subscript(struct source_syntax *s, TSNode n)
{
    TSNode value = python_field(n, FIELD_value),
           object = python_field(value, FIELD_object);
    if (slice_is(python_slice(s->text, python_field(value, FIELD_attribute)), "data") &&
        slice_is(python_slice(s->text, python_field(n, FIELD_subscript)), "0") &&
        name_has_word(short_text(s, object), "loss losses err error cost"))
        s->facts->torch_0 = true;
}

static bool is_recent(const struct source_syntax *s, TSNode named, const char *full)
{
    static const char *const names[] = {
        "torch.compile",
        "torch.set_float32_matmul_precision",
        "torch.inference_mode",
        "torch.autocast",
        "torch.nn.functional.scaled_dot_product_attention",
        "torch.amp.",
        "torch.func.",
        "torch.nn.attention.",
        "torch.distributed.fsdp.",
        "torch.distributed.tensor.",
        "torch.export.",
        "torch.nn.RMSNorm"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!strncmp(full, names[i], strlen(names[i])))
            return true;
    if (!strncmp(full, "torchvision.models.", 19))
        return !ts_node_is_null(argument_named(s, named, "weights"));
    static const char *const options[] = {"weights_only", "enable_nested_tensor",
                                          "is_causal", "use_reentrant"};
    for (size_t i = 0; i < sizeof options / sizeof *options; i++)
        if (!ts_node_is_null(argument_named(s, named, options[i])))
            return true;
    return false;
}

/* model.compile(), not re.compile() */
static bool is_compiled(const struct source_syntax *s, TSNode callee)
{
    return python_node(callee) == PY_attribute &&
           slice_is(python_slice(s->text, python_field(callee, FIELD_attribute)),
                    "compile") &&
           value_kind(s, python_field(callee, FIELD_object)) == KIND_MODULE;
}

/* x: list[int], y: str | None: of a Python that no old PyTorch runs on. */
void source_note_annotation(struct source_syntax *s, TSNode type)
{
    struct slice text = short_text(s, type);
    static const char *const generics[] = {"list[", "dict[", "tuple[", " | ", NULL};
    s->facts->recent_torch |= holds_any(text, generics);
}

/* The arguments where some are named, a null node where none is: most calls have none,
 * and each name that is asked for would be looked for in vain. */
static TSNode with_keywords(TSNode arguments)
{
    static const TSNode none = {0};
    uint32_t n = python_children(arguments);
    for (uint32_t i = 0; i < n && i < 64; i++)
        if (python_node(python_child(arguments, i)) == PY_keyword_argument)
            return arguments;
    return none;
}

void source_note_markers(struct source_syntax *s, TSNode call, const char *full,
                         int32_t place)
{
    TSNode callee = python_field(call, FIELD_function),
           arguments = python_field(call, FIELD_arguments),
           named = with_keywords(arguments);
    note_device(s, callee, arguments, named, place);
    s->facts->compiles |= !strcmp(full, "torch.compile") || is_compiled(s, callee);
    s->facts->old_torch |= is_old(s, callee, arguments, named, full);
    s->facts->recent_torch |= is_recent(s, named, full);
    s->facts->torch_0 |= is_torch_0(s, named);
}
#endif
