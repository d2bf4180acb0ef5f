#include "tune/space.h"

#include "base/word_list.h"

#include <stdio.h>
#include <string.h>

/* A value that the setting has already, in these words, is not added again. */
static void add_value(struct tune_setting *s, const char *value)
{
    for (size_t i = 0; i < s->n; i++)
        if (!strcmp(s->value[i], value))
            return;
    if (s->n < TUNE_VALUES_MAX)
        snprintf(s->value[s->n++], TUNE_VALUE_BYTES, "%s", value);
}

static void add_number(struct tune_setting *s, int64_t value)
{
    char text[TUNE_VALUE_BYTES];
    snprintf(text, sizeof text, "%lld", (long long)value);
    add_value(s, text);
}

/* One with the config's own value; NULL where it stays as it is. */
static struct tune_setting *add_setting(struct tune_space *out, const char *key,
                                        enum tune_touches touches,
                                        const struct config *config, const char *keep)
{
    if (keep && word_list_has(keep, ',', key))
        return NULL;
    struct tune_setting *s = &out->setting[out->n++];
    struct strbuf own;
    *s = (struct tune_setting){.key = key, .touches = touches, .at_most = 1};
    strbuf_init(&own);
    config_value_of(&own, config, key);
    add_value(s, own.s);
    strbuf_release(&own);
    return s;
}

static void add_choices(struct tune_space *out, const char *key,
                        enum tune_touches touches, const struct config *config,
                        const char *keep, const char *a, const char *b)
{
    struct tune_setting *s = add_setting(out, key, touches, config, keep);
    if (!s)
        return;
    add_value(s, a);
    add_value(s, b);
}

/* All cores, and 1, 2, 4 … below. */
static void add_threads(struct tune_space *out, const struct config *c, int cores,
                        const char *keep)
{
    struct tune_setting *s = add_setting(out, "threads", TOUCHES_ALL, c, keep);
    if (!s)
        return;
    if (c->threads != cores)
        add_value(s, "0");
    for (int64_t n = 1; n < cores; n *= 2)
        add_number(s, n);
}

/* Parts of the same batch: each at least about twice as many as the one before. */
static void add_parts(struct tune_space *out, const struct config *c, const char *keep)
{
    struct tune_setting *s =
        add_setting(out, "gradient_accumulation", TOUCHES_ALL, c, keep);
    int64_t last = 0;
    for (int64_t d = 1; s && d <= c->batch_size; d++)
        if (c->batch_size % d == 0 && d >= 2 * last) {
            add_number(s, d);
            last = d;
        }
}

static void add_workers(struct tune_space *out, const struct config *c, int cores,
                        const char *keep)
{
    struct tune_setting *s = add_setting(out, "num_workers", TOUCHES_DATA, c, keep);
    for (int64_t n = 0; s && n <= 2; n++)
        if (config_workers(c->num_workers, cores) != n)
            add_number(s, n);
}

/* Without a value beside the config's own there is nothing to choose. */
static void drop_single_values(struct tune_space *s)
{
    size_t kept = 0;
    for (size_t i = 0; i < s->n; i++)
        if (s->setting[i].n > 1)
            s->setting[kept++] = s->setting[i];
    s->n = kept;
}

static enum status check_keys(const char *keep, struct err *err)
{
    while (keep && *keep) {
        char key[64];
        size_t len = strcspn(keep, ",");
        snprintf(key, sizeof key, "%.*s", (int)len, keep);
        if (!config_has_key(key)) {
            const char *near = config_nearest_key(key);
            return err_set(err, STATUS_USAGE, "--keep: there is no setting %s%s%s", key,
                           near ? "; did you mean " : "", near ? near : "");
        }
        keep += len + (keep[len] == ',');
    }
    return STATUS_OK;
}

enum status space_of(struct tune_space *out, const struct config *c, int cores,
                     const char *keep, struct err *err)
{
    *out = (struct tune_space){.n = 0};
    enum status st = check_keys(keep, err);
    if (st != STATUS_OK)
        return st;
    add_threads(out, c, cores, keep);
    add_parts(out, c, keep);
    /* The reference is slow on purpose: never a candidate, always left. */
    add_choices(out, "engine", TOUCHES_PRODUCTS, c, keep, "auto", "auto");
    add_choices(out, "attention", TOUCHES_ATTENTION, c, keep, "tiled", "plain");
    add_choices(out, "fused_qkv", TOUCHES_QKV, c, keep, "true", "false");
    if (!strcmp(c->model, "llama"))
        add_choices(out, "fused_gate_up", TOUCHES_MLP_UP, c, keep, "true", "false");
    add_choices(out, "recompute", c->recompute ? TOUCHES_FORWARD : TOUCHES_MEMORY, c,
                keep, "false", "true");
    add_choices(out, "precision", TOUCHES_ALL, c, keep, "f32", "bf16");
    add_workers(out, c, cores, keep);
    drop_single_values(out);
    return STATUS_OK;
}

void space_split(struct tune_space *s, struct tune_space *dropped, double worth)
{
    size_t kept = 0;
    dropped->n = 0;
    for (size_t i = 0; i < s->n; i++)
        if (s->setting[i].at_most >= worth)
            s->setting[kept++] = s->setting[i];
        else
            dropped->setting[dropped->n++] = s->setting[i];
    s->n = kept;
}

double space_plans(const struct tune_space *s)
{
    double n = 1;
    for (size_t i = 0; i < s->n; i++)
        n *= (double)s->setting[i].n;
    return n;
}

size_t space_singles(const struct tune_space *s)
{
    size_t n = 0;
    for (size_t i = 0; i < s->n; i++)
        n += s->setting[i].n - 1;
    return n;
}

void plan_text(struct strbuf *out, const struct tune_space *s, struct tune_plan p)
{
    size_t begin = out->len;
    for (size_t i = 0; i < s->n; i++)
        if (p.value[i])
            strbuf_printf(out, "%s%s=%s", out->len > begin ? " " : "", s->setting[i].key,
                          s->setting[i].value[p.value[i]]);
    if (out->len == begin)
        strbuf_puts(out, "as given");
}

enum status plan_config(struct config *out, const struct config *config,
                        const struct tune_space *s, struct tune_plan p, struct err *err)
{
    enum status st = STATUS_OK;
    config_init(out);
    config_copy(out, config);
    for (size_t i = 0; i < s->n && st == STATUS_OK; i++)
        if (p.value[i])
            st = config_set(out, s->setting[i].key, s->setting[i].value[p.value[i]], err);
    return st == STATUS_OK ? config_check(out, err) : st;
}

bool plan_next(struct tune_plan *p, const struct tune_space *s)
{
    for (size_t i = 0; i < s->n; i++) {
        if (++p->value[i] < s->setting[i].n)
            return true;
        p->value[i] = 0;
    }
    return false;
}

bool plan_equal(struct tune_plan a, struct tune_plan b)
{
    return !memcmp(a.value, b.value, sizeof a.value);
}
