#include "train/publish.h"

#include "base/clock.h"
#include "live/live_process.h"
#include "train/training_metrics.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A person looks about once a second. */
static const int64_t PERIOD_NS = 1000000000;
/* What took less the last time is over before anybody could see it. */
static const int64_t WORTH_SAYING_NS = 100000000;

/* The absolute form of a folder that may not be there yet. */
static void set_folder(char out[LIVE_TEXT_MAX], const char *path)
{
    struct strbuf whole;
    char *found = *path ? realpath(path, NULL) : NULL;
    char *here = found || *path == '/' ? NULL : getcwd(NULL, 0);
    strbuf_init(&whole);
    if (found || *path == '/')
        strbuf_puts(&whole, found ? found : path);
    else if (*path && here)
        strbuf_printf(&whole, "%s/%s", here, path);
    if (whole.len < LIVE_TEXT_MAX)
        memcpy(out, whole.s, whole.len + 1);
    strbuf_release(&whole);
    free(here);
    free(found);
}

static void remember_phases(struct publisher *p)
{
    memcpy(p->phase_before_ns, p->phase_ns, sizeof p->phase_before_ns);
    p->wait_before_ns = p->data_wait_ns;
    p->steps = p->steps_ns = 0;
}

/* What is counted since the last time; the rates of before stand where no step was done. */
static void fill_recent(struct publisher *p)
{
    struct live_status *s = &p->status;
    int64_t all_ns = 0, phases_ns = 0;
    if (!p->steps || p->steps_ns <= 0)
        return;
    double n = (double)p->steps;
    for (int i = 0; i < PHASE_COUNT; i++) {
        int64_t ns = p->phase_ns[i] - p->phase_before_ns[i];
        s->phase_s[i] = (double)ns / 1e9 / n;
        phases_ns += ns;
        all_ns += p->phase_ns[i];
    }
    s->phase_s[PHASE_UNATTRIBUTED] = fmax(0, (double)(p->steps_ns - phases_ns)) / 1e9 / n;
    s->steps_per_s = n * 1e9 / (double)p->steps_ns;
    s->data_wait_frac =
        (double)(p->data_wait_ns - p->wait_before_ns) / (double)p->steps_ns;
    s->average_data_wait_frac = all_ns ? (double)p->data_wait_ns / (double)all_ns : 0;
    remember_phases(p);
}

static void write_now(struct publisher *p)
{
    fill_recent(p);
    p->status.peak_rss_bytes = usage_peak_rss_bytes();
    p->status.written_ns = clock_calendar_ns();
    live_file_write(&p->file, &p->status);
    p->written_ns = clock_now_ns();
}

static struct training_figures figures(struct publisher *p)
{
    return (struct training_figures){
        .trainer = p->trainer,
        .status = &p->status,
        .steps_ns = p->all_steps_ns,
        .step_ns = p->last_step_ns,
        .phase_ns = p->phase_ns,
        .data_wait_ns = p->data_wait_ns,
        .undelivered = p->outlets ? metric_outlets_dropped(p->outlets) : -1};
}

static void show_metrics(struct publisher *p, bool to_file)
{
    if (!p->outlets)
        return;
    struct metric_values values;
    const struct training_figures f = figures(p);
    training_metrics_fill(&values, &f);
    metric_outlets_put(p->outlets, &values);
    if (to_file)
        metric_outlets_write_file(p->outlets, &values);
}

static struct metric_outlets_options outlets_wanted(const struct config *c)
{
    return (struct metric_outlets_options){
        .port = (int)c->metrics_port,
        .address = c->metrics_address,
        .file = c->metrics_file,
        .otlp = {.url = c->metrics_otlp, .interval_s = c->metrics_otlp_seconds}};
}

enum status publish_check(const struct config *config, struct err *err)
{
    const struct metric_outlets_options o = outlets_wanted(config);
    return metric_outlets_check(&o, err);
}

static enum status open_outlets(struct publisher *p, struct err *err)
{
    const struct metric_outlets_options o = outlets_wanted(p->trainer->config);
    struct metric_set set;
    struct metric_values first;
    if (!metric_outlets_wanted(&o))
        return STATUS_OK;
    struct training_figures f = figures(p);
    f.undelivered = *o.otlp.url ? 0 : -1;
    training_metrics_set(&set, &f);
    training_metrics_fill(&first, &f);
    enum status st = metric_outlets_open(&p->outlets, &o, &set, &first, err);
    if (!st)
        metric_outlets_write_file(p->outlets, &first);
    return st;
}

static void fill_beginning(struct live_status *s, const struct trainer *t,
                           const char *model)
{
    size_t limit = memory_plan_limit_bytes(&t->plan);
    live_status_init(s);
    live_process_fill(s);
    if (gethostname(s->host, sizeof s->host - 1))
        s->host[0] = '\0';
    snprintf(s->model, sizeof s->model, "%s", model);
    snprintf(s->dataset, sizeof s->dataset, "%s", t->config->dataset);
    set_folder(s->folder, ".");
    set_folder(s->checkpoint_dir, t->config->checkpoint_dir);
    set_folder(s->log_dir, t->config->log_dir);
    s->begun_ns = clock_calendar_ns();
    s->first_step = s->step = t->first_step;
    s->saved_step = t->first_step;
    s->steps = t->steps;
    s->ranks = t->comm.size;
    s->tokens_per_step =
        (double)(t->model.M * t->comm.size) * (double)t->config->gradient_accumulation;
    s->plan_bytes = (double)trainer_allocated_bytes(t);
    s->limit_bytes = limit ? (double)limit : NAN;
    s->validation_s = s->saving_s = 0;
    s->peak_rss_bytes = usage_peak_rss_bytes();
}

enum status publish_open(struct publisher *p, const struct trainer *t, const char *model,
                         struct err *err)
{
    if (t->comm.rank != 0)
        return STATUS_OK;
    p->trainer = t;
    fill_beginning(&p->status, t, model);
    enum status st = open_outlets(p, err);
    if (st) {
        p->trainer = NULL;
        return st;
    }
    live_file_open(&p->file);
    remember_phases(p);
    write_now(p);
    return STATUS_OK;
}

static void add_step_time(struct publisher *p, int64_t dur_ns)
{
    const struct trainer *t = p->trainer;
    p->steps++;
    p->steps_ns += dur_ns;
    p->all_steps_ns += dur_ns;
    p->last_step_ns = dur_ns;
    memcpy(p->phase_ns, t->phase_ns, sizeof p->phase_ns);
    p->data_wait_ns = t->data_wait_ns;
}

void publish_step(struct publisher *p, int64_t step, const struct step_report *r,
                  int64_t dur_ns, const struct usage *u)
{
    struct live_status *s = &p->status;
    if (!p->trainer)
        return;
    add_step_time(p, dur_ns);
    s->doing = LIVE_DOING_TRAINING;
    s->step = step + 1;
    s->loss = r->loss;
    s->learning_rate = r->learning_rate;
    s->gradient_norm = r->gradient_norm;
    s->skipped_steps += r->skipped;
    if (u->wall_ns)
        s->average_steps_per_s = (double)u->steps * 1e9 / (double)u->wall_ns;
    live_curve_add(&s->curve, step + 1, r->loss, s->tokens_per_step,
                   (double)dur_ns / 1e9);
    if (clock_now_ns() - p->written_ns >= PERIOD_NS)
        write_now(p);
    show_metrics(p, (step + 1) % p->trainer->config->log_interval == 0);
}

static bool is_long(const struct publisher *p, enum live_doing doing)
{
    return !p->took_ns[doing] || p->took_ns[doing] >= WORTH_SAYING_NS;
}

void publish_begin(struct publisher *p, enum live_doing doing)
{
    if (!p->trainer)
        return;
    p->status.doing = doing;
    p->doing_since_ns = clock_now_ns();
    if (is_long(p, doing))
        write_now(p);
    show_metrics(p, false);
}

void publish_end(struct publisher *p)
{
    enum live_doing doing = p->status.doing;
    if (!p->trainer)
        return;
    p->took_ns[doing] = clock_now_ns() - p->doing_since_ns;
    double took_s = (double)p->took_ns[doing] / 1e9;
    *(doing == LIVE_DOING_SAVING ? &p->status.saving_s : &p->status.validation_s) +=
        took_s;
    p->status.doing = LIVE_DOING_TRAINING;
    if (p->took_ns[doing] >= WORTH_SAYING_NS)
        write_now(p);
    show_metrics(p, false);
}

void publish_validation(struct publisher *p, int64_t step, double loss)
{
    p->status.validation_step = step + 1;
    p->status.validation_loss = loss;
}

void publish_save(struct publisher *p, int64_t saved_step, int64_t failed_saves)
{
    if (saved_step != p->status.saved_step)
        p->status.saved_ns = clock_calendar_ns();
    p->status.saved_step = saved_step;
    p->status.failed_saves = failed_saves;
}

void publish_close(struct publisher *p, enum status status, const struct err *err)
{
    if (!p->trainer)
        return;
    p->status.doing = status ? LIVE_DOING_FAILED : LIVE_DOING_ENDED;
    if (status)
        snprintf(p->status.said, sizeof p->status.said, "%s", err->text);
    write_now(p);
    live_file_close(&p->file);
    show_metrics(p, true);
    metric_outlets_close(p->outlets);
    p->outlets = NULL;
    p->trainer = NULL;
}
