/*
 * What ranges alone cannot say. Each check is one function; the first that fails is the
 * error.
 *
 * To add a check: write a function that returns err_set(…) with the values and what to
 * set instead, and add it to config_check().
 */
#include "config/config.h"

#include "config/number_text.h"

#include <string.h>

static int64_t largest_divisor_up_to(int64_t n, int64_t limit)
{
    int64_t d = limit < n ? limit : n;
    while (n % d)
        d--;
    return d;
}

static enum status check_heads(const struct config *c, struct err *err)
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

static enum status check_warmup(const struct config *c, struct err *err)
{
    if (c->warmup_steps <= c->steps)
        return STATUS_OK;
    return err_set(
        err, STATUS_USAGE,
        "warmup_steps %lld is more than steps %lld; the rate would never reach "
        "its peak; set warmup_steps to at most %lld, for example %lld",
        (long long)c->warmup_steps, (long long)c->steps, (long long)c->steps,
        (long long)(c->steps / 10));
}

static enum status check_learning_rate(const struct config *c, struct err *err)
{
    if (c->min_learning_rate <= c->learning_rate)
        return STATUS_OK;
    struct number_text low = number_text(c->min_learning_rate);
    struct number_text high = number_text(c->learning_rate);
    return err_set(
        err, STATUS_USAGE,
        "min_learning_rate %s is above learning_rate %s; lower min_learning_rate", low.s,
        high.s);
}

static enum status check_eval_context(const struct config *c, struct err *err)
{
    if (c->eval_min_context < c->context)
        return STATUS_OK;
    return err_set(err, STATUS_USAGE,
                   "eval_min_context %lld leaves no token of a context of %lld to score; "
                   "set eval_min_context: %lld or less",
                   (long long)c->eval_min_context, (long long)c->context,
                   (long long)(c->context - 1));
}

/* A sequence is context + 1 tokens of one part of the text. */
static enum status check_builtin_text(const struct config *c, struct err *err)
{
    double validation = (double)c->builtin_chars * c->validation_fraction;
    bool builtin = !strcmp(c->dataset, "builtin");
    if (!builtin || validation > (double)c->context)
        return STATUS_OK;
    return err_set(err, STATUS_USAGE,
                   "the built-in text keeps %.0f characters for validation, fewer than a "
                   "context of %lld and the token after it; raise builtin_chars",
                   validation, (long long)c->context);
}

enum status config_check(const struct config *c, struct err *err)
{
    enum status (*const checks[])(const struct config *, struct err *) = {
        check_heads, check_warmup, check_learning_rate, check_eval_context,
        check_builtin_text};
    for (size_t i = 0; i < sizeof checks / sizeof *checks; i++) {
        enum status st = checks[i](c, err);
        if (st)
            return st;
    }
    return STATUS_OK;
}
