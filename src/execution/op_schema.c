#include "execution/op_schema.h"

#include "execution/composite_ops.h"
#include "run/op_traits.h"

#include <ctype.h>
#include <string.h>

/* As the hook has them (hook/gait_hook/observing/flow_ops.py), a space behind each:
 * tests/record/hook/operator_lists.py compares both. */
static const char copies[] = "clone _to_copy copy_ _copy_from ";
static const char overwrites[] = "fill_ zero_ copy_ _foreach_zero_ _foreach_copy_ ";
static const char constants[] =
    "zeros ones full arange linspace logspace eye scalar_tensor tril_indices "
    "triu_indices hann_window zeros_like ones_like full_like new_zeros new_ones "
    "new_full ";
static const char multiplies[] = "mul where masked_fill ";
static const char selects[] =
    "index index_select gather take masked_select embedding repeat ";
/* Parts of names. The hook has PyTorch's tag too, and needs draws_listed not. */
static const char draws[] =
    "dropout rand bernoulli multinomial normal poisson binomial uniform exponential "
    "cauchy geometric standard_gamma dirichlet rrelu attention ";
static const char draws_listed[] =
    "gru lstm rnn_relu rnn_tanh _cudnn_rnn miopen_rnn _lstm_mps ";
/* In place they draw, and go by what was there. */
static const char draws_and_reads[] = "dropout rrelu ";
static const char sorts[] = "sort argsort msort ";
static const char host_reads[] = "_local_scalar_dense item equal is_nonzero allclose ";
static const char host_gives[] = "lift_fresh lift_fresh_copy ";
/* In-place views: they write nothing. */
static const char moves_only[] =
    "detach_ t_ transpose_ squeeze_ unsqueeze_ as_strided_ swapaxes_ swapdims_ "
    "requires_grad_ _coalesced_ ";
/* What memory holds that no operator has written to is not known: no two are the same. */
static const char leaves_unset[] =
    "empty_like new_empty new_empty_strided resize_ resize_as_ set_ ";
/* Memory that nobody has a reason to read before something writes to it. */
static const char makes_unset[] =
    "empty empty_like empty_strided empty_permuted new_empty new_empty_strided ";
/* PyTorch's tag "pointwise", of operators that training code uses. */
static const char pointwise[] =
    "abs add addcdiv addcmul bitwise_and bitwise_not bitwise_or ceil clamp clamp_max "
    "clamp_min copysign cos div elu eq erf erfc exp exp2 expm1 floor floor_divide fmod "
    "frac ge gelu gt hardsigmoid hardswish hardtanh isinf isnan le leaky_relu lerp log "
    "log10 log1p log2 log_sigmoid_forward logaddexp logical_and logical_not logical_or "
    "logical_xor logit lt masked_fill maximum minimum mish mul nan_to_num ne neg pow "
    "reciprocal relu remainder round rsqrt rsub sgn sigmoid sign silu sin softplus sqrt "
    "sub tan tanh threshold trunc where xlogy gelu_backward sigmoid_backward "
    "silu_backward tanh_backward threshold_backward ";

static bool is_listed(const char *list, const char *word, size_t len)
{
    for (const char *at = list; *at; at += strcspn(at, " ") + 1)
        if (strcspn(at, " ") == len && !memcmp(at, word, len))
            return true;
    return false;
}

/* --- the text --- */

/* Behind the argument that begins at `at`: its comma, or the bracket that ends all. */
static const char *end_of_argument(const char *at)
{
    int depth = 0;
    for (; *at; at++) {
        if (!depth && (*at == ',' || *at == ')'))
            break;
        depth += *at == '(' || *at == '[';
        depth -= *at == ')' || *at == ']';
    }
    return at;
}

static bool has(const char *from, const char *to, const char *word)
{
    size_t len = strlen(word);
    for (; from + len <= to; from++)
        if (!memcmp(from, word, len))
            return true;
    return false;
}

/* The last word of an argument, before its default. */
static bool is_named(const char *from, const char *to, const char *name)
{
    const char *equals = memchr(from, '=', (size_t)(to - from));
    const char *end = equals ? equals : to, *word = end;
    while (word > from && (isalnum((unsigned char)word[-1]) || word[-1] == '_'))
        word--;
    return (size_t)(end - word) == strlen(name) && !memcmp(word, name, strlen(name));
}

/* Schemas of collectives do not say what they write. */
static bool exchanges(const struct op_schema *s, const char *from, const char *to)
{
    return !strncmp(s->name, "c10d::", strlen("c10d::")) && has(from, to, "Tensor") &&
           !has(from, to, "input") && !strstr(s->name, "send") &&
           !strstr(s->name, "barrier");
}

static void read_argument(struct op_schema *s, const char *from, const char *to, int i,
                          bool keyword)
{
    bool exchanged = exchanges(s, from, to);
    bool written = has(from, to, "!)") || exchanged;
    s->writes |= written ? UINT64_C(1) << i : 0;
    keyword = keyword || (exchanged && has(from, to, "output"));
    if (written && keyword) /* out=, under whatever name */
        s->out |= UINT64_C(1) << i;
    if (is_named(from, to, "running_mean") || is_named(from, to, "running_var"))
        s->statistics |= UINT64_C(1) << i;
    if (is_named(from, to, "train") || is_named(from, to, "training"))
        s->training = i;
    if (is_named(from, to, "p") || is_named(from, to, "dropout_p") ||
        is_named(from, to, "dropout"))
        s->chance = i;
}

/* Arguments from the bracket on; the result is what follows them, NULL: no schema. */
static const char *read_arguments(struct op_schema *s, const char *at, bool *tensors)
{
    bool keyword = false;
    *tensors = false;
    for (int i = 0; *at && *at != ')';) {
        at += strspn(at, " ");
        const char *end = end_of_argument(at);
        if (end - at == 1 && *at == '*') {
            keyword = true;
        } else if (end > at && i < SCHEMA_ARGUMENTS_MAX) {
            *tensors = *tensors || has(at, end, "Tensor");
            read_argument(s, at, end, i++, keyword);
        }
        at = *end == ',' ? end + 1 : end;
    }
    return *at == ')' ? at + 1 : NULL;
}

/* --- what follows from it --- */

static bool contains_any(const char *name, size_t len, const char *list)
{
    for (const char *at = list; *at; at += strcspn(at, " ") + 1) {
        size_t word = strcspn(at, " ");
        for (size_t i = 0; i + word <= len; i++)
            if (!memcmp(name + i, at, word))
                return true;
    }
    return false;
}

static bool may_draw(const char *plain, size_t len)
{
    return !contains_any(plain, len, "backward ") &&
           (contains_any(plain, len, draws) || is_listed(draws_listed, plain, len));
}

/* In place, without a look at what was there. */
static bool fills(const struct op_schema *s, const char *plain, size_t len)
{
    return s->writes && s->draws &&
           !((s->writes & 1) && contains_any(plain, len, draws_and_reads));
}

/* plain: the name without its space and overload; of an operator in place, so is its
 * underscore. */
static int32_t traits_of(const struct op_schema *s, const char *plain, size_t len,
                         const char *result, bool tensors)
{
    size_t stem = len > 1 && plain[len - 1] == '_' ? len - 1 : len;
    bool gives_tensors = strstr(result, "Tensor") != NULL;
    bool alias = strstr(result, "Tensor(") != NULL;
    bool foreach = !strncmp(plain, "_foreach_", strlen("_foreach_"));
    bool unsafe = is_listed("_unsafe_view ", plain, len);
    const struct {
        int32_t trait;
        bool holds;
    } facts[] = {
        {OP_TRAIT_VIEW, !s->writes && (alias || unsafe)},
        {OP_TRAIT_VIEW, is_listed(moves_only, plain, len)},
        {OP_TRAIT_RANDOM,
         is_listed(leaves_unset, plain, len) || (!tensors && !s->constant)},
        {OP_TRAIT_HOST_READ, !gives_tensors && is_listed(host_reads, plain, len)},
        {OP_TRAIT_COLLECTIVE,
         !strncmp(s->name, "c10d::", strlen("c10d::")) ||
             !strncmp(s->name, "_c10d_functional::", strlen("_c10d_functional::"))},
        {OP_TRAIT_POINTWISE, foreach || is_listed(pointwise, plain, stem)},
        {OP_TRAIT_COPY, is_listed(copies, plain, len)},
        {OP_TRAIT_FACTORY, !tensors},
        {OP_TRAIT_WRITES_ONLY, is_listed(overwrites, plain, len) || fills(s, plain, len)},
        {OP_TRAIT_MULTIPLIES, is_listed(multiplies, plain, len)},
        {OP_TRAIT_SELECTS, is_listed(selects, plain, len)},
        {OP_TRAIT_SORTS, is_listed(sorts, plain, len)},
        {OP_TRAIT_COMPOSITE, s->composite},
    };
    int32_t traits = 0;
    for (size_t i = 0; i < sizeof facts / sizeof *facts; i++)
        traits |= facts[i].holds ? facts[i].trait : 0;
    return traits;
}

bool op_schema_parse(struct op_schema *s, const char *text)
{
    size_t len = strcspn(text, "(");
    bool tensors;
    *s = (struct op_schema){.training = -1, .chance = -1};
    if (!text[len] || !len || len >= SCHEMA_NAME_MAX)
        return false;
    memcpy(s->name, text, len);
    const char *result = read_arguments(s, text + len + 1, &tensors);
    const char *space = strstr(s->name, "::");
    if (!result || !space)
        return false;
    const char *plain = space + 2;
    size_t plain_len = strcspn(plain, ".");
    s->draws = may_draw(plain, plain_len);
    s->composite = is_composite_op(s->name);
    s->host = is_listed(host_gives, plain, plain_len);
    s->unset = is_listed(makes_unset, plain, plain_len);
    s->constant = is_listed(constants, plain, plain_len);
    s->traits = traits_of(s, plain, plain_len, result, tensors);
    if (s->traits & OP_TRAIT_VIEW)
        s->writes = s->out = 0;
    if (s->training < 0 || strstr(plain, "backward"))
        s->statistics = 0;
    return true;
}
