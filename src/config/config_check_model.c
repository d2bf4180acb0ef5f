/* What a model's settings may not be together; called by config_check.c. */
#include "config/config_check.h"

#include "config/number_text.h"

#include <string.h>

int64_t largest_divisor_up_to(int64_t n, int64_t limit)
{
    int64_t d = limit < n ? limit : n;
    while (n % d)
        d--;
    return d;
}

static bool is_llama(const struct config *c)
{
    return !strcmp(c->model, "llama");
}

enum status check_heads(const struct config *c, struct err *err)
{
    if (c->width % c->heads == 0)
        return STATUS_OK;
    int64_t heads = largest_divisor_up_to(c->width, c->heads);
    int64_t up = c->width + c->heads - c->width % c->heads;
    return err_set(
        err, STATUS_USAGE,
        "heads %lld does not divide width %lld; set heads: %lld or width: %lld",
        (long long)c->heads, (long long)c->width, (long long)heads, (long long)up);
}

enum status check_kv_heads(const struct config *c, struct err *err)
{
    if (!c->kv_heads || c->kv_heads == c->heads)
        return STATUS_OK;
    if (!is_llama(c))
        return err_set(err, STATUS_USAGE,
                       "kv_heads %lld needs model: llama; gpt2 has as many as heads; set "
                       "kv_heads: 0",
                       (long long)c->kv_heads);
    if (c->heads % c->kv_heads == 0)
        return STATUS_OK;
    return err_set(err, STATUS_USAGE,
                   "kv_heads %lld does not divide heads %lld; set kv_heads: %lld",
                   (long long)c->kv_heads, (long long)c->heads,
                   (long long)largest_divisor_up_to(c->heads, c->kv_heads));
}

/* Rotary positions turn pairs. */
enum status check_head_size(const struct config *c, struct err *err)
{
    int64_t head_size = c->width / c->heads, wider = c->width + c->heads;
    if (!is_llama(c) || head_size % 2 == 0)
        return STATUS_OK;
    return err_set(
        err, STATUS_USAGE,
        "width %lld with %lld heads makes heads of %lld, and llama turns pairs: "
        "an even size is needed; set width: %lld",
        (long long)c->width, (long long)c->heads, (long long)head_size, (long long)wider);
}

enum status check_rope_scaling(const struct config *c, struct err *err)
{
    if (!strcmp(c->rope_scaling, "none"))
        return STATUS_OK;
    if (!is_llama(c))
        return err_set(err, STATUS_USAGE,
                       "rope_scaling: %s needs model: llama; gpt2 has no rotary "
                       "positions; set rope_scaling: none",
                       c->rope_scaling);
    if (c->rope_low_freq_factor < c->rope_high_freq_factor)
        return STATUS_OK;
    struct number_text low = number_text(c->rope_low_freq_factor);
    struct number_text high = number_text(c->rope_high_freq_factor);
    return err_set(err, STATUS_USAGE,
                   "rope_low_freq_factor %s is not below rope_high_freq_factor %s; the "
                   "models that use this scaling have 1 and 4",
                   low.s, high.s);
}
