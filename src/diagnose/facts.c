#include "diagnose/facts.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>

struct reason reason_of(const char *fmt, ...)
{
    struct reason r;
    va_list args;
    va_start(args, fmt);
    vsnprintf(r.text, sizeof r.text, fmt, args);
    va_end(args);
    return r;
}

void training_facts_init(struct training_facts *f, const struct config *config,
                         const char *words)
{
    struct reason not_tried = reason_of("it was not measured");
    *f = (struct training_facts){
        .config = config,
        .words = words,
        .invalid = ERR_INIT,
        .failed = ERR_INIT,
        .quota_cores = INFINITY,
        .plan_bytes = NAN,
        .available_bytes = NAN,
        .steps = config->steps,
        .disk = {.free_bytes = NAN, .checkpoint_bytes = NAN, .resume_step = -1},
        .step = {.why_not = not_tried,
                 .products_frac = NAN,
                 .products_flop_per_s = NAN,
                 .peak_flop_per_s = NAN,
                 .peak_how = not_tried},
        .evaluation = {.why_not = not_tried},
        .checkpoint = {.why_not = not_tried}};
}

bool training_facts_has(const struct training_facts *f, enum trainer_part part)
{
    return f->tried && f->part > part;
}

bool training_facts_late_refusal(const struct training_facts *f)
{
    return f->tried && f->part == TRAINER_LOADERS && f->failed.status == STATUS_USAGE;
}

struct reason training_facts_why_not(const struct training_facts *f)
{
    static const char *const what[TRAINER_COMPLETE] = {
        [TRAINER_THREADS] = "the threads could not be started",
        [TRAINER_WEIGHTS] = "the weights of init_from could not be opened",
        [TRAINER_DATA] = "the data could not be opened",
        [TRAINER_LOADERS] = "no batch can be made of the data",
        [TRAINER_MODEL] = "the model could not be made",
        [TRAINER_MEMORY] = "the memory plan does not fit",
        [TRAINER_START] = "the weights could not be filled",
        [TRAINER_PRODUCTS] = "the other processes did not answer",
        [TRAINER_PREFETCH] = "the loader could not be started",
    };
    if (f->invalid.status || training_facts_late_refusal(f))
        return reason_of("the settings are not valid");
    if (!f->tried || f->part == TRAINER_COMPLETE)
        return reason_of("it was not measured");
    return reason_of("%s", what[f->part]);
}
