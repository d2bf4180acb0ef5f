#include "train/trainer.h"

#include "base/mem.h"
#include "checkpoint/checkpoint.h"
#include "machine/cpu.h"
#include "train/fit_batch.h"

#include <string.h>

/* The built-in text is one text: the seed of a run changes weights and order, not it. */
enum { BUILTIN_TEXT_SEED = 1 };

static enum status open_data(struct trainer *t, struct err *err)
{
    const struct config *c = t->config;
    struct dataset_options options = {.name = c->dataset,
                                      .builtin_chars = (size_t)c->builtin_chars,
                                      .builtin_seed = BUILTIN_TEXT_SEED,
                                      .validation_fraction = c->validation_fraction,
                                      .context = (size_t)c->context};
    struct loader_options loader = {.batch = c->batch_size,
                                    .context = c->context,
                                    .seed = (uint64_t)c->seed,
                                    .rank = t->comm.rank,
                                    .ranks = t->comm.size,
                                    .min_context = c->eval_min_context,
                                    .shuffle = true};
    enum status s = dataset_open(&t->dataset, &options, err);
    if (s != STATUS_OK)
        return s;
    loader.vocabulary = t->dataset.vocabulary;
    s = loader_init(&t->train_data, &t->dataset.train, &loader, err);
    if (s == STATUS_OK)
        s = loader_init(&t->validation_data, &t->dataset.validation, &loader, err);
    if (s == STATUS_OK) {
        int64_t all = loader_validation_batches(&t->validation_data);
        t->eval_batches = c->eval_batches < all ? c->eval_batches : all;
    }
    return s;
}

static enum status open_model(struct trainer *t, struct err *err)
{
    const struct config *c = t->config;
    struct gpt2_shape shape = {.layers = c->layers,
                               .heads = c->heads,
                               .width = c->width,
                               .context = c->context,
                               .vocab = (int64_t)t->dataset.vocabulary,
                               .bias = c->bias};
    enum status s = engine_init(&t->engine, c->engine, err);
    if (s == STATUS_OK)
        s = gpt2_init(&t->model, &t->engine, &shape, t->train_data.rows, err);
    return s;
}

static void set_optimizer(struct trainer *t)
{
    const struct config *c = t->config;
    t->adamw = (struct adamw){.beta1 = c->beta1,
                              .beta2 = c->beta2,
                              .epsilon = c->adam_epsilon,
                              .weight_decay = c->weight_decay};
    t->schedule = (struct schedule){.peak = c->learning_rate,
                                    .minimum = c->min_learning_rate,
                                    .warmup_steps = c->warmup_steps,
                                    .steps = c->steps};
}

void trainer_plan(struct trainer *t)
{
    struct gpt2 *m = &t->model;
    gpt2_plan(m, &t->plan);
    adamw_plan(&t->adamw, &t->plan, &m->params);
    clip_plan(&t->clip, &t->plan, m->params.total);
    memory_plan_add(&t->plan, (void **)&t->inputs, TENSOR_CLASS_DATA, "inputs", m->M,
                    sizeof *t->inputs);
    memory_plan_add(&t->plan, (void **)&t->targets, TENSOR_CLASS_DATA, "targets", m->M,
                    sizeof *t->targets);
    memory_plan_add(&t->plan, (void **)&t->eval_sum, TENSOR_CLASS_WORKSPACE,
                    "sums of a validation", 2 * t->eval_batches, sizeof *t->eval_sum);
}

static enum status open_memory(struct trainer *t, struct err *err)
{
    trainer_plan(t);
    enum status s = memory_plan_allocate(&t->plan, err);
    if (s != STATUS_OK && !memory_plan_fits(&t->plan))
        say_what_fits(t, err);
    return s;
}

enum status trainer_open(struct trainer *t, const struct config *config, struct err *err)
{
    memset(t, 0, sizeof *t);
    t->config = config;
    enum status s = comm_open(&t->comm, err);
    if (s != STATUS_OK)
        return s;
    t->threads =
        engine_set_threads(config->threads ? (int)config->threads : cpu_usable_cores());
    s = open_data(t, err);
    if (s == STATUS_OK)
        s = open_model(t, err);
    if (s == STATUS_OK) {
        set_optimizer(t);
        s = open_memory(t, err);
    }
    if (s != STATUS_OK) {
        trainer_close(t, s);
        return s;
    }
    gpt2_bind(&t->model);
    gpt2_init_weights(&t->model, (uint64_t)config->seed);
    return STATUS_OK;
}

void trainer_close(struct trainer *t, enum status status)
{
    gpt2_release(&t->model);
    memory_plan_release(&t->plan);
    dataset_close(&t->dataset);
    if (status == STATUS_OK || t->comm.size == 1)
        comm_close(&t->comm);
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

/* Rank 0 alone writes; the launcher ends the others when it fails. */
static bool saves(const struct trainer *t)
{
    return *t->config->checkpoint_dir && t->comm.rank == 0;
}

enum status trainer_check_save(const struct trainer *t, struct err *err)
{
    return saves(t) ? checkpoint_check(t->config->checkpoint_dir, err) : STATUS_OK;
}

enum status trainer_save(struct trainer *t, int64_t step, struct err *err)
{
    const struct param_table *params = &t->model.params;
    const struct gpt2_shape *shape = &t->model.shape;
    if (!saves(t))
        return STATUS_OK;
    const struct checkpoint_model model = {.layers = shape->layers,
                                           .heads = shape->heads,
                                           .width = shape->width,
                                           .context = shape->context,
                                           .bias = shape->bias,
                                           .vocabulary = t->dataset.tokenizer.chars.code,
                                           .characters = t->dataset.tokenizer.chars.n};
    struct checkpoint_tensor *tensor = mem_zalloc(params->n, sizeof *tensor);
    for (size_t i = 0; i < params->n; i++) {
        const struct param *p = &params->param[i];
        tensor[i] = (struct checkpoint_tensor){.name = p->name,
                                               .dims = p->dims,
                                               .shape = {p->shape[0], p->shape[1]},
                                               .data = t->model.param + p->offset};
    }
    enum status s =
        checkpoint_save(t->config->checkpoint_dir, &model, tensor, params->n, step, err);
    mem_free(tensor);
    return s;
}
