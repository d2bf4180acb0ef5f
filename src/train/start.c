#include "train/start.h"

#include "base/file.h"
#include "base/log.h"
#include "base/mem.h"
#include "train/data_identity.h"
#include "train/update_counts.h"

#include <limits.h>
#include <string.h>

/* Settings that may differ without making it another training. */
static bool may_differ(const char *key)
{
    static const char *const harmless[] = {"log_interval",
                                           "log_dir",
                                           "metrics_port",
                                           "metrics_address",
                                           "metrics_file",
                                           "metrics_otlp",
                                           "metrics_otlp_seconds",
                                           "run_name",
                                           "eval_interval",
                                           "eval_batches",
                                           "eval_batch_size",
                                           "checkpoint_dir",
                                           "checkpoint_interval",
                                           "checkpoint_epochs",
                                           "checkpoint_minutes",
                                           "checkpoint_keep",
                                           "resume",
                                           "rank_timeout",
                                           "rank_give_up",
                                           "num_workers",
                                           "data_dir",
                                           "profile_steps",
                                           "profile_warmup",
                                           "init_from"};
    for (size_t i = 0; i < sizeof harmless / sizeof *harmless; i++)
        if (!strcmp(key, harmless[i]))
            return true;
    return false;
}

/* A setting as the checkpoint has it, or NULL. */
static const char *saved_value(const struct checkpoint *c, const char *key,
                               struct strbuf *out)
{
    const struct json *j = json_get(c->settings, key);
    if (j && j->kind == JSON_KIND_OBJECT) /* a section of that name */
        j = NULL;
    for (const struct json *s = c->settings ? c->settings->child : NULL; s && !j;
         s = s->next)
        j = json_get(s, key);
    strbuf_clear(out);
    if (!j)
        return NULL;
    if (j->kind == JSON_KIND_BOOL)
        strbuf_puts(out, j->truth ? "true" : "false");
    else if (j->text)
        strbuf_puts(out, j->text);
    return out->s;
}

/* The run goes on, but not as the one that was saved would have. */
static void say_what_differs(const struct trainer *t, const struct checkpoint *c)
{
    struct strbuf line, before, now;
    strbuf_init(&line);
    strbuf_init(&before);
    strbuf_init(&now);
    for (size_t i = 0; i < config_count(); i++) {
        const char *key = config_key(i), *saved = saved_value(c, key, &before);
        strbuf_clear(&now);
        config_value(&now, t->config, i);
        if (!saved || may_differ(key) || !strcmp(saved, now.s))
            continue;
        strbuf_printf(&line, "%s%s %s → %s", line.len ? ", " : "", key, saved, now.s);
    }
    const char *data = checkpoint_position(c, "data");
    if (data && strcmp(data, data_identity(&t->dataset).text))
        strbuf_printf(&line, "%sthe data", line.len ? ", " : "");
    if (line.len)
        log_line(
            "gait: note: not as in the checkpoint, so the run will differ from what it "
            "would have been: %s",
            line.s);
    strbuf_release(&now);
    strbuf_release(&before);
    strbuf_release(&line);
}

static enum status load_all(struct trainer *t, const struct checkpoint *c,
                            struct err *err)
{
    if (strcmp(c->optimizer, t->config->optimizer))
        return err_set(err, STATUS_INPUT,
                       "%s was trained with optimizer %s, not %s: set optimizer: %s, or "
                       "start again from its weights with init_from and another "
                       "checkpoint_dir",
                       c->path, c->optimizer, t->config->optimizer, c->optimizer);
    if (c->step > t->steps)
        return err_set(err, STATUS_INPUT,
                       "%s is %lld steps old and steps is %lld: raise steps, or use "
                       "another checkpoint_dir",
                       c->path, (long long)c->step, (long long)t->steps);
    enum status s = update_counts_load(&t->optimizer, &t->model.params.table, c, err);
    if (s == STATUS_OK)
        s = checkpoint_load(c, CHECKPOINT_WEIGHTS, t->tensors.weights,
                            t->tensors.n_weights, err);
    if (s == STATUS_OK)
        s = checkpoint_load(c, CHECKPOINT_MOMENTS, t->tensors.moments,
                            t->tensors.n_moments, err);
    return s;
}

static enum status check_tokenizer(const struct trainer *t, const struct checkpoint *c,
                                   struct err *err)
{
    char *saved;
    enum status s = checkpoint_tokenizer(&saved, c, err);
    if (saved && t->dataset.tokenizer.kind != TOKENIZER_NONE && t->comm.rank == 0)
        s = tokenizer_check_same(&t->dataset.tokenizer, saved, err);
    mem_free(saved);
    return s;
}

static enum status resume(struct trainer *t, const char *path, struct err *err)
{
    struct checkpoint c;
    enum status s = checkpoint_open(&c, path, err);
    if (s != STATUS_OK)
        return s;
    s = checkpoint_check_model(&c, &t->model.shape, err);
    if (s == STATUS_OK)
        s = check_tokenizer(t, &c, err);
    if (s == STATUS_OK)
        s = load_all(t, &c, err);
    if (s == STATUS_OK) {
        t->first_step = c.step;
        say_what_differs(t, &c);
    }
    checkpoint_close(&c);
    return s;
}

static enum status begin_anew(struct trainer *t, struct err *err)
{
    if (*t->config->init_from)
        return weights_load(&t->weights, t->tensors.weights, t->tensors.n_weights, err);
    model_init_weights(&t->model, (uint64_t)t->config->seed);
    return STATUS_OK;
}

static enum status find_checkpoint(const struct trainer *t, struct strbuf *path,
                                   struct err *err)
{
    struct err why;
    enum status s = checkpoint_find_usable(path, t->config->checkpoint_dir, &why, err);
    if (s == STATUS_OK && why.status != STATUS_OK)
        log_line("gait: note: %s; going on from %s, the newest checkpoint that is intact",
                 why.text, path->s);
    return s;
}

/* Rank 0 holds the folder, brings back what a crash left in it, and looks; all ranks go
 * on from what it found. Where it fails, the launcher ends the others. */
static enum status agree_on_checkpoint(struct trainer *t, struct strbuf *path,
                                       struct err *err)
{
    char found[PATH_MAX] = "";
    enum status s = STATUS_OK;
    if (t->comm.rank == 0) {
        s = checkpoint_lock(&t->lock, t->config->checkpoint_dir, err);
        if (s == STATUS_OK)
            s = find_checkpoint(t, path, err);
        if (s == STATUS_OK && path->len >= sizeof found)
            s = err_set(err, STATUS_ENVIRONMENT, "%s: the path is too long; move it",
                        path->s);
        if (s == STATUS_OK)
            memcpy(found, path->s, path->len);
    }
    if (t->comm.size == 1 || s != STATUS_OK)
        return s;
    s = comm_broadcast(&t->comm, found, sizeof found, 0, err);
    strbuf_clear(path);
    strbuf_puts(path, found);
    return s;
}

/* What resume: auto, never and must mean for a folder with and without checkpoints. */
enum status trainer_start(struct trainer *t, struct err *err)
{
    const struct config *c = t->config;
    bool never = !strcmp(c->resume, "never"), must = !strcmp(c->resume, "must");
    struct strbuf path;
    enum status s = STATUS_OK;
    if (!*c->checkpoint_dir)
        return begin_anew(t, err);
    strbuf_init(&path);
    s = agree_on_checkpoint(t, &path, err); /* before hours of training, not after */
    if (s != STATUS_OK)
        goto out;
    if (path.len && never)
        s = err_set(err, STATUS_USAGE,
                    "%s has a checkpoint already and resume is never: name another "
                    "checkpoint_dir, or remove that one",
                    c->checkpoint_dir);
    else if (path.len)
        s = resume(t, path.s, err);
    else if (must)
        s = err_set(err, STATUS_INPUT,
                    "resume is must and %s has no checkpoint: check the path, or set "
                    "resume: auto to start from scratch",
                    c->checkpoint_dir);
    else
        s = begin_anew(t, err);
out:
    strbuf_release(&path);
    return s;
}
