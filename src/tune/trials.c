#include "tune/trial.h"

#include "base/file.h"
#include "base/json_read.h"
#include "base/json_writer.h"
#include "base/log.h"
#include "base/mem.h"

#include <fcntl.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

enum { FILE_BYTES_MAX = 64 << 20 };
/* Without an interval: ordinary noise of a few pairs is less. */
static const double PLAIN = 0.05;

#define TRIAL_STAGE_WORD(v, word) word,
const char *const trial_stage_word[TRIAL_STAGE_COUNT] = {
    TRIAL_STAGE_LIST(TRIAL_STAGE_WORD)};

struct trial trial_new(enum trial_stage stage, int round, double predicted)
{
    return (struct trial){
        .stage = stage,
        .round = round,
        .predicted = predicted,
        .time = {.step_ns = {NAN, NAN}, .change = NAN, .low = -1, .high = INFINITY},
        .bytes = {NAN, NAN}};
}

int trial_tells(const struct trial *t)
{
    if (isfinite(t->time.high))
        return ab_told(&t->time);
    return t->time.change > PLAIN ? 1 : t->time.change < -PLAIN ? -1 : 0;
}

void trial_json(struct strbuf *out, const struct trial *t)
{
    struct json_writer w;
    json_init(&w, out);
    w.compact = true;
    json_begin_object(&w);
    json_field_string(&w, "stage", trial_stage_word[t->stage]);
    json_field_int(&w, "round", t->round);
    json_field_string(&w, "before", t->before);
    json_field_string(&w, "after", t->after);
    json_field_exact(&w, "predicted_change", t->predicted);
    json_field_exact(&w, "measured_change", t->time.change);
    json_field_exact(&w, "low", isfinite(t->time.high) ? t->time.low : NAN);
    json_field_exact(&w, "high", t->time.high);
    json_field_int(&w, "pairs", (int64_t)t->time.pairs);
    json_field_exact(&w, "took_s", t->time.took_s);
    json_field_exact(&w, "before_ns", t->time.step_ns[0]);
    json_field_exact(&w, "after_ns", t->time.step_ns[1]);
    json_field_exact(&w, "before_bytes", t->bytes[0]);
    json_field_exact(&w, "after_bytes", t->bytes[1]);
    json_field_string(&w, "why_not", t->why_not);
    json_end(&w);
}

static double number(const struct json *j, const char *key, double otherwise)
{
    return json_double_or(json_get(j, key), otherwise);
}

static void copy_text(char *to, size_t room, const struct json *j, const char *key)
{
    snprintf(to, room, "%s", json_string_or(json_get(j, key), ""));
}

/* False: it is no trial. */
static bool read_trial(struct trial *t, const struct json *j)
{
    const char *word = json_string_or(json_get(j, "stage"), "");
    *t = (struct trial){.stage = TRIAL_STAGE_COUNT};
    for (int i = 0; i < TRIAL_STAGE_COUNT; i++)
        if (!strcmp(word, trial_stage_word[i]))
            t->stage = (enum trial_stage)i;
    t->round = (int)json_int_or(json_get(j, "round"), 0);
    copy_text(t->before, sizeof t->before, j, "before");
    copy_text(t->after, sizeof t->after, j, "after");
    copy_text(t->why_not, sizeof t->why_not, j, "why_not");
    t->predicted = number(j, "predicted_change", NAN);
    t->time.change = number(j, "measured_change", NAN);
    t->time.low = number(j, "low", -1);
    t->time.high = number(j, "high", INFINITY);
    t->time.pairs = (size_t)json_int_or(json_get(j, "pairs"), 0);
    t->time.took_s = number(j, "took_s", 0);
    t->time.step_ns[0] = number(j, "before_ns", NAN);
    t->time.step_ns[1] = number(j, "after_ns", NAN);
    t->bytes[0] = number(j, "before_bytes", NAN);
    t->bytes[1] = number(j, "after_bytes", NAN);
    return t->stage != TRIAL_STAGE_COUNT && *t->before && *t->after;
}

/* False: it is none. */
static bool read_baseline(struct baseline *b, const struct json *j)
{
    const struct json *share = json_get(j, "share");
    size_t i = 0;
    if (!share || share->kind != JSON_KIND_ARRAY || share->n != TOUCHES_COUNT)
        return false;
    for (const struct json *s = share->child; s; s = s->next)
        b->share[i++] = json_double_or(s, 1);
    b->step_ns = number(j, "step_ns", 0);
    return true;
}

const struct trial *trials_find(const struct trials *t, enum trial_stage stage, int round,
                                const char *before, const char *after)
{
    for (size_t i = 0; i < t->n; i++)
        if (t->of[i].stage == stage && t->of[i].round == round &&
            !strcmp(t->of[i].before, before) && !strcmp(t->of[i].after, after))
            return &t->of[i];
    return NULL;
}

/* One that is run again takes the place of what it told before. */
static struct trial *put(struct trials *t, const struct trial *trial)
{
    const struct trial *known =
        trials_find(t, trial->stage, trial->round, trial->before, trial->after);
    size_t at = known ? (size_t)(known - t->of) : t->n++;
    vec_grow(t->of, t->cap, t->n);
    t->of[at] = *trial;
    return &t->of[at];
}

/* Of an older file: as many whole lines as there are, the first being the header. The
 * bytes that they take. */
static size_t read_lines(struct trials *t, const char *text, const char *header)
{
    struct arena arena;
    const char *line = text, *end = strchr(line, '\n');
    if (!end || (size_t)(end - line) != strlen(header) ||
        memcmp(line, header, strlen(header)) != 0)
        return 0;
    arena_init(&arena);
    for (line = end + 1; (end = strchr(line, '\n')); line = end + 1) {
        const struct json *j;
        struct trial trial;
        if (json_read(&j, &arena, line, (size_t)(end - line), NULL))
            break;
        if (read_baseline(&t->baseline, j))
            continue;
        if (!read_trial(&trial, j))
            break;
        put(t, &trial);
    }
    arena_release(&arena);
    return (size_t)(line - text);
}

static enum status write_line(struct trials *t, const char *line, struct err *err)
{
    if (!t->file)
        return STATUS_OK;
    if (fprintf(t->file, "%s\n", line) < 0 || fflush(t->file))
        return err_set(err, STATUS_ENVIRONMENT,
                       "the trials cannot be kept: is the disk full?");
    return STATUS_OK;
}

/* What is behind the whole lines was cut by a kill, or holds for something else. */
static FILE *open_behind(const char *path, size_t bytes)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
    if (fd < 0)
        return NULL;
    if (ftruncate(fd, (off_t)bytes) || lseek(fd, 0, SEEK_END) < 0) {
        close(fd);
        return NULL;
    }
    FILE *f = fdopen(fd, "w");
    if (!f)
        close(fd);
    return f;
}

/* Trials of other settings or another machine are not thrown away. */
static void put_aside(const char *path)
{
    struct strbuf old;
    strbuf_init(&old);
    strbuf_printf(&old, "%s.old", path);
    if (!rename(path, old.s))
        log_line("%s is of another search; it is %s now", path, old.s);
    strbuf_release(&old);
}

enum status trials_open(struct trials *t, const char *path, const char *header,
                        struct err *err)
{
    char *text = NULL;
    size_t len, whole = 0;
    *t = (struct trials){.n = 0};
    if (!path)
        return STATUS_OK;
    if (file_exists(path) && !file_read(&text, &len, path, FILE_BYTES_MAX, NULL))
        whole = read_lines(t, text, header);
    mem_free(text);
    if (!whole && file_exists(path))
        put_aside(path);
    t->known = t->n;
    t->file = open_behind(path, whole);
    if (!t->file)
        return file_err(err, "write", path);
    return whole ? STATUS_OK : write_line(t, header, err);
}

void trials_close(struct trials *t)
{
    if (t->file)
        fclose(t->file);
    mem_free(t->of);
    *t = (struct trials){.n = 0};
}

enum status trials_keep_baseline(struct trials *t, const struct baseline *b,
                                 struct err *err)
{
    struct strbuf line;
    struct json_writer w;
    strbuf_init(&line);
    json_init(&w, &line);
    w.compact = true;
    json_begin_object(&w);
    json_field_exact(&w, "step_ns", b->step_ns);
    json_key(&w, "share");
    json_begin_array(&w);
    for (int i = 0; i < TOUCHES_COUNT; i++)
        json_exact(&w, b->share[i]);
    json_end(&w);
    json_end(&w);
    t->baseline = *b;
    enum status s = write_line(t, line.s, err);
    strbuf_release(&line);
    return s;
}

enum status trials_keep(struct trials *t, const struct trial *trial,
                        const struct trial **out, struct err *err)
{
    struct strbuf line;
    strbuf_init(&line);
    *out = put(t, trial);
    trial_json(&line, trial);
    enum status s = write_line(t, line.s, err);
    strbuf_release(&line);
    return s;
}
