#include "metrics/metrics.h"

#include "base/clock.h"
#include "base/file.h"
#include "base/log.h"
#include "base/mem.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

static const struct {
    const char *tag, *key; /* key NULL: not in metrics.jsonl */
} names[] = {
    {"train/loss", "loss"},
    {"train/learning_rate", "learning_rate"},
    {"train/gradient_norm", "gradient_norm"},
    {"train/tokens_per_s", "tokens_per_s"},
    {"train/step_ms", "step_ms"},
    {"train/data_wait_frac", "data_wait_frac"},
    {"validation/loss", "validation_loss"},
    {"memory/peak_rss_bytes", NULL},
};

static const char *key_of(const char *tag)
{
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!strcmp(names[i].tag, tag))
            return names[i].key;
    BUG("no metric is called %s", tag);
}

/* dir and what is missing above it. */
static enum status make_folders(const char *dir, struct err *err)
{
    char *path = mem_strdup(dir);
    enum status st = STATUS_OK;
    for (char *slash = path; !st && slash;) {
        slash = strchr(slash + 1, '/');
        if (slash)
            *slash = '\0';
        if (mkdir(path, 0777) && errno != EEXIST)
            st = file_err(err, "write", path);
        if (slash)
            *slash = '/';
    }
    if (!st && !file_is_dir(dir))
        st =
            err_set(err, STATUS_INPUT, "%s is not a folder; choose another log_dir", dir);
    mem_free(path);
    return st;
}

enum status metrics_open(struct metrics *m, const char *dir, int64_t first_step,
                         struct err *err)
{
    *m = (struct metrics){.lines.fd = -1, .events.file.fd = -1};
    if (!dir || !*dir)
        return STATUS_OK;
    enum status st = make_folders(dir, err);
    if (!st)
        st = metrics_lines_open(&m->lines, dir, first_step, err);
    if (!st)
        st = event_file_open(&m->events, dir, first_step, err);
    if (st)
        append_file_close(&m->lines);
    m->is_on = !st;
    return st;
}

static void warn_once(struct metrics *m, const struct err *err)
{
    if (!m->has_warned)
        log_line("warning: %s; the training goes on without these metrics", err->text);
    m->has_warned = true;
}

void metrics_scalar(struct metrics *m, const char *tag, int64_t step, double value)
{
    if (!m->is_on)
        return;
    struct err err = ERR_INIT;
    double wall_s = (double)clock_calendar_ns() / 1e9;
    if (event_file_scalar(&m->events, wall_s, step, tag, (float)value, &err))
        warn_once(m, &err);
    const char *key = key_of(tag);
    if (!key)
        return;
    if (m->n_pending == METRICS_VALUES_MAX || (m->n_pending && m->step != step))
        BUG("%s of step %lld before step %lld is committed", tag, (long long)step,
            (long long)m->step);
    m->step = step;
    m->pending[m->n_pending++] = (struct metrics_value){.key = key, .value = value};
}

void metrics_commit(struct metrics *m, int64_t step)
{
    if (!m->is_on)
        return;
    struct err err = ERR_INIT;
    char line[METRICS_LINE_BYTES_MAX];
    if (m->n_pending) {
        if (m->step != step)
            BUG("step %lld is committed with values of step %lld", (long long)step,
                (long long)m->step);
        size_t len = metrics_line_format(line, step, m->pending, m->n_pending);
        m->n_pending = 0;
        if (append_file_add(&m->lines, line, len, &err))
            warn_once(m, &err);
    }
    if (m->events.used && event_file_flush(&m->events, &err))
        warn_once(m, &err);
}

void metrics_close(struct metrics *m)
{
    if (!m->is_on)
        return;
    struct err err = ERR_INIT;
    if (m->n_pending)
        metrics_commit(m, m->step);
    if (event_file_close(&m->events, &err))
        warn_once(m, &err);
    append_file_close(&m->lines);
    m->is_on = false;
}
