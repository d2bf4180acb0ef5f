#ifdef GAIT_TRAIN
#include "cli/prompt_list.h"

#include "base/file.h"
#include "base/mem.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { PROMPTS_FILE_MAX_BYTES = 64 << 20 };

/* A prompt of n tokens, which the list copies. */
static enum status add_tokens(struct prompt_list *l, const token_id *id, size_t n,
                              int64_t vocab, struct err *err)
{
    for (size_t i = 0; i < n; i++)
        if (id[i] >= (uint64_t)vocab)
            return err_set(err, STATUS_INPUT,
                           "token %u is outside the model's vocabulary of %lld: is this "
                           "its tokenizer?",
                           id[i], (long long)vocab);
    vec_grow(l->token, l->cap, l->n + 1);
    vec_grow(l->len, l->cap_len, l->n + 1);
    l->token[l->n] = mem_alloc((n + 1) * sizeof **l->token);
    for (size_t i = 0; i < n; i++)
        l->token[l->n][i] = (int32_t)id[i];
    l->len[l->n++] = (int64_t)n;
    return STATUS_OK;
}

static enum status add_text(struct prompt_list *l, const struct tokenizer *t,
                            const char *text, size_t len, int64_t vocab, struct err *err)
{
    struct token_list tokens = {0};
    if (t->kind == TOKENIZER_NONE)
        return err_set(err, STATUS_INPUT,
                       "the folder has no tokenizer.json: give the prompt as "
                       "--prompt-ids and take --print-ids");
    enum status s = tokenizer_encode(t, &tokens, text, len, err);
    if (s == STATUS_OK && !tokens.n)
        s = err_set(err, STATUS_USAGE,
                    "a prompt is empty: give it a word, or no prompt at all");
    if (s == STATUS_OK)
        s = add_tokens(l, tokens.id, tokens.n, vocab, err);
    token_list_release(&tokens);
    return s;
}

static enum status add_lines(struct prompt_list *l, const struct tokenizer *t,
                             const char *path, int64_t vocab, struct err *err)
{
    char *text;
    size_t len;
    enum status s = file_read(&text, &len, path, PROMPTS_FILE_MAX_BYTES, err);
    if (s != STATUS_OK)
        return s;
    for (size_t at = 0; at < len && s == STATUS_OK;) {
        const char *end = memchr(text + at, '\n', len - at);
        size_t n = end ? (size_t)(end - text) - at : len - at;
        if (n)
            s = add_text(l, t, text + at, n, vocab, err);
        at += n + 1;
    }
    mem_free(text);
    return s;
}

static enum status add_numbers(struct prompt_list *l, const char *text, int64_t vocab,
                               struct err *err)
{
    struct token_list tokens = {0};
    enum status s = STATUS_OK;
    for (const char *p = text; *p && s == STATUS_OK;) {
        char *end;
        errno = 0;
        unsigned long v = strtoul(p, &end, 10);
        if (end == p || errno || v > UINT32_MAX || *p == '-' || (*end && *end != ','))
            s = err_set(err, STATUS_USAGE,
                        "--prompt-ids is \"%s\"; allowed: whole numbers with commas "
                        "between them",
                        text);
        else
            token_list_add(&tokens, (token_id)v);
        p = *end ? end + 1 : end;
    }
    if (s == STATUS_OK && !tokens.n)
        s = err_set(err, STATUS_USAGE, "--prompt-ids is empty");
    if (s == STATUS_OK)
        s = add_tokens(l, tokens.id, tokens.n, vocab, err);
    token_list_release(&tokens);
    return s;
}

/* A text must begin with something. */
static enum status add_beginning(struct prompt_list *l, const struct tokenizer *t,
                                 int64_t vocab, int64_t begin_token, struct err *err)
{
    token_id first = (token_id)(begin_token >= 0 ? begin_token : 0);
    if (begin_token < 0 && t->kind != TOKENIZER_NONE && tokenizer_find(t, "\n", 1) >= 0)
        first = (token_id)tokenizer_find(t, "\n", 1);
    return add_tokens(l, &first, 1, vocab, err);
}

enum status prompt_list_init(struct prompt_list *l, const struct sampling_options *o,
                             const struct tokenizer *t, int64_t vocab,
                             int64_t begin_token, struct err *err)
{
    enum status s = STATUS_OK;
    memset(l, 0, sizeof *l);
    for (size_t i = 0; i < o->n_prompts && s == STATUS_OK; i++)
        s = add_text(l, t, o->prompt[i], strlen(o->prompt[i]), vocab, err);
    if (s == STATUS_OK && o->prompts_file)
        s = add_lines(l, t, o->prompts_file, vocab, err);
    if (s == STATUS_OK && o->prompt_ids)
        s = add_numbers(l, o->prompt_ids, vocab, err);
    if (s == STATUS_OK && !l->n)
        s = add_beginning(l, t, vocab, begin_token, err);
    if (s != STATUS_OK)
        prompt_list_release(l);
    return s;
}

void prompt_list_release(struct prompt_list *l)
{
    for (size_t i = 0; i < l->n; i++)
        mem_free(l->token[i]);
    mem_free(l->token);
    mem_free(l->len);
    memset(l, 0, sizeof *l);
}

#endif
