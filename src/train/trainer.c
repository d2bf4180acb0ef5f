#include "train/trainer.h"

#include "base/clock.h"
#include "base/log.h"
#include "base/thread_trial.h"
#include "machine/cpu.h"
#include "model/model_check.h"
#include "train/model_settings.h"
#include "train/start.h"
#include "train/what_fits.h"

#include <string.h>
#include <unistd.h>

/* The built-in text is one text: the seed of a run changes weights and order, not it. */
enum { BUILTIN_TEXT_SEED = 1 };

/* Batches of the ring: one in use, one being filled, one ready. */
enum { PREFETCH_DEPTH = 3 };

/* Beside the plan, of any limit: kernels that oneDNN compiles when products first run,
 * and what saves, validates and records. */
static const double KEEP_BYTES = 24 << 20;

static enum status open_data(struct trainer *t, struct err *err)
{
    const struct config *c = t->config;
    if (t->data_is_lent)
        return STATUS_OK;
    bool weights_know = !strcmp(c->tokenizer, "auto") && t->weights.tokenizer;
    const char *tokenizer = weights_know ? t->weights.tokenizer : c->tokenizer;
    struct dataset_options options = {.name = c->dataset,
                                      .data_dir = c->data_dir,
                                      .tokenizer = tokenizer,
                                      .max_chars = (uint64_t)c->max_chars,
                                      .threads = t->threads,
                                      .builtin_chars = (size_t)c->builtin_chars,
                                      .builtin_seed = BUILTIN_TEXT_SEED,
                                      .validation_fraction = c->validation_fraction,
                                      .context = (size_t)t->context};
    enum status s = dataset_open(&t->dataset, &options, err);
    bool guessed =
        s == STATUS_OK && *c->init_from && !strcmp(tokenizer, "auto") &&
        (t->dataset.kind == DATASET_TEXT || t->dataset.kind == DATASET_BUILTIN);
    if (guessed)
        s = err_set(
            err, STATUS_INPUT,
            "%s has no tokenizer (tokenizer.json, or vocab.json and merges.txt), so "
            "nobody knows what its tokens mean: put it there, or set tokenizer",
            c->init_from);
    return s;
}

/* Whole steps that see so many epochs. */
static int64_t steps_of_epochs(const struct trainer *t, int64_t epochs)
{
    int64_t parts = t->config->gradient_accumulation;
    return (loader_positions(&t->train_data, epochs) + parts - 1) / parts;
}

/* A micro-batch is what all ranks compute at once; validation uses the same rows. */
static enum status open_loaders(struct trainer *t, struct err *err)
{
    const struct config *c = t->config;
    int64_t micro_batch = c->batch_size / c->gradient_accumulation;
    int64_t any_steps = c->epochs ? INT64_MAX : c->steps; /* not known yet */
    enum status s = config_check_run(c, any_steps, t->comm.size, err);
    if (s != STATUS_OK)
        return s;
    int64_t eval_rows = c->eval_batch_size ? c->eval_batch_size : c->batch_size;
    struct loader_options loader = {.batch = micro_batch,
                                    .context = t->context,
                                    .seed = (uint64_t)c->seed,
                                    .rank = t->comm.rank,
                                    .ranks = t->comm.size,
                                    .min_context = c->eval_min_context,
                                    .shuffle = c->shuffle,
                                    .vocabulary = t->dataset.vocabulary};
    s = loader_init(&t->train_data, &t->dataset.train, &loader, err);
    if (s == STATUS_OK)
        s = loader_init(&t->validation_data, &t->dataset.validation, &loader, err);
    if (s != STATUS_OK)
        return s;
    int64_t all = loader_validation_batches(&t->validation_data);
    int64_t wanted = (c->eval_batches * eval_rows + micro_batch - 1) / micro_batch;
    t->eval_batches = wanted < all ? wanted : all;
    t->epoch_steps = steps_of_epochs(t, 1);
    t->steps = c->epochs ? steps_of_epochs(t, c->epochs) : c->steps;
    return config_check_run(c, t->steps, t->comm.size, err);
}

/* init_from says what the model is; without it the settings and the data do. */
static enum status open_weights(struct trainer *t, struct err *err)
{
    const struct config *c = t->config;
    t->context = c->context;
    if (!*c->init_from)
        return STATUS_OK;
    enum status s = weights_open(&t->weights, c->init_from, err);
    if (s == STATUS_OK && t->context > t->weights.shape.context) {
        t->context = t->weights.shape.context;
        log_line("gait: note: context is %lld, all that %s was made for",
                 (long long)t->context, c->init_from);
    }
    return s;
}

static enum status model_shape_of(const struct trainer *t, struct model_shape *shape,
                                  struct err *err)
{
    int64_t words = (int64_t)t->dataset.vocabulary;
    *shape = shape_of_settings(t->config, words);
    if (!*t->config->init_from)
        return STATUS_OK;
    *shape = t->weights.shape;
    if (words > shape->vocab)
        return err_set(err, STATUS_INPUT,
                       "the data has a vocabulary of %lld and %s knows %lld tokens: use "
                       "the tokenizer that the weights were trained with",
                       (long long)words, t->config->init_from, (long long)shape->vocab);
    return STATUS_OK;
}

static enum status open_model(struct trainer *t, struct err *err)
{
    const struct config *c = t->config;
    struct model_shape shape;
    struct model_options options =
        options_of_settings(c, t->train_data.rows, t->comm.rank);
    struct engine_options engine = engine_of_settings(c);
    enum status s = model_shape_of(t, &shape, err);
    options.tokens = t->context;
    if (s == STATUS_OK)
        s = engine_init(&t->engine, &engine, err);
    if (s == STATUS_OK)
        s = engine_self_check(&t->engine, &t->self_check, err);
    if (s == STATUS_OK)
        s = model_init(&t->model, &t->engine, &shape, &options, err);
    return s;
}

void trainer_plan(struct trainer *t)
{
    struct model *m = &t->model;
    model_plan(m, &t->plan);
    optimizer_plan(&t->optimizer, &t->plan, &m->params.table);
    clip_plan(&t->clip, &t->plan, m->params.table.total);
    selection_plan(&t->selection, &t->plan, t->config->top_k, &m->params.table);
    memory_plan_add(&t->plan, (void **)&t->ring, TENSOR_CLASS_DATA, "batches ahead",
                    PLAN_COUNT(PREFETCH_DEPTH, 2, m->M), sizeof *t->ring);
    memory_plan_add(&t->plan, (void **)&t->inputs, TENSOR_CLASS_DATA, "inputs", m->M,
                    sizeof *t->inputs);
    memory_plan_add(&t->plan, (void **)&t->targets, TENSOR_CLASS_DATA, "targets", m->M,
                    sizeof *t->targets);
    memory_plan_add(&t->plan, (void **)&t->eval_sum, TENSOR_CLASS_WORKSPACE,
                    "sums of a validation", 2 * t->eval_batches, sizeof *t->eval_sum);
}

static int workers_of(const struct config *c)
{
    return (int)config_workers(c->num_workers, cpu_usable_cores());
}

/* The text and all that was prepared is there already and counts as used. */
static struct memory_limit find_limit(const struct trainer *t)
{
    struct memory_limit_options o = {.processes = comm_local_ranks(&t->comm),
                                     .keep_bytes = KEEP_BYTES,
                                     .mapped_bytes = (double)workers_of(t->config) *
                                                     (double)threads_stack_bytes()};
    return memory_limit_find(&o);
}

static enum status open_memory(struct trainer *t, struct err *err)
{
    t->optimizer = optimizer_of_settings(t->config);
    t->schedule = schedule_of_settings(t->config, t->steps);
    struct memory_limit limit = find_limit(t);
    memory_plan_set_limit(&t->plan, &limit);
    trainer_plan(t);
    enum status s = memory_plan_allocate(&t->plan, err);
    if (s != STATUS_OK && !memory_plan_fits(&t->plan))
        say_what_fits(t, err);
    if (s != STATUS_OK)
        return s;
    model_bind(&t->model);
    tensor_list_init(&t->tensors, &t->model.params.table, &t->model.store, &t->optimizer);
    return STATUS_OK;
}

enum status trainer_check_products(struct trainer *t, struct err *err)
{
    return model_check(&t->model, &t->products_error, err);
}

/* One rank measures, undisturbed; the others do as it did. */
static enum status open_products(struct trainer *t, struct err *err)
{
    if (t->comm.rank == 0) {
        log_status("finding out whose products are faster here");
        model_decide(&t->model, true);
        log_status_clear();
    }
    enum status s = comm_barrier(&t->comm, err);
    if (s == STATUS_OK && t->comm.rank)
        model_decide(&t->model, false);
    return s;
}

static enum status open_prefetch(struct trainer *t, struct err *err)
{
    const struct config *c = t->config;
    struct prefetch_options o = {.workers = workers_of(c),
                                 .depth = PREFETCH_DEPTH,
                                 .first = t->first_step * c->gradient_accumulation,
                                 .buffer = t->ring};
    return prefetch_open(&t->prefetch, &t->train_data, &o, err);
}

static enum status open_threads(struct trainer *t, struct err *err)
{
    int64_t wanted = t->config->threads;
    t->threads = engine_set_threads(wanted ? (int)wanted : cpu_usable_cores());
    return threads_try(t->threads, err);
}

enum status trainer_try(struct trainer *t, const struct config *config,
                        const struct dataset *data, struct err *err)
{
    static enum status (*const open_part[TRAINER_COMPLETE])(struct trainer *,
                                                            struct err *) = {
        [TRAINER_THREADS] = open_threads,  [TRAINER_WEIGHTS] = open_weights,
        [TRAINER_DATA] = open_data,        [TRAINER_LOADERS] = open_loaders,
        [TRAINER_MODEL] = open_model,      [TRAINER_MEMORY] = open_memory,
        [TRAINER_START] = trainer_start,   [TRAINER_PRODUCTS] = open_products,
        [TRAINER_PREFETCH] = open_prefetch};
    memset(t, 0, sizeof *t);
    t->config = config;
    t->lock = -1;
    if (data) {
        t->dataset = *data;
        t->data_is_lent = true;
    }
    struct comm_patience patience = {(double)config->rank_timeout,
                                     (double)config->rank_give_up};
    enum status s = comm_open(&t->comm, patience, err);
    if (s != STATUS_OK) {
        t->comm = (struct comm){0};
        return s;
    }
    if (t->comm.rank) /* rank 0 tells */
        log_mute(true);
    while (s == STATUS_OK && t->part < TRAINER_COMPLETE) {
        int64_t begin_ns = clock_now_ns();
        s = open_part[t->part](t, err);
        t->open_ns[t->part] = clock_now_ns() - begin_ns;
        if (s == STATUS_OK)
            t->part++;
    }
    return s;
}

enum status trainer_open(struct trainer *t, const struct config *config, struct err *err)
{
    enum status s = trainer_try(t, config, NULL, err);
    if (s != STATUS_OK)
        trainer_close(t, s);
    return s;
}

void trainer_close(struct trainer *t, enum status status)
{
    if (!t->comm.size)
        return; /* not even the job could be joined */
    bool silent = t->comm.rank != 0;
    prefetch_close(t->prefetch);
    if (t->lock >= 0)
        close(t->lock);
    tensor_list_release(&t->tensors);
    model_release(&t->model);
    memory_plan_release(&t->plan);
    if (!t->data_is_lent)
        dataset_close(&t->dataset);
    weights_close(&t->weights);
    if (status == STATUS_OK || t->comm.size == 1 || t->agreed_to_stop)
        comm_close(&t->comm);
    else
        comm_abandon(&t->comm);
    if (silent)
        log_mute(false);
}

double trainer_checkpoint_bytes(const struct trainer *t)
{
    return (double)t->model.params.table.count * (double)sizeof(float) +
           (double)t->plan.class_bytes[TENSOR_CLASS_MOMENTS];
}

size_t trainer_class_bytes(const struct trainer *t, enum tensor_class class)
{
    size_t text = class == TENSOR_CLASS_DATA ? t->dataset.memory_bytes : 0;
    return t->plan.class_bytes[class] + text;
}

size_t trainer_allocated_bytes(const struct trainer *t)
{
    return t->plan.arena_bytes + t->dataset.memory_bytes;
}
