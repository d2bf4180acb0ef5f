#include "diagnose/gather.h"

#include "machine/cgroup.h"
#include "machine/meminfo.h"

void gather_machine(struct training_facts *f)
{
    f->cores = cpu_usable_cores();
    f->quota_cores = cgroup_cpu_cores(CGROUP_ROOT, CGROUP_OF_SELF);
    f->isa = cpu_isa();
    f->threads = f->config->threads ? (int)f->config->threads : f->cores;
    f->available_bytes = meminfo_available_bytes();
}

static void gather_data(struct training_facts *f, const struct trainer *t)
{
    f->data.kind = t->dataset.kind;
    f->data.train_tokens = (int64_t)t->dataset.train.n;
    f->data.validation_tokens = (int64_t)t->dataset.validation.n;
    f->data.vocabulary = (int64_t)t->dataset.vocabulary;
    f->data.open_s = (double)t->open_ns[TRAINER_DATA] / 1e9;
}

static void gather_batches(struct training_facts *f, const struct trainer *t)
{
    f->data.windows = t->train_data.windows;
    f->data.validation_batches = loader_validation_batches(&t->validation_data);
    f->steps = t->steps;
}

static void gather_model(struct training_facts *f, const struct trainer *t)
{
    f->parameters = t->model.params.table.count;
    f->model_vocabulary = t->model.shape.vocab;
}

/* The plan is there also where it did not fit. */
static void gather_plan(struct training_facts *f, const struct trainer *t)
{
    f->limit = t->plan.limit;
    f->plan_overflows = t->plan.overflow;
    f->plan_bytes = (double)t->plan.total_bytes;
    f->disk.checkpoint_bytes = trainer_checkpoint_bytes(t);
    if (!memory_plan_fits(&t->plan))
        f->fits = what_fits(t);
}

void gather_trainer(struct training_facts *f, const struct trainer *t,
                    const struct err *err)
{
    f->tried = true;
    f->part = t->part;
    f->failed = *err;
    if (t->part > TRAINER_THREADS)
        f->threads = t->threads;
    if (t->part > TRAINER_DATA)
        gather_data(f, t);
    if (t->part > TRAINER_LOADERS)
        gather_batches(f, t);
    if (t->part > TRAINER_MODEL)
        gather_model(f, t);
    if (t->part >= TRAINER_MEMORY)
        gather_plan(f, t);
}
