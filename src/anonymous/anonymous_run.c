#include "anonymous/anonymous_run.h"

#include "run/run_rename.h"

#include <math.h>
#include <string.h>

enum name_class {
    CLASS_KEPT,
    CLASS_CODE,
    CLASS_FUNCTION,
    CLASS_PATH,
    CLASS_HOST,
    CLASS_SOURCE, /* text of the job's sources: nothing of it stays */
    CLASS_SENTENCE,
    CLASS_COUNT,
};

/* A column that is not here is code. */
static const struct {
    const char *table, *column;
    int class;
} columns[] = {
    {"ranks", "path", CLASS_PATH},
    {"ranks", "host", CLASS_HOST},
    {"ranks", "device", CLASS_KEPT},
    {"ranks", "framework", CLASS_KEPT},
    {"collectives", "dtype", CLASS_KEPT},
    {"collective_sums", "dtype", CLASS_KEPT},
    {"facts", "key", CLASS_KEPT},
    {"facts", "unit", CLASS_KEPT},
    {"facts", "text", RENAME_BY_ROW},
    {"replacements", "rule", CLASS_KEPT},
    {"replacements", "how", CLASS_SENTENCE},
    {"lines", "file", CLASS_PATH},
    {"lines", "function", CLASS_FUNCTION},
    {"lines", "text", CLASS_SOURCE},
    {"op_tensors", "shape", CLASS_KEPT},
    {"op_tensors", "strides", CLASS_KEPT},
    {"op_tensors", "dtype", CLASS_KEPT},
    {"notes", "text", CLASS_SENTENCE},
};

struct context {
    struct scrub *scrub;
    bool own; /* all ranks are of Gait's own trainer: its names are the program's */
};

static int class_of(const char *table, const char *column, void *context)
{
    const struct context *c = context;
    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++)
        if (!strcmp(columns[i].table, table) && !strcmp(columns[i].column, column))
            return columns[i].class;
    return c->own ? CLASS_KEPT : CLASS_CODE;
}

/* Facts that the program words itself, or that are versions and models of hardware. */
static const char *const own_facts[] = {"machine.", "ceiling.", "bench.", "counter.",
                                        "train.",   "work.",    "trace."};
/* Settings with a fixed list of choices among them. */
static const char *const kept_facts[] = {"record.state",       "record.torch",
                                         "record.python",      "record.lowest_precision",
                                         "record.device",      "config.model",
                                         "config.tied_head",   "config.rope_scaling",
                                         "config.precision",   "config.attention",
                                         "config.optimizer",   "config.schedule",
                                         "config.decay_shape", "config.engine",
                                         "config.device",      "config.resume"};

static int class_of_fact(const struct run *r, const char *table, size_t row,
                         void *context)
{
    const char *key = run_name(r, r->facts.key[row]);
    (void)table, (void)context;
    for (size_t i = 0; i < sizeof own_facts / sizeof *own_facts; i++)
        if (!strncmp(key, own_facts[i], strlen(own_facts[i])))
            return CLASS_KEPT;
    for (size_t i = 0; i < sizeof kept_facts / sizeof *kept_facts; i++)
        if (!strcmp(key, kept_facts[i]))
            return CLASS_KEPT;
    if (!strcmp(key, "record.host"))
        return CLASS_HOST;
    /* beside a number stands how it was found, in the program's own words */
    return isnan(r->facts.value[row]) ? CLASS_CODE : CLASS_SENTENCE;
}

static void rename_one(struct strbuf *out, const char *text, int class, void *context)
{
    struct scrub *s = ((struct context *)context)->scrub;
    size_t len = strlen(text);
    switch ((enum name_class) class) {
    case CLASS_KEPT:
        strbuf_puts(out, text);
        break;
    case CLASS_CODE:
        scrub_code(s, out, text);
        break;
    case CLASS_FUNCTION:
        scrub_function(s, out, text, len);
        break;
    case CLASS_PATH:
        scrub_path(s, out, text, len);
        break;
    case CLASS_HOST:
        scrub_word(s, out, text, len, SCRUB_HOST);
        break;
    case CLASS_SENTENCE:
        scrub_sentence(s, out, text);
        break;
    case CLASS_SOURCE:
    case CLASS_COUNT:
        break;
    }
}

void anonymous_run(struct run *run, struct scrub *s)
{
    struct context c = {.scrub = s, .own = run->ranks.table.n > 0};
    for (size_t i = 0; i < run->ranks.table.n; i++)
        c.own = c.own && run->ranks.source[i] == RUN_SOURCE_TRAINER;
    run_rename(run, &(struct run_renaming){.n_classes = CLASS_COUNT,
                                           .late_class = CLASS_SENTENCE,
                                           .class_of = class_of,
                                           .class_of_row = class_of_fact,
                                           .rename = rename_one,
                                           .context = &c});
}
