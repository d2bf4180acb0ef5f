/*
 * The files that guides to profiling read, with the keys that they read: a reader's
 * one-liners work on them unchanged. What is not known is null, with the reason beside
 * it.
 */
#include "report/profile_files.h"

#include "report/html_parts.h"
#include "report/json_parts.h"
#include "report/view_parts.h"

#include <math.h>

enum { RATE_DECIMALS = 3 };

static double step_s(const struct analysis *a, size_t rank)
{
    return a->ranks[rank].step.ns / 1e9;
}

/* The model's own products where the job tells of them, else what was counted. */
static double step_flop(const struct analysis *a, size_t rank, const struct efficiency *e)
{
    if (isfinite(e->step_flop))
        return e->step_flop;
    size_t steps = a->ranks[rank].steps.count;
    return steps && e->window_flop > 0 ? e->window_flop / (double)steps : NAN;
}

static void put_analysis(struct json_writer *w, const struct efficiency *e, double flop)
{
    json_key(w, "flops_analysis");
    json_begin_object(w);
    json_field_double(w, "flops_per_step", flop, 0);
    json_field_double(w, "total_parameters", e->parameters, 0);
    json_field_double(w, "flops_per_parameter", flop / e->parameters, RATE_DECIMALS);
    json_field_double(w, "flops_per_token", flop / e->step_tokens, RATE_DECIMALS);
    json_field_double(w, "flops_6_n_tokens", 6 * e->parameters * e->step_tokens, 0);
    json_field_text_or_null(w, "reason", e->no_flop);
    json_end(w);
}

static void put_performance(struct json_writer *w, const struct efficiency *e,
                            double flop, double s)
{
    json_key(w, "performance_metrics");
    json_begin_object(w);
    json_field_double(w, "step_time_ms", 1e3 * s, MS_DECIMALS);
    json_field_double(w, "flops_per_sec", flop / s, RATE_DECIMALS);
    json_field_double(w, "throughput_samples_per_sec", e->job_samples / s, RATE_DECIMALS);
    json_field_double(w, "throughput_tokens_per_sec", e->job_tokens / s, RATE_DECIMALS);
    json_end(w);
}

static void put_efficiency(struct json_writer *w, const struct efficiency *e)
{
    double mfu = efficiency_mfu(e);
    json_key(w, "efficiency_metrics");
    json_begin_object(w);
    json_field_double(w, "mfu_percent", 100 * mfu, FRAC_DECIMALS);
    json_field_string(w, "mfu_formula",
                      "flops_per_step / step_time / device_peak_flops; forward and "
                      "backward, no work counted twice");
    json_field_double(w, "mfu_6_n_tokens_percent", 100 * e->model_frac, FRAC_DECIMALS);
    json_field_double(w, "hardware_percent", 100 * e->hardware_frac, FRAC_DECIMALS);
    json_field_double(w, "device_peak_flops", e->ceiling.flop_per_s, 0);
    json_field_string(w, "device_peak_origin", origin_text[e->ceiling.flop_origin]);
    json_field_string(w, "device_peak_source", e->ceiling.source);
    json_field_text_or_null(w, "reason", isfinite(mfu) ? "" : e->no_hardware_frac);
    json_end(w);
}

static void put_flops(struct strbuf *out, const struct analysis *a,
                      const struct report_options *options)
{
    struct efficiency e;
    struct json_writer w;
    efficiency_of(&e, a, a->shown, &options->peak);
    double flop = step_flop(a, a->shown, &e);
    json_init(&w, out);
    json_begin_object(&w);
    json_field_string(&w, "format", "gait-flops-profile");
    json_field_int(&w, "version", 1);
    put_analysis(&w, &e, flop);
    put_performance(&w, &e, flop, step_s(a, a->shown));
    put_efficiency(&w, &e);
    json_end(&w);
}

static const char *const bound_words[] = {
    [ROOFLINE_UNKNOWN] = "not available: a ceiling is not known",
    [ROOFLINE_MEMORY] = "memory-bound",
    [ROOFLINE_COMPUTE] = "compute-bound",
};

static void put_intensity(struct strbuf *out, const struct analysis *a,
                          const struct report_options *options)
{
    struct efficiency e;
    struct json_writer w;
    efficiency_of(&e, a, a->shown, &options->peak);
    json_init(&w, out);
    json_begin_object(&w);
    json_field_string(&w, "format", "gait-computational-intensity");
    json_field_int(&w, "version", 1);
    json_field_double(&w, "arithmetic_intensity_flops_per_byte", e.flop_per_byte,
                      FRAC_DECIMALS);
    json_field_double(&w, "memory_bandwidth_used_gb_per_sec", e.bytes_per_s / 1e9,
                      FRAC_DECIMALS);
    json_field_double(&w, "memory_bandwidth_utilization_percent", 100 * e.bandwidth_frac,
                      FRAC_DECIMALS);
    json_field_string(&w, "memory_bound_vs_compute_bound", bound_words[e.bound]);
    json_field_double(&w, "ridge_flops_per_byte",
                      e.ceiling.flop_per_s / e.ceiling.bytes_per_s, FRAC_DECIMALS);
    json_field_double(&w, "peak_gb_per_sec", e.ceiling.bytes_per_s / 1e9, FRAC_DECIMALS);
    json_field_string(&w, "bytes_are",
                      "counted from shapes, each operand once; caches and kernels that "
                      "read twice are not seen");
    json_end(&w);
}

static void put_summary(struct strbuf *out, const struct analysis *a,
                        const struct report_options *options)
{
    struct report_options o = *options;
    o.summary = true;
    report_render(out, a, REPORT_MARKDOWN, &o);
}

static void put_roofline(struct strbuf *out, const struct analysis *a,
                         const struct report_options *options)
{
    struct view *v = view_open(a, REPORT_HTML, options);
    struct efficiency e;
    struct roofline r;
    if (view_rank(v)) {
        efficiency_of(&e, a, v->shown, &options->peak);
        view_fill_roofline(v, &r, &e);
        svg_roofline(out, &r);
    }
    view_free(v);
}

const struct profile_file profile_files[PROFILE_FILES] = {
    {"flops_analysis/flops_profile.json", put_flops},
    {"flops_analysis/computational_intensity.json", put_intensity},
    {"performance_summary_report.md", put_summary},
    {"roofline.svg", put_roofline},
};
