#include "diagnose/checks.h"

#define CHECK_NAME(function, name) name,
const char *const check_name[CHECK_COUNT] = {CHECK_LIST(CHECK_NAME)};

bool check_can_know(struct outcome *o, const struct training_facts *f,
                    enum trainer_part part)
{
    if (training_facts_has(f, part))
        return true;
    outcome_unknown(o, training_facts_why_not(f).text);
    return false;
}

void checks_run(struct outcome out[CHECK_COUNT], const struct training_facts *f,
                const struct estimate *e)
{
#define CHECK_FUNCTION(function, name) function,
    static check_fn *const checks[CHECK_COUNT] = {CHECK_LIST(CHECK_FUNCTION)};
    for (int i = 0; i < CHECK_COUNT; i++) {
        out[i] = (struct outcome){.verdict = OUTCOME_UNKNOWN};
        checks[i](&out[i], f, e);
    }
}
