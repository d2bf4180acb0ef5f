/*
 * A label is put together from what a name is made of: an operation, a type, a tile, a
 * library. Kinds of kernels whose names follow a grammar of their own are tried one after
 * another; what is left is told by the words of its name.
 */
#include "analyze/kernel_label.h"

#include "analyze/kernel_kind.h"
#include "analyze/kernel_words.h"

#include <ctype.h>
#include <string.h>

#define COUNT_OF(a) (sizeof(a) / sizeof *(a))

static bool has(const char *s, const char *word)
{
    return strcasestr(s, word) != NULL;
}

static bool has_any(const char *s, const char *const *words, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (has(s, words[i]))
            return true;
    return false;
}
#define HAS_ANY(s, words) has_any(s, words, COUNT_OF(words))

struct word_meaning {
    const char *begin, *means;
};

static void add_type(struct strbuf *out, const char *type)
{
    if (type)
        strbuf_printf(out, " %s", type);
}

static void add_library(struct strbuf *out, const struct kernel_name *k)
{
    const char *library = kernel_library_of(k->whole.s);
    if (*library)
        strbuf_printf(out, " (%s)", library);
}

/* --- copies and sets: "Memcpy HtoD (Pageable -> Device)" --- */

static bool label_copy(struct strbuf *out, const char *raw)
{
    static const char *const words[COPY_KIND_COUNT] = {
        [COPY_KIND_PAGEABLE_TO_DEVICE] = "host to device, pageable",
        [COPY_KIND_PINNED_TO_DEVICE] = "host to device, pinned",
        [COPY_KIND_HOST_TO_DEVICE] = "host to device",
        [COPY_KIND_DEVICE_TO_PAGEABLE] = "device to host, pageable",
        [COPY_KIND_DEVICE_TO_PINNED] = "device to host, pinned",
        [COPY_KIND_DEVICE_TO_HOST] = "device to host",
        [COPY_KIND_DEVICE_TO_DEVICE] = "device to device",
        [COPY_KIND_PEER_TO_PEER] = "peer to peer",
    };
    if (!strncmp(raw, "Memset", 6)) {
        size_t memory = strspn(raw + 6, " (");
        strbuf_puts(out, "memset");
        if (raw[6 + memory])
            strbuf_putc(out, ' ');
        for (const char *s = raw + 6 + memory; isalpha((unsigned char)*s); s++)
            strbuf_putc(out, (char)tolower((unsigned char)*s));
        return true;
    }
    if (strncmp(raw, "Memcpy", 6) != 0 && strncmp(raw, "Copy", 4) != 0)
        return false;
    const char *kind = words[copy_kind_of(raw)];
    if (kind)
        strbuf_printf(out, "copy %s", kind);
    return kind;
}

/* --- collectives: "ncclDevKernel_AllReduce_Sum_f32_RING_LL" --- */

struct collective {
    const char *word, *means;
    bool reduces; /* other names carry an operation and a type too, and mean nothing */
};

static const struct collective collectives[] = {
    {"AllReduce", "all-reduce", true},  {"ReduceScatter", "reduce-scatter", true},
    {"AllGather", "all-gather", false}, {"AllToAll", "all-to-all", false},
    {"Broadcast", "broadcast", false},  {"SendRecv", "send/receive", false},
    {"Reduce", "reduce", true},         {"Generic", "collective", false},
};

static const char *collective_type(const char *word, size_t len)
{
    static const char *const own[] = {"f64", "f32", "f16", "bf16", "i64",
                                      "i32", "i8",  "u8",  "u32",  "u64"};
    for (size_t i = 0; i < COUNT_OF(own); i++)
        if (strlen(own[i]) == len && !memcmp(word, own[i], len))
            return own[i];
    return kernel_type_of(word, len);
}

static void add_reduction(struct strbuf *out, const char *s)
{
    static const char *const operations[] = {"Sum", "Prod", "Max", "Min", "Avg"};
    const char *type = NULL;
    while (*s) {
        size_t len = strcspn(s, "_");
        for (size_t i = 0; i < COUNT_OF(operations); i++)
            if (strlen(operations[i]) == len && !memcmp(s, operations[i], len))
                strbuf_printf(out, " %c%s", tolower(*s), operations[i] + 1);
        if (!type)
            type = collective_type(s, len);
        s += len + (s[len] == '_');
    }
    add_type(out, type);
}

static bool label_collective(struct strbuf *out, const struct kernel_name *k)
{
    const char *name = k->base.s;
    if (strncmp(name, "nccl", 4) != 0 && strncmp(name, "rccl", 4) != 0)
        return false;
    for (size_t i = 0; i < COUNT_OF(collectives); i++) {
        const char *at = strstr(name, collectives[i].word);
        if (!at)
            continue;
        strbuf_puts(out, collectives[i].means);
        if (collectives[i].reduces)
            add_reduction(out, at);
        strbuf_puts(out, *name == 'r' ? " (RCCL)" : " (NCCL)");
        return true;
    }
    return false;
}

/* --- what TorchInductor wrote: "triton_poi_fused_add_mul_3" --- */

static const struct word_meaning triton_kinds[] = {
    {"triton_poi_", "pointwise"}, {"triton_red_", "reduction"},
    {"triton_per_", "reduction"}, {"triton_tem_", "template"},
    {"triton_for_", "foreach"},   {"triton_spl_", "split scan"},
};

/* Operators that only look at memory in another way: they hide those that compute. */
static bool is_view(const char *s, size_t len)
{
    static const char *const views[] = {
        "view",    "unsafe", "transpose", "unsqueeze", "squeeze", "expand",
        "slice",   "split",  "select",    "permute",   "unbind",  "t",
        "reshape", "native", "empty",     "like",      "detach",  "alias",
    };
    for (size_t i = 0; i < COUNT_OF(views); i++)
        if (strlen(views[i]) == len && !memcmp(s, views[i], len))
            return true;
    return false;
}

static bool is_number(const char *s, size_t len)
{
    return strspn(s, "0123456789cde") >= len && isdigit((unsigned char)*s);
}

/* Append the operators that were fused, with or without views, and say how many. */
static size_t add_fused(struct strbuf *out, const char *s, bool views)
{
    enum { WORDS_SHOWN = 8 };
    size_t words = 0;
    while (*s) {
        size_t len = strcspn(s, "_");
        if (len && !is_number(s, len) && (views || !is_view(s, len)) &&
            ++words <= WORDS_SHOWN) {
            strbuf_putc(out, ' ');
            strbuf_add(out, s, len);
        }
        s += len + (s[len] == '_');
    }
    if (words > WORDS_SHOWN)
        strbuf_printf(out, " +%zu", words - WORDS_SHOWN);
    return words;
}

static bool label_triton(struct strbuf *out, const struct kernel_name *k)
{
    for (size_t i = 0; i < COUNT_OF(triton_kinds); i++) {
        const char *s = k->base.s;
        if (strncmp(s, triton_kinds[i].begin, strlen(triton_kinds[i].begin)) != 0)
            continue;
        s += strlen(triton_kinds[i].begin);
        s += strncmp(s, "fused_", 6) ? 0 : 6;
        strbuf_puts(out, "fused");
        if (!add_fused(out, s, false))
            add_fused(out, s, true);
        strbuf_printf(out, " (Triton, %s)", triton_kinds[i].means);
        return true;
    }
    return false;
}

/* --- products of matrices, convolutions --- */

/* "128x64": both sides of a tile, in a text that begins with digits; 0: it is none. */
static size_t tile_at(const char *s, size_t side[2], size_t digits[2])
{
    enum { SIDE_MIN = 8, SIDE_MAX = 4096, DIGITS_MAX = 4 };
    for (int k = 0; k < 2; k++) {
        digits[k] = strspn(s, "0123456789");
        if (!digits[k] || digits[k] > DIGITS_MAX)
            return 0;
        side[k] = 0;
        for (size_t i = 0; i < digits[k]; i++)
            side[k] = 10 * side[k] + (size_t)(s[i] - '0');
        if (side[k] < SIDE_MIN || side[k] > SIDE_MAX || (!k && s[digits[0]] != 'x'))
            return 0;
        s += digits[k] + 1;
    }
    return digits[0] + 1 + digits[1];
}

static void add_tile(struct strbuf *out, const char *s)
{
    size_t side[2], digits[2];
    for (bool in_number = false; *s; s++) {
        if (!in_number && isdigit((unsigned char)*s) && tile_at(s, side, digits)) {
            strbuf_printf(out, " %zu×%zu", side[0], side[1]);
            return;
        }
        in_number = isdigit((unsigned char)*s);
    }
}

static const char *product_type(const struct kernel_name *k)
{
    enum precision p = kernel_precision_of(k->whole.s);
    if (has(k->whole.s, "cgemm"))
        return "c64";
    return p != PRECISION_UNKNOWN
               ? precision_text[p]
               : kernel_type_in(k->args.s, k->args.len, KERNEL_TYPE_FLOAT_FIRST);
}

static void finish_product(struct strbuf *out, const struct kernel_name *k)
{
    add_type(out, product_type(k));
    add_tile(out, k->whole.s);
    add_library(out, k);
}

static bool label_convolution(struct strbuf *out, const struct kernel_name *k)
{
    static const char *const words[] = {"conv",    "fprop",      "dgrad",      "wgrad",
                                        "scudnn_", "igemm_fwd_", "igemm_bwd_", "_wrw_"};
    static const char *const weights[] = {"wgrad", "wrw", "bwd_weight"};
    static const char *const inputs[] = {"dgrad", "bwd_data", "igemm_bwd_"};
    static const char *const forward[] = {"fprop", "fwd", "forward"};
    const char *s = k->whole.s;
    if (strstr(s, "winograd_nonfused")) /* steps of one, which their words tell */
        return false;
    bool by_name = !strncmp(k->base.s, "dgrad", 5) || !strncmp(k->base.s, "wgrad", 5);
    if (!by_name && (!HAS_ANY(s, words) || kernel_units_of(s) == KERNEL_UNITS_NONE))
        return false;
    strbuf_puts(out, has(s, "winograd") ? "conv winograd" : "conv");
    if (HAS_ANY(s, weights))
        strbuf_puts(out, " weight gradient");
    else if (HAS_ANY(s, inputs))
        strbuf_puts(out, " input gradient");
    else if (HAS_ANY(s, forward))
        strbuf_puts(out, " forward");
    finish_product(out, k);
    return true;
}

static bool label_gemm(struct strbuf *out, const struct kernel_name *k)
{
    static const struct word_meaning kinds[] = {
        {"splitkreduce", "gemm split-K reduce"},
        {"gemv", "gemv"},
        {"grouped_gemm", "grouped gemm"},
        {"batched_gemm", "batched gemm"},
        {"bmm_", "batched gemm"},
        {"gemm", "gemm"},
        {"cijk_", "gemm"},
        {"nvjet", "gemm"},
        {"cutlass", "gemm"},
        {"matmul", "matmul"},
    };
    if (has(k->whole.s, "fbgemm") || has(k->base.s, "embedding"))
        return false;
    for (size_t i = 0; i < COUNT_OF(kinds); i++) {
        if (!has(k->whole.s, kinds[i].begin))
            continue;
        strbuf_puts(out, kinds[i].means);
        finish_product(out, k);
        return true;
    }
    return false;
}

/* --- attention --- */

static void add_direction(struct strbuf *out, const char *s)
{
    if (has(s, "bwd") || has(s, "backward") || strstr(s, "fmha_cutlassB"))
        strbuf_puts(out, " backward");
    else if (has(s, "fwd") || has(s, "forward") || strstr(s, "fmha_cutlassF"))
        strbuf_puts(out, " forward");
}

static bool label_attention(struct strbuf *out, const struct kernel_name *k)
{
    static const char *const words[ATTENTION_KIND_COUNT] = {
        [ATTENTION_KIND_FLASH] = "flash attention",
        [ATTENTION_KIND_EFFICIENT] = "memory-efficient attention",
        [ATTENTION_KIND_CUDNN] = "attention",
    };
    static const struct word_meaning parts[] = {
        {"splitkv_combine", " split-KV combine"},
        {"splitkv", " split-KV"},
        {"dot_do_o", " preprocess"},
        {"convert_dq", " convert dQ"},
        {"pagedkv", " paged"},
    };
    int kind = kernel_attention_kind(k->whole.s);
    if (kind < 0 || !words[kind])
        return false;
    strbuf_puts(out, words[kind]);
    add_direction(out, k->whole.s);
    for (size_t i = 0; i < COUNT_OF(parts); i++)
        if (has(k->whole.s, parts[i].begin)) {
            strbuf_puts(out, parts[i].means);
            break;
        }
    add_type(out, product_type(k));
    add_library(out, k);
    return true;
}

/* --- kernels that are given what to do: "vectorized_elementwise_kernel<4, Functor>" ---
 */

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
static bool functor_in(const char *args, struct identifier *functor)
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

static bool label_given(struct strbuf *out, const struct kernel_name *k)
{
    struct identifier functor;
    const char *family = !strcmp(k->base.s, "reduce_kernel") ? "reduce" : NULL;
    for (size_t i = 0; i < COUNT_OF(given) && !family; i++)
        if (strstr(k->base.s, given[i].begin))
            family = given[i].means;
    if (!family || !functor_in(k->args.s, &functor))
        return false;
    size_t begin = out->len;
    add_functor(out, family, &functor);
    if (out->len == begin)
        return false;
    add_type(out, functor_type(k, &functor));
    return true;
}

/* --- all others: by the words of their names --- */

/* The name of many kernels, told apart by their first argument, or by their scope. */
static bool says_nothing(const char *base)
{
    static const char *const empty[] = {"kernel",        "kentry",
                                        "Kernel",        "Kernel2",
                                        "_kernel_agent", "trampoline_kernel",
                                        "device_kernel"};
    for (size_t i = 0; i < COUNT_OF(empty); i++)
        if (!strcmp(base, empty[i]))
            return true;
    return false;
}

/* Integers behind the first argument are of indices, but for those who sort and scan. */
static const char *worded_type(const struct kernel_name *k)
{
    const char *library = kernel_library_of(k->whole.s);
    if (strstr(library, "CUB") || strstr(library, "PRIM"))
        return kernel_type_in(k->args.s, k->args.len, KERNEL_TYPE_FIRST);
    const char *type = kernel_type_in(k->args.s, k->args.len, KERNEL_TYPE_FLOAT_FIRST);
    bool integer = type && (*type == 'i' || *type == 'u');
    size_t first = strspn(k->args.s, "abcdefghijklmnopqrstuvwxyz0123456789_ ");
    return integer && !kernel_type_in(k->args.s, first, KERNEL_TYPE_FIRST) ? NULL : type;
}

static bool label_words(struct strbuf *out, const struct kernel_name *k)
{
    struct strbuf words;
    struct identifier functor;
    strbuf_init(&words);
    if (says_nothing(k->base.s) && functor_in(k->args.s, &functor))
        kernel_words(&words, functor.s, functor.len);
    else
        kernel_words(&words, k->base.s, k->base.len);
    bool known = kernel_words_are_known(words.s);
    if (known) {
        strbuf_puts(out, strstr(k->args.s, "LogSoftMax") ? "log " : "");
        strbuf_puts(out, words.s);
        add_type(out, worded_type(k));
        add_library(out, k);
    }
    strbuf_release(&words);
    return known;
}

/* --- the label --- */

/* In this order: names of the later kinds occur inside those of the earlier ones. */
static bool (*const kinds[])(struct strbuf *out, const struct kernel_name *k) = {
    label_collective,  label_triton, label_given, label_attention,
    label_convolution, label_gemm,   label_words,
};

/* The name itself, with its middle left out where it is too long to be read. */
static void add_name(struct strbuf *out, const char *name, size_t len)
{
    enum { NAME_MAX_BYTES = 72, FRONT = 48, BACK = 20 };
    if (len <= NAME_MAX_BYTES) {
        strbuf_add(out, name, len);
        return;
    }
    strbuf_add(out, name, FRONT);
    strbuf_puts(out, "…");
    strbuf_add(out, name + len - BACK, BACK);
}

bool kernel_label(struct strbuf *out, const char *raw)
{
    struct kernel_name k;
    if (label_copy(out, raw))
        return true;
    bool recognised = false;
    kernel_name_init(&k, raw);
    for (size_t i = 0; i < COUNT_OF(kinds) && !recognised; i++)
        recognised = kinds[i](out, &k);
    if (!recognised)
        add_name(out, k.base.len ? k.base.s : raw, k.base.len ? k.base.len : strlen(raw));
    kernel_name_release(&k);
    return recognised;
}
