#include "live/live_status.h"

#include "base/json_read.h"
#include "base/json_writer.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define LIVE_DOING_TEXT(v, text) text,
const char *const live_doing_text[LIVE_DOING_COUNT] = {LIVE_DOING_LIST(LIVE_DOING_TEXT)};

void live_status_init(struct live_status *s)
{
    memset(s, 0, sizeof *s);
#define SET_UNKNOWN(name) s->name = NAN;
    LIVE_REALS(SET_UNKNOWN)
    live_curve_init(&s->curve);
}

bool live_status_eta(const struct live_status *s, double *least_s, double *most_s)
{
    double a = s->steps_per_s, b = s->average_steps_per_s;
    double left = (double)s->steps - (double)s->step;
    if (!(b > 0))
        b = a;
    if (!(a > 0) || left <= 0)
        return false;
    *least_s = left / fmax(a, b);
    *most_s = left / fmin(a, b);
    return true;
}

/* Six digits are more than a curve shows. */
static void add_number(struct json_writer *w, double v)
{
    char text[32];
    snprintf(text, sizeof text, "%.6g", v);
    json_raw(w, isfinite(v) ? text : "null");
}

static void add_phases(struct json_writer *w, const struct live_status *s)
{
    json_key(w, "phase_s");
    json_begin_object(w);
    for (int i = 0; i < PHASE_COUNT; i++) {
        json_key(w, phase_text[i]);
        add_number(w, s->phase_s[i]);
    }
    json_end(w);
}

static void add_curve(struct json_writer *w, const struct live_curve *c)
{
    json_field_int(w, "curve_stride", c->stride);
    json_key(w, "curve"); /* [step, loss, tokens_per_s] */
    json_begin_array(w);
    for (int i = 0; i < c->n; i++) {
        json_begin_array(w);
        json_int(w, c->point[i].step);
        add_number(w, c->point[i].loss);
        add_number(w, c->point[i].tokens_per_s);
        json_end(w);
    }
    json_end(w);
}

void live_status_text(struct strbuf *out, const struct live_status *s)
{
    struct json_writer w;
    json_init(&w, out);
    w.compact = true;
    json_begin_object(&w);
    json_field_string(&w, "format", "gait-live");
    json_field_int(&w, "version", LIVE_VERSION);
    json_field_string(&w, "doing", live_doing_text[s->doing]);
#define ADD_TEXT(name) json_field_string(&w, #name, s->name);
#define ADD_INT(name) json_field_int(&w, #name, s->name);
#define ADD_REAL(name) json_key(&w, #name), add_number(&w, s->name);
    LIVE_TEXTS(ADD_TEXT)
    LIVE_TIMES(ADD_INT)
    LIVE_COUNTS(ADD_INT)
    LIVE_REALS(ADD_REAL)
    add_phases(&w, s);
    add_curve(&w, &s->curve);
    json_end(&w);
}

static void read_text(char out[LIVE_TEXT_MAX], const struct json *j)
{
    snprintf(out, LIVE_TEXT_MAX, "%s", json_string_or(j, ""));
}

/* Whoever can write to the folder can write anything: what no training says is not known,
 * so that nobody behind this has to doubt a number. */
static const int64_t COUNT_MAX = 1000000000000000; /* exact as a double, too */
static const double REAL_MAX = 1e18;

static int64_t read_time(const struct json *j)
{
    int64_t v = json_int_or(j, 0);
    return v > 0 ? v : 0;
}

static int64_t read_count(const struct json *j)
{
    int64_t v = read_time(j);
    return v < COUNT_MAX ? v : 0;
}

static double read_real(const struct json *j)
{
    double v = json_double_or(j, NAN);
    return fabs(v) < REAL_MAX ? v : NAN;
}

static double read_duration(const struct json *j)
{
    double v = read_real(j);
    return v > 0 ? v : 0;
}

/* Points whose step does not rise are left out. */
static void read_curve(struct live_curve *c, const struct json *root)
{
    const struct json *rows = json_get(root, "curve");
    int64_t stride = read_count(json_get(root, "curve_stride")), before = -1;
    c->stride = stride ? stride : 1;
    for (const struct json *r = rows ? rows->child : NULL; r && c->n < LIVE_POINTS_MAX;
         r = r->next) {
        const struct json *loss = r->child ? r->child->next : NULL;
        int64_t step = read_count(r->child);
        if (!loss || step <= before)
            continue;
        before = step;
        c->point[c->n++] = (struct live_point){
            .step = step, .loss = read_real(loss), .tokens_per_s = read_real(loss->next)};
    }
}

static void read_fields(struct live_status *s, const struct json *root)
{
    const char *doing = json_string_or(json_get(root, "doing"), "");
    for (int i = 0; i < LIVE_DOING_COUNT; i++)
        if (!strcmp(doing, live_doing_text[i]))
            s->doing = i;
#define READ_TEXT(name) read_text(s->name, json_get(root, #name));
#define READ_TIME(name) s->name = read_time(json_get(root, #name));
#define READ_COUNT(name) s->name = read_count(json_get(root, #name));
#define READ_REAL(name) s->name = read_real(json_get(root, #name));
    LIVE_TEXTS(READ_TEXT)
    LIVE_TIMES(READ_TIME)
    LIVE_COUNTS(READ_COUNT)
    LIVE_REALS(READ_REAL)
    const struct json *phases = json_get(root, "phase_s");
    for (int i = 0; i < PHASE_COUNT; i++)
        s->phase_s[i] = read_duration(json_get(phases, phase_text[i]));
    read_curve(&s->curve, root);
}

enum status live_status_read(struct live_status *s, const char *text, size_t len,
                             struct err *err)
{
    struct arena a;
    const struct json *root = NULL;
    live_status_init(s);
    arena_init(&a);
    enum status st = json_read(&root, &a, text, len, NULL);
    int64_t version = json_int_or(json_get(root, "version"), 0);
    const char *format = json_string_or(json_get(root, "format"), "");
    if (st || strcmp(format, "gait-live") != 0)
        st = err_set(err, STATUS_INPUT,
                     "not the status of a training; name its checkpoint_dir or the "
                     "number of its process");
    else if (version != LIVE_VERSION)
        st = err_set(err, STATUS_INPUT,
                     "of version %lld, this program reads %d: use the program that "
                     "trains",
                     (long long)version, LIVE_VERSION);
    if (!st)
        read_fields(s, root);
    arena_release(&a);
    return st;
}
