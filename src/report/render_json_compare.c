/* Two runs side by side under stable names: docs/analyze.md, "Comparing two runs". */
#include "base/path.h"
#include "report/json_parts.h"
#include "report/render.h"

#include <math.h>

enum { COMPARISON_JSON_VERSION = 2, US_DECIMALS = 3 };

static const char *const side_key[SIDES] = {"before", "after"};

static void put_sides(struct json_writer *w, const struct comparison *c)
{
    for (int s = 0; s < SIDES; s++) {
        const struct analysis *a = c->side[s];
        json_key(w, side_key[s]);
        json_begin_object(w);
        json_key(w, "paths");
        json_begin_array(w);
        for (size_t i = 0; i < a->n_ranks; i++)
            json_string(w,
                        path_name(run_name(a->run, a->run->ranks.path[a->ranks[i].row])));
        json_end(w);
        json_step_time(w, &c->step[s]);
        json_end(w);
    }
}

/* "before", "after" and "change" of nanoseconds, in microseconds. */
static void put_times(struct json_writer *w, const double *ns)
{
    json_field_double(w, "before_us", ns[BEFORE] / 1e3, US_DECIMALS);
    json_field_double(w, "after_us", ns[AFTER] / 1e3, US_DECIMALS);
    json_field_double(w, "change_us", (ns[AFTER] - ns[BEFORE]) / 1e3, US_DECIMALS);
}

static void put_classes(struct json_writer *w, const struct comparison *c)
{
    json_key(w, "times");
    json_begin_array(w);
    for (size_t i = 0; i < c->n_classes; i++) {
        json_begin_object(w);
        json_field_string(w, "class", time_class_text[c->classes[i].what]);
        put_times(w, c->classes[i].ns);
        json_end(w);
    }
    json_end(w);
    json_key(w, "phases");
    json_begin_array(w);
    for (size_t i = 0; i < c->n_phases; i++) {
        json_begin_object(w);
        json_field_string(w, "phase", phase_text[c->phases[i].phase]);
        put_times(w, c->phases[i].ns);
        json_end(w);
    }
    json_end(w);
}

static void put_mean(struct json_writer *w, const char *key, const struct op_mean *m)
{
    json_key(w, key);
    if (!m->there) {
        json_null(w);
        return;
    }
    json_begin_object(w);
    json_field_double(w, "count", m->count, 6);
    json_field_double(w, "self_us", m->self_ns / 1e3, US_DECIMALS);
    json_field_double(w, "total_us", m->total_ns / 1e3, US_DECIMALS);
    json_field_double(w, "device_us", m->device_ns / 1e3, US_DECIMALS);
    json_end(w);
}

static void put_op(struct json_writer *w, const struct op_change *op)
{
    json_begin_object(w);
    json_field_string(w, "name", op->name);
    json_field_string(w, "label", op->label);
    json_field_string(w, "kind", span_kind_text[op->kind]);
    json_field_string(w, "place", lane_kind_text[op->place]);
    json_field_string(w, "state", op_state_text[op->state]);
    json_field_double(w, "change_us", op_change_ns(op) / 1e3, US_DECIMALS);
    for (int s = 0; s < SIDES; s++)
        put_mean(w, side_key[s], &op->side[s]);
    json_end(w);
}

void render_json_comparison(struct strbuf *out, const struct comparison *c,
                            const struct report_options *options)
{
    struct json_writer w;
    size_t top = options->top > 0 ? (size_t)options->top : c->n_ops;
    json_init(&w, out);
    json_begin_object(&w);
    json_field_string(&w, "format", "gait-comparison");
    json_field_int(&w, "version", COMPARISON_JSON_VERSION);
    field_bool(&w, "by_step", c->by_step);
    put_sides(&w, c);
    json_field_double(&w, "step_change_frac", c->step[AFTER].ns / c->step[BEFORE].ns - 1,
                      FRAC_DECIMALS);
    put_classes(&w, c);
    json_key(&w, "ops");
    json_begin_array(&w);
    for (size_t i = 0; i < c->n_ops && i < top; i++)
        put_op(&w, &c->ops[i]);
    json_end(&w);
    json_field_int(&w, "ops_total", (int64_t)c->n_ops);
    json_end(&w);
}
