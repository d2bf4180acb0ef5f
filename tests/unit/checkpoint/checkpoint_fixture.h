/* A small model whose numbers are a function of the step, in a folder of its own. */
#ifndef GAIT_TESTS_CHECKPOINT_FIXTURE_H
#define GAIT_TESTS_CHECKPOINT_FIXTURE_H

#include "base/file.h"
#include "base/log.h"
#include "base/mem.h"
#include "checkpoint/checkpoint.h"
#include "checkpoint/durable.h"
#include "cmocka_setup.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char top[64];
static char dir[80]; /* top/out, made by what is tested */

static int make_top_in(const char *place)
{
    log_quiet(true);
    snprintf(top, sizeof top, "%s/gait-checkpoint-XXXXXX", place);
    if (!mkdtemp(top))
        return -1;
    snprintf(dir, sizeof dir, "%s/out", top);
    return 0;
}

static inline int make_top(void **state)
{
    (void)state;
    return make_top_in("/tmp");
}

static int remove_top(void **state)
{
    (void)state;
    return durable_remove(top, NULL) != STATUS_OK;
}

static int remove_dir(void **state)
{
    (void)state;
    if (file_is_dir(dir))
        durable_remove(dir, NULL);
    return file_exists(dir);
}

enum { WTE = 2 * 131101, BIAS = 3 };
static float wte[WTE], bias[BIAS], scalar[1];
static float wte_m[WTE], bias_m[BIAS], scalar_m[1];

static void get_memory(const struct checkpoint_tensor *t, int64_t first, int64_t n,
                       float *out)
{
    memcpy(out, (const float *)t->owner + first, (size_t)n * sizeof *out);
}

static int puts_done;

static void put_memory(const struct checkpoint_tensor *t, int64_t first, int64_t n,
                       const float *in)
{
    puts_done++;
    memcpy((float *)t->owner + first, in, (size_t)n * sizeof *in);
}

#define TENSOR(tensor_name, dims_, shape_, memory)                                       \
    {                                                                                    \
        .name = tensor_name, .dims = dims_, .shape = shape_, .owner = memory,            \
        .get = get_memory, .put = put_memory                                             \
    }
#define DIMS(...)                                                                        \
    {                                                                                    \
        __VA_ARGS__                                                                      \
    } /* a brace-list that survives being an argument */

static struct checkpoint_tensor weights[] = {
    TENSOR("wte", 2, DIMS(2, 131101), wte),
    TENSOR("bias", 1, DIMS(BIAS), bias),
    TENSOR("scalar", 0, DIMS(0), scalar),
};
static struct checkpoint_tensor moments[] = {
    TENSOR("m.wte", 2, DIMS(2, 131101), wte_m),
    TENSOR("m.bias", 1, DIMS(BIAS), bias_m),
    TENSOR("m.scalar", 0, DIMS(0), scalar_m),
};
enum { TENSORS = sizeof weights / sizeof *weights };

static void fill(int64_t step)
{
    for (int i = 0; i < WTE; i++) {
        wte[i] = (float)(step * 7 + i);
        wte_m[i] = -wte[i];
    }
    for (int i = 0; i < BIAS; i++) {
        bias[i] = (float)(step + i);
        bias_m[i] = -bias[i];
    }
    scalar[0] = (float)step / 3;
    scalar_m[0] = -scalar[0];
}

static bool holds(int64_t step)
{
    for (int i = 0; i < WTE; i++)
        if (wte[i] != (float)(step * 7 + i) || wte_m[i] != -wte[i])
            return false;
    return bias[1] == (float)(step + 1) && bias_m[1] == -bias[1] &&
           scalar[0] == (float)step / 3 && scalar_m[0] == -scalar[0];
}

static const struct model_shape small_shape = {.family = MODEL_FAMILY_GPT2,
                                               .layers = 4,
                                               .heads = 2,
                                               .kv_heads = 2,
                                               .width = 8,
                                               .hidden = 32,
                                               .context = 16,
                                               .vocab = 65,
                                               .bias = true,
                                               .tied = true,
                                               .norm_epsilon = 1e-5};

static enum status write_words(void *owner, const char *path, struct err *err)
{
    return durable_write(path, owner, strlen(owner), err);
}

static struct checkpoint_state state_of(int64_t step)
{
    static const struct checkpoint_pair position[] = {{"epoch", "2"}, {"é\n", "\"x\""}};
    static char words[] = "{\"words\": []}";
    return (struct checkpoint_state){.step = step,
                                     .model = small_shape,
                                     .optimizer = "adamw",
                                     .position = position,
                                     .positions = 2,
                                     .settings = "{\"layers\": 4, \"seed\": 7}",
                                     .write_tokenizer = write_words,
                                     .tokenizer = words};
}

static enum status save(int64_t step, int64_t keep, struct err *err)
{
    struct checkpoint_state s = state_of(step);
    fill(step);
    return checkpoint_save(dir, &s, weights, TENSORS, moments, TENSORS, keep, err);
}

static void save_well(int64_t step, int64_t keep)
{
    struct err err = ERR_INIT;
    if (save(step, keep, &err))
        fail_msg("%s", err.text);
}

/* The step of what was loaded from path, all of it checked; -1 where it fails. */
static int64_t load(const char *path, struct err *err)
{
    struct checkpoint c;
    if (checkpoint_open(&c, path, err))
        return -1;
    int64_t step = c.step;
    fill(-1);
    if (checkpoint_check_model(&c, &small_shape, err) ||
        checkpoint_load(&c, CHECKPOINT_WEIGHTS, weights, TENSORS, err) ||
        checkpoint_load(&c, CHECKPOINT_MOMENTS, moments, TENSORS, err))
        step = -1;
    else if (!holds(step))
        fail_msg("%s has other numbers than those of step %lld", path, (long long)step);
    checkpoint_close(&c);
    return step;
}

/* The same for what `latest` names; 0 where there is none. */
static int64_t load_latest(struct err *err)
{
    struct strbuf path;
    strbuf_init(&path);
    int64_t step = -1;
    if (!checkpoint_find_latest(&path, dir, err))
        step = path.len ? load(path.s, err) : 0;
    strbuf_release(&path);
    return step;
}

#endif
