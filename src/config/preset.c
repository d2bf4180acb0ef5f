#include "config/preset.h"

#include "config/setting.h"

#include <string.h>

/* P(name, memory in GiB, cores, last cache in MiB): sizes that such machines commonly
 * have. */
#define PRESETS(P)                                                                       \
    P("laptop", 16, 4, 8)                                                                \
    P("desktop", 32, 8, 32)                                                              \
    P("server", 256, 64, 128)

#define PRESET_ROW(name, memory_gib, n_cores, cache_mib)                                 \
    {name,                                                                               \
     {.memory_bytes = memory_gib * 1073741824.0,                                         \
      .cores = n_cores,                                                                  \
      .cache_bytes = cache_mib * INT64_C(1048576)}},
static const struct {
    const char *name;
    struct preset_facts facts;
} presets[] = {PRESETS(PRESET_ROW)};

const char *preset_names(void)
{
#define PRESET_NAME(name, memory_gib, n_cores, cache_mib) ", " name
    return "auto" PRESETS(PRESET_NAME);
}

enum status preset_find(struct preset_facts *out, const char *name,
                        const struct preset_facts *measured, struct err *err)
{
    for (size_t i = 0; i < sizeof presets / sizeof *presets; i++)
        if (!strcmp(name, presets[i].name)) {
            *out = presets[i].facts;
            return STATUS_OK;
        }
    struct shown_value shown = shown_value(name);
    if (strcmp(name, "auto") != 0)
        return err_set(err, STATUS_USAGE, "there is no preset %s; known: %s", shown.s,
                       preset_names());
    if (!measured)
        return err_set(err, STATUS_USAGE,
                       "preset auto measures this machine, which this build cannot; name "
                       "laptop, desktop or server");
    if (!(measured->memory_bytes > 0) || measured->cores < 1)
        return err_set(err, STATUS_ENVIRONMENT,
                       "this machine does not say how much memory and how many cores it "
                       "has; name laptop, desktop or server");
    *out = *measured;
    return STATUS_OK;
}

static double vocabulary(const struct config *c)
{
    enum { GPT2_VOCAB = 50257, BYTES_VOCAB = 256, FILE_VOCAB = 1 << 17 };
    if (!strcmp(c->tokenizer, "gpt2"))
        return GPT2_VOCAB;
    bool small = !strcmp(c->tokenizer, "bytes") || !strcmp(c->tokenizer, "chars") ||
                 !strcmp(c->tokenizer, "auto");
    return small ? BYTES_VOCAB : FILE_VOCAB;
}

static double hidden(const struct config *c)
{
    return c->hidden ? (double)c->hidden : 4.0 * (double)c->width;
}

/* Matrices only; a gated MLP has three of them. */
static double parameters(const struct config *c)
{
    bool llama = !strcmp(c->model, "llama");
    double w = (double)c->width, mlp = llama ? 3 : 2;
    double positions = llama ? 0 : (double)c->context;
    double heads = llama && strcmp(c->tied_head, "true") != 0 ? 2 : 1;
    return (double)c->layers * (4 * w * w + mlp * w * hidden(c)) +
           w * (heads * vocabulary(c) + positions);
}

/* Floats a token that a block keeps for backward. */
static double block_floats(const struct config *c)
{
    double scores = !strcmp(c->attention, "plain") ? (double)(c->heads * c->context) : 0;
    return 9 * (double)c->width + 3 * hidden(c) + scores;
}

double preset_memory_bytes(const struct config *c)
{
    const double float_bytes = 4;
    double state = 4 * parameters(c); /* weights, gradients, two moments */
    double w = (double)c->width, layers = (double)c->layers;
    double kept = c->recompute ? layers * w + block_floats(c) : layers * block_floats(c);
    int64_t rows = c->batch_size / c->gradient_accumulation;
    double a_token = kept + 2 * vocabulary(c) + 4 * w + hidden(c);
    return float_bytes * (state + (double)(rows * c->context) * a_token);
}

static int64_t tokens_to_start_with(const struct config *c, const struct preset_facts *f)
{
    enum { TOKENS_A_CORE = 64, TOKENS_ENOUGH = 4096 };
    const double float_bytes = 4;
    int64_t tokens = f->cores * TOKENS_A_CORE;
    int64_t in_cache = (int64_t)((double)f->cache_bytes / (float_bytes * hidden(c)));
    if (in_cache > TOKENS_ENOUGH)
        in_cache = TOKENS_ENOUGH;
    return in_cache > tokens ? in_cache : tokens;
}

static int64_t power_of_two_up_to(int64_t n)
{
    int64_t p = 1;
    while (p <= n / 2)
        p *= 2;
    return p;
}

enum status preset_apply(struct config *c, const struct preset_facts *facts,
                         struct err *err)
{
    double budget = facts->memory_bytes / 2;
    struct config tried = *c; /* its texts stay those of *c */
    tried.gradient_accumulation = 1;
    tried.recompute = false;
    tried.batch_size = power_of_two_up_to(tokens_to_start_with(c, facts) / c->context);
    while (tried.batch_size > 1 && !(preset_memory_bytes(&tried) <= budget))
        tried.batch_size /= 2;
    tried.recompute = !(preset_memory_bytes(&tried) <= budget);
    if (!(preset_memory_bytes(&tried) <= budget))
        return err_set(
            err, STATUS_USAGE,
            "this model needs about %.1f GB even for one sequence, and half of "
            "the machine's memory is %.1f GB; lower layers, width or context",
            preset_memory_bytes(&tried) / 1e9, budget / 1e9);
    c->batch_size = tried.batch_size;
    c->gradient_accumulation = 1;
    c->recompute = tried.recompute;
    c->num_workers = config_workers(-1, facts->cores);
    return STATUS_OK;
}
