#include "train/save.h"

#include "base/clock.h"
#include "data/tokenizer_file.h"
#include "train/data_identity.h"

#include <math.h>

/* Rank 0 alone writes; the launcher ends the others when it fails. */
static bool saves(const struct trainer *t)
{
    return *t->config->checkpoint_dir && t->comm.rank == 0;
}

void saver_init(struct saver *v, const struct trainer *t)
{
    v->saved_step = t->first_step;
    v->saved_ns = clock_now_ns();
}

bool saver_due(const struct saver *v, const struct trainer *t, int64_t step)
{
    const struct config *c = t->config;
    double minutes = (double)(clock_now_ns() - v->saved_ns) / 60e9;
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
    struct strbuf settings;
    bool known = t->dataset.tokenizer.kind != TOKENIZER_NONE;
    struct data_identity data = data_identity(&t->dataset);
    const struct checkpoint_pair position[] = {{"data", data.text}};
    strbuf_init(&settings);
    config_print_json(t->config, &settings);
    const struct checkpoint_state state = {.step = step,
                                           .model = t->model.shape,
                                           .optimizer = t->config->optimizer,
                                           .position = position,
                                           .positions = 1,
                                           .settings = settings.s,
                                           .write_tokenizer =
                                               known ? write_tokenizer : NULL,
                                           .tokenizer = &t->dataset.tokenizer};
    enum status s = checkpoint_save(dir, &state, t->tensors.weights, t->tensors.n_weights,
                                    t->tensors.moments, t->tensors.n_moments,
                                    t->config->checkpoint_keep, err);
    strbuf_release(&settings);
    return s;
}

enum status saver_save(struct saver *v, struct trainer *t, int64_t step, struct err *err)
{
    if (!saves(t) || v->saved_step == step)
        return STATUS_OK;
    enum status s = save_to(t->config->checkpoint_dir, t, step, err);
    if (s == STATUS_OK) {
        v->saved_step = step;
        v->saved_ns = clock_now_ns();
    }
    return s;
}
