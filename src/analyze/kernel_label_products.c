/* Products of matrices: gemm, convolution, attention. Their names say the type, often the
 * tile. */
#include "analyze/kernel_kind.h"
#include "analyze/kernel_label_kinds.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

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
    label_add_type(out, product_type(k));
    add_tile(out, k->whole.s);
    label_add_library(out, k);
}

bool label_convolution(struct strbuf *out, const struct kernel_name *k)
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

/* cuBLAS passes cublasGemvTensor… to kernels of all kinds: only the name itself counts.
 */
static bool is_gemv(const struct kernel_name *k)
{
    struct identifier_scan scan = {.at = k->whole.s};
    struct identifier i;
    while (identifier_next(&scan, &i))
        if (!i.angles && i.len >= 4 && !strncasecmp(i.s, "gemv", 4))
            return true;
    return false;
}

bool label_gemm(struct strbuf *out, const struct kernel_name *k)
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
        bool gemv = !strcmp(kinds[i].word, "gemv");
        if (gemv ? !is_gemv(k) : !has(k->whole.s, kinds[i].word))
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

bool label_attention(struct strbuf *out, const struct kernel_name *k)
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
        if (has(k->whole.s, parts[i].word)) {
            strbuf_puts(out, parts[i].means);
            break;
        }
    label_add_type(out, product_type(k));
    label_add_library(out, k);
    return true;
}
