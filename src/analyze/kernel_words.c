#include "analyze/kernel_words.h"

#include <ctype.h>
#include <string.h>

#define COUNT_OF(a) (sizeof(a) / sizeof *(a))

struct meaning {
    const char *word, *means;
};

/* --- types --- */

static const struct meaning types[] = {
    {"float", "f32"},
    {"double", "f64"},
    {"BFloat16", "bf16"},
    {"bfloat16", "bf16"},
    {"bfloat16_t", "bf16"},
    {"__nv_bfloat16", "bf16"},
    {"__hip_bfloat16", "bf16"},
    {"hip_bfloat16", "bf16"},
    {"bf16", "bf16"},
    {"Half", "f16"},
    {"half", "f16"},
    {"half_t", "f16"},
    {"__half", "f16"},
    {"_Float16", "f16"},
    {"fp16", "f16"},
    {"tfloat32_t", "tf32"},
    {"Float8_e4m3fn", "f8"},
    {"Float8_e4m3fnuz", "f8"},
    {"Float8_e5m2", "f8"},
    {"Float8_e5m2fnuz", "f8"},
    {"__nv_fp8_e4m3", "f8"},
    {"__nv_fp8_e5m2", "f8"},
    {"float_e4m3_t", "f8"},
    {"float_e5m2_t", "f8"},
    {"long", "i64"},
    {"int64_t", "i64"},
    {"int", "i32"},
    {"int32_t", "i32"},
    {"short", "i16"},
    {"char", "i8"},
    {"int8_t", "i8"},
    {"bool", "bool"},
};

const char *kernel_type_of(const char *word, size_t len)
{
    for (size_t i = 0; i < COUNT_OF(types); i++)
        if (strlen(types[i].word) == len && !memcmp(word, types[i].word, len))
            return types[i].means;
    return NULL;
}

static bool is_floating(const char *type)
{
    return type[0] == 'f' || !strcmp(type, "bf16") || !strcmp(type, "tf32");
}

/* "unsigned int" counts and indexes: it is not what a kernel works on; "unsigned char"
 * is. */
static bool is_unsigned_index(const struct identifier *before, const struct identifier *i)
{
    return identifier_is(before, "unsigned") && !identifier_is(i, "char");
}

const char *kernel_type_in(const char *args, size_t len, enum kernel_type_choice choice)
{
    struct identifier_scan scan = {.at = args};
    struct identifier i, before = {.s = "", .len = 0};
    const char *number = NULL, *truth = NULL;
    for (; identifier_next(&scan, &i) && i.s < args + len; before = i) {
        const char *type = kernel_type_of(i.s, i.len);
        if (identifier_is(&i, "OpaqueType")) /* data of so many bytes, and no type */
            return number;
        if (!type || i.in_parameter || i.is_scope || is_unsigned_index(&before, &i))
            continue;
        if (identifier_is(&i, "char") && identifier_is(&before, "unsigned"))
            type = "u8";
        if (is_floating(type) && choice == KERNEL_TYPE_FLOAT_FIRST)
            return type;
        if (!number && strcmp(type, "bool") != 0)
            number = type;
        if (!truth)
            truth = type;
    }
    return number ? number : truth;
}

/* --- words --- */

/* Written as one word, or shortened; in small letters. */
static const struct meaning compounds[] = {
    {"softmax", "softmax"},
    {"adamw", "adamw"},
    {"miopen", ""},
    {"layernorm", "layer norm"},
    {"batchnorm", "batch norm"},
    {"groupnorm", "group norm"},
    {"rmsnorm", "RMS norm"},
    {"catarraybatchedcopy", "cat"},
    {"topk", "topk"},
    {"argmax", "argmax"},
    {"argmin", "argmin"},
    {"maxpool", "max pool"},
    {"avgpool", "average pool"},
};

/* Whole words that are said in another way, or ("") that say nothing of what is done. */
static const struct meaning said[] = {
    {"kernel", ""},        {"kernels", ""},    {"cuda", ""},
    {"gpu", ""},           {"impl", ""},       {"functor", ""},
    {"ops", ""},           {"op", ""},         {"native", ""},
    {"cunn", ""},          {"cudnn", ""},      {"triton", ""},
    {"launch", ""},        {"wrapped", ""},    {"config", ""},
    {"selector", ""},      {"agent", ""},      {"direct", ""},
    {"vectorized", ""},    {"vec", ""},        {"unrolled", ""},
    {"codegen", ""},       {"cu", ""},         {"math", ""},
    {"helper", ""},        {"new", ""},        {"fwd", "forward"},
    {"bwd", "backward"},   {"fw", "forward"},  {"bw", "backward"},
    {"bn", "batch norm"},  {"plus", "add"},    {"minus", "sub"},
    {"multiplies", "mul"}, {"divides", "div"}, {"negate", "neg"},
    {"attn", "attention"}, {"rms", "RMS"},     {"embs", "embeddings"},
};

static bool begins_with_word(const char *s, size_t len, const char *small)
{
    size_t n = strlen(small);
    return n <= len && !strncasecmp(s, small, n);
}

/* Does a word end before this letter, as in "maxPool", "CUDAKernel"? Not in "2D". */
static bool is_seam(const char *s, size_t at, size_t len)
{
    bool upper = isupper((unsigned char)s[at]) && strspn(s, "0123456789") < at;
    bool after_upper = isupper((unsigned char)s[at - 1]);
    bool before_lower = at + 1 < len && islower((unsigned char)s[at + 1]);
    return upper && (!after_upper || before_lower);
}

static size_t word_bytes(const char *s, size_t len)
{
    size_t n = 1;
    while (n < len && isalnum((unsigned char)s[n]) && !is_seam(s, n, len))
        n++;
    return n;
}

static void add_word(struct strbuf *out, size_t begin, const char *word)
{
    if (*word && out->len > begin)
        strbuf_putc(out, ' ');
    strbuf_puts(out, word);
}

static void add_plain_word(struct strbuf *out, size_t begin, const char *s, size_t len)
{
    if (out->len == begin && len == 6 && !memcmp(s, "Device", 6)) /* CUB's first word */
        return;
    for (size_t i = 0; i < COUNT_OF(said); i++)
        if (strlen(said[i].word) == len && !strncasecmp(s, said[i].word, len)) {
            add_word(out, begin, said[i].means);
            return;
        }
    if (out->len > begin)
        strbuf_putc(out, ' ');
    for (size_t i = 0; i < len; i++)
        strbuf_putc(out, (char)tolower((unsigned char)s[i]));
}

void kernel_words(struct strbuf *out, const char *name, size_t len)
{
    size_t begin = out->len;
    for (size_t at = 0; at < len;) {
        const char *s = name + at;
        size_t left = len - at, taken = 0;
        if (!isalnum((unsigned char)*s)) {
            at++;
            continue;
        }
        for (size_t i = 0; i < COUNT_OF(compounds) && !taken; i++)
            if (begins_with_word(s, left, compounds[i].word)) {
                taken = strlen(compounds[i].word);
                add_word(out, begin, compounds[i].means);
            }
        if (!taken) {
            taken = word_bytes(s, left);
            add_plain_word(out, begin, s, taken);
        }
        at += taken;
    }
}

/* What kernels are known to do. A word here makes a name recognised; which others stand
 * beside it does not matter. */
static const char *const known[] = {
    "act",          "fft1d",        "kvcache",   "offsets",   "activation", "adagrad",
    "adam",         "adamw",        "all",       "arange",    "argmax",     "argmin",
    "attention",    "bias",         "bucketize", "cache",     "cat",        "clamp",
    "col2im",       "conv",         "copy",      "cross",     "cumsum",     "dequant",
    "dequantize",   "dot",          "dropout",   "embedding", "embeddings", "fft",
    "fft2d",        "fill",         "filter",    "gather",    "gelu",       "gemm",
    "histogram",    "im2col",       "im2col4d",  "index",     "indexing",   "indices",
    "interpolate",  "loss",         "lstm",      "masked",    "matmul",     "memset",
    "moe",          "nchw",         "nhwc",      "nll",       "nonzero",    "norm",
    "partition",    "permute",      "pool",      "position",  "quant",      "quantize",
    "quantization", "reduce",       "relu",      "rnn",       "roll",       "rope",
    "rotary",       "routing",      "sampling",  "scal",      "scale",      "scan",
    "scatter",      "searchsorted", "segments",  "select",    "sgd",        "silu",
    "softmax",      "sort",         "sum",       "swiglu",    "topk",       "transform",
    "transpose",    "tril",         "triu",      "unique",    "upsample",   "winograd",
    "lookback",     "nms",          "gru",       "moments",   "gamma",      "gradients",
    "spmm",         "where",        "dgrad",     "wgrad",     "average",
};

static bool word_is_known(const char *s, size_t len)
{
    for (size_t i = 0; i < COUNT_OF(known); i++)
        if (strlen(known[i]) == len && !memcmp(s, known[i], len))
            return true;
    return false;
}

bool kernel_words_are_known(const char *words)
{
    while (*words) {
        size_t len = strcspn(words, " ");
        if (word_is_known(words, len))
            return true;
        words += len + (words[len] == ' ');
    }
    return false;
}

/* --- libraries --- */

/* Their own name in a kernel's, or a scheme of names that is theirs alone. The first that
 * is found counts. */
static const struct meaning libraries[] = {
    {"cudnn", "cuDNN"},
    {"cublas", "cuBLAS"},
    {"nvjet_", "cuBLAS"},
    {"xmma_gemm", "cuBLAS"},
    {"UserArgs", "hipBLASLt"}, /* Tensile's names beside it are rocBLAS's */
    {"Cijk_", "Tensile"},
    {"MIOpen", "MIOpen"},
    {"_gtcx", "MIOpen"}, /* igemm_fwd_gtcx35_nhwc_… */
    {"ck_tile::", "CK"},
    {"ck::", "CK"},
    {"aiter::", "AITER"},
    {"flashinfer", "FlashInfer"},
    {"tensorrt_llm", "TensorRT-LLM"},
    {"vllm::", "vLLM"},
    {"sgl_hip::", "SGLang"},
    {"sgl_kernel", "SGLang"},
    {"fbgemm_gpu", "FBGEMM"},
    {"cutlass", "CUTLASS"},
    {"rocprim", "rocPRIM"},
    {"hipcub", "hipCUB"},
    {"cub::", "CUB"},
    {"thrust::", "Thrust"},
    {"magma_", "MAGMA"},
    {"winograd_nonfused", "cuDNN"},
};

/* "volta_sgemm_64x64_nt" */
static bool is_named_after_architecture(const char *whole)
{
    static const char *const architectures[] = {"kepler_", "maxwell_", "pascal_",
                                                "volta_",  "turing_",  "ampere_",
                                                "hopper_", "ada_",     "blackwell_"};
    for (size_t i = 0; i < COUNT_OF(architectures); i++)
        if (!strncmp(whole, architectures[i], strlen(architectures[i])))
            return strstr(whole, "gemm");
    return false;
}

const char *kernel_library_of(const char *whole)
{
    size_t head = strcspn(whole, "<"); /* arguments may be another library's */
    for (size_t i = 0; i < COUNT_OF(libraries); i++)
        if (memmem(whole, head, libraries[i].word, strlen(libraries[i].word)))
            return libraries[i].means;
    return is_named_after_architecture(whole) ? "cuBLAS" : "";
}
