/*
 * What ranges alone cannot say. Each check is one function; the first that fails is the
 * error.
 *
 * To add a check: write a function that returns err_set(…) with the values and what to
 * set instead, and add it to config_check(), or to config_check_run() where it needs what
 * only the run knows.
 */
#include "config/config_check.h"

#include "base/text_fit.h"
#include "config/number_text.h"

#include <math.h>
#include <string.h>

static enum status check_accumulation(const struct config *c, struct err *err)
{
    int64_t rest = c->batch_size % c->gradient_accumulation;
    if (!rest)
        return STATUS_OK;
    return err_set(
        err, STATUS_USAGE,
        "gradient_accumulation %lld does not divide batch_size %lld; set "
        "gradient_accumulation: %lld or batch_size: %lld",
        (long long)c->gradient_accumulation, (long long)c->batch_size,
        (long long)largest_divisor_up_to(c->batch_size, c->gradient_accumulation),
        (long long)(c->batch_size + c->gradient_accumulation - rest));
}

static enum status check_warmup(const struct config *c, int64_t steps, struct err *err)
{
    if (c->warmup_steps <= steps)
        return STATUS_OK;
    return err_set(
        err, STATUS_USAGE,
        "warmup_steps %lld is more than steps %lld; the rate would never reach "
        "its peak; set warmup_steps to at most %lld, for example --warmup_steps %lld",
        (long long)c->warmup_steps, (long long)steps, (long long)steps,
        (long long)(steps / 10));
}

static enum status check_decay(const struct config *c, int64_t steps, struct err *err)
{
    int64_t decay = llround(c->decay_fraction * (double)steps);
    if (strcmp(c->schedule, "wsd") != 0 || c->warmup_steps <= steps - decay)
        return STATUS_OK;
    return err_set(err, STATUS_USAGE,
                   "warmup_steps %lld and the last %lld steps (decay_fraction %s) are "
                   "more than steps %lld; lower decay_fraction to %.2f or less",
                   (long long)c->warmup_steps, (long long)decay,
                   number_text(c->decay_fraction).s, (long long)steps,
                   floor(100.0 * (double)(steps - c->warmup_steps) / (double)steps) /
                       100.0);
}

static enum status check_steps(const struct config *c, int64_t steps, struct err *err)
{
    enum status st = check_warmup(c, steps, err);
    return st ? st : check_decay(c, steps, err);
}

static enum status check_given_steps(const struct config *c, struct err *err)
{
    return c->epochs ? STATUS_OK : check_steps(c, c->steps, err);
}

static enum status check_learning_rate(const struct config *c, struct err *err)
{
    bool has_minimum = strcmp(c->schedule, "constant") != 0;
    if (!has_minimum || c->min_learning_rate <= c->learning_rate)
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

static enum status check_checkpoint(const struct config *c, struct err *err)
{
    const char *wants = !strcmp(c->resume, "must")  ? "resume: must"
                        : c->checkpoint_interval    ? "checkpoint_interval"
                        : c->checkpoint_epochs      ? "checkpoint_epochs"
                        : c->checkpoint_minutes > 0 ? "checkpoint_minutes"
                                                    : NULL;
    if (!wants || *c->checkpoint_dir)
        return STATUS_OK;
    return err_set(err, STATUS_USAGE,
                   "%s needs a place for checkpoints; set checkpoint_dir, for example to "
                   "\"models\"",
                   wants);
}

/* node_exporter passes over what is called otherwise, without a word. */
static enum status check_metrics_file(const struct config *c, struct err *err)
{
    static const char ending[] = ".prom";
    bool named = strcmp(c->metrics_file, ending) != 0; /* more than the ending */
    if (!*c->metrics_file || (named && text_ends_with(c->metrics_file, ending)))
        return STATUS_OK;
    return err_set(err, STATUS_USAGE,
                   "metrics_file %s does not end in .prom, and node_exporter's textfile "
                   "collector reads no other; set metrics_file: %s.prom",
                   c->metrics_file, c->metrics_file);
}

static enum status check_data_names(const struct config *c, struct err *err)
{
    if (!*c->dataset)
        return err_set(
            err, STATUS_USAGE,
            "dataset is empty; set builtin, shakespeare or the path of a text");
    if (!*c->tokenizer)
        return err_set(err, STATUS_USAGE,
                       "tokenizer is empty; set auto, bytes, chars, gpt2 or a path");
    return STATUS_OK;
}

/* A sequence is context + 1 tokens of one part of the text. */
static enum status check_builtin_text(const struct config *c, struct err *err)
{
    bool cut = c->max_chars && c->max_chars < c->builtin_chars;
    int64_t chars = cut ? c->max_chars : c->builtin_chars;
    double validation = (double)chars * c->validation_fraction;
    bool builtin = !strcmp(c->dataset, "builtin");
    if (!builtin || validation > (double)c->context)
        return STATUS_OK;
    return err_set(err, STATUS_USAGE,
                   "the built-in text keeps %.0f characters for validation, fewer than a "
                   "context of %lld and the token after it; raise %s",
                   validation, (long long)c->context,
                   cut ? "max_chars" : "builtin_chars");
}

enum status config_check(const struct config *c, struct err *err)
{
    enum status (*const checks[])(const struct config *, struct err *) = {
        check_heads,        check_kv_heads,     check_head_size,     check_rope_scaling,
        check_accumulation, check_given_steps,  check_learning_rate, check_eval_context,
        check_checkpoint,   check_metrics_file, check_data_names,    check_builtin_text};
    for (size_t i = 0; i < sizeof checks / sizeof *checks; i++) {
        enum status st = checks[i](c, err);
        if (st)
            return st;
    }
    return STATUS_OK;
}

static enum status check_ranks(const struct config *c, int64_t ranks, struct err *err)
{
    int64_t parts = ranks * c->gradient_accumulation;
    if (c->batch_size % parts == 0)
        return STATUS_OK;
    return err_set(
        err, STATUS_USAGE,
        "gradient_accumulation %lld on %lld ranks cuts a batch into %lld parts, "
        "which batch_size %lld is not a multiple of; set batch_size: %lld",
        (long long)c->gradient_accumulation, (long long)ranks, (long long)parts,
        (long long)c->batch_size,
        (long long)(c->batch_size + parts - c->batch_size % parts));
}

enum status config_check_run(const struct config *c, int64_t steps, int64_t ranks,
                             struct err *err)
{
    enum status st = check_ranks(c, ranks, err);
    return st ? st : check_steps(c, steps, err);
}
