/* The data against the model, the batch and the number of steps. */
#include "base/units.h"
#include "diagnose/checks.h"
#include "diagnose/thresholds.h"

#include <math.h>
#include <string.h>

void check_settings(struct outcome *o, const struct training_facts *f,
                    const struct estimate *e)
{
    (void)e;
    bool late = training_facts_late_refusal(f);
    if (f->invalid.status || late) {
        outcome_set(o, OUTCOME_FAIL, "%s", late ? f->failed.text : f->invalid.text);
        outcome_next(o, "gait config %s", f->words);
    } else {
        outcome_set(o, OUTCOME_OK, "the settings are valid together");
    }
}

void check_model_start(struct outcome *o, const struct training_facts *f,
                       const struct estimate *e)
{
    (void)e;
    const char *from = f->config->init_from;
    bool failed = f->tried && (f->part == TRAINER_WEIGHTS || f->part == TRAINER_MODEL ||
                               f->part == TRAINER_START);
    if (failed) {
        outcome_set(o, OUTCOME_FAIL, "%s", f->failed.text);
        if (*from)
            outcome_next(o, "check init_from: %s", from);
    } else if (check_can_know(o, f, TRAINER_START)) {
        outcome_set(o, OUTCOME_OK, "%s%s",
                    *from ? "the weights start from " : "the weights start at random",
                    from);
    }
}

void check_data(struct outcome *o, const struct training_facts *f,
                const struct estimate *e)
{
    (void)e;
    bool failed = f->tried && (f->part == TRAINER_DATA || f->part == TRAINER_LOADERS) &&
                  !training_facts_late_refusal(f);
    if (failed) {
        outcome_set(o, OUTCOME_FAIL, "%s", f->failed.text);
        outcome_next(o, "set dataset: FILE, or builtin to try without one");
    } else if (check_can_know(o, f, TRAINER_LOADERS)) {
        outcome_set(o, OUTCOME_OK, "%s: %s tokens to train on, %s to validate on",
                    dataset_kind_text[f->data.kind],
                    unit_thousands(f->data.train_tokens).s,
                    unit_thousands(f->data.validation_tokens).s);
    }
}

void check_one_batch(struct outcome *o, const struct training_facts *f,
                     const struct estimate *e)
{
    (void)e;
    long long batch = f->config->batch_size, windows = f->data.windows;
    if (!check_can_know(o, f, TRAINER_LOADERS))
        return;
    if (windows < batch) {
        outcome_set(o, OUTCOME_WARN,
                    "the text has %lld sequences of %lld tokens and a batch %lld: each "
                    "batch holds some twice",
                    windows, (long long)f->config->context, batch);
        outcome_next(o, "set batch_size: %lld, or use a longer text", windows);
    } else {
        outcome_set(o, OUTCOME_OK, "an epoch has %s sequences for batches of %lld",
                    unit_thousands(windows).s, batch);
    }
}

void check_validation_part(struct outcome *o, const struct training_facts *f,
                           const struct estimate *e)
{
    (void)e;
    if (!check_can_know(o, f, TRAINER_LOADERS))
        return;
    if (f->data.validation_batches < 2) {
        outcome_set(o, OUTCOME_WARN,
                    "the validation part fills a single batch: its loss has no standard "
                    "error");
        outcome_next(o, "set validation_fraction: %.2g, or use a longer text",
                     fmin(0.5, 2 * f->config->validation_fraction));
    } else {
        outcome_set(o, OUTCOME_OK, "the validation part fills %s batches",
                    unit_thousands(f->data.validation_batches).s);
    }
}

void check_vocabulary(struct outcome *o, const struct training_facts *f,
                      const struct estimate *e)
{
    (void)e;
    if (!check_can_know(o, f, TRAINER_MODEL))
        return;
    if ((double)f->data.vocabulary <
        VOCABULARY_USED_LEAST * (double)f->model_vocabulary) {
        outcome_set(o, OUTCOME_WARN,
                    "the weights know %s tokens and the data uses %s: was it tokenized "
                    "for them?",
                    unit_thousands(f->model_vocabulary).s,
                    unit_thousands(f->data.vocabulary).s);
        outcome_next(o, "set tokenizer: %s", f->config->init_from);
    } else {
        outcome_set(o, OUTCOME_OK, "a vocabulary of %s",
                    unit_thousands(f->data.vocabulary).s);
    }
}

void check_epochs(struct outcome *o, const struct training_facts *f,
                  const struct estimate *e)
{
    (void)e;
    if (!check_can_know(o, f, TRAINER_LOADERS))
        return;
    double epochs = (double)f->steps * (double)f->config->batch_size /
                    (double)(f->data.windows > 0 ? f->data.windows : 1);
    if (epochs > EPOCHS_MOST) {
        outcome_set(o, OUTCOME_WARN,
                    "%s steps are %s passes over the text: it will be learned by heart",
                    unit_thousands(f->steps).s, unit_mean(epochs).s);
        outcome_next(o, "set steps: %lld, dropout: 0.1, or use more text",
                     (long long)fmax(1, (double)f->steps * EPOCHS_MOST / epochs));
    } else {
        outcome_set(o, OUTCOME_OK, "%s steps are %.2g passes over the text",
                    unit_thousands(f->steps).s, epochs);
    }
}

/* Weights that were trained before have seen more than this text. */
void check_tokens_and_parameters(struct outcome *o, const struct training_facts *f,
                                 const struct estimate *e)
{
    (void)e;
    if (!check_can_know(o, f, TRAINER_MODEL))
        return;
    struct unit_text tokens = unit_count((double)f->data.train_tokens);
    struct unit_text parameters = unit_count((double)f->parameters);
    if (f->data.train_tokens < f->parameters && !*f->config->init_from) {
        outcome_set(o, OUTCOME_WARN, "%s tokens for %s parameters: fewer than one each",
                    tokens.s, parameters.s);
        outcome_next(o, "use more text, or a smaller width or layers");
    } else {
        outcome_set(o, OUTCOME_OK, "%s tokens for %s parameters", tokens.s, parameters.s);
    }
}

void check_prepared(struct outcome *o, const struct training_facts *f,
                    const struct estimate *e)
{
    (void)e;
    if (!check_can_know(o, f, TRAINER_DATA))
        return;
    struct unit_text took = unit_ns_of(f->data.open_s * 1e9);
    if (f->data.kind == DATASET_TEXT && f->data.open_s > DATA_OPEN_MOST_S) {
        const char *from = f->config->init_from;
        bool is_auto = !strcmp(f->config->tokenizer, "auto");
        outcome_set(o, OUTCOME_WARN,
                    "the text is tokenized at every start: that took %s now", took.s);
        outcome_next(o, "gait data prepare %s -t %s -o tokens", f->config->dataset,
                     !is_auto ? f->config->tokenizer
                     : *from  ? from
                              : "chars");
    } else {
        outcome_set(o, OUTCOME_OK, "%s, open after %s", dataset_kind_text[f->data.kind],
                    took.s);
    }
}
