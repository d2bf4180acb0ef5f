/*
 * A label is put together from what a name is made of: an operation, a type, a tile, a
 * library. Kinds of kernels whose names follow a grammar of their own are tried one after
 * another; what is left is told by the words of its name.
 */
#include "analyze/kernel_label.h"

#include "analyze/kernel_kind.h"
#include "analyze/kernel_label_kinds.h"

#include <ctype.h>
#include <string.h>

void label_add_type(struct strbuf *out, const char *type)
{
    if (type)
        strbuf_printf(out, " %s", type);
}

void label_add_library(struct strbuf *out, const struct kernel_name *k)
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
    label_add_type(out, type);
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
        if (strncmp(s, triton_kinds[i].word, strlen(triton_kinds[i].word)) != 0)
            continue;
        s += strlen(triton_kinds[i].word);
        s += strncmp(s, "fused_", 6) ? 0 : 6;
        strbuf_puts(out, "fused");
        if (!add_fused(out, s, false))
            add_fused(out, s, true);
        strbuf_printf(out, " (Triton, %s)", triton_kinds[i].means);
        return true;
    }
    return false;
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
        label_add_type(out, worded_type(k));
        label_add_library(out, k);
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
