#include "train/run_record.h"

#include "model/model_cost.h"
#include "probe/probe.h"
#include "train/usage.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <unistd.h>

/* The engine knows nothing of runs; its classes are the first ones of a run's. */
#define CLASS_CHECK(v, text)                                                             \
    static_assert((int)TENSOR_CLASS_##v == (int)MEMORY_CLASS_##v, "classes of memory");
TENSOR_CLASS_LIST(CLASS_CHECK)

/* At most, a micro-batch: a block has 11 ops forward, once more with recompute, and 22
 * backward; a piece of the head 5 and 2 marks; outside are 7, 4 marks and collectives. */
enum { SPANS_A_LAYER = 44, SPANS_A_PIECE = 7, SPANS_A_STEP = 19 };
/* 56 bytes each. What does not fit is dropped, and the run says so. */
enum { SPANS_MAX = 4000000 };
/* Lanes: the main thread, and one for each helper that records (loader, communication).
 */
enum { LANES = 4 };

static size_t spans_needed(const struct trainer *t, int64_t steps)
{
    int64_t n = steps * t->config->gradient_accumulation *
                (t->model.shape.layers * SPANS_A_LAYER +
                 t->model.head_pieces * SPANS_A_PIECE + SPANS_A_STEP);
    return n < SPANS_MAX ? (size_t)n : SPANS_MAX;
}

enum status record_steps(struct trainer *t, int64_t first, int64_t n,
                         struct step_report *reports, struct step_costs *costs,
                         struct err *err)
{
    enum status s = STATUS_OK;
    probe_start(LANES, spans_needed(t, n));
    if (costs)
        step_costs_begin(costs);
    for (int64_t i = 0; i < n && s == STATUS_OK; i++)
        s = trainer_step(t, first + i, &reports[i], err);
    if (costs)
        step_costs_end(costs);
    probe_stop();
    return s;
}

struct rank record_rank(struct run *run, const struct trainer *t)
{
    char host[256] = "";
    if (gethostname(host, sizeof host - 1))
        host[0] = '\0';
    return (struct rank){.rank = t->comm.rank,
                         .world = t->comm.size,
                         .source = RUN_SOURCE_TRAINER,
                         .host = names_add_z(&run->names, host),
                         .framework = names_add_z(&run->names, "gait " GAIT_VERSION),
                         .complete = 1,
                         .step_method = STEP_METHOD_NONE};
}

void record_step_loss(struct run *run, int32_t rank, int64_t step,
                      const struct step_report *r)
{
    losses_add(&run->losses, (struct loss){.rank = rank,
                                           .step = step,
                                           .split = SPLIT_TRAIN,
                                           .loss = r->loss,
                                           .learning_rate = r->learning_rate,
                                           .gradient_norm = r->gradient_norm});
}

void record_evaluation(struct run *run, int32_t rank, int64_t step,
                       const struct evaluation *e)
{
    losses_add(&run->losses, (struct loss){.rank = rank,
                                           .step = step,
                                           .split = SPLIT_VALIDATION,
                                           .loss = e->loss,
                                           .standard_error = e->standard_error});
}

static void add_memory(struct run *run, int32_t rank, int64_t at_ns,
                       enum memory_class class, int64_t bytes, enum origin origin)
{
    memories_add(&run->memories, (struct memory){.rank = rank,
                                                 .device = -1,
                                                 .at_ns = at_ns,
                                                 .what = class,
                                                 .bytes = bytes,
                                                 .origin = origin});
}

void record_memory(struct run *run, int32_t rank, const struct trainer *t, int64_t at_ns)
{
    double resident = usage_peak_rss_bytes();
    for (int i = 0; i < TENSOR_CLASS_COUNT; i++)
        add_memory(run, rank, at_ns, (enum memory_class)i,
                   (int64_t)trainer_class_bytes(t, i), ORIGIN_MODELLED);
    add_memory(run, rank, at_ns, MEMORY_CLASS_ALLOCATED,
               (int64_t)trainer_allocated_bytes(t), ORIGIN_MEASURED);
    if (isfinite(resident))
        add_memory(run, rank, at_ns, MEMORY_CLASS_PROCESS, (int64_t)resident,
                   ORIGIN_MEASURED);
}

static void record_settings(struct run *run, int32_t rank, const struct config *c)
{
#define FACT_INT(section, key, def, min, max, help)                                      \
    run_add_fact(run, rank, "config." #key, (double)c->key, "", ORIGIN_GIVEN, "");
#define FACT_REAL(section, key, def, min, max, help)                                     \
    run_add_fact(run, rank, "config." #key, c->key, "", ORIGIN_GIVEN, "");
#define FACT_BOOL(section, key, def, help)                                               \
    run_add_fact(run, rank, "config." #key, c->key, "", ORIGIN_GIVEN, "");
#define FACT_TEXT(section, key, def, help)                                               \
    run_add_fact_text(run, rank, "config." #key, c->key, ORIGIN_GIVEN);
#define FACT_CHOICE(section, key, def, choices, help)                                    \
    run_add_fact_text(run, rank, "config." #key, c->key, ORIGIN_GIVEN);
    SETTINGS(FACT_INT, FACT_REAL, FACT_BOOL, FACT_TEXT, FACT_CHOICE)
}

static void record_precision(struct run *run, int32_t rank,
                             const struct precision_timing *p)
{
    char how[128];
    if (!p->rounds)
        return;
    snprintf(how, sizeof how,
             "three products of a linear of %lld x %lld x %lld, median of %d in turns",
             (long long)p->M, (long long)p->N, (long long)p->K, p->rounds);
    run_add_fact(run, rank, "train.f32_products_ns", p->f32_ns, "ns", ORIGIN_MEASURED,
                 how);
    run_add_fact(run, rank, "train.bf16_products_ns", p->bf16_ns, "ns", ORIGIN_MEASURED,
                 how);
}

void record_facts(struct run *run, int32_t rank, const struct trainer *t)
{
    const struct model *m = &t->model;
    record_settings(run, rank, t->config);
    run_add_fact(run, rank, "train.threads", t->threads, "", ORIGIN_MEASURED, "");
    run_add_fact(run, rank, "train.parameters", (double)m->params.table.count, "",
                 ORIGIN_MEASURED, "numbers of the model, without padding");
    run_add_fact(run, rank, "train.vocabulary", (double)m->shape.vocab, "",
                 ORIGIN_MEASURED, "");
    run_add_fact(run, rank, "train.tokens_per_step",
                 (double)(m->M * t->comm.size * t->config->gradient_accumulation), "",
                 ORIGIN_MEASURED, "of all ranks");
    run_add_fact(run, rank, "train.samples_per_step", (double)t->config->batch_size, "",
                 ORIGIN_MEASURED, "of all ranks");
    run_add_fact(run, rank, "train.flop_per_step",
                 model_flop(m) * t->comm.size * (double)t->config->gradient_accumulation,
                 "FLOP", ORIGIN_MODELLED,
                 "of all ranks: the products of linears and attention, forward and "
                 "backward, none of them twice");
    record_precision(run, rank, &t->precision);
    if (isfinite(t->dataset.entropy_nats_per_char))
        run_add_fact(run, rank, "data.entropy", t->dataset.entropy_nats_per_char,
                     "nats a character", ORIGIN_MODELLED, "exact, from the grammar");
    if (isfinite(t->dataset.validation_nats_per_char))
        run_add_fact(run, rank, "data.validation_text_nats",
                     t->dataset.validation_nats_per_char, "nats a character",
                     ORIGIN_MODELLED, "-log p of the text's own sentences");
}
