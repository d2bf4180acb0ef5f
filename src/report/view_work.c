/*
 * How well the device was used: counted work over measured time against a listed peak, as
 * a sentence on the screen; in documents with evidence, the roofline and the copies.
 */
#include "base/units.h"
#include "report/view_parts.h"

#include <math.h>
#include <string.h>

static const double LEAST_SHOWN_SHARE = 0.005; /* of the work, of a type */
static const double LEAST_SHOWN_MFU = 0.001;

bool view_is_work_fact(const struct view *v, size_t fact)
{
    return !strncmp(run_name(v->a->run, v->a->run->facts.key[fact]), "work.", 5);
}

static bool has_product_kernels(const struct efficiency *e)
{
    return isfinite(e->matrix_units_frac);
}

static const char *joined(struct view *v, const char *a, const char *b)
{
    return *a && *b ? view_printf(v, "%s, %s", a, b) : *a ? a : b;
}

static const char *tera(struct view *v, double per_s)
{
    return view_number(v, per_s / 1e12, decimals_for(per_s / 1e12));
}

/* "212.4 TFLOP/s"; of a CPU in GFLOP/s. */
static const char *rate_text(struct view *v, double per_s)
{
    double giga = per_s / 1e9;
    if (view_rank(v)->has_device)
        return view_printf(v, "%s TFLOP/s", tera(v, per_s));
    return view_printf(v, "%s GFLOP/s", view_number(v, giga, decimals_for(giga)));
}

/* Work by its size, "1.560 TFLOP" or "0.453 GFLOP". */
static const char *flop_text(struct view *v, double flop)
{
    bool large = flop >= 1e11;
    double n = flop / (large ? 1e12 : 1e9);
    return view_printf(v, "%s %s", view_number(v, n, decimals_for(n)),
                       large ? "TFLOP" : "GFLOP");
}

static bool types_are_counted(const struct efficiency *e)
{
    return e->flop > e->flop_of[PRECISION_UNKNOWN];
}

/* Behind a sentence. */
static const char *const bound_clause[] = {
    [ROOFLINE_UNKNOWN] = "",
    [ROOFLINE_MEMORY] = ": bound by memory at best",
    [ROOFLINE_COMPUTE] = ": bound by arithmetic at best",
};

/* "bf16 99 %, f32 1 %" of the counted work; without types, those that kernels name. */
static const char *types_text(struct view *v, const struct efficiency *e)
{
    const char *text = "";
    for (int p = 0; p < PRECISION_UNKNOWN; p++) {
        double share = e->flop > 0 ? e->flop_of[p] / e->flop : 0;
        if (share < LEAST_SHOWN_SHARE)
            continue;
        bool tf32 = p == PRECISION_F32 && e->f32_is_tf32;
        text = joined(v, text,
                      view_printf(v, "%s %.0f %%", tf32 ? "f32/tf32" : precision_text[p],
                                  100 * share));
    }
    for (int p = 0; p < PRECISION_UNKNOWN && !types_are_counted(e); p++)
        if (e->precision_kernels[p])
            text = joined(v, text, precision_text[p]);
    return text;
}

static const char *attention_text(struct view *v, const struct efficiency *e)
{
    const char *text = "";
    for (int k = 0; k < ATTENTION_KIND_COUNT; k++)
        if (e->attention[k].op_calls || e->attention[k].kernels)
            text = joined(v, text, attention_kind_text[k]);
    return text;
}

/* "34.5 %", and nothing that reads as none where there is some. */
static const char *mfu_frac_text(struct view *v, const struct efficiency *e)
{
    double frac = e->hardware_frac;
    bool small = frac > 0 && frac < LEAST_SHOWN_MFU;
    if (e->hardware_is_least)
        return small ? "more than 0 %"
                     : view_printf(v, "at least %s", view_percent(v, frac));
    return small ? "less than 0.1 %" : view_percent(v, frac);
}

static const char *coverage_text(struct view *v, const struct efficiency *e)
{
    if (!e->hardware_is_least)
        return "";
    if (e->coverage_frac >= COVERAGE_FULL)
        return view_printf(v, ", %s matmul calls not counted",
                           unit_thousands(e->unknown_calls).s);
    return view_printf(v, ", %s of the matmul time counted",
                       unit_percent(e->coverage_frac).s);
}

/* "34.5 % of 989.4 TFLOP/s bf16 (listed)" or "N/A: reason" */
static const char *mfu_text(struct view *v, const struct efficiency *e)
{
    const struct ceiling *c = &e->ceiling;
    if (!isfinite(e->hardware_frac))
        return view_printf(v, "N/A: %s", e->no_hardware_frac);
    return view_printf(v, "%s of %s%s%s (%s)%s", mfu_frac_text(v, e),
                       rate_text(v, c->flop_per_s),
                       c->flop_origin == ORIGIN_GIVEN ? "" : " ",
                       c->flop_origin == ORIGIN_GIVEN ? "" : precision_text[c->precision],
                       origin_text[c->flop_origin], coverage_text(v, e));
}

/* As the vendor calls them. */
static const char *matrix_units(const struct view *v)
{
    return v->a->labels.amd ? "matrix cores" : "Tensor Cores";
}

/* "MFU 45.2 % of 159 GFLOP/s f32 (measured), 43.0 % by 6·N·tokens; …" */
static void add_host_sentence(struct view *v, const struct efficiency *e)
{
    const struct ceiling *c = &e->ceiling;
    struct block *b = view_block(v, BLOCK_TEXT, "Work");
    b->spare = SPARE_WORK;
    if (*e->no_model_frac) {
        b->text = view_printf(v, "MFU N/A: %s", e->no_model_frac);
        return;
    }
    b->text = view_printf(
        v,
        "MFU %s of %s %s (%s), %s by 6·N·tokens; products ran at %s (counted) in %s of a "
        "step; %s FLOP a byte, %sB/s of %sB/s%s",
        view_percent(v, e->counted_frac), rate_text(v, c->flop_per_s),
        precision_text[c->precision], origin_text[c->flop_origin],
        view_percent(v, e->model_frac), rate_text(v, e->flop_per_s),
        view_percent(v, (double)e->timed_ns / e->window_ns),
        view_number(v, e->flop_per_byte, decimals_for(e->flop_per_byte)),
        unit_count(e->bytes_per_s).s, unit_count(c->bytes_per_s).s,
        bound_clause[e->bound]);
}

static void add_sentence(struct view *v, const struct efficiency *e)
{
    const char *text = view_printf(v, "MFU %s", mfu_text(v, e));
    const char *attention = attention_text(v, e), *types = types_text(v, e);
    if (isfinite(e->flop_per_s))
        text = view_printf(v, "%s; matmuls ran at %s TFLOP/s%s (counted)", text,
                           tera(v, e->flop_per_s), e->rate_is_least ? " or more" : "");
    if (has_product_kernels(e))
        text = view_printf(v, "%s; %s in %s of matmul time", text, matrix_units(v),
                           unit_percent(e->matrix_units_frac).s);
    if (*types)
        text = view_printf(v, "%s; %s", text, types);
    if (*attention)
        text = view_printf(v, "%s; attention: %s", text, attention);
    struct block *b = view_block(v, BLOCK_TEXT, "Work");
    b->text = text;
    b->spare = SPARE_WORK;
}

/* --- the list of a document --- */

static void line_counted(struct view *v, struct block *b, const struct efficiency *e)
{
    if (e->flop <= 0) {
        view_line(v, b, view_printf(v, "Counted work: N/A: %s.", e->no_flop), "");
        return;
    }
    const char *unknown = e->unknown_calls
                              ? view_printf(v, "; %s calls could not be counted",
                                            unit_thousands(e->unknown_calls).s)
                              : "";
    view_line(v, b,
              view_printf(v,
                          "Matmul, attention and convolution: %s in %s calls, counted "
                          "from shapes%s.",
                          flop_text(v, e->flop), unit_thousands(e->calls).s, unknown),
              "");
}

static void line_rate(struct view *v, struct block *b, const struct efficiency *e)
{
    if (e->flop <= 0)
        return;
    if (!isfinite(e->flop_per_s)) {
        view_line(v, b, view_printf(v, "Their speed: N/A: %s.", e->no_rate), "");
        return;
    }
    const char *where = view_rank(v)->has_device ? "of device work that they launched"
                                                 : "in which they ran";
    view_line(v, b,
              view_printf(v, "Their speed: %s%s, counted over the measured %s %s.",
                          rate_text(v, e->flop_per_s), e->rate_is_least ? " or more" : "",
                          unit_ns(e->timed_ns).s, where),
              "");
}

static void line_mfu(struct view *v, struct block *b, const struct efficiency *e)
{
    const char *over =
        analysis_has_steps(view_rank(v)) ? "the steps" : "the whole recording";
    const char *source =
        isfinite(e->hardware_frac) ? view_printf(v, "; %s", e->ceiling.source) : "";
    view_line(
        v, b,
        view_printf(v,
                    "MFU, hardware (counted work of %s, recomputation included, over "
                    "their time): %s%s.",
                    over, mfu_text(v, e), source),
        "");
    if (*e->no_model_frac) {
        view_line(v, b,
                  view_printf(v, "MFU, model (6 · parameters · tokens): N/A: %s.",
                              e->no_model_frac),
                  "");
        return;
    }
    view_line(v, b,
              view_printf(v,
                          "MFU, counted (%s a step: the products of linears and "
                          "attention, forward and backward, none of them twice; ÷ the "
                          "step's time ÷ the peak): %s.",
                          flop_text(v, e->step_flop), view_percent(v, e->counted_frac)),
              "");
    view_line(v, b,
              view_printf(v,
                          "MFU, model (6 · %s parameters · %s tokens a step; ÷ the "
                          "step's time ÷ the peak): %s.",
                          unit_thousands((int64_t)e->parameters).s,
                          unit_thousands((int64_t)e->step_tokens).s,
                          view_percent(v, e->model_frac)),
              "");
}

static void line_attention(struct view *v, struct block *b, const struct efficiency *e)
{
    bool any = false;
    for (int k = 0; k < ATTENTION_KIND_COUNT; k++) {
        const struct attention_use *u = &e->attention[k];
        if (!u->op_calls && !u->kernels)
            continue;
        any = true;
        view_line(v, b,
                  view_printf(v, "Attention: %s (%s operator calls, %s kernels, %s).",
                              attention_kind_text[k], unit_thousands(u->op_calls).s,
                              unit_thousands(u->kernels).s, unit_ns(u->kernel_ns).s),
                  "");
    }
    if (!any)
        view_line(v, b, "Attention: N/A: no operator or kernel of it was recognised.",
                  "");
}

static void line_units(struct view *v, struct block *b, const struct efficiency *e)
{
    if (!has_product_kernels(e)) {
        view_line(v, b, "Tensor Cores: N/A: no matmul kernel was recognised.", "");
        return;
    }
    double all = (double)e->units_ns[KERNEL_UNITS_MATRIX] +
                 (double)e->units_ns[KERNEL_UNITS_PLAIN] +
                 (double)e->units_ns[KERNEL_UNITS_UNKNOWN];
    double unknown = (double)e->units_ns[KERNEL_UNITS_UNKNOWN] / all;
    view_line(v, b,
              view_printf(v,
                          "%s: %s of the time of matmul kernels, by their names; the "
                          "names of %s do not say.",
                          matrix_units(v), view_percent(v, e->matrix_units_frac),
                          view_percent(v, unknown)),
              "");
}

static void line_types(struct view *v, struct block *b, const struct efficiency *e)
{
    const char *types = types_text(v, e);
    if (!*types)
        types = "N/A: neither input types nor kernel names tell";
    else if (!types_are_counted(e))
        types = view_printf(v, "%s (by kernel names)", types);
    else
        types = view_printf(v, "%s of the counted work%s", types,
                            e->f32_is_tf32 ? "; kernels for tf32 ran" : "");
    view_line(v, b, view_printf(v, "Matmul precision: %s.", types), "");
}

static void line_bytes(struct view *v, struct block *b, const struct efficiency *e)
{
    if (!isfinite(e->flop_per_byte))
        return;
    const char *bandwidth =
        isfinite(e->bandwidth_frac)
            ? view_printf(v, ", %s of the %sB/s that memory was measured to give",
                          view_percent(v, e->bandwidth_frac),
                          unit_count(e->ceiling.bytes_per_s).s)
            : "";
    view_line(
        v, b,
        view_printf(v,
                    "All operators: %s FLOP a byte, %sB/s (counted, each operand "
                    "once, over the steps' time)%s%s.",
                    view_number(v, e->flop_per_byte, decimals_for(e->flop_per_byte)),
                    unit_count(e->bytes_per_s).s, bandwidth, bound_clause[e->bound]),
        "");
}

static void add_list(struct view *v, const struct efficiency *e)
{
    bool device = view_rank(v)->has_device;
    struct block *b = view_block(
        v, BLOCK_LIST,
        view_printf(v, "Work of the %s%s", device ? "device" : "CPU", view_of_rank(v)));
    line_counted(v, b, e);
    line_rate(v, b, e);
    line_mfu(v, b, e);
    if (!device) {
        line_bytes(v, b, e);
        view_lines_of_step(v, b);
        return;
    }
    line_attention(v, b, e);
    line_units(v, b, e);
    line_types(v, b, e);
}

/* --- roofline --- */

static const enum tone bound_tone[] = {
    [ROOFLINE_UNKNOWN] = TONE_OTHER,
    [ROOFLINE_MEMORY] = TONE_COPIES,
    [ROOFLINE_COMPUTE] = TONE_COMPUTE,
};
static const char *const bound_word[] = {
    [ROOFLINE_UNKNOWN] = "N/A",
    [ROOFLINE_MEMORY] = "memory",
    [ROOFLINE_COMPUTE] = "compute",
};

void view_fill_roofline(struct view *v, struct roofline *r, const struct efficiency *e)
{
    bool device = view_rank(v)->has_device;
    *r = (struct roofline){.point = arena_alloc(&v->arena, e->dots * sizeof *r->point),
                           .peak_flop_per_s = e->ceiling.flop_per_s,
                           .peak_bytes_per_s = e->ceiling.bytes_per_s,
                           .peak_label = "",
                           .slope_label = "",
                           .unit = device ? "TFLOP/s" : "GFLOP/s",
                           .unit_flop_per_s = device ? 1e12 : 1e9};
    if (isfinite(e->ceiling.flop_per_s))
        r->peak_label =
            view_printf(v, "arithmetic %s (%s)", rate_text(v, e->ceiling.flop_per_s),
                        origin_text[e->ceiling.flop_origin]);
    if (isfinite(e->ceiling.bytes_per_s))
        r->slope_label =
            view_printf(v, "memory %sB/s (%s)", unit_count(e->ceiling.bytes_per_s).s,
                        origin_text[e->ceiling.bytes_origin]);
    for (size_t i = 0; i < e->dots; i++) {
        const struct roofline_dot *d = &e->dot[i];
        r->point[r->n++] = (struct roofline_point){
            .name = view_name(v, v->a->run->ops.name[d->row]),
            .text = view_printf(
                v, "%s, %s FLOP/byte, %s", rate_text(v, d->flop_per_s),
                view_number(v, d->flop_per_byte, decimals_for(d->flop_per_byte)),
                unit_ns(d->ns).s),
            .flop_per_byte = d->flop_per_byte,
            .flop_per_s = d->flop_per_s,
            .tone = bound_tone[d->bound]};
    }
}

static void add_picture(struct view *v, const struct efficiency *e)
{
    struct block *b = view_block(v, BLOCK_ROOFLINE, "Roofline");
    b->detail = true;
    view_fill_roofline(v, &b->roofline, e);
}

static void add_dots(struct view *v, const struct efficiency *e)
{
    struct block *b = view_block(v, BLOCK_TABLE, ""); /* below the picture */
    b->detail = true;
    grid_open(v, b, 6, e->dots);
    grid_column(b, 0, "operator", ALIGN_LEFT, true);
    grid_column(b, 1, "calls", ALIGN_RIGHT, false);
    bool device = view_rank(v)->has_device;
    grid_column(b, 2, device ? "device ms (measured)" : "ms (measured)", ALIGN_RIGHT,
                false);
    grid_column(b, 3, "FLOP/byte (counted)", ALIGN_RIGHT, false);
    grid_column(b, 4,
                device ? "TFLOP/s (counted / measured)" : "GFLOP/s (counted / measured)",
                ALIGN_RIGHT, false);
    grid_column(b, 5, "bound by", ALIGN_LEFT, false);
    for (size_t i = 0; i < e->dots; i++) {
        const struct roofline_dot *d = &e->dot[i];
        struct cell *c = grid_row(b);
        c[0] = cell_text(view_name(v, v->a->run->ops.name[d->row]));
        c[1] = cell_number(v, (double)v->a->run->ops.count[d->row], 0);
        c[2] = cell_number(v, ns_to_ms(d->ns), 3);
        c[3] = cell_number(v, d->flop_per_byte, 2);
        c[4] = cell_number(v, d->flop_per_s / (device ? 1e12 : 1e9), 3);
        c[5] = cell_text(bound_word[d->bound]);
    }
    b->note = "Work and bytes are counted from shapes (docs/op-work.md), each input read "
              "and the output written once. An operator left of the ridge, where both "
              "ceilings meet, is bound by memory at best.";
}

/* --- copies --- */

static void add_copies(struct view *v, const struct efficiency *e)
{
    struct block *b = NULL;
    for (int k = 0; k < COPY_KIND_COUNT; k++) {
        const struct copy_use *u = &e->copy[k];
        if (!u->count)
            continue;
        if (!b) {
            b = view_block(v, BLOCK_TABLE, view_printf(v, "Copies%s", view_of_rank(v)));
            grid_open(v, b, 5, COPY_KIND_COUNT);
            grid_column(b, 0, "copies", ALIGN_LEFT, false);
            grid_column(b, 1, "count", ALIGN_RIGHT, false);
            grid_column(b, 2, "MB", ALIGN_RIGHT, false);
            grid_column(b, 3, "ms", ALIGN_RIGHT, false);
            grid_column(b, 4, "GB/s", ALIGN_RIGHT, false);
        }
        double rate = u->ns > 0 && u->bytes > 0 ? (double)u->bytes / (double)u->ns : NAN;
        struct cell *c = grid_row(b);
        c[0] = cell_text(copy_kind_text[k]);
        c[1] = cell_number(v, (double)u->count, 0);
        c[2] = cell_number(v, u->bytes > 0 ? (double)u->bytes / 1e6 : NAN, 3);
        c[3] = cell_number(v, ns_to_ms(u->ns), 3);
        c[4] = cell_number(v, rate, 2);
    }
    if (b)
        b->note = "Measured: sizes and times as recorded, over the whole recording.";
}

bool view_has_host_work(const struct view *v, struct efficiency *e)
{
    const struct analysis_rank *r = view_rank(v);
    if (!r || r->used_device || v->a->run->ranks.source[r->row] != RUN_SOURCE_TRAINER)
        return false;
    efficiency_of(e, v->a, v->shown, &v->options.peak);
    return e->flop > 0;
}

static void add_host_work(struct view *v, const struct efficiency *e)
{
    if (view_is_screen(v)) {
        add_host_sentence(v, e);
        view_add_threads(v);
        if (e->dots && v->options.roofline)
            add_picture(v, e);
        return;
    }
    add_list(v, e);
    if (e->dots)
        add_picture(v, e);
    if (e->dots)
        add_dots(v, e);
}

void view_add_work(struct view *v)
{
    const struct analysis_rank *r = view_rank(v);
    struct efficiency e;
    if (view_has_host_work(v, &e))
        add_host_work(v, &e);
    if (!r || !r->has_device)
        return;
    efficiency_of(&e, v->a, v->shown, &v->options.peak);
    bool any = e.calls > 0 || e.flop > 0 || has_product_kernels(&e);
    if (view_is_screen(v)) {
        if (any)
            add_sentence(v, &e);
        if (e.dots && v->options.roofline)
            add_picture(v, &e);
        return;
    }
    if (any)
        add_list(v, &e);
    if (e.dots)
        add_picture(v, &e);
    if (e.dots)
        add_dots(v, &e);
    add_copies(v, &e);
}
