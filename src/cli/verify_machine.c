#include "cli/verify_machine.h"

#include "run/run.h"
#ifdef GAIT_TRAIN
#include "machine/machine.h"
#endif

#include <math.h>

static void put_machine(struct strbuf *out, const struct run *run, int32_t rank)
{
    const char *cpu = run_fact_text(run, rank, "machine.cpu");
    double cores = run_fact(run, rank, "machine.cores_usable");
    if (!*cpu)
        return;
    strbuf_puts(out, cpu);
    if (isfinite(cores))
        strbuf_printf(out, "; %.0f cores", cores);
    strbuf_printf(out, "; %s", run_fact_text(run, rank, "machine.isa"));
}

void verify_machine_of_run(struct strbuf *out, const struct run *run)
{
    if (run->ranks.table.n)
        put_machine(out, run, 0);
    if (!out->len)
        put_machine(out, run, -1);
}

void verify_machine_here(struct strbuf *out)
{
#ifdef GAIT_TRAIN
    struct run here;
    run_init(&here);
    machine_describe(&here, -1);
    put_machine(out, &here, -1);
    run_release(&here);
#else
    (void)out;
#endif
}
