/* Kernels that are given what to do: "vectorized_elementwise_kernel<4, Functor>". */
#include "analyze/kernel_label_kinds.h"

#include <string.h>

/* Names around a functor that say how it is called, not what it does. */
static bool is_wrapper(const struct identifier *i)
{
    static const char *const whole[] = {
        "BinaryFunctor",
        "AUnaryFunctor",
        "BUnaryFunctor",
        "UnaryFunctor",
        "ReduceOp",
        "func_wrapper_t",
        "apply",
        "operator",
        "lambda",
        "const",
        "unsigned",
        "void",
        "true",
        "false",
        "OpaqueType",
        "default_config",
        "_cuda_scatter_gather_internal_kernel",
        "type_specialized_broadcast_kernel_launcher",
    };
    static const char *const begins[] = {"gpu_kernel_", "gpu_index_kernel",
                                         "BinaryOp",    "UnaryOp",
                                         "PointwiseOp", "TernaryOp",
                                         "TensorList",  "FusedOptimizerTensorList",
                                         "opmath_",     "core",
                                         "Kernel"};
    for (size_t k = 0; k < COUNT_OF(whole); k++)
        if (identifier_is(i, whole[k]))
            return true;
    for (size_t k = 0; k < COUNT_OF(begins); k++)
        if (i->len >= strlen(begins[k]) && !memcmp(i->s, begins[k], strlen(begins[k])))
            return true;
    return kernel_type_of(i->s, i->len);
}

/* The first name in the arguments that says what is done. */
bool functor_in(const char *args, struct identifier *functor)
{
    struct identifier_scan scan = {.at = args};
    while (identifier_next(&scan, functor))
        if (!functor->is_scope && !functor->in_parameter && !is_wrapper(functor))
            return true;
    return false;
}

/* The template argument that the functor stands in. */
static void argument_around(const struct kernel_name *k, const struct identifier *functor,
                            const char **begin, const char **end)
{
    int depth = 0;
    *begin = k->args.s;
    *end = k->args.s + k->args.len;
    for (const char *s = k->args.s; s < *end; s++) {
        depth += *s == '<' || *s == '(' || *s == '{';
        depth -= *s == '>' || *s == ')' || *s == '}';
        if (*s == ',' && !depth && s > functor->s)
            *end = s;
        else if (*s == ',' && !depth)
            *begin = s + 1;
    }
}

/* In "gpu_kernel_impl<Functor>(…)::{lambda(int)#1}" the lambda takes an index. */
static const char *end_of_wrapped(const char *begin, const char *end)
{
    int depth = 0;
    for (const char *s = begin; s < end; s++) {
        depth += *s == '<';
        depth -= *s == '>';
        if (*s == '>' && !depth)
            return s;
    }
    return end;
}

/* Its types are those of the data. */
static const char *functor_type(const struct kernel_name *k,
                                const struct identifier *functor)
{
    const char *begin, *end;
    argument_around(k, functor, &begin, &end);
    const char *wrapped = end_of_wrapped(begin, end), *type = NULL;
    if (functor->s < wrapped && functor->angles)
        type = kernel_type_in(begin, (size_t)(wrapped - begin), KERNEL_TYPE_FLOAT_FIRST);
    return type ? type
                : kernel_type_in(begin, (size_t)(end - begin), KERNEL_TYPE_FLOAT_FIRST);
}

static const struct word_meaning given[] = {
    {"_scatter_gather_elementwise", "scatter/gather"},
    {"index_elementwise", ""}, /* the functor says which */
    {"distribution_elementwise", "random"},
    {"elementwise", "elementwise"},
    {"multi_tensor_apply", "foreach"},
};

/* CUDAFunctorOnSelf_add → add. Nothing where its words say nothing. */
static void add_functor(struct strbuf *out, const char *family,
                        const struct identifier *functor)
{
    struct strbuf words;
    const char *s = functor->s;
    size_t len = functor->len;
    if (len > 11 && !memcmp(s, "CUDAFunctor", 11)) {
        const char *operation = memchr(s, '_', len);
        if (operation) {
            len -= (size_t)(operation + 1 - s);
            s = operation + 1;
        }
    }
    static const char random_end[] = "_and_transform";
    size_t n = sizeof random_end - 1;
    if (len > n && !memcmp(s + len - n, random_end, n))
        len -= n;
    strbuf_init(&words);
    kernel_words(&words, s, len);
    if (words.len)
        strbuf_printf(out, "%s%s%s", family, *family ? " " : "", words.s);
    strbuf_release(&words);
}

bool label_given(struct strbuf *out, const struct kernel_name *k)
{
    struct identifier functor;
    const char *family = !strcmp(k->base.s, "reduce_kernel") ? "reduce" : NULL;
    for (size_t i = 0; i < COUNT_OF(given) && !family; i++)
        if (strstr(k->base.s, given[i].word))
            family = given[i].means;
    if (!family || !functor_in(k->args.s, &functor))
        return false;
    size_t begin = out->len;
    add_functor(out, family, &functor);
    if (out->len == begin)
        return false;
    label_add_type(out, functor_type(k, &functor));
    return true;
}
