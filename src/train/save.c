#include "train/save.h"

#include "base/clock.h"
#include "base/file.h"
#include "checkpoint/durable.h"
#include "data/tokenizer_file.h"
#include "train/data_identity.h"
#include "train/update_counts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Rank 0 alone writes. */
static bool saves(const struct trainer *t)
{
    return *t->config->checkpoint_dir && t->comm.rank == 0;
}

void saver_init(struct saver *v, const struct trainer *t)
{
    v->saved_step = t->first_step;
    v->tried_ns = clock_now_ns();
}

bool saver_due(const struct saver *v, const struct trainer *t, int64_t step)
{
    const struct config *c = t->config;
    double minutes = (double)(clock_now_ns() - v->tried_ns) / 60e9;
    if (!saves(t))
        return false;
    if (c->checkpoint_interval && step % c->checkpoint_interval == 0)
        return true;
    if (c->checkpoint_minutes > 0 && minutes >= c->checkpoint_minutes)
        return true;
    int64_t parts = c->gradient_accumulation;
    int64_t epochs = loader_epoch(&t->train_data, step * parts);
    int64_t before = loader_epoch(&t->train_data, (step - 1) * parts);
    return c->checkpoint_epochs && epochs > before && epochs % c->checkpoint_epochs == 0;
}

void saver_next(char *out, size_t size, const struct trainer *t, int64_t step)
{
    const struct config *c = t->config;
    int64_t interval = c->checkpoint_interval;
    int64_t next = interval ? (step / interval + 1) * interval : t->steps;
    int len =
        snprintf(out, size, "after step %lld of %lld",
                 (long long)(next < t->steps ? next : t->steps), (long long)t->steps);
    if (c->checkpoint_minutes > 0)
        len += snprintf(out + len, size - (size_t)len, ", or after %g min",
                        c->checkpoint_minutes);
    if (c->checkpoint_epochs)
        snprintf(out + len, size - (size_t)len, ", or at the end of an epoch");
}

/* The checkpoint names the file; the tokenizer wants the folder. */
static enum status write_tokenizer(void *owner, const char *path, struct err *err)
{
    struct strbuf folder;
    strbuf_init(&folder);
    strbuf_add(&folder, path, (size_t)(strrchr(path, '/') - path));
    enum status s = tokenizer_save(owner, folder.s, err);
    strbuf_release(&folder);
    return s;
}

enum status save_to(const char *dir, struct trainer *t, int64_t step, struct err *err)
{
    struct strbuf settings, updates;
    bool known = t->dataset.tokenizer.kind != TOKENIZER_NONE;
    struct data_identity data = data_identity(&t->dataset);
    strbuf_init(&settings);
    strbuf_init(&updates);
    if (t->optimizer.updates)
        update_counts_print(&updates, &t->optimizer, &t->model.params.table);
    const struct checkpoint_pair position[] = {{"data", data.text},
                                               {UPDATE_COUNTS_KEY, updates.s}};
    config_print_json(t->config, &settings);
    const struct checkpoint_state state = {.step = step,
                                           .model = t->model.shape,
                                           .optimizer = t->config->optimizer,
                                           .position = position,
                                           .positions = updates.len ? 2 : 1,
                                           .settings = settings.s,
                                           .write_tokenizer =
                                               known ? write_tokenizer : NULL,
                                           .tokenizer = &t->dataset.tokenizer};
    enum status s = checkpoint_save(dir, &state, t->tensors.weights, t->tensors.n_weights,
                                    t->tensors.moments, t->tensors.n_moments,
                                    t->config->checkpoint_keep, err);
    strbuf_release(&updates);
    strbuf_release(&settings);
    return s;
}

enum status save_timed(double *seconds, struct trainer *t, const char *beginning,
                       struct err *err)
{
    struct strbuf folder, saved;
    strbuf_init(&folder);
    strbuf_init(&saved);
    strbuf_printf(&folder, "%sXXXXXX", beginning);
    enum status s = STATUS_OK;
    if (!mkdtemp(folder.s)) {
        s = file_err(err, "make", folder.s);
        goto out;
    }
    int64_t begin_ns = clock_now_ns();
    s = save_to(folder.s, t, 1, err);
    *seconds = (double)(clock_now_ns() - begin_ns) / 1e9;
    if (s)
        rmdir(folder.s); /* what was begun in it is gone */
    else
        s = checkpoint_find_latest(&saved, folder.s, err);
    if (!s)
        s = durable_remove(saved.s, err);
    if (!s)
        s = durable_remove(folder.s, err);
out:
    strbuf_release(&saved);
    strbuf_release(&folder);
    return s;
}

enum status saver_save(struct saver *v, struct trainer *t, int64_t step, struct err *err)
{
    if (!saves(t) || v->saved_step == step)
        return STATUS_OK;
    enum status s = save_to(t->config->checkpoint_dir, t, step, err);
    v->tried_ns = clock_now_ns(); /* a disk that is full is not asked at every step */
    if (s == STATUS_OK)
        v->saved_step = step;
    else
        v->failed++;
    return s;
}

/* Whatever the cause, it is the environment's: the settings were checked at the start. */
static enum status say_lost(const struct saver *v, const struct trainer *t, int64_t step,
                            const struct err *why, struct err *err)
{
    char kept[96] = "there is no checkpoint";
    if (v->saved_step)
        snprintf(kept, sizeof kept,
                 "the same command goes on from the checkpoint of step %lld",
                 (long long)v->saved_step);
    return err_set(err, STATUS_ENVIRONMENT,
                   "the training is not saved as of step %lld of %lld (%lld save%s "
                   "failed): %s; %s",
                   (long long)step, (long long)t->steps, (long long)v->failed,
                   v->failed == 1 ? "" : "s", why->text, kept);
}

enum status saver_save_last(struct saver *v, struct trainer *t, int64_t step,
                            struct err *err)
{
    struct err why = ERR_INIT;
    int32_t failed = saver_save(v, t, step, &why) != STATUS_OK;
    if (t->comm.size > 1) {
        enum status s = comm_broadcast(&t->comm, &failed, sizeof failed, 0, err);
        if (s != STATUS_OK)
            return s;
        t->agreed_to_stop = true;
    }
    if (!failed)
        return STATUS_OK;
    return t->comm.rank == 0 ? say_lost(v, t, step, &why, err) : STATUS_ENVIRONMENT;
}
