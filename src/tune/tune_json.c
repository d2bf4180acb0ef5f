#include "base/json_writer.h"
#include "tune/tune_print.h"

#include <math.h>

enum { TUNE_JSON_VERSION = 1 };

static void put_settings(struct json_writer *w, const struct tune_result *r)
{
    json_key(w, "changed");
    json_begin_array(w);
    for (size_t i = 0; i < r->space.n; i++) {
        const struct tune_setting *s = &r->space.setting[i];
        if (!r->best.value[i])
            continue;
        json_begin_object(w);
        json_field_string(w, "setting", s->key);
        json_field_string(w, "was", s->value[0]);
        json_field_string(w, "is", s->value[r->best.value[i]]);
        json_field_exact(w, "alone", r->alone[i]);
        json_field_exact(w, "going_back", r->going_back[i]);
        json_end(w);
    }
    json_end(w);
}

static void put_trials(struct json_writer *w, const struct tune_result *r)
{
    struct strbuf line;
    strbuf_init(&line);
    json_key(w, "trials");
    json_begin_array(w);
    for (size_t i = 0; i < r->trials.n; i++) {
        strbuf_clear(&line);
        trial_json(&line, &r->trials.of[i]);
        json_raw(w, line.s);
    }
    json_end(w);
    strbuf_release(&line);
}

static void put_batches(struct json_writer *w, const struct tune_result *r,
                        const struct config *config)
{
    json_key(w, "batches");
    json_begin_array(w);
    for (size_t i = 0; i < r->batches; i++) {
        json_begin_object(w);
        json_field_int(w, "batch_size", r->batch[i].size);
        json_field_exact(w, "samples_per_s_ratio", tune_batch_gain(&r->batch[i], config));
        json_field_exact(w, "bytes", r->batch[i].trial.bytes[1]);
        json_field_string(w, "reason", r->batch[i].trial.why_not);
        json_end(w);
    }
    json_end(w);
}

static void put_interval(struct json_writer *w, const char *key,
                         const struct tune_interval *i)
{
    json_key(w, key);
    if (!i) { /* not asked for */
        json_null(w);
        return;
    }
    json_begin_object(w);
    json_field_int(w, "steps", i->steps);
    json_field_exact(w, "once_s", i->once_s);
    json_field_string(w, "reason", i->why_not);
    json_end(w);
}

void tune_print_json(struct strbuf *out, const struct tune_result *r,
                     const struct config *config, const struct tune_intervals *intervals)
{
    struct json_writer w;
    const struct ab_time *t = &r->proof.time;
    json_init(&w, out);
    json_begin_object(&w);
    json_field_string(&w, "format", "gait-tune");
    json_field_int(&w, "version", TUNE_JSON_VERSION);
    json_key(&w, "faster");
    json_bool(&w, r->faster);
    json_field_exact(&w, "before_ns", r->faster ? t->step_ns[0] : NAN);
    json_field_exact(&w, "after_ns", r->faster ? t->step_ns[1] : NAN);
    json_field_exact(&w, "change", r->faster ? t->change : NAN);
    json_field_exact(&w, "change_low", r->faster && isfinite(t->high) ? t->low : NAN);
    json_field_exact(&w, "change_high", r->faster ? t->high : NAN);
    json_field_double(&w, "plans", space_plans(&r->space), 0);
    json_field_exact(&w, "timed_s", r->timed_s);
    json_key(&w, "cut_short");
    json_bool(&w, r->cut_short);
    json_field_text_or_null(&w, "busy", r->busy);
    json_field_exact(&w, "prediction_error", r->prediction_error);
    json_field_int(&w, "predictions", (int64_t)r->predictions);
    put_settings(&w, r);
    put_trials(&w, r);
    put_batches(&w, r, config);
    put_interval(&w, "eval_interval", intervals ? &intervals->evaluation : NULL);
    put_interval(&w, "checkpoint_interval", intervals ? &intervals->checkpoint : NULL);
    json_end(&w);
}
