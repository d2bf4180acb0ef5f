#include "tune/baseline.h"

#include "base/log.h"
#include "base/mem.h"
#include "probe/probe.h"
#include "run/op_family.h"
#include "train/run_record.h"

#include <string.h>

enum { WARM_UP_STEPS = 2, RECORDED_STEPS = 5 };

static bool begins(const char *name, const char *with)
{
    size_t len = strlen(with);
    return !strncmp(name, with, len) && (name[len] == '.' || !name[len]);
}

static void add_op(struct baseline *b, const char *name, double ns)
{
    if (begins(name, "attention"))
        b->share[TOUCHES_ATTENTION] += ns;
    if (begins(name, "qkv"))
        b->share[TOUCHES_QKV] += ns;
    if (begins(name, "mlp_up"))
        b->share[TOUCHES_MLP_UP] += ns;
    if (op_family_is_product(trainer_op_family(name)))
        b->share[TOUCHES_PRODUCTS] += ns;
    if (!strstr(name, ".backward"))
        b->share[TOUCHES_FORWARD] += ns;
}

/* Self times of operators, over the steps' own. */
static void sum_ops(struct baseline *b, const struct run *run)
{
    double steps_ns = 0;
    for (size_t i = 0; i < run->ops.table.n; i++) {
        struct op op = ops_get(&run->ops, i);
        if (op.kind == SPAN_KIND_STEP)
            steps_ns += (double)op.total_ns;
        if (op.kind == SPAN_KIND_OP)
            add_op(b, run_name(run, op.name), (double)op.self_ns);
    }
    b->step_ns = steps_ns / RECORDED_STEPS;
    for (int i = 0; i < TOUCHES_COUNT; i++)
        b->share[i] = steps_ns > 0 ? b->share[i] / steps_ns : 1;
}

static enum status record(struct baseline *out, struct trainer *t, struct err *err)
{
    struct step_report reports[RECORDED_STEPS];
    struct run run;
    int32_t row;
    enum status s = STATUS_OK;
    for (int64_t i = 0; i < WARM_UP_STEPS && s == STATUS_OK; i++)
        s = trainer_step(t, i, reports, err);
    memset(t->phase_ns, 0, sizeof t->phase_ns);
    run_init(&run);
    if (s == STATUS_OK)
        s = record_steps(t, WARM_UP_STEPS, RECORDED_STEPS, reports, NULL, err);
    if (s == STATUS_OK)
        s = probe_finish(&run, record_rank(&run, t), 0, &row, err);
    if (s == STATUS_OK)
        sum_ops(out, &run);
    out->share[TOUCHES_DATA] = trainer_phase_share(t, PHASE_DATA);
    out->share[TOUCHES_ALL] = 1;
    out->share[TOUCHES_MEMORY] = 0;
    run_release(&run);
    return s;
}

enum status baseline_record(struct baseline *out, const struct config *config,
                            struct err *err)
{
    struct config own;
    struct trainer *t = mem_zalloc(1, sizeof *t);
    *out = (struct baseline){.step_ns = 0};
    config_copy_for_trial(&own, config);
    log_status("recording steps as the config has them");
    enum status s = trainer_open(t, &own, err);
    if (s == STATUS_OK) {
        s = t->comm.size == 1
                ? record(out, t, err)
                : err_set(err, STATUS_USAGE,
                          "settings are tuned in one process; leave mpirun out");
        trainer_close(t, s);
    }
    log_status_clear();
    config_release(&own);
    mem_free(t);
    return s;
}

void baseline_bound(const struct baseline *b, struct tune_space *space)
{
    for (size_t i = 0; i < space->n; i++)
        space->setting[i].at_most = b->share[space->setting[i].touches];
}
