#include "trace/classify.h"

#include "trace/decimal.h"

#include <string.h>

struct word {
    const char *text;
    enum category category;
};

/* The most frequent ones first: the list is searched in order. */
static const struct word categories[] = {
    {"cpu_op", CATEGORY_OP},
    {"python_function", CATEGORY_PYTHON},
    {"ac2g", CATEGORY_FLOW},
    {"cuda_runtime", CATEGORY_RUNTIME},
    {"kernel", CATEGORY_KERNEL},
    {"fwdbwd", CATEGORY_FLOW},
    {"cpu_instant_event", CATEGORY_INSTANT},
    {"gpu_memcpy", CATEGORY_COPY},
    {"gpu_memset", CATEGORY_SET},
    {"cuda_driver", CATEGORY_RUNTIME},
    {"user_annotation", CATEGORY_ANNOTATION},
    {"gpu_user_annotation", CATEGORY_DEVICE_ANNOTATION},
    {"cuda_sync", CATEGORY_DEVICE_SYNC},
    {"cuda_event", CATEGORY_MARK},
    {"overhead", CATEGORY_OVERHEAD},
    {"Trace", CATEGORY_CONTAINER},
    {"concurrent_kernel", CATEGORY_KERNEL},
    {"external_correlation", CATEGORY_MARK},
    {"collective_comm", CATEGORY_COLLECTIVE},
    /* names of 2021 */
    {"Operator", CATEGORY_OP},
    {"Runtime", CATEGORY_RUNTIME},
    {"Kernel", CATEGORY_KERNEL},
    {"Memcpy", CATEGORY_COPY},
    {"Memset", CATEGORY_SET},
    {"async", CATEGORY_FLOW},
    {"async_gpu", CATEGORY_FLOW},
    {"async_cpu_to_gpu", CATEGORY_FLOW},
    {"Async", CATEGORY_FLOW},
    /* other accelerators; the runtime, driver and kernel of any vendor: vendors[] */
    {"hpu_op", CATEGORY_KERNEL},
    {"mtia_ccp_events", CATEGORY_MTIA},
    {"glow_runtime", CATEGORY_RUNTIME},
};

static const char *const vendors[] = {"xpu_", "mtia_", "privateuse1_", "hpu_",
                                      "npu_", "hip_",  "musa_"};

static const struct word vendor_categories[] = {
    {"runtime", CATEGORY_RUNTIME},
    {"driver", CATEGORY_RUNTIME},
    {"kernel", CATEGORY_KERNEL},
    {"memcpy", CATEGORY_COPY},
    {"memset", CATEGORY_SET},
    {"sync", CATEGORY_DEVICE_SYNC},
    {"user_annotation", CATEGORY_DEVICE_ANNOTATION},
};

/* Looked for in kernel names without regard to case. Never "hip" alone: that is AMD's
 * prefix for any kernel. */
static const char *const collective_words[] = {
    "nccl",                /* NVIDIA; RCCL keeps the names */
    "rccl",                /* AMD */
    "hccl",                /* Habana, Ascend, MTIA */
    "msccl",               /* Microsoft */
    "oneccl",              /* Intel */
    "deep_ep",             /* DeepEP's expert dispatch and combine */
    "deepep",              /**/
    "nvshmem",             /* one-sided device communication */
    "multimem_all_reduce", /* PyTorch symmetric memory */
    "multimem_all_gather", /**/
    "one_shot_all_reduce", /**/
    "two_shot_all_reduce", /**/
    "cross_device_reduce", /* vLLM and SGLang custom all-reduce */
};

/* Calls that return when the device is done, beside all that say "Synchronize". */
static const char *const blocking_copies[] = {
    "cudaMemcpy",          "cudaMemcpy2D",         "cudaMemcpy3D",
    "cudaMemcpyToSymbol",  "cudaMemcpyFromSymbol", "cudaMemcpyPeer",
    "cuMemcpyDtoH_v2",     "cuMemcpyHtoD_v2",      "hipMemcpy",
    "hipMemcpyWithStream", "hipMemcpyDtoH",        "hipMemcpyHtoD",
    "hipMemcpy2D",         "hipMemcpyToSymbol",    "hipMemcpyFromSymbol",
    "urQueueFinish",       "urEventWait",          "piQueueFinish",
    "piEventsWait",
};

/* Marks of training steps, beside ProfilerStep's: an annotation or a Python frame whose
 * name begins with, holds and ends with these. */
struct mark_words {
    enum step_method method;
    enum category category;
    const char *begin, *middle, *end;
};

static const struct mark_words step_marks[] = {
    {STEP_METHOD_OPTIMIZER, CATEGORY_ANNOTATION, "Optimizer.step#", "", ""},
    {STEP_METHOD_OPTIMIZER, CATEGORY_OP, "Optimizer.step#", "", ""}, /* of 2021 */
    {STEP_METHOD_LIGHTNING, CATEGORY_ANNOTATION, "[pl]", "run_training_batch", ""},
    {STEP_METHOD_LIGHTNING, CATEGORY_ANNOTATION, "[pl]", "", ".training_step"},
    {STEP_METHOD_HUGGING_FACE, CATEGORY_PYTHON, "", "transformers/trainer.py(",
     "): training_step"},
    {STEP_METHOD_HUGGING_FACE, CATEGORY_ANNOTATION, "", "Trainer.training_step", ""},
    {STEP_METHOD_MEGATRON, CATEGORY_PYTHON, "", "megatron/", "): train_step"},
    {STEP_METHOD_MEGATRON, CATEGORY_ANNOTATION, "iteration", "", "#"},
    {STEP_METHOD_MEGATRON, CATEGORY_ANNOTATION, "train_step", "", "#"},
    {STEP_METHOD_ENGINE, CATEGORY_ANNOTATION, "execute_", "context_", ")"}, /* vLLM */
    {STEP_METHOD_ENGINE, CATEGORY_ANNOTATION, "step[", "", "]"},            /* SGLang */
};

#define COUNT_OF(a) (sizeof(a) / sizeof *(a))

static bool is_word(const char *s, size_t len, const char *word)
{
    return strlen(word) == len && !memcmp(s, word, len);
}

static char small(char ch)
{
    return ch >= 'A' && ch <= 'Z' ? (char)(ch | 0x20) : ch;
}

/* Is word (small letters) in s[0..len), in capitals or not? */
static bool has_word(const char *s, size_t len, const char *word)
{
    size_t n = strlen(word);
    for (size_t i = 0; i + n <= len; i++) {
        size_t k = 0;
        while (k < n && small(s[i + k]) == word[k])
            k++;
        if (k == n)
            return true;
    }
    return false;
}

static enum category find_category(const struct word *list, size_t n, const char *s,
                                   size_t len)
{
    for (size_t i = 0; i < n; i++)
        if (is_word(s, len, list[i].text))
            return list[i].category;
    return CATEGORY_UNKNOWN;
}

enum category classify_category(const char *cat, size_t len)
{
    enum category c = find_category(categories, COUNT_OF(categories), cat, len);
    for (size_t i = 0; c == CATEGORY_UNKNOWN && i < COUNT_OF(vendors); i++) {
        size_t n = strlen(vendors[i]);
        if (len > n && !memcmp(cat, vendors[i], n))
            c = find_category(vendor_categories, COUNT_OF(vendor_categories), cat + n,
                              len - n);
    }
    return c;
}

bool classify_step(int64_t *number, const char *name, size_t len)
{
    static const char prefix[] = "ProfilerStep#";
    size_t n = sizeof prefix - 1;
    if (len <= n || memcmp(name, prefix, n))
        return false;
    for (size_t i = n; i < len; i++)
        if (name[i] < '0' || name[i] > '9')
            return false;
    return decimal_to_int64(number, name + n, len - n, 0);
}

/* The number at the end of "iteration 12", "train_step#12", or -1; *len becomes that of
 * what stands before it. */
static int64_t trailing_number(const char *name, size_t *len)
{
    int64_t number;
    size_t n = *len;
    while (n && name[n - 1] >= '0' && name[n - 1] <= '9')
        n--;
    if (n == *len || !decimal_to_int64(&number, name + n, *len - n, 0))
        return -1;
    while (n && (name[n - 1] == ' ' || name[n - 1] == '#' || name[n - 1] == '_' ||
                 name[n - 1] == ':'))
        n--;
    *len = n;
    return number;
}

static bool mark_fits(const struct mark_words *m, const char *name, size_t len)
{
    size_t begin = strlen(m->begin), end = strlen(m->end);
    if (len < begin || memcmp(name, m->begin, begin))
        return false;
    if (!strcmp(m->end, "#")) /* nothing but a number may follow */
        return trailing_number(name, &len) >= 0 && len == begin;
    return len >= end && !memcmp(name + len - end, m->end, end) &&
           (!*m->middle || memmem(name, len, m->middle, strlen(m->middle)));
}

enum step_method classify_mark(int64_t *number, enum category category, const char *name,
                               size_t len)
{
    *number = -1;
    for (size_t i = 0; i < COUNT_OF(step_marks); i++) {
        const struct mark_words *m = &step_marks[i];
        if (m->category != category || !mark_fits(m, name, len))
            continue;
        if (!strcmp(m->end, "#"))
            *number = trailing_number(name, &len);
        return m->method;
    }
    return STEP_METHOD_NONE;
}

bool classify_is_collective(const char *name, size_t len)
{
    for (size_t i = 0; i < COUNT_OF(collective_words); i++)
        if (has_word(name, len, collective_words[i]))
            return true;
    return false;
}

bool classify_is_blocking(const char *name, size_t len)
{
    if (has_word(name, len, "synchronize"))
        return true;
    for (size_t i = 0; i < COUNT_OF(blocking_copies); i++)
        if (is_word(name, len, blocking_copies[i]))
            return true;
    return false;
}

static enum span_kind classify_mtia(const char *name, size_t len)
{
    if (is_word(name, len, "dma_request"))
        return SPAN_KIND_COPY;
    if (is_word(name, len, "event_wait") || is_word(name, len, "event_record"))
        return SPAN_KIND_SYNC;
    return classify_is_collective(name, len) ? SPAN_KIND_COLLECTIVE : SPAN_KIND_KERNEL;
}

/* Gloo's threads mark what they do for the host's own tensors: "gloo:all_reduce". */
static bool is_host_collective(const char *name, size_t len)
{
    static const char prefix[] = "gloo:";
    return len > sizeof prefix - 1 && !memcmp(name, prefix, sizeof prefix - 1);
}

enum span_kind classify_span(enum category category, const char *name, size_t len,
                             bool in_collective)
{
    int64_t step;
    switch (category) {
    case CATEGORY_OP: /* in 2021 steps were operators */
        return classify_step(&step, name, len) ? SPAN_KIND_STEP : SPAN_KIND_OP;
    case CATEGORY_ANNOTATION:
        if (is_host_collective(name, len))
            return SPAN_KIND_COLLECTIVE;
        return classify_step(&step, name, len) ? SPAN_KIND_STEP : SPAN_KIND_ANNOTATION;
    case CATEGORY_PYTHON:
        return SPAN_KIND_PYTHON;
    case CATEGORY_RUNTIME:
        return classify_is_blocking(name, len) ? SPAN_KIND_SYNC : SPAN_KIND_RUNTIME;
    case CATEGORY_OVERHEAD:
        return SPAN_KIND_OVERHEAD;
    case CATEGORY_KERNEL:
        return in_collective || classify_is_collective(name, len) ? SPAN_KIND_COLLECTIVE
                                                                  : SPAN_KIND_KERNEL;
    case CATEGORY_COPY:
        return SPAN_KIND_COPY;
    case CATEGORY_SET:
        return SPAN_KIND_SET;
    case CATEGORY_MTIA:
        return classify_mtia(name, len);
    case CATEGORY_COLLECTIVE:
        return SPAN_KIND_COLLECTIVE;
    case CATEGORY_DEVICE_SYNC:
        return SPAN_KIND_SYNC;
    case CATEGORY_DEVICE_ANNOTATION:
        return SPAN_KIND_ANNOTATION;
    default:
        return SPAN_KIND_OTHER;
    }
}

enum lane_kind classify_lane(enum category category)
{
    switch (category) {
    case CATEGORY_KERNEL:
    case CATEGORY_COPY:
    case CATEGORY_SET:
    case CATEGORY_MTIA:
    case CATEGORY_COLLECTIVE:
    case CATEGORY_DEVICE_SYNC:
    case CATEGORY_DEVICE_ANNOTATION:
        return LANE_KIND_DEVICE;
    default:
        return LANE_KIND_CPU;
    }
}
