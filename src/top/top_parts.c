/* Which training it is, how far it is, how fast it goes, what it learns. */
#include "top/top_parts.h"

#include "base/path.h"
#include "base/units.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { BAR_COLUMNS_MIN = 8, BAR_COLUMNS_MAX = 100, PERCENT_COLUMNS = 7 };

enum { MINUTE_S = 60, HOUR_S = 3600, DAY_S = 86400 };
static const double DURATION_MAX_S = 1e12;
/* No sign of life for so long, in steps and at least in seconds, is worth a word. */
static const double QUIET_MIN_S = 10, QUIET_MIN_STEPS = 5;

struct unit_text top_duration(double s)
{
    struct unit_text text;
    long long all = s > 0 ? llround(fmin(s, DURATION_MAX_S)) : 0;
    if (all < MINUTE_S)
        snprintf(text.s, sizeof text.s, "%lld s", all);
    else if (all < HOUR_S)
        snprintf(text.s, sizeof text.s, "%lldm %02llds", all / MINUTE_S, all % MINUTE_S);
    else if (all < DAY_S)
        snprintf(text.s, sizeof text.s, "%lldh %02lldm", all / HOUR_S,
                 all % HOUR_S / MINUTE_S);
    else
        snprintf(text.s, sizeof text.s, "%lldd %02lldh", all / DAY_S,
                 all % DAY_S / HOUR_S);
    return text;
}

static struct unit_text since(int64_t from_ns, int64_t to_ns)
{
    return top_duration(((double)to_ns - (double)from_ns) / 1e9);
}

bool top_goes_on(const struct top_view *v)
{
    return v->state == LIVE_RUNNING || v->state == LIVE_SUSPENDED;
}

static int64_t end_of(const struct top_view *v)
{
    return top_goes_on(v) ? v->now_ns : v->status->written_ns;
}

static const char *what_it_does(const struct top_view *v)
{
    switch (v->state) {
    case LIVE_SUSPENDED:
        return "suspended";
    case LIVE_GONE:
        return "died";
    default:
        return live_doing_text[v->status->doing];
    }
}

/* Only what is not as it should be. */
static void put_state(struct top_rows *r, const struct top_view *v)
{
    const struct live_status *s = v->status;
    double quiet_s = ((double)v->now_ns - (double)s->written_ns) / 1e9;
    double slow_s = isfinite(s->steps_per_s) ? QUIET_MIN_STEPS / s->steps_per_s : 0;
    struct unit_text ago = since(s->written_ns, v->now_ns);
    if (v->state == LIVE_RUNNING && !(quiet_s > fmax(QUIET_MIN_S, slow_s)))
        return;
    top_row_begin(r, TOP_SPARE_NEVER);
    if (v->state == LIVE_GONE) {
        top_put(r, "31", "It died without a word, %s ago or less.", ago.s);
        top_row_begin(r, TOP_SPARE_SAVES);
        if (s->saved_step)
            top_put(r, "", "The same command goes on from step %lld.",
                    (long long)s->saved_step);
        else
            top_put(r, "", "Nothing of it was saved.");
    } else if (v->state == LIVE_FINISHED && s->doing == LIVE_DOING_FAILED)
        top_put_wrapped(r, "31", s->said);
    else if (v->state == LIVE_FINISHED)
        top_put(r, "32", "It ended %s ago, all steps done.", ago.s);
    else if (v->state == LIVE_SUSPENDED)
        top_put(r, "33", "It is stopped; `kill -CONT %lld` lets it go on.",
                (long long)s->pid);
    else
        top_put(r, "33", "No word from it for %s.", ago.s);
}

static void put_place(struct top_rows *r, const struct live_status *s)
{
    bool saves = *s->checkpoint_dir != '\0';
    top_row_begin(r, TOP_SPARE_MODEL);
    top_put(r, "", "data ");
    top_put_short(r, "", s->dataset);
    if (top_put(r, "", "   %s ", saves ? "saves to" : "saves nothing; started in"))
        top_put_short(r, "", saves ? s->checkpoint_dir : s->folder);
}

void top_put_head(struct top_rows *r, const struct top_view *v)
{
    const struct live_status *s = v->status;
    top_row_begin(r, TOP_SPARE_NEVER);
    top_put(r, "1", "gait top");
    top_put(r, "", "  process %lld", (long long)s->pid);
    top_put(r, v->state == LIVE_RUNNING ? "32" : "33", "  %s", what_it_does(v));
    top_put(r, "", "  for %s", since(s->begun_ns, end_of(v)).s);
    if (s->ranks > 1)
        top_put(r, "", "  %lld ranks", (long long)s->ranks);
    if (v->others)
        top_put(r, "", "  (n: %d more)", v->others);
    top_row_begin(r, TOP_SPARE_MODEL);
    top_put_short(r, "", s->model);
    put_place(r, s);
    put_state(r, v);
    top_row_begin(r, TOP_SPARE_BLANK);
}

static void put_eta(struct top_rows *r, const struct live_status *s)
{
    double least_s, most_s;
    if (!live_status_eta(s, &least_s, &most_s))
        return;
    struct unit_text least = top_duration(least_s), most = top_duration(most_s);
    if (!strcmp(least.s, most.s) || !top_put(r, "", "   ETA %s to %s", least.s, most.s))
        top_put(r, "", "   ETA %s", most.s);
}

static void put_progress(struct top_rows *r, const struct top_view *v)
{
    const struct live_status *s = v->status;
    double frac = s->steps > 0 ? (double)s->step / (double)s->steps : 0;
    frac = fmin(1, fmax(0, frac));
    top_row_begin(r, TOP_SPARE_NEVER);
    top_put(r, "1", "%-*s", TOP_LABEL_COLUMNS, "step");
    top_put(r, "", "%lld/%lld", (long long)s->step, (long long)s->steps);
    if (top_goes_on(v))
        put_eta(r, s);
    top_put(r, "", "   ");
    int room = top_room(r) - PERCENT_COLUMNS;
    int columns = room < BAR_COLUMNS_MAX ? room : BAR_COLUMNS_MAX;
    if (columns >= BAR_COLUMNS_MIN) {
        struct strbuf bar;
        int full = (int)(frac * columns);
        strbuf_init(&bar);
        strbuf_repeat(&bar, "█", full);
        strbuf_repeat(&bar, "░", columns - full);
        top_put(r, "32", "%s", bar.s);
        strbuf_release(&bar);
    }
    top_put(r, "", " %.0f %%", floor(100 * frac));
}

static void put_rates(struct top_rows *r, const struct live_status *s)
{
    double now = s->steps_per_s, average = s->average_steps_per_s;
    bool both = isfinite(average);
    top_row_begin(r, TOP_SPARE_NEVER);
    top_put(r, "1", "%-*s", TOP_LABEL_COLUMNS, "tokens/s");
    top_put(r, "", "%-6s now", unit_count(now * s->tokens_per_step).s);
    if (both)
        top_put(r, "", "   %-6s average", unit_count(average * s->tokens_per_step).s);
    top_row_begin(r, TOP_SPARE_NEVER);
    top_put(r, "1", "%-*s", TOP_LABEL_COLUMNS, "steps/s");
    top_put(r, "", "%-6.3g now", now);
    if (both)
        top_put(r, "", "   %-6.3g average", average);
}

void top_put_pace(struct top_rows *r, const struct top_view *v)
{
    const struct live_status *s = v->status;
    put_progress(r, v);
    if (!isfinite(s->steps_per_s))
        return;
    put_rates(r, s);
    top_row_begin(r, TOP_SPARE_NEVER);
    top_put(r, "1", "%-*s", TOP_LABEL_COLUMNS, "loss");
    top_put(r, "", "%.4f", s->loss);
    if (isfinite(s->validation_loss))
        top_put(r, "", "   validation %.4f (step %lld)", s->validation_loss,
                (long long)s->validation_step);
    top_put(r, "", "   lr %.1e", s->learning_rate);
    top_put(r, "", "   |g| %.2f", s->gradient_norm);
    if (s->skipped_steps)
        top_put(r, "31", "   %lld skipped", (long long)s->skipped_steps);
}

void top_put_saves(struct top_rows *r, const struct top_view *v)
{
    const struct live_status *s = v->status;
    if (!(s->validation_s > 0) && !(s->saving_s > 0))
        return;
    top_row_begin(r, TOP_SPARE_SAVES);
    top_put(r, "1", "%-*s", TOP_LABEL_COLUMNS, "beside");
    top_put(r, "", "validation %s", unit_ns_of(s->validation_s * 1e9).s);
    if (s->saving_s > 0)
        top_put(r, "", "   checkpoints %s", unit_ns_of(s->saving_s * 1e9).s);
    if (s->saved_ns)
        top_put(r, "", "   saved step %lld, %s ago", (long long)s->saved_step,
                since(s->saved_ns, v->now_ns).s);
    if (s->failed_saves)
        top_put(r, "31", "   %lld failed", (long long)s->failed_saves);
}
