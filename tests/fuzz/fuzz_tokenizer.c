/*
 * Any bytes as a tokenizer.json; where a NUL stands in them, as the vocab.json before it
 * and the merges.txt behind it. An error that says why; or a tokenizer whose tokens give
 * a text back, and which, saved and read again, gives the same tokens.
 */
#include "base/strbuf.h"
#include "data/bpe.h"
#include "data/tokenizer_file.h"
#include "memory_file.h"

#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct memory_file json, vocab, merges;
static struct memory_folder folder;

static const char sample[] = "It's 1234 tokens,\n\n  na\xc3\xafve "
                             "\xe2\x82\xac\xf0\x9f\x98\x80 he'll<|endoftext|> ab\t";

static void remove_folder(void)
{
    memory_folder_remove(&folder);
}

static void make_folder(void)
{
    memory_file_set(&vocab, NULL, 0);
    memory_file_set(&merges, NULL, 0);
    memory_folder_init(&folder);
    memory_folder_add(&folder, "vocab.json", &vocab);
    memory_folder_add(&folder, "merges.txt", &merges);
    atexit(remove_folder);
}

static const char *path_of(const uint8_t *data, size_t size)
{
    const uint8_t *nul = size ? memchr(data, 0, size) : NULL;
    if (!nul)
        return memory_file_set(&json, data, size);
    memory_file_set(&vocab, data, (size_t)(nul - data));
    memory_file_set(&merges, nul + 1, size - (size_t)(nul - data) - 1);
    return folder.path;
}

/* The sample's tokens; none where its characters are not in the vocabulary. */
static void encode(const struct tokenizer *t, struct token_list *tokens)
{
    struct err err = ERR_INIT;
    struct strbuf back;
    *tokens = (struct token_list){0};
    if (tokenizer_encode(t, tokens, sample, sizeof sample - 1, &err)) {
        if (t->kind != TOKENIZER_CHARS || !*err.text)
            abort();
        tokens->n = 0;
        return;
    }
    strbuf_init(&back);
    tokenizer_decode(t, &back, tokens->id, tokens->n);
    if (back.len != sizeof sample - 1 || memcmp(back.s, sample, back.len))
        abort();
    strbuf_release(&back);
}

static void check_saved(const struct tokenizer *t, const struct token_list *tokens)
{
    struct tokenizer again;
    struct token_list others;
    struct err err = ERR_INIT;
    if (t->kind != TOKENIZER_BPE)
        return;
    const char *path = memory_file_set(&json, t->bpe->json, t->bpe->json_len);
    if (tokenizer_open(&again, path, NULL, &err) || again.n != t->n)
        abort();
    encode(&again, &others);
    if (others.n != tokens->n ||
        (others.n && memcmp(others.id, tokens->id, others.n * sizeof *others.id)))
        abort();
    token_list_release(&others);
    tokenizer_release(&again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct tokenizer t;
    struct token_list tokens;
    struct err err = ERR_INIT;
    if (!*folder.path)
        make_folder();
    if (tokenizer_open(&t, path_of(data, size), NULL, &err)) {
        if (!*err.text || err.status != STATUS_INPUT)
            abort();
        return 0;
    }
    encode(&t, &tokens);
    check_saved(&t, &tokens);
    token_list_release(&tokens);
    tokenizer_release(&t);
    return 0;
}
