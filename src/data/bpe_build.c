#include "data/bpe_build.h"

#include "base/names.h"
#include "base/strbuf.h"
#include "data/byte_chars.h"
#include "data/utf8.h"

#include <string.h>

enum { SHOWN = 40 }; /* bytes of a token in a message */

struct build_token {
    int64_t id;  /* -1: none */
    bool added;  /* text as it is, not byte characters */
    bool listed; /* among the added tokens */
};

struct bpe_build {
    enum word_pattern pattern;
    bool whole_words;
    struct names names;        /* the strings; name 0, the empty one, is no token */
    struct build_token *token; /* (names.n) by name */
    size_t cap_token;
    size_t tokens; /* distinct ones */
    struct bpe_merge *merge;
    size_t merges, cap_merge;
    struct added_tokens added;
    struct strbuf joined; /* scratch */
};

struct bpe_build *bpe_build_new(enum word_pattern pattern, bool whole_words)
{
    struct bpe_build *b = mem_zalloc(1, sizeof *b);
    b->pattern = pattern;
    b->whole_words = whole_words;
    names_init(&b->names);
    strbuf_init(&b->joined);
    vec_grow(b->token, b->cap_token, 1);
    b->token[0].id = -1;
    return b;
}

void bpe_build_free(struct bpe_build *b)
{
    if (!b)
        return;
    names_release(&b->names);
    mem_free(b->token);
    mem_free(b->merge);
    added_tokens_release(&b->added);
    strbuf_release(&b->joined);
    mem_free(b);
}

static int shown(size_t len)
{
    return (int)(len < SHOWN ? len : SHOWN);
}

static enum status add_string(struct bpe_build *b, const char *string, size_t len,
                              int64_t id, bool added, struct err *err)
{
    if (id < 0 || id > INT32_MAX)
        return err_set(err, STATUS_INPUT,
                       "the token \"%.*s\" has no id of 0 … %d; is the file damaged?",
                       shown(len), string, INT32_MAX);
    name_id name = names_add(&b->names, string, len);
    vec_grow(b->token, b->cap_token, b->names.n);
    b->token[name] = (struct build_token){.id = id, .added = added};
    b->tokens++;
    return STATUS_OK;
}

enum status bpe_build_token(struct bpe_build *b, const char *string, size_t len,
                            int64_t id, struct err *err)
{
    if (!len || memchr(string, '\0', len))
        return err_set(err, STATUS_INPUT,
                       "the vocabulary has a token that is empty or holds a NUL; is the "
                       "file damaged?");
    if (names_find(&b->names, string, len) >= 0)
        BUG("the token \"%.*s\" comes twice", shown(len), string);
    return add_string(b, string, len, id, false, err);
}

bool bpe_build_has(const struct bpe_build *b, const char *string, size_t len, int64_t *id)
{
    int64_t name = names_find(&b->names, string, len);
    if (name <= 0)
        return false;
    *id = b->token[name].id;
    return true;
}

/* Would a string of the vocabulary decode to something else than itself? Then its token
 * could not be told from those bytes. */
static bool stands_for_other_bytes(struct bpe_build *b, const char *text, size_t len)
{
    size_t n;
    strbuf_clear(&b->joined);
    strbuf_add(&b->joined, text, len);
    bool readable = byte_chars_read(b->joined.s, &n, text, len);
    return readable && (n != len || memcmp(b->joined.s, text, len) != 0);
}

enum status bpe_build_added(struct bpe_build *b, const char *text, size_t len, int64_t id,
                            bool second, struct err *err)
{
    int64_t known;
    if (!len) /* the reference passes it over too */
        return STATUS_OK;
    bool in_vocabulary = bpe_build_has(b, text, len, &known);
    if (in_vocabulary && b->token[names_find(&b->names, text, len)].listed)
        return err_set(err, STATUS_INPUT, "the added token \"%.*s\" comes twice",
                       shown(len), text);
    if (!in_vocabulary) /* the reference counts on, whatever the file says */
        known = (int64_t)b->tokens;
    if (known != id)
        return err_set(
            err, STATUS_INPUT,
            "the added token \"%.*s\" has the id %lld where %lld was expected; "
            "other orders of added tokens are not supported",
            shown(len), text, (long long)id, (long long)known);
    if (in_vocabulary && stands_for_other_bytes(b, text, len))
        return err_set(err, STATUS_INPUT,
                       "the added token \"%.*s\" stands for other bytes in the "
                       "vocabulary; this is not supported",
                       shown(len), text);
    enum status st = STATUS_OK;
    if (!in_vocabulary)
        st = add_string(b, text, len, id, true, err);
    if (st)
        return st;
    b->token[names_find(&b->names, text, len)].listed = true;
    added_tokens_add(&b->added, text, len, (uint32_t)id, second);
    return STATUS_OK;
}

enum status bpe_build_merge(struct bpe_build *b, const char *left, size_t left_len,
                            const char *right, size_t right_len, struct err *err)
{
    int64_t l, r, both;
    strbuf_clear(&b->joined);
    strbuf_add(&b->joined, left, left_len);
    strbuf_add(&b->joined, right, right_len);
    if (!bpe_build_has(b, left, left_len, &l) ||
        !bpe_build_has(b, right, right_len, &r) ||
        !bpe_build_has(b, b->joined.s, b->joined.len, &both))
        return err_set(err, STATUS_INPUT,
                       "merge %zu joins \"%.*s\" and \"%.*s\", and the vocabulary lacks "
                       "one of these or what they become; do the two lists belong "
                       "together?",
                       b->merges, shown(left_len), left, shown(right_len), right);
    vec_grow(b->merge, b->cap_merge, b->merges + 1);
    b->merge[b->merges] =
        (struct bpe_merge){(token_id)l, (token_id)r, (token_id)both, (uint32_t)b->merges};
    b->merges++;
    return STATUS_OK;
}

static size_t power_of_two(size_t least)
{
    size_t n = 16;
    while (n < least)
        n *= 2;
    return n;
}

static void fill_merges(struct bpe *to, const struct bpe_build *b)
{
    to->merge_slots = power_of_two(2 * b->merges);
    to->merge = mem_alloc(to->merge_slots * sizeof *to->merge);
    memset(to->merge, 0xff, to->merge_slots * sizeof *to->merge);
    size_t mask = to->merge_slots - 1;
    for (size_t k = 0; k < b->merges; k++) {
        struct bpe_merge m = b->merge[k];
        size_t i = bpe_pair_hash(m.left, m.right) & mask;
        while (to->merge[i].rank != UINT32_MAX &&
               (to->merge[i].left != m.left || to->merge[i].right != m.right))
            i = (i + 1) & mask;
        to->merge[i] = m;
    }
}

/* The names in the order of their ids; an error where an id is missing or comes twice. */
static enum status names_by_id(name_id *name, const struct bpe_build *b, struct err *err)
{
    for (name_id k = 1; k < b->names.n; k++) {
        size_t id = (size_t)b->token[k].id;
        if (id >= b->tokens)
            return err_set(err, STATUS_INPUT,
                           "the token \"%.*s\" has the id %zu in a vocabulary of %zu; "
                           "ids with gaps are not supported",
                           shown(b->names.len[k]), b->names.str[k], id, b->tokens);
        if (name[id])
            return err_set(err, STATUS_INPUT,
                           "the tokens \"%.*s\" and \"%.*s\" have the same id %zu",
                           shown(b->names.len[name[id]]), b->names.str[name[id]],
                           shown(b->names.len[k]), b->names.str[k], id);
        name[id] = k;
    }
    return STATUS_OK;
}

/* A token into the tables of bytes; where its string is not byte characters, its bytes
 * are the string's own and no word can be it. */
static void fill_token(struct bpe *to, token_id id, const char *string, size_t len,
                       bool added)
{
    char *bytes = to->text + to->begin[id];
    size_t n;
    bool readable = !added && byte_chars_read(bytes, &n, string, len);
    if (!readable) {
        memcpy(bytes, string, len);
        n = len;
    }
    to->begin[id + 1] = to->begin[id] + (uint32_t)n;
    if (!readable)
        return;
    if (n == 1)
        to->byte_token[(unsigned char)bytes[0]] = id;
    size_t mask = to->word_slots - 1, i = bpe_bytes_hash(bytes, n) & mask;
    while (to->word[i])
        i = (i + 1) & mask;
    to->word[i] = id + 1;
}

static enum status check_bytes(const struct bpe *b, struct err *err)
{
    for (int i = 0; i < 256; i++)
        if (b->byte_token[i] == UINT32_MAX)
            return err_set(err, STATUS_INPUT,
                           "the vocabulary has no token for the byte 0x%02x; only "
                           "byte-level vocabularies are supported",
                           i);
    return STATUS_OK;
}

static enum status fill_tokens(struct bpe *to, const struct bpe_build *b, struct err *err)
{
    size_t bytes = 0;
    for (name_id k = 1; k < b->names.n; k++)
        bytes += b->names.len[k];
    if (bytes > UINT32_MAX)
        return err_set(err, STATUS_INPUT, "the vocabulary's tokens are too long");
    to->n = b->tokens;
    to->text = mem_alloc(bytes);
    to->begin = mem_zalloc(to->n + 1, sizeof *to->begin);
    to->word_slots = power_of_two(2 * to->n);
    to->word = mem_zalloc(to->word_slots, sizeof *to->word);
    memset(to->byte_token, 0xff, sizeof to->byte_token);
    name_id *name = mem_zalloc(to->n, sizeof *name);
    enum status st = names_by_id(name, b, err);
    for (token_id id = 0; !st && id < to->n; id++)
        fill_token(to, id, b->names.str[name[id]], b->names.len[name[id]],
                   b->token[name[id]].added);
    mem_free(name);
    return st ? st : check_bytes(to, err);
}

enum status bpe_build_finish(struct bpe_build *b, struct bpe **out, char *json,
                             size_t json_len, struct err *err)
{
    struct bpe *to = mem_zalloc(1, sizeof *to);
    to->pattern = b->pattern;
    to->whole_words = b->whole_words;
    to->json = json;
    to->json_len = json_len;
    enum status st = fill_tokens(to, b, err);
    if (st) {
        bpe_free(to);
        return st;
    }
    fill_merges(to, b);
    to->added = b->added;
    b->added = (struct added_tokens){0};
    added_tokens_sort(&to->added);
    *out = to;
    return STATUS_OK;
}
