#include "top/top_screen.h"

#include "base/json_writer.h"
#include "base/mem.h"
#include "top/top_curve.h"
#include "top/top_parts.h"

#include <math.h>

/* A second curve only where the first has enough. */
enum { SECOND_CURVE_ROWS_MIN = 24, ROWS_MAX = 200, COLUMNS_MAX = 500 };

static int within(int v, int least, int most)
{
    return v < least ? least : v > most ? most : v;
}

static void put_curves(struct top_rows *r, const struct live_status *s, int rows)
{
    if (rows < TOP_CURVE_ROWS_MIN)
        return;
    int second = rows >= SECOND_CURVE_ROWS_MIN ? rows / 3 : 0;
    top_curve(r, &s->curve, TOP_CURVE_LOSS, rows - second);
    if (second)
        top_curve(r, &s->curve, TOP_CURVE_SPEED, second);
}

static void put_keys(struct top_rows *r, const struct top_view *v)
{
    top_row_begin(r, TOP_SPARE_NEVER);
    top_put(r, "90", "q quits");
    if (v->others)
        top_put(r, "90", "   n next training");
}

void top_screen(struct strbuf *out, const struct top_view *v, int columns, int rows)
{
    const struct live_status *s = v->status;
    struct top_rows *r = mem_zalloc(1, sizeof *r);
    int high = within(rows, TOP_ROWS_MIN, ROWS_MAX) - v->keys;
    top_rows_init(r, within(columns, TOP_COLUMNS_MIN, COLUMNS_MAX), v->colour);
    top_put_head(r, v);
    top_put_pace(r, v);
    top_row_begin(r, TOP_SPARE_BLANK);
    top_put_step(r, s);
    top_put_memory(r, s);
    top_put_saves(r, v);
    top_row_begin(r, TOP_SPARE_BLANK);
    top_rows_fit(r, high);
    put_curves(r, s, high - r->n);
    if (v->keys)
        put_keys(r, v);
    top_rows_print(out, r);
    top_rows_release(r);
    mem_free(r);
}

static const char *state_word(enum live_state state)
{
    static const char *const word[] = {[LIVE_RUNNING] = "running",
                                       [LIVE_SUSPENDED] = "suspended",
                                       [LIVE_GONE] = "died",
                                       [LIVE_FINISHED] = "finished"};
    return word[state];
}

void top_json(struct strbuf *out, const struct top_view *v)
{
    struct json_writer w;
    struct strbuf status;
    double least_s = NAN, most_s = NAN;
    strbuf_init(&status);
    live_status_text(&status, v->status);
    while (status.len && status.s[status.len - 1] == '\n')
        status.s[--status.len] = '\0';
    json_init(&w, out);
    json_begin_object(&w);
    json_field_string(&w, "format", "gait-top");
    json_field_int(&w, "version", 1);
    json_field_string(&w, "state", state_word(v->state));
    if (top_goes_on(v))
        live_status_eta(v->status, &least_s, &most_s);
    json_field_double(&w, "eta_least_s", least_s, 3);
    json_field_double(&w, "eta_most_s", most_s, 3);
    json_field_double(&w, "tokens_per_s",
                      v->status->steps_per_s * v->status->tokens_per_step, 3);
    json_field_double(&w, "average_tokens_per_s",
                      v->status->average_steps_per_s * v->status->tokens_per_step, 3);
    json_key(&w, "status");
    json_raw(&w, status.s);
    json_end(&w);
    strbuf_release(&status);
}
