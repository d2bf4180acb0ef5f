#ifdef GAIT_TRAIN
#include "cli/sampling.h"

#include "base/file.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/new_file.h"
#include "base/thread_trial.h"
#include "checkpoint/durable.h"
#include "checkpoint/weights_source.h"
#include "cli/prompt_list.h"
#include "data/tokenizer_file.h"
#include "engine/self_check.h"
#include "generate/writing.h"
#include "machine/cpu.h"
#include "train/tensor_list.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Everything that `gait sample` holds. */
struct sampling {
    const struct sampling_options *o;
    struct weights_source weights;
    struct tokenizer tokenizer;
    struct engine engine;
    struct memory_plan plan;
    struct generator generator;
    struct prompt_list prompts;
    struct writing writing;
    float *logits; /* (prompt, V) of the first prompt, where they are wanted */
};

static enum status open_model(struct sampling *p, struct err *err)
{
    const struct engine_options engine = {"own", p->o->precision, "tiled"};
    struct self_check check;
    struct tensor_list tensors;
    int threads =
        engine_set_threads(p->o->threads ? (int)p->o->threads : cpu_usable_cores());
    enum status s = threads_try(threads, err);
    if (s == STATUS_OK)
        s = engine_init(&p->engine, &engine, err);
    if (s == STATUS_OK)
        s = engine_self_check(&p->engine, &check, err);
    if (s == STATUS_OK)
        s = generator_init(&p->generator, &p->engine, &p->weights.shape,
                           (int64_t)p->prompts.n, err);
    if (s != STATUS_OK)
        return s;
    generator_plan(&p->generator, &p->plan);
    s = memory_plan_allocate(&p->plan, err);
    if (s != STATUS_OK)
        return s;
    generator_bind(&p->generator);
    tensor_list_init(&tensors, &p->generator.params.table, &p->generator.store, NULL);
    s = weights_load(&p->weights, tensors.weights, tensors.n_weights, err);
    tensor_list_release(&tensors);
    return s;
}

static void print_token(struct sampling *p, int32_t token, bool first)
{
    size_t len = 0;
    if (p->o->print_ids) {
        printf("%s%d", first ? "" : ",", token);
    } else {
        const char *bytes = tokenizer_bytes(&p->tokenizer, (token_id)token, &len);
        fwrite(bytes, 1, len, stdout);
    }
    fflush(stdout);
}

/* One text streams; of several, each is printed when all are done. */
static void on_token(void *owner, int64_t sequence, int32_t token)
{
    struct sampling *p = owner;
    const struct written *t = &p->writing.text[sequence];
    if (p->prompts.n == 1)
        print_token(p, token, t->n == 1);
}

static void on_logits(void *owner, int64_t sequence, int64_t index, const real *logits)
{
    struct sampling *p = owner;
    size_t V = (size_t)p->generator.shape.vocab;
    if (sequence == 0 && index < p->prompts.len[0])
        memcpy(p->logits + (size_t)index * V, logits, V * sizeof *logits);
}

static void print_text(struct sampling *p, int64_t sequence, int64_t end)
{
    const struct written *t = &p->writing.text[sequence];
    for (int64_t i = 0; i < end; i++)
        print_token(p, t->token[i], i == 0);
}

static enum status write_logits(struct sampling *p, struct err *err)
{
    const uint64_t shape[] = {(uint64_t)p->prompts.len[0],
                              (uint64_t)p->generator.shape.vocab};
    struct safetensor tensor = {.name = "logits",
                                .dtype = SAFETENSORS_DTYPE_F32,
                                .shape = shape,
                                .dims = 2,
                                .get = safetensor_get_memory,
                                .owner = p->logits};
    struct safetensors_content content = {.tensor = &tensor, .n = 1};
    const char *path = p->o->logits_file;
    char *tmp = file_temporary_name(path);
    enum status st = safetensors_write(tmp, &content, err);
    if (!st && rename(tmp, path)) {
        st = file_err(err, "write", path);
        unlink(tmp);
    }
    mem_free(tmp);
    return st;
}

/* What ends a text: as the folder says, or by the names that GPT-2 and Llama 3 use. */
static int64_t stop_token(const struct sampling *p)
{
    static const char *const names[] = {"<|endoftext|>", "<|end_of_text|>"};
    int64_t found = p->weights.end_token;
    for (size_t i = 0; i < 2 && found < 0 && p->tokenizer.kind == TOKENIZER_BPE; i++)
        found = tokenizer_find(&p->tokenizer, names[i], strlen(names[i]));
    return found;
}

static enum status write_texts(struct sampling *p, struct err *err)
{
    struct writing *w = &p->writing;
    const int32_t *const *prompt = (const int32_t *const *)p->prompts.token;
    size_t V = (size_t)p->generator.shape.vocab;
    w->g = &p->generator;
    w->pick = p->o->pick;
    w->max_new = p->o->tokens;
    w->stop_token = p->o->ignore_stop ? -1 : stop_token(p);
    w->on_token = on_token;
    w->owner = p;
    if (p->o->logits_file) {
        p->logits = mem_alloc((size_t)p->prompts.len[0] * V * sizeof *p->logits);
        w->on_logits = on_logits;
    }
    enum status s = writing_open(w, prompt, p->prompts.len, err);
    if (s != STATUS_OK)
        return s;
    if (p->prompts.n == 1)
        print_text(p, 0, w->text[0].n);
    s = writing_run(w, err);
    for (int64_t b = 0; b < (int64_t)p->prompts.n && s == STATUS_OK; b++) {
        if (p->prompts.n > 1)
            print_text(p, b, w->text[b].n);
        fputs("\n", stdout);
        if (p->prompts.n > 1 && !p->o->print_ids && b + 1 < (int64_t)p->prompts.n)
            fputs("---\n", stdout);
    }
    if (s == STATUS_OK && p->o->logits_file)
        s = write_logits(p, err);
    return s;
}

static enum status open_tokenizer(struct sampling *p, struct err *err)
{
    if (p->weights.tokenizer)
        return tokenizer_open(&p->tokenizer, p->weights.tokenizer, "", err);
    if (!p->o->print_ids)
        return err_set(err, STATUS_INPUT,
                       "%s has no tokenizer.json, so its tokens cannot be read as text: "
                       "put the model's tokenizer there, or take --prompt-ids and "
                       "--print-ids",
                       p->weights.folder);
    return STATUS_OK;
}

enum status sampling_run(const struct sampling_options *o, struct err *err)
{
    struct sampling p;
    memset(&p, 0, sizeof p);
    p.o = o;
    memory_plan_init(&p.plan);
    enum status s = weights_open(&p.weights, o->weights, err);
    if (s == STATUS_OK)
        s = open_tokenizer(&p, err);
    if (s == STATUS_OK)
        s = prompt_list_init(&p.prompts, o, &p.tokenizer, p.weights.shape.vocab,
                             p.weights.begin_token, err);
    if (s == STATUS_OK)
        s = open_model(&p, err);
    if (s == STATUS_OK)
        s = write_texts(&p, err);
    writing_close(&p.writing);
    prompt_list_release(&p.prompts);
    generator_release(&p.generator);
    memory_plan_release(&p.plan);
    tokenizer_release(&p.tokenizer);
    weights_close(&p.weights);
    mem_free(p.logits);
    return s;
}

#endif
