#ifdef GAIT_TRAIN
#include "cli/profile_sweep.h"

#include "analyze/scaling.h"
#include "base/file.h"
#include "base/json_writer.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/stats.h"
#include "base/units.h"
#include "report/sweep_chart.h"
#include "run/run.h"
#include "train/train.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Values take turns, so that a machine that changes its speed changes it for all. */
enum { VALUES_MAX = 32, ROUNDS = 3, STEPS_LEAST = 3, KEY_MAX = 64, JSON_VERSION = 1 };

struct point {
    char text[32]; /* the value as it was given */
    double value;
    double *step_ns; /* (n) measured */
    size_t n, cap;
    struct median_interval step;
    double tokens, bytes; /* of a step; allocated */
};

struct sweep {
    char key[KEY_MAX];
    struct point point[VALUES_MAX];
    size_t n;
    double x[VALUES_MAX], ns[VALUES_MAX], bytes[VALUES_MAX];
    struct scaling time, memory;
    bool is_first_rank; /* of several processes, one tells */
};

/* --- what is asked for --- */

static enum status bad_spec(const char *spec, struct err *err)
{
    return err_set(err, STATUS_USAGE,
                   "--sweep %s: give a setting and at least two values of it, as in "
                   "--sweep context=64,128,256",
                   spec);
}

static enum status read_value(struct sweep *s, const char *at, size_t len,
                              const char *spec, struct err *err)
{
    char *end;
    if (s->n == VALUES_MAX)
        return err_set(err, STATUS_USAGE, "--sweep takes up to %d values", VALUES_MAX);
    struct point *p = &s->point[s->n++];
    if (!len || len >= sizeof p->text)
        return bad_spec(spec, err);
    memcpy(p->text, at, len);
    p->text[len] = '\0';
    p->value = strtod(p->text, &end);
    return *end || !(p->value > 0) || !isfinite(p->value) ? bad_spec(spec, err)
                                                          : STATUS_OK;
}

static enum status read_spec(struct sweep *s, const char *spec, struct err *err)
{
    const char *equals = strchr(spec, '=');
    if (!equals || equals == spec || (size_t)(equals - spec) >= KEY_MAX)
        return bad_spec(spec, err);
    memcpy(s->key, spec, (size_t)(equals - spec));
    if (!config_has_key(s->key))
        return err_set(err, STATUS_USAGE,
                       "--sweep: no setting is called \"%s\"; gait "
                       "config lists them",
                       s->key);
    enum status st = STATUS_OK;
    for (const char *at = equals + 1; !st; at++) {
        size_t len = strcspn(at, ",");
        st = read_value(s, at, len, spec, err);
        at += len;
        if (!*at)
            break;
    }
    return st ? st : s->n < 2 ? bad_spec(spec, err) : STATUS_OK;
}

/* --- measuring --- */

static double allocated_bytes(const struct run *run)
{
    double most = NAN;
    for (size_t i = 0; i < run->memories.table.n; i++)
        if (run->memories.what[i] == MEMORY_CLASS_ALLOCATED)
            most = fmax(most, (double)run->memories.bytes[i]);
    return most;
}

static void keep(struct sweep *s, struct point *p, const struct run *run)
{
    s->is_first_rank = run->ranks.table.n && run->ranks.rank[0] == 0;
    for (size_t i = 0; i < run->steps.table.n; i++) {
        vec_grow(p->step_ns, p->cap, p->n + 1);
        p->step_ns[p->n++] = (double)(run->steps.end_ns[i] - run->steps.begin_ns[i]);
    }
    p->tokens = run_fact(run, 0, "train.tokens_per_step");
    p->bytes = allocated_bytes(run);
}

static enum status measure_one(struct sweep *s, const struct config *config,
                               struct point *p, struct err *err)
{
    struct config own;
    struct run run;
    config_copy_for_trial(&own, config); /* no checkpoint is timed */
    run_init(&run);
    own.profile_steps = config->profile_steps / ROUNDS;
    if (own.profile_steps < STEPS_LEAST)
        own.profile_steps = STEPS_LEAST;
    enum status st = config_set(&own, s->key, p->text, err);
    if (!st)
        st = config_check(&own, err);
    if (!st)
        st = train_profile(&own, false, &run, err);
    if (!st)
        keep(s, p, &run);
    run_release(&run);
    config_release(&own);
    return st;
}

static enum status measure(struct sweep *s, const struct config *config, struct err *err)
{
    size_t all = ROUNDS * s->n;
    for (size_t i = 0; i < all; i++) {
        struct point *p = &s->point[i % s->n];
        log_status("%s %s (%zu of %zu)", s->key, p->text, i + 1, all);
        enum status st = measure_one(s, config, p, err);
        if (st) {
            log_status_clear();
            return st;
        }
    }
    log_status_clear();
    return STATUS_OK;
}

static void fit(struct sweep *s)
{
    for (size_t i = 0; i < s->n; i++) {
        struct point *p = &s->point[i];
        p->step = stats_median_interval(p->step_ns, p->n);
        s->x[i] = p->value;
        s->ns[i] = p->step.median;
        s->bytes[i] = p->bytes;
    }
    s->time = scaling_fit(s->x, s->ns, s->n);
    s->memory = scaling_fit(s->x, s->bytes, s->n);
}

/* --- telling --- */

static void print_fit(const char *what, const char *key, const struct scaling *f)
{
    if (!isfinite(f->exponent)) {
        printf("%s: no exponent: the values are equal, or a figure is missing\n", what);
        return;
    }
    printf("%s grows as %s^%.2f", what, key, f->exponent);
    if (isfinite(f->low))
        printf(" (%.2f to %.2f with 95 %%, if it is a power)", f->low, f->high);
    printf("; the fit is off by up to %.1f %%\n", 100 * f->error_frac);
}

static void print_table(const struct sweep *s)
{
    printf("%12s  %9s  %-22s %10s  %10s\n", s->key, "a step", "95 % interval", "tokens/s",
           "allocated");
    for (size_t i = 0; i < s->n; i++) {
        const struct point *p = &s->point[i];
        char interval[80];
        snprintf(interval, sizeof interval, "%s to %s", unit_ns_of(p->step.low).s,
                 unit_ns_of(p->step.high).s);
        printf("%12s  %9s  %-22s %10s  %10s\n", p->text, unit_ns_of(p->step.median).s,
               interval, unit_count(p->tokens / (p->step.median / 1e9)).s,
               unit_mib(p->bytes).s);
    }
    printf("The median of %zu steps each, recorded in %d turns.\n", s->point[0].n,
           ROUNDS);
    print_fit("A step", s->key, &s->time);
    print_fit("Memory", s->key, &s->memory);
}

static void json_fit(struct json_writer *w, const char *key, const struct scaling *f)
{
    json_key(w, key);
    json_begin_object(w);
    json_field_exact(w, "exponent", f->exponent);
    json_field_exact(w, "low", f->low);
    json_field_exact(w, "high", f->high);
    json_field_exact(w, "error_frac", f->error_frac);
    json_end(w);
}

static void put_json(struct strbuf *out, const struct sweep *s)
{
    struct json_writer w;
    json_init(&w, out);
    json_begin_object(&w);
    json_field_string(&w, "format", "gait-sweep");
    json_field_int(&w, "version", JSON_VERSION);
    json_field_string(&w, "setting", s->key);
    json_field_int(&w, "turns", ROUNDS);
    json_key(&w, "points");
    json_begin_array(&w);
    for (size_t i = 0; i < s->n; i++) {
        const struct point *p = &s->point[i];
        json_begin_object(&w);
        json_field_exact(&w, "value", p->value);
        json_field_int(&w, "steps", (int64_t)p->n);
        json_field_exact(&w, "step_ns", p->step.median);
        json_field_exact(&w, "step_low_ns", p->step.low);
        json_field_exact(&w, "step_high_ns", p->step.high);
        json_field_exact(&w, "tokens_per_s", p->tokens / (p->step.median / 1e9));
        json_field_exact(&w, "allocated_bytes", p->bytes);
        json_end(&w);
    }
    json_end(&w);
    json_fit(&w, "time", &s->time);
    json_fit(&w, "memory", &s->memory);
    json_end(&w);
}

static enum status write_in(const char *folder, const struct sweep *s, const char *ending,
                            const struct strbuf *text, struct err *err)
{
    struct strbuf path;
    strbuf_init(&path);
    strbuf_printf(&path, "%s/sweep_%s%s", folder, s->key, ending);
    enum status st = file_write(path.s, text->s, text->len, err);
    if (!st)
        log_line("wrote %s", path.s);
    strbuf_release(&path);
    return st;
}

static enum status write_picture(const char *folder, const struct sweep *s,
                                 struct err *err)
{
    struct sweep_chart chart = {.setting = s->key, .n = s->n};
    double x[VALUES_MAX], y[VALUES_MAX], half[VALUES_MAX];
    struct strbuf svg;
    strbuf_init(&svg);
    for (size_t i = 0; i < s->n; i++) {
        const struct median_interval *m = &s->point[i].step;
        x[i] = s->x[i];
        y[i] = m->median / 1e6;
        half[i] = fmax(m->high - m->median, m->median - m->low) / 1e6;
    }
    chart.x = x;
    chart.ms = y;
    chart.ms_error = half;
    enum status st = STATUS_OK;
    if (sweep_chart_svg(&svg, &chart))
        st = write_in(folder, s, ".svg", &svg, err);
    strbuf_release(&svg);
    return st;
}

static enum status tell(const struct sweep *s, const char *folder, bool json,
                        struct err *err)
{
    struct strbuf text;
    strbuf_init(&text);
    put_json(&text, s);
    if (json)
        fputs(text.s, stdout);
    else
        print_table(s);
    enum status st = folder ? write_in(folder, s, ".json", &text, err) : STATUS_OK;
    if (!st && folder)
        st = write_picture(folder, s, err);
    strbuf_release(&text);
    return st;
}

enum status profile_sweep(const struct config *config, const char *spec,
                          const char *folder, bool json, struct err *err)
{
    struct sweep *s = mem_zalloc(1, sizeof *s);
    enum status st = read_spec(s, spec, err);
    if (!st)
        st = measure(s, config, err);
    if (!st && s->is_first_rank) {
        fit(s);
        st = tell(s, folder, json, err);
    }
    for (size_t i = 0; i < s->n; i++)
        mem_free(s->point[i].step_ns);
    mem_free(s);
    return st;
}

#endif
