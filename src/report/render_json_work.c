#include "report/render_json_work.h"

#include "report/json_parts.h"

#include <math.h>

enum { RATE_DECIMALS = 0, INTENSITY_DECIMALS = 3 };

static const char *const bound_text[] = {
    [ROOFLINE_UNKNOWN] = NULL,
    [ROOFLINE_MEMORY] = "memory",
    [ROOFLINE_COMPUTE] = "compute",
};

static void text_or_null(struct json_writer *w, const char *key, const char *text)
{
    json_key(w, key);
    if (text && *text)
        json_string(w, text);
    else
        json_null(w);
}

static void put_counted(struct json_writer *w, const struct efficiency *e)
{
    json_field_double(w, "flop_counted", e->flop > 0 ? e->flop : NAN, 0);
    text_or_null(w, "flop_reason", e->no_flop);
    json_key(w, "flop_by_type");
    json_begin_object(w);
    for (int p = 0; p < PRECISION_COUNT; p++)
        if (p != PRECISION_TF32) /* a type of kernels, not of tensors */
            json_field_double(w, precision_text[p], e->flop_of[p], 0);
    json_end(w);
    json_field_int(w, "calls", e->calls);
    json_field_int(w, "unknown_calls", e->unknown_calls);
    json_field_double(w, "flop_per_s", e->flop_per_s, RATE_DECIMALS);
    field_bool(w, "flop_per_s_is_least", e->rate_is_least);
    json_field_us(w, "flop_time_us", e->timed_ns);
    text_or_null(w, "flop_per_s_reason", e->no_rate);
    json_field_double(w, "coverage_frac", e->coverage_frac, FRAC_DECIMALS);
    text_or_null(w, "coverage_reason", e->no_coverage);
    json_field_us(w, "uncounted_time_us", e->uncounted_ns);
}

static void put_peak(struct json_writer *w, const struct ceiling *c)
{
    bool flop = isfinite(c->flop_per_s), bytes = isfinite(c->bytes_per_s);
    json_key(w, "peak");
    json_begin_object(w);
    json_field_double(w, "flop_per_s", c->flop_per_s, RATE_DECIMALS);
    text_or_null(w, "type", flop ? precision_text[c->precision] : "");
    text_or_null(w, "flop_origin", flop ? origin_text[c->flop_origin] : "");
    json_field_double(w, "bytes_per_s", c->bytes_per_s, RATE_DECIMALS);
    text_or_null(w, "bytes_origin", bytes ? origin_text[c->bytes_origin] : "");
    json_field_string(w, "source", c->source);
    json_end(w);
}

static void put_utilisation(struct json_writer *w, const struct efficiency *e)
{
    json_field_double(w, "mfu_hardware_frac", e->hardware_frac, FRAC_DECIMALS);
    text_or_null(w, "mfu_hardware_reason", e->no_hardware_frac);
    field_bool(w, "mfu_hardware_is_least", e->hardware_is_least);
    json_field_double(w, "mfu_model_frac", e->model_frac, FRAC_DECIMALS);
    text_or_null(w, "mfu_model_reason", e->no_model_frac);
    json_field_double(w, "mfu_counted_frac", e->counted_frac, FRAC_DECIMALS);
    json_field_double(w, "step_flop", e->step_flop, 0);
    json_field_double(w, "flop_per_byte", e->flop_per_byte, INTENSITY_DECIMALS);
    json_field_double(w, "bytes_per_s", e->bytes_per_s, RATE_DECIMALS);
    json_field_double(w, "bandwidth_frac", e->bandwidth_frac, FRAC_DECIMALS);
    text_or_null(w, "bound", bound_text[e->bound]);
    json_field_double(w, "mfu_flop", e->window_flop > 0 ? e->window_flop : NAN, 0);
    json_field_us(w, "mfu_time_us", (int64_t)e->window_ns);
}

static void put_roofline(struct json_writer *w, const struct run *run,
                         const struct efficiency *e)
{
    json_key(w, "roofline");
    json_begin_array(w);
    for (size_t i = 0; i < e->dots; i++) {
        const struct roofline_dot *d = &e->dot[i];
        json_begin_object(w);
        json_field_string(w, "name", run_name(run, run->ops.name[d->row]));
        json_field_us(w, "time_us", d->ns);
        json_field_double(w, "flop_per_byte", d->flop_per_byte, INTENSITY_DECIMALS);
        json_field_double(w, "flop_per_s", d->flop_per_s, RATE_DECIMALS);
        text_or_null(w, "bound", bound_text[d->bound]);
        json_end(w);
    }
    json_end(w);
}

static void put_attention(struct json_writer *w, const struct efficiency *e)
{
    json_key(w, "attention");
    json_begin_array(w);
    for (int k = 0; k < ATTENTION_KIND_COUNT; k++) {
        const struct attention_use *u = &e->attention[k];
        if (!u->op_calls && !u->kernels)
            continue;
        json_begin_object(w);
        json_field_string(w, "kind", attention_kind_text[k]);
        json_field_int(w, "op_calls", u->op_calls);
        json_field_int(w, "kernels", u->kernels);
        json_field_us(w, "kernel_us", u->kernel_ns);
        json_end(w);
    }
    json_end(w);
}

static void put_kernels(struct json_writer *w, const struct efficiency *e)
{
    json_key(w, "matrix_units");
    json_begin_object(w);
    json_field_double(w, "frac", e->matrix_units_frac, FRAC_DECIMALS);
    json_field_us(w, "matrix_us", e->units_ns[KERNEL_UNITS_MATRIX]);
    json_field_us(w, "plain_us", e->units_ns[KERNEL_UNITS_PLAIN]);
    json_field_us(w, "unknown_us", e->units_ns[KERNEL_UNITS_UNKNOWN]);
    json_end(w);
    json_key(w, "kernels_by_type");
    json_begin_object(w);
    for (int p = 0; p < PRECISION_COUNT; p++)
        json_field_int(w, precision_text[p], e->precision_kernels[p]);
    json_end(w);
}

static void put_copies(struct json_writer *w, const struct efficiency *e)
{
    json_key(w, "copies");
    json_begin_array(w);
    for (int k = 0; k < COPY_KIND_COUNT; k++) {
        const struct copy_use *c = &e->copy[k];
        if (!c->count)
            continue;
        json_begin_object(w);
        json_field_string(w, "kind", copy_kind_text[k]);
        json_field_int(w, "count", c->count);
        json_field_int(w, "bytes", c->bytes);
        json_field_us(w, "time_us", c->ns);
        json_field_double(
            w, "bytes_per_s",
            c->ns > 0 && c->bytes > 0 ? (double)c->bytes / (double)c->ns * 1e9 : NAN,
            RATE_DECIMALS);
        json_end(w);
    }
    json_end(w);
}

void put_work(struct json_writer *w, const struct analysis *a, size_t rank_index,
              const struct report_options *options)
{
    struct efficiency e;
    efficiency_of(&e, a, rank_index, &options->peak);
    json_begin_object(w);
    put_counted(w, &e);
    put_peak(w, &e.ceiling);
    put_utilisation(w, &e);
    put_roofline(w, a->run, &e);
    put_attention(w, &e);
    put_kernels(w, &e);
    put_copies(w, &e);
    json_end(w);
}
