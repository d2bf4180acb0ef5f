#include "verify/targets.h"

#include "config/yaml_numbers.h"
#include "verify/gate_fill.h"

#include <math.h>
#include <string.h>

struct targets targets_default(void)
{
    struct targets t;
#define TARGET_UNSET(field, what) t.field = NAN;
    TARGET_LIST(TARGET_UNSET)
    return t;
}

double targets_slowdown(const struct targets *t)
{
    return 1 / target_or(t->min_speedup, DEFAULT_MIN_SPEEDUP) - 1;
}

static enum status take(void *context, const char *key, double value, struct err *err)
{
    struct targets *t = context;
#define TARGET_TAKE(field, what)                                                         \
    if (!strcmp(key, #field)) {                                                          \
        if (value < 0 || (value == 0 && &t->field == &t->min_speedup))                   \
            return err_set(err, STATUS_INPUT, "%s must be above 0", key);                \
        t->field = value;                                                                \
        return STATUS_OK;                                                                \
    }
    TARGET_LIST(TARGET_TAKE)
#define TARGET_NAME(field, what) #field " "
    return err_set(err, STATUS_INPUT, "no target is called \"%s\"; there are: %s", key,
                   TARGET_LIST(TARGET_NAME));
}

enum status targets_read(struct targets *out, const char *path, struct err *err)
{
    *out = targets_default();
    return yaml_numbers(path, take, out, err);
}
