#include "generate/writing.h"

#include "base/mem.h"

#include <string.h>

enum status writing_open(struct writing *w, const int32_t *const *prompt,
                         const int64_t *prompt_n, struct err *err)
{
    const struct model_shape *shape = &w->g->shape;
    int64_t B = w->g->B;
    enum status s = pick_check(&w->pick, err);
    if (s != STATUS_OK)
        return s;
    w->text = mem_zalloc((size_t)B, sizeof *w->text);
    w->fed = mem_zalloc((size_t)(B * shape->context), sizeof *w->fed);
    pick_work_init(&w->work, mem_alloc(pick_work_bytes(shape->vocab)), shape->vocab);
    for (int64_t b = 0; b < B; b++) {
        struct written *t = &w->text[b];
        t->cap = prompt_n[b] + w->max_new;
        t->token = mem_zalloc((size_t)t->cap + 1, sizeof *t->token);
        t->n = t->prompt = prompt_n[b];
        t->done = w->max_new == 0;
        memcpy(t->token, prompt[b], (size_t)t->n * sizeof *t->token);
        for (int64_t i = 0; i < t->n; i++)
            if (t->token[i] < 0 || t->token[i] >= shape->vocab)
                BUG("token %d of a vocabulary of %lld", t->token[i],
                    (long long)shape->vocab);
    }
    return STATUS_OK;
}

void writing_close(struct writing *w)
{
    for (int64_t b = 0; w->text && b < w->g->B; b++)
        mem_free(w->text[b].token);
    mem_free(w->text);
    mem_free(w->fed);
    mem_free(w->work.probability); /* where the work's memory begins */
    w->text = NULL;
    w->fed = NULL;
    w->work.probability = NULL;
}

/* The token of a sequence at an index; past its end its last one, which nobody reads. */
static int32_t token_at(const struct written *t, int64_t index)
{
    return t->token[index < t->n ? index : t->n - 1];
}

/* Feed the tokens of indices first … first + n - 1 at place `place` on. */
static void feed(struct writing *w, int64_t first, int64_t n, int64_t place)
{
    int64_t B = w->g->B;
    for (int64_t i = 0; i < n; i++)
        for (int64_t b = 0; b < B; b++)
            w->fed[i * B + b] = token_at(&w->text[b], first + i);
    generator_feed(w->g, w->fed, n, place);
}

static void report_logits(struct writing *w, int64_t index)
{
    for (int64_t b = 0; w->on_logits && b < w->g->B; b++)
        if (index < w->text[b].n)
            w->on_logits(w->owner, b, index, w->g->logits + b * w->g->shape.vocab);
}

/* Sequences that end at `index` get their next token. */
static enum status write_next(struct writing *w, int64_t index, struct err *err)
{
    for (int64_t b = 0; b < w->g->B; b++) {
        struct written *t = &w->text[b];
        if (t->done || t->n != index + 1)
            continue;
        int64_t token =
            pick_token(&w->work, &w->pick, w->g->logits + b * w->g->shape.vocab, t->token,
                       (size_t)t->n, (uint64_t)b, (uint32_t)t->n);
        if (token < 0)
            return err_set(err, STATUS_INPUT,
                           "after %lld tokens the model gives no number that can be "
                           "taken: are its weights NaN?",
                           (long long)t->n);
        t->done = token == w->stop_token;
        if (t->done)
            continue;
        t->token[t->n++] = (int32_t)token;
        t->done = t->n - t->prompt == w->max_new;
        if (w->on_token)
            w->on_token(w->owner, b, (int32_t)token);
    }
    return STATUS_OK;
}

static bool all_done(const struct writing *w, int64_t index)
{
    for (int64_t b = 0; b < w->g->B; b++) {
        const struct written *t = &w->text[b];
        bool logits_wanted = w->on_logits && index + 1 < t->n;
        if (!t->done || logits_wanted)
            return false;
    }
    return true;
}

/* Tokens that every sequence has: they can be read at once. */
static int64_t common_prompt(const struct writing *w)
{
    int64_t n = w->text[0].n;
    for (int64_t b = 1; b < w->g->B; b++)
        n = w->text[b].n < n ? w->text[b].n : n;
    return w->on_logits ? 1 : n;
}

enum status writing_run(struct writing *w, struct err *err)
{
    int64_t context = w->g->shape.context, keep = context > 1 ? context / 2 : 1;
    int64_t read = common_prompt(w);                 /* tokens fed so far */
    int64_t base = read > context ? read - keep : 0; /* index at place 0 */
    enum status s = STATUS_OK;
    feed(w, base, read - base, 0);
    for (;;) {
        report_logits(w, read - 1);
        s = write_next(w, read - 1, err);
        if (s != STATUS_OK || all_done(w, read - 1))
            return s;
        if (read - base == context) {
            base = read + 1 - keep;
            feed(w, base, keep, 0);
        } else {
            feed(w, read, 1, read - base);
        }
        read++;
    }
}
