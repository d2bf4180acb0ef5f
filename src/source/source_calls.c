/* What calls, functions, classes and conditions say. */
#ifdef GAIT_TREE_SITTER
#include "source/source_calls.h"

#include "base/mem.h"

#include <string.h>

static bool is_any(const char *word, const char *const *list)
{
    for (; *list; list++)
        if (!strcmp(word, *list))
            return true;
    return false;
}

bool source_names_no_grad(struct slice text)
{
    return slice_has(text, "no_grad") || slice_has(text, "inference_mode") ||
           slice_has(text, "set_grad_enabled(False)");
}

/* Names under which frameworks call a function in every training step. */
static const char *const step_hooks[] = {"training_step",
                                         "compute_loss",
                                         "on_train_batch_start",
                                         "on_train_batch_end",
                                         "optimizer_step",
                                         "on_before_optimizer_step",
                                         "on_before_zero_grad",
                                         "on_after_backward",
                                         "optimizer_zero_grad",
                                         "on_before_backward",
                                         NULL};
static const char *const loader_hooks[] = {"__getitem__", "__getitems__", NULL};
static const char *const setup_hooks[] = {
    "__init__",      "setup", "configure_optimizers", "reset_parameters", "init_weights",
    "_init_weights", NULL};

static bool decorated_no_grad(const struct source_syntax *s, TSNode n)
{
    TSNode around = python_parent(n);
    if (python_node(around) != PY_decorated_definition)
        return false;
    for (uint32_t i = 0; i + 1 < python_children(around) && i < 16; i++)
        if (source_names_no_grad(python_slice(s->text, python_child(around, i))))
            return true;
    return false;
}

static struct slice owner_name(const struct source_syntax *s,
                               const struct source_function *f)
{
    const char *name = f->owner >= 0 ? s->facts->classes[f->owner].name : "";
    return (struct slice){name, strlen(name)};
}

void source_note_function(struct source_syntax *s, TSNode n, struct source_function *f)
{
    const char *name = f->name;
    bool method = f->owner >= 0;
    struct slice word = {name, strlen(name)};
    if (method && is_any(name, step_hooks))
        f->roles |= ROLE_STEP | ROLE_BATCH;
    if (method && !strcmp(name, "forward") && !source_in_test(s->facts, f->place))
        f->roles |= ROLE_FORWARD;
    if ((method && is_any(name, loader_hooks)) || slice_has(word, "collate"))
        f->roles |= ROLE_LOADER;
    if (method && !strcmp(name, "__call__") &&
        (slice_has((struct slice){s->facts->classes[f->owner].name,
                                  strlen(s->facts->classes[f->owner].name)},
                   "ollat")))
        f->roles |= ROLE_LOADER;
    if (method && is_any(name, setup_hooks))
        f->roles |= ROLE_SETUP;
    if (method && !strcmp(name, "step")) {
        const char *owner = s->facts->classes[f->owner].name;
        s->facts->own_scheduler |= name_has_word((struct slice){owner, strlen(owner)},
                                                 "Scheduler scheduler LR Sched Warmup");
    }
    f->evaluates = name_has_word(word, "eval evaluate evaluation val validate validation "
                                       "test predict inference generate sample");
    struct slice owner = owner_name(s, f);
    f->evaluates |= name_has_word(owner, "Evaluator");
    f->no_grad =
        decorated_no_grad(s, n) ||
        (method && (!strcmp(name, "validation_step") || !strcmp(name, "test_step") ||
                    !strcmp(name, "predict_step")));
}

static bool is_module_base(const char *full)
{
    const char *last = strrchr(full, '.');
    last = last ? last + 1 : full;
    struct slice word = {last, strlen(last)};
    return !strncmp(full, "torch.nn.", 9) ||
           name_has_word(word, "Module Model Layer Block Mixin MessagePassing") ||
           slice_has(word, "Module") || slice_has(word, "PreTrained");
}

static bool is_own_module(const struct source_facts *f, const char *name)
{
    for (size_t i = 0; i < f->n_classes; i++)
        if (!strcmp(f->classes[i].name, name))
            return f->classes[i].is_module;
    return false;
}

void source_note_class(struct source_syntax *s, TSNode n, struct source_class *c)
{
    enum { BASES_MAX = 8 };
    const char *bases[BASES_MAX];
    TSNode list = python_field(n, FIELD_superclasses);
    for (uint32_t i = 0; i < python_children(list) && c->n_bases < BASES_MAX; i++) {
        char full[FULL_NAME_MAX];
        full_name(s, python_child(list, i), full, sizeof full);
        if (!*full)
            continue;
        bases[c->n_bases++] = arena_strdup(&s->facts->text, full);
        s->facts->own_optimizer |= !strcmp(full, "torch.optim.Optimizer") ||
                                   !strcmp(full, "torch.optim.optimizer.Optimizer");
        c->is_module |= is_module_base(full) || is_own_module(s->facts, full);
    }
    c->bases = arena_alloc(&s->facts->text, sizeof *bases * (size_t)c->n_bases + 1);
    memcpy(c->bases, bases, sizeof *bases * (size_t)c->n_bases);
}

static bool is_optimizer_step(const struct source_syntax *s, TSNode object)
{
    struct slice receiver = python_slice(s->text, object);
    if (receiver.len > 200)
        return false;
    return value_kind(s, object) == KIND_OPTIMIZER ||
           name_has_word(
               receiver,
               "optimizer optimiser optim opt optimizers optimisers scaler adam sgd "
               "optimizerD optimizerG");
}

static void add_link(struct source_syntax *s, const char *from, struct slice name,
                     int32_t place, uint32_t byte, bool for_loader)
{
    struct source_facts *f = s->facts;
    vec_grow(f->links, f->cap_links, f->n_links + 1);
    f->links[f->n_links++] = (struct source_link){
        .name = arena_strndup(&f->text, name.s, name.len < 120 ? name.len : 120),
        .from = from,
        .place = place,
        .byte = byte,
        .for_loader = for_loader,
    };
}

/* Libraries whose functions are no part of the project. */
static bool is_foreign(const char *full)
{
    static const char *const roots[] = {
        "torch",    "numpy",     "os",        "math",        "time",   "json",
        "random",   "sys",       "logging",   "re",          "wandb",  "tqdm",
        "argparse", "pathlib",   "copy",      "shutil",      "pickle", "PIL",
        "datetime", "itertools", "functools", "collections", NULL};
    size_t n = strcspn(full, ".");
    for (size_t i = 0; roots[i]; i++)
        if (strlen(roots[i]) == n && !strncmp(full, roots[i], n))
            return true;
    return false;
}

/* obj of obj.method(): the class it was made from, where an assignment shows it. */
static const char *class_of(struct source_syntax *s, TSNode object, int32_t place)
{
    struct slice name = python_slice(s->text, object);
    const struct binding *b = NULL;
    uint32_t byte = ts_node_start_byte(object);
    if (python_node(object) == PY_identifier)
        b = binding_of(s, name, place, byte);
    else if (python_node(object) == PY_attribute &&
             slice_is(python_slice(s->text, python_field(object, FIELD_object)), "self"))
        b = binding_of_self(
            s, python_slice(s->text, python_field(object, FIELD_attribute)), place, byte);
    if (!b || python_node(b->value) != PY_call)
        return "?";
    char full[FULL_NAME_MAX];
    full_name(s, python_field(b->value, FIELD_function), full, sizeof full);
    return *full ? arena_strdup(&s->facts->text, full) : "?";
}

static void link_method(struct source_syntax *s, TSNode callee, int32_t place)
{
    TSNode object = python_field(callee, FIELD_object);
    struct slice name = python_slice(s->text, python_field(callee, FIELD_attribute));
    char full[FULL_NAME_MAX];
    full_name(s, object, full, sizeof full);
    if (is_foreign(full))
        return;
    bool self = !strcmp(full, "self") || !strcmp(full, "cls");
    bool imported = *full && memcmp(full, s->text + ts_node_start_byte(object),
                                    strlen(full) < python_slice(s->text, object).len
                                        ? strlen(full)
                                        : python_slice(s->text, object).len) != 0;
    const char *from = self       ? "self"
                       : imported ? arena_strdup(&s->facts->text, full)
                                  : class_of(s, object, place);
    if (!strcmp(from, "?") && python_node(object) == PY_identifier)
        from = arena_strdup(&s->facts->text, full);
    if (strncmp(from, "torch.optim.", 12) != 0) /* its methods are none of the project */
        add_link(s, from, name, place, ts_node_start_byte(object), false);
}

static bool is_builtin(const char *name)
{
    static const char *const list[] = {
        "print",     "len",     "range",      "int",  "float", "str",     "isinstance",
        "enumerate", "zip",     "super",      "list", "dict",  "getattr", "open",
        "sum",       "max",     "min",        "set",  "tuple", "setattr", "sorted",
        "bool",      "hasattr", "ValueError", NULL};
    return is_any(name, list);
}

/* from a.b import f: f() leads to f of a.b. */
static void link_plain(struct source_syntax *s, TSNode name, int32_t place,
                       bool for_loader)
{
    char full[FULL_NAME_MAX];
    full_name(s, name, full, sizeof full);
    if (!*full || is_foreign(full) || is_builtin(full) ||
        binding_of(s, python_slice(s->text, name), place, ts_node_start_byte(name)))
        return;
    char *last = strrchr(full, '.');
    struct slice word = {full, strlen(full)};
    const char *from = "";
    if (last) {
        word = (struct slice){last + 1, strlen(last + 1)};
        from = arena_strndup(&s->facts->text, full, (size_t)(last - full));
    }
    add_link(s, from, word, place, ts_node_start_byte(name), for_loader);
}

/* Functions handed on are called by who gets them: a closure, a collate_fn. */
static void link_arguments(struct source_syntax *s, TSNode arguments, int32_t place)
{
    for (uint32_t i = 0; i < python_children(arguments) && i < 32; i++) {
        TSNode a = python_child(arguments, i);
        bool loader = false;
        if (python_node(a) == PY_keyword_argument) {
            struct slice name = python_slice(s->text, python_field(a, FIELD_name));
            loader = slice_has(name, "collate") || slice_has(name, "transform");
            a = python_field(a, FIELD_value);
        }
        if (python_node(a) == PY_identifier) {
            link_plain(s, a, place, loader);
        } else if (python_node(a) == PY_attribute &&
                   slice_is(python_slice(s->text, python_field(a, FIELD_object)),
                            "self")) {
            add_link(s, "self", python_slice(s->text, python_field(a, FIELD_attribute)),
                     place, ts_node_start_byte(a), loader);
        }
    }
}

/* model.eval(), model.train(), model.train(False) */
static void note_mode(struct source_syntax *s, TSNode arguments,
                      struct source_place *turn, bool eval)
{
    struct slice mode = python_slice(s->text, argument_at(arguments, 0));
    bool off = eval || slice_is(mode, "False");
    bool either = !eval && mode.len && !off && !slice_is(mode, "True");
    turn->in_eval = off;
    s->facts->calls_eval |= off || either;
    s->facts->calls_train |= !off || either;
}

static void note_differentiation(struct source_syntax *s, const char *full)
{
    s->facts->differentiates |= !strcmp(full, "torch.autograd.grad") ||
                                !strncmp(full, "torch.func.", 11) ||
                                !strncmp(full, "torch.autograd.functional.", 26);
}

/* A setting, where a small name for a number is none: batch_size = 64. */
static bool is_setting(const struct source_syntax *s, TSNode n)
{
    struct slice text = python_slice(s->text, n);
    bool small = text.len && text.s[0] >= 'a' && text.s[0] <= 'z';
    return !ts_node_is_null(n) && python_node(n) != PY_integer &&
           !(python_node(n) == PY_identifier && small && value_kind(s, n) == KIND_NUMBER);
}

/* train_loader = DataLoader(…, batch_size=args.batch_size) */
static void note_loader(struct source_syntax *s, TSNode n, const char *full)
{
    if (strcmp(full, "torch.utils.data.DataLoader") != 0)
        return;
    TSNode arguments = python_field(n, FIELD_arguments);
    TSNode size = argument_named(s, arguments, "batch_size");
    if (ts_node_is_null(size))
        size = argument_at(arguments, 1);
    TSNode target = python_field(python_parent(n), FIELD_left);
    if (is_setting(s, size) &&
        name_has_word(python_slice(s->text, target), "train training trainloader"))
        s->facts->batch_configured = true;
}

/* x.add_(…), x.append(…) */
static bool changes_in_place(struct slice method)
{
    static const char *const list[] = {"append", "extend", "insert",  "update", "pop",
                                       "remove", "add",    "reverse", "sort"};
    for (size_t i = 0; i < sizeof list / sizeof *list; i++)
        if (slice_is(method, list[i]))
            return true;
    return method.len > 1 && method.s[method.len - 1] == '_' &&
           method.s[method.len - 2] != '_' && !slice_is(method, "requires_grad_");
}

/* register_buffer("x", value) sets self.x: it lies where the module does. */
static void bind_buffer(struct source_syntax *s, TSNode arguments, int32_t place)
{
    TSNode name = argument_at(arguments, 0), value = argument_at(arguments, 1);
    int32_t owner = source_class_of(s->facts, place);
    struct slice text = python_slice(s->text, name);
    if (owner < 0 || python_node(name) != PY_string || text.len < 3 ||
        ts_node_is_null(value))
        return;
    binding_add(s, (struct binding){.name = {text.s + 1, text.len - 2},
                                    .scope = SCOPE_CLASS(owner),
                                    .byte = python_end(arguments),
                                    .place = place,
                                    .kind = KIND_TENSOR,
                                    .shown = python_node(value) != PY_none,
                                    .value = value});
}

/* Methods that nothing but a tensor has. */
static const char *const tensor_methods[] = {
    "unsqueeze",     "permute",    "masked_fill", "masked_fill_",
    "detach",        "expand",     "expand_as",   "log_softmax",
    "softmax",       "scatter_",   "isnan",       "index_select",
    "masked_select", "type_as",    "bmm",         "isinf",
    "isfinite",      "nan_to_num", NULL};

static void note_gradient(struct source_syntax *s, TSNode of, int32_t place)
{
    vec_grow(s->gradients, s->cap_gradients, s->n_gradients + 1);
    s->gradients[s->n_gradients++] = (struct used_value){of, place};
}

/* loss.backward(), accelerator.backward(loss), scaler.scale(loss).backward() */
static void note_backward(struct source_syntax *s, TSNode object, TSNode arguments,
                          int32_t place)
{
    TSNode first = argument_at(arguments, 0);
    TSNode scaled = argument_at(python_field(object, FIELD_arguments), 0);
    note_gradient(s, object, place);
    if (!ts_node_is_null(first))
        note_gradient(s, first, place);
    binding_show_tensor(s,
                        !ts_node_is_null(first)    ? first
                        : !ts_node_is_null(scaled) ? scaled
                                                   : object,
                        place);
}

/* What a name is, by the methods that are called on it. */
static void note_use(struct source_syntax *s, TSNode object, struct slice method,
                     TSNode arguments, int32_t place)
{
    char name[20];
    if (slice_is(method, "backward") || slice_is(method, "manual_backward"))
        note_backward(s, object, arguments, place);
    if (method.len >= sizeof name)
        return;
    memcpy(name, method.s, method.len);
    name[method.len] = '\0';
    if (slice_is(method, "numpy"))
        binding_show_host(s, object, place);
    if (is_any(name, tensor_methods))
        binding_show_tensor(s, object, place);
}

/* env.step(action): a simulator on the host takes the action. */
static void note_environment(struct source_syntax *s, TSNode object, struct slice method,
                             TSNode arguments, int32_t place)
{
    static const char *const steps[] = {"step", "step_async", "step_wait"};
    bool step = false;
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++)
        step |= slice_is(method, steps[i]);
    if (!step) /* most are not: what follows costs more */
        return;
    TSNode first = argument_at(arguments, 0);
    TSNode taken = python_field(python_parent(python_parent(arguments)), FIELD_left);
    bool named = name_has_word(python_slice(s->text, object), "env envs environment");
    if (ts_node_is_null(first) || (!named && python_children(taken) < 3))
        return;
    vec_grow(s->actions, s->cap_actions, s->n_actions + 1);
    s->actions[s->n_actions++] = (struct used_value){first, place};
}

static void note_step(struct source_facts *f, int32_t place, struct source_place *turn)
{
    bool counted = false;
    for (; place >= 0 && &f->places[place] != turn; place = f->places[place].parent)
        counted |= f->places[place].every_nth;
    turn->step = !source_in_test(f, place);
    turn->step_counted |= counted;
    turn->step_always |= !counted;
}

/* loss_scaler(loss, optimizer, …): what gets both does backward and step. */
static void note_whole_step(struct source_syntax *s, TSNode arguments, int32_t place,
                            struct source_place *turn)
{
    TSNode loss = argument_at(arguments, 0), optimizer = argument_at(arguments, 1);
    if (ts_node_is_null(optimizer) || python_node(loss) != PY_identifier ||
        !name_has_word(python_slice(s->text, loss), "loss") ||
        value_kind(s, optimizer) != KIND_OPTIMIZER || source_in_test(s->facts, place))
        return;
    turn->backward = true;
    note_step(s->facts, place, turn);
    note_gradient(s, loss, place);
    binding_show_tensor(s, loss, place);
}

void source_note_call(struct source_syntax *s, TSNode n, int32_t place)
{
    char full[FULL_NAME_MAX];
    full_name(s, python_field(n, FIELD_function), full, sizeof full);
    note_loader(s, n, full);
    note_differentiation(s, full);
    source_note_markers(s, n, full, place);
    TSNode callee = python_field(n, FIELD_function);
    struct source_place *turn = source_turn_of(s->facts, place);
    link_arguments(s, python_field(n, FIELD_arguments), place);
    note_whole_step(s, python_field(n, FIELD_arguments), place, turn);
    if (python_node(callee) == PY_identifier)
        link_plain(s, callee, place, false);
    if (python_node(callee) != PY_attribute)
        return;
    TSNode object = python_field(callee, FIELD_object);
    struct slice method = python_slice(s->text, python_field(callee, FIELD_attribute));
    if (changes_in_place(method))
        binding_note_change(s, object, place);
    if (slice_is(method, "register_buffer") &&
        slice_is(python_slice(s->text, object), "self"))
        bind_buffer(s, python_field(n, FIELD_arguments), place);
    note_use(s, object, method, python_field(n, FIELD_arguments), place);
    note_environment(s, object, method, python_field(n, FIELD_arguments), place);
    if (slice_is(method, "backward") || slice_is(method, "manual_backward"))
        turn->backward = !source_in_test(s->facts, place);
    else if (slice_is(method, "step") && is_optimizer_step(s, object))
        note_step(s->facts, place, turn);
    else if (slice_is(method, "eval") || slice_is(method, "train"))
        note_mode(s, python_field(n, FIELD_arguments), turn, slice_is(method, "eval"));
    else
        link_method(s, callee, place);
}

static void import_module(struct source_syntax *s, const char *module)
{
    struct source_facts *f = s->facts;
    size_t root = strcspn(module, ".");
    source_note_library(s, module);
    if (root && is_foreign(module))
        return;
    vec_grow(f->modules, f->cap_modules, f->n_modules + 1);
    f->modules[f->n_modules++] = module;
}

static const char *copy(struct source_syntax *s, struct slice a)
{
    return arena_strndup(&s->facts->text, a.s, a.len < 200 ? a.len : 200);
}

/* import a.b.c binds a; import a.b.c as d binds d to a.b.c. */
static void note_plain_import(struct source_syntax *s, TSNode item)
{
    bool aliased = python_node(item) == PY_aliased_import;
    TSNode name = aliased ? python_field(item, FIELD_name) : item;
    const char *module = copy(s, python_slice(s->text, name));
    import_module(s, module);
    if (aliased)
        import_add(s, python_slice(s->text, python_field(item, FIELD_alias)), module);
    else
        import_add(s, (struct slice){module, strcspn(module, ".")},
                   arena_strndup(&s->facts->text, module, strcspn(module, ".")));
}

static void note_imported_name(struct source_syntax *s, TSNode item, const char *module)
{
    bool aliased = python_node(item) == PY_aliased_import;
    struct slice name =
        python_slice(s->text, aliased ? python_field(item, FIELD_name) : item);
    struct slice alias =
        aliased ? python_slice(s->text, python_field(item, FIELD_alias)) : name;
    char full[FULL_NAME_MAX];
    size_t n = strlen(module);
    if (n + name.len + 2 > sizeof full)
        return;
    memcpy(full, module, n);
    full[n] = '.';
    memcpy(full + n + 1, name.s, name.len);
    full[n + 1 + name.len] = '\0';
    const char *kept = arena_strdup(&s->facts->text, full);
    import_add(s, alias, kept);
    import_module(s, kept); /* from package import module */
}

void source_note_import(struct source_syntax *s, TSNode n)
{
    bool from = python_node(n) == PY_import_from_statement;
    TSNode module = python_field(n, FIELD_module_name);
    const char *name = from ? copy(s, python_slice(s->text, module)) : NULL;
    if (from)
        import_module(s, name);
    for (uint32_t i = 0; i < python_children(n) && i < 256; i++) {
        TSNode item = python_child(n, i);
        enum python_node kind = python_node(item);
        if ((kind != PY_dotted_name && kind != PY_aliased_import) ||
            (from && ts_node_eq(item, module)))
            continue;
        if (from)
            note_imported_name(s, item, name);
        else
            note_plain_import(s, item);
    }
}

/* Words by which people tell the turns in which something extra is done. */
static const char turn_words[] =
    "step steps iter iteration it itr i j idx batch_idx index epoch count counter n log "
    "logging print debug verbose eval evaluate val valid validate validation save "
    "checkpoint ckpt report plot sample interval freq frequency every profile profiling "
    "profiler warmup "
    "inference first last master_log time elapsed nan inf finite accumulate accum done "
    "tracing scripting exporting onnx offload offloading cpu cache cached";

static bool asks_for_turn(const struct source_syntax *s, TSNode condition)
{
    struct slice text = python_slice(s->text, condition);
    enum { LOOKED_AT_MAX = 400 };
    if (text.len > LOOKED_AT_MAX)
        return true;
    return slice_has(text, "%") || name_has_word(text, turn_words);
}

/* A branch that ends in raise, return, break or continue is an exception to the rule. */
bool source_block_leaves(const struct source_syntax *s, TSNode body)
{
    uint32_t n = python_children(body);
    while (n && python_node(python_child(body, n - 1)) == PY_comment)
        n--;
    if (!n)
        return false;
    TSNode last = python_child(body, n - 1);
    switch (python_node(last)) {
    case PY_raise_statement:
    case PY_return_statement:
    case PY_break_statement:
    case PY_continue_statement:
        return true;
    default: {
        struct slice text = python_slice(s->text, last);
        return text.len < 200 && (slice_has(text, "exit(") || slice_has(text, "abort("));
    }
    }
}

/* if self.table is None: self.table = …; if n not in cache: cache[n] = … */
static bool sets_what_it_asks_for(const struct source_syntax *s, TSNode condition,
                                  TSNode body)
{
    enum { STATEMENTS_MAX = 40 };
    struct slice asked = python_slice(s->text, condition);
    for (uint32_t i = 0; i < python_children(body) && i < STATEMENTS_MAX; i++) {
        TSNode left = python_field(python_child(python_child(body, i), 0), FIELD_left);
        if (python_node(left) == PY_subscript)
            left = python_field(left, FIELD_value);
        else if (python_node(left) != PY_attribute)
            continue;
        struct slice name = python_slice(s->text, left);
        if (name.len && asked.len < 1000 && memmem(asked.s, asked.len, name.s, name.len))
            return true;
    }
    return false;
}

/* What a name was last set to, if that is a question about the turn: due = step % n == 0 */
static TSNode named_question(const struct source_syntax *s, TSNode name)
{
    static const TSNode none = {0};
    uint32_t byte = ts_node_start_byte(name);
    const struct binding *b =
        binding_of(s, python_slice(s->text, name), source_place_at(s->facts, byte), byte);
    return b && b->byte <= byte ? b->value : none;
}

/* By names for it: is a condition true in every n-th turn only? */
static bool is_named_turn(const struct source_syntax *s, TSNode n, int depth)
{
    enum { NAMES_DEPTH_MAX = 6, LOOKED_AT_MAX = 200 };
    struct slice text = python_slice(s->text, n);
    if (ts_node_is_null(n) || depth > NAMES_DEPTH_MAX)
        return false;
    switch (python_node(n)) {
    case PY_parenthesized_expression:
        return is_named_turn(s, python_child(n, 0), depth + 1);
    case PY_identifier:
        return is_named_turn(s, named_question(s, n), depth + 1);
    case PY_comparison_operator:
        return depth && text.len < LOOKED_AT_MAX && slice_has(text, "%") &&
               slice_has(text, "==");
    case PY_boolean_operator: {
        bool left = is_named_turn(s, python_field(n, FIELD_left), depth + 1),
             right = is_named_turn(s, python_field(n, FIELD_right), depth + 1);
        bool and =
            slice_is(python_slice(s->text, python_field(n, FIELD_operator)), "and");
        return and? left || right : left && right;
    }
    default:
        return false;
    }
}

/* The else of if step > 0: the first turn alone. */
static bool is_first_turn(const struct source_syntax *s, TSNode n)
{
    TSNode asked = python_field(python_parent(n), FIELD_condition);
    if (python_node(n) != PY_else_clause ||
        python_node(asked) != PY_comparison_operator || ts_node_child_count(asked) != 3)
        return false;
    const char *op = python_type(ts_node_child(asked, 1));
    struct slice least = python_slice(s->text, ts_node_child(asked, 2));
    bool later = slice_is(least, "0") ? !strcmp(op, ">") || !strcmp(op, "!=")
                                      : slice_is(least, "1") && !strcmp(op, ">=");
    return later &&
           name_has_word(python_slice(s->text, ts_node_child(asked, 0)),
                         "step steps iter iteration it itr i idx batch_idx index");
}

bool source_branch_is_counted(const struct source_syntax *s, TSNode n)
{
    if (is_named_turn(s, python_field(n, FIELD_condition), 0))
        return true;
    struct slice text = python_slice(s->text, python_field(n, FIELD_condition));
    enum { LOOKED_AT_MAX = 400 };
    text.len = text.len < LOOKED_AT_MAX ? text.len : LOOKED_AT_MAX;
    return slice_has(text, "%") ||
           name_has_word(text, "accum accumulate accumulation accumulated accumulating");
}

/* if isinstance(v, torch.Tensor): nobody knows how often it is one. */
static bool asks_for_tensor(struct slice condition)
{
    return slice_has(condition, "is_tensor(") || slice_has(condition, "hasattr(") ||
           (slice_has(condition, "isinstance(") && slice_has(condition, "Tensor"));
}

/* def forward(self, x, ret_usages=False): if ret_usages: …; who calls it has to ask. */
static bool is_asked_for(const struct source_syntax *s, TSNode condition)
{
    TSNode f = condition;
    for (int i = 0; i < 400 && python_node(f) != PY_function_definition; i++)
        f = python_parent(f);
    TSNode parameters = python_field(f, FIELD_parameters);
    uint32_t n =
        python_node(condition) == PY_identifier ? python_children(parameters) : 0;
    struct slice name = python_slice(s->text, condition);
    for (uint32_t i = 0; i < n && i < 64; i++) {
        TSNode p = python_child(parameters, i);
        if (slice_equal(python_slice(s->text, python_field(p, FIELD_name)), name))
            return python_node(python_field(p, FIELD_value)) == PY_false;
    }
    return false;
}

/* not self.training, or the else of self.training: no step of a training is there. */
static bool is_outside_training(const struct source_syntax *s, TSNode n)
{
    bool otherwise = python_node(n) == PY_else_clause;
    TSNode condition = python_field(otherwise ? python_parent(n) : n, FIELD_condition);
    if (!otherwise && python_node(condition) != PY_not_operator)
        return false;
    if (!otherwise)
        condition = python_child(condition, 0);
    return slice_is(python_slice(s->text, python_field(condition, FIELD_attribute)),
                    "training");
}

static bool reports(const struct source_syntax *s, TSNode statement)
{
    struct slice name = python_called(s->text, python_child(statement, 0));
    return name_has_word(name, "print warn warning error info debug log");
}

/* if x.min() < 0: print("…"), an exception that the data decides. */
static bool reports_exception(const struct source_syntax *s, TSNode condition,
                              TSNode body)
{
    enum { STATEMENTS_MAX = 4 };
    uint32_t n = python_children(body);
    struct slice text = python_slice(s->text, condition);
    if (!n || n > STATEMENTS_MAX || text.len > 200 ||
        !(slice_has(text, "torch.") || slice_has(text, ".any(") ||
          slice_has(text, ".min(") || slice_has(text, ".max(")))
        return false;
    for (uint32_t i = 0; i < n; i++)
        if (!reports(s, python_child(body, i)))
            return false;
    return true;
}

bool source_branch_is_seldom(const struct source_syntax *s, TSNode n, TSNode body)
{
    TSNode condition = python_field(n, FIELD_condition);
    struct slice asked = python_slice(s->text, condition);
    if (is_outside_training(s, n) || is_asked_for(s, condition) ||
        is_named_turn(s, condition, 0) || is_first_turn(s, n) ||
        (asked.len && asked.len < 400 &&
         (asks_for_tensor(asked) || reports_exception(s, condition, body))))
        return true;
    bool asks = !ts_node_is_null(condition) && asks_for_turn(s, condition);
    return asks || source_block_leaves(s, body) ||
           (!ts_node_is_null(condition) && sets_what_it_asks_for(s, condition, body));
}

/* What follows such an if in its block runs in few turns. */
bool source_branch_skips_most(const struct source_syntax *s, TSNode n)
{
    TSNode condition = python_field(n, FIELD_condition),
           body = python_field(n, FIELD_consequence);
    uint32_t statements = python_children(body);
    if (!statements || !ts_node_is_null(python_field(n, FIELD_alternative)))
        return false;
    enum python_node last = python_node(python_child(body, statements - 1));
    struct slice text = python_slice(s->text, condition);
    if ((last != PY_return_statement && last != PY_continue_statement) || text.len > 200)
        return false;
    if (slice_has(text, "%"))
        return !slice_has(text, "==");
    return python_node(condition) == PY_not_operator &&
           name_has_word(text, "log logging print report interval");
}
#endif
