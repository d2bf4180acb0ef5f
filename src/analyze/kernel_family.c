#include "analyze/kernel_family.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <strings.h>

#define FAMILY_TEXT(v, text) text,
const char *const kernel_family_text[KERNEL_FAMILY_COUNT] = {
    KERNEL_FAMILY_LIST(FAMILY_TEXT)};

/* The first that stands in the label: "attention softmax" is attention, "batch norm
 * elementwise" normalization. */
static const struct {
    const char *word;
    enum kernel_family family;
} words[] = {
    {"attention", KERNEL_FAMILY_ATTENTION},
    {"fmha", KERNEL_FAMILY_ATTENTION},
    {"adam", KERNEL_FAMILY_OPTIMIZER},
    {"sgd", KERNEL_FAMILY_OPTIMIZER},
    {"foreach", KERNEL_FAMILY_OPTIMIZER},
    {"optimizer", KERNEL_FAMILY_OPTIMIZER},
    {"random", KERNEL_FAMILY_ELEMENTWISE},
    {"pool", KERNEL_FAMILY_REDUCE},
    {"norm", KERNEL_FAMILY_NORM},
    {"softmax", KERNEL_FAMILY_NORM},
    {"gemm", KERNEL_FAMILY_PRODUCT},
    {"gemv", KERNEL_FAMILY_PRODUCT},
    {"matmul", KERNEL_FAMILY_PRODUCT},
    {"conv", KERNEL_FAMILY_PRODUCT},
    {"winograd", KERNEL_FAMILY_PRODUCT},
    {"im2col", KERNEL_FAMILY_PRODUCT},
    {"fft", KERNEL_FAMILY_PRODUCT},
    {"split-k", KERNEL_FAMILY_PRODUCT},
    {"splitk", KERNEL_FAMILY_PRODUCT},
    {"copy", KERNEL_FAMILY_MOVE},
    {"cat", KERNEL_FAMILY_MOVE},
    {"concat", KERNEL_FAMILY_MOVE},
    {"permute", KERNEL_FAMILY_MOVE},
    {"transpose", KERNEL_FAMILY_MOVE},
    {"nchw", KERNEL_FAMILY_MOVE},
    {"nhwc", KERNEL_FAMILY_MOVE},
    {"gather", KERNEL_FAMILY_MOVE},
    {"scatter", KERNEL_FAMILY_MOVE},
    {"index", KERNEL_FAMILY_MOVE},
    {"reshape", KERNEL_FAMILY_MOVE},
    {"flip", KERNEL_FAMILY_MOVE},
    {"fill", KERNEL_FAMILY_ELEMENTWISE},
    {"reduc", KERNEL_FAMILY_REDUCE},
    {"radix", KERNEL_FAMILY_REDUCE},
    {"sort", KERNEL_FAMILY_REDUCE},
    {"scan", KERNEL_FAMILY_REDUCE},
    {"topk", KERNEL_FAMILY_REDUCE},
    {"sum", KERNEL_FAMILY_REDUCE},
    {"pointwise", KERNEL_FAMILY_ELEMENTWISE},
    {"elementwise", KERNEL_FAMILY_ELEMENTWISE},
    {"rotary", KERNEL_FAMILY_ELEMENTWISE},
    {"dropout", KERNEL_FAMILY_ELEMENTWISE},
    {"act ", KERNEL_FAMILY_ELEMENTWISE},
};

/* At the begin of a word of the text, without regard to case. */
static bool holds(const char *text, size_t len, const char *word)
{
    size_t n = strlen(word);
    for (size_t i = 0; i + n <= len; i++)
        if ((!i || text[i - 1] == ' ' || text[i - 1] == '(') &&
            !strncasecmp(text + i, word, n))
            return true;
    return false;
}

enum kernel_family kernel_family_of(const char *label)
{
    const char *apart = strstr(label, " · "); /* only tells it from others of the run */
    size_t len = apart ? (size_t)(apart - label) : strlen(label);
    /* a compiled kernel does many things: what sort of loop it is says its compiler */
    if (holds(label, len, "Triton"))
        return strstr(label, "reduction") ? KERNEL_FAMILY_REDUCE
                                          : KERNEL_FAMILY_ELEMENTWISE;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (holds(label, len, words[i].word))
            return words[i].family;
    return KERNEL_FAMILY_OTHER;
}
