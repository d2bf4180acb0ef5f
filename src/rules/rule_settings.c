/*
 * Settings of the process that make every step longer: switched on to find a fault, and
 * left on. That they are on is known; what they cost only where the recorder measured it,
 * which it does for anomaly detection: the same model, on a copy, with and without.
 */
#include "price/evidence_text.h"
#include "price/price.h"
#include "price/replaced.h"
#include "rules/rule.h"
#include "run/record_facts.h"

#include <math.h>
#include <stdio.h>

struct setting {
    enum record_fact fact;
    bool measured; /* by the recorder, as replacements of the rule */
    const char *name, *effect;
    struct rule_fix fix;
};

#define FIX(code)                                                                        \
    {                                                                                    \
        "process-settings", code, NULL                                                   \
    }
static const struct setting settings[] = {
    {RECORD_FACT_ANOMALY, true, "anomaly detection",
     "each operator of the forward pass keeps a stack, each gradient is searched for NaN",
     FIX("torch.autograd.set_detect_anomaly(False)")},
    {RECORD_FACT_DETERMINISTIC, false, "deterministic algorithms",
     "slower kernels take the place of those that add in any order",
     FIX("torch.use_deterministic_algorithms(False)")},
    {RECORD_FACT_TRACE_FUNCTION, false, "a Python trace function",
     "a debugger or a measurement of coverage is called for the lines that Python runs",
     FIX("sys.settrace(None)    # or start the job without the debugger")},
    {RECORD_FACT_PYTHON_DISPATCH, false, "a dispatch mode",
     "Python runs for each operator, as to count or to print them",
     FIX("with FlopCounterMode() if step == 1 else nullcontext():    # where it is "
         "needed")},
    {RECORD_FACT_ONEDNN_OFF, false, "oneDNN switched off",
     "matmuls and convolutions on the CPU use other, mostly slower kernels",
     FIX("torch.backends.mkldnn.enabled = True")},
    {RECORD_FACT_LAUNCH_BLOCKING, false, "CUDA_LAUNCH_BLOCKING",
     "the host waits for each kernel", FIX("# unset CUDA_LAUNCH_BLOCKING")},
    {RECORD_FACT_CUDNN_DETERMINISTIC, false, "deterministic cuDNN",
     "cuDNN leaves out its faster algorithms",
     FIX("torch.backends.cudnn.deterministic = False")},
    {RECORD_FACT_DISTRIBUTED_DEBUG, false, "TORCH_DISTRIBUTED_DEBUG=DETAIL",
     "the ranks compare each collective before they begin it",
     FIX("# unset TORCH_DISTRIBUTED_DEBUG")},
};

/* What the whole model takes longer. */
static bool price_as_measured(const struct evidence *e, struct finding *x)
{
    double now_ns, instead_ns;
    replaced_edit_model(e, &x->edits);
    double model_ns = price_untraced_ns(e, &x->edits);
    if (!replaced_as_measured(e, x, NAN)) {
        edit_list_release(&x->edits);
        return false;
    }
    evidence_replacement(e, x->rule->name, &now_ns, &instead_ns);
    x->holds_ns = fmax(0, model_ns * (1 - instead_ns / now_ns));
    return true;
}

static void tell(const struct rule *rule, const struct evidence *e, struct findings *f,
                 const struct setting *s)
{
    struct finding *x = findings_add(f, rule);
    x->fix = &s->fix;
    snprintf(x->where, sizeof x->where, "%s", s->name);
    finding_set_place(x, s->name, "");
    evidence_say(x, "set while the job trains: {}", quantity_words(s->effect));
    if (!s->measured || !price_as_measured(e, x))
        finding_withhold_price(x, "what it costs was not measured");
}

void rule_process_settings(const struct rule *rule, const struct evidence *e,
                           struct findings *f)
{
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++)
        if (record_fact(e->run, e->rank_row, settings[i].fact) > 0)
            tell(rule, e, f, &settings[i]);
}
