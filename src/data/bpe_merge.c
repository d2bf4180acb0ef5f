/*
 * Merging: the symbols of a word are a list linked by places, the mergeable pairs a heap
 * ordered by (rank, place). A merge joins the right symbol into the left one and offers
 * the two new pairs; an offer whose symbols have changed since is recognised when it
 * comes up, since its pair no longer gives its result. Each symbol is merged away at most
 * once, so a word of n bytes takes n log n.
 *
 * Words repeat: those of up to CACHE_BYTES bytes and CACHE_TOKENS tokens are remembered
 * in a table where a newer word takes an older one's place.
 */
#include "data/bpe.h"

#include "base/status.h"

#include <string.h>

enum { CACHE_SLOTS = 1 << 14, CACHE_BYTES = 23, CACHE_TOKENS = 8 };
enum { NO_SYMBOL = -1 };

struct cached_word {
    uint8_t len; /* 0: free */
    char bytes[CACHE_BYTES];
    uint32_t n;
    token_id token[CACHE_TOKENS];
};

struct symbol {
    token_id id;
    int32_t before, after; /* places, or NO_SYMBOL */
    bool gone;
};

struct offer {
    uint64_t order; /* rank in the upper half, place of the left symbol in the lower */
    token_id result;
};

struct bpe_work {
    const struct bpe *bpe;
    struct symbol *symbol; /* (bytes of the word) */
    size_t cap_symbol;
    struct offer *heap; /* (offers), the first to come at 0 */
    size_t offers, cap_heap;
    struct cached_word cache[CACHE_SLOTS];
};

struct bpe_work *bpe_work_new(const struct bpe *b)
{
    struct bpe_work *w = mem_zalloc(1, sizeof *w);
    w->bpe = b;
    return w;
}

void bpe_work_free(struct bpe_work *w)
{
    if (!w)
        return;
    mem_free(w->symbol);
    mem_free(w->heap);
    mem_free(w);
}

static void heap_push(struct bpe_work *w, struct offer o)
{
    vec_grow(w->heap, w->cap_heap, w->offers + 1);
    size_t i = w->offers++;
    for (; i && w->heap[(i - 1) / 2].order > o.order; i = (i - 1) / 2)
        w->heap[i] = w->heap[(i - 1) / 2];
    w->heap[i] = o;
}

static struct offer heap_pop(struct bpe_work *w)
{
    struct offer top = w->heap[0], last = w->heap[--w->offers];
    size_t i = 0;
    for (size_t child = 1; child < w->offers; child = 2 * i + 1) {
        if (child + 1 < w->offers && w->heap[child + 1].order < w->heap[child].order)
            child++;
        if (w->heap[child].order >= last.order)
            break;
        w->heap[i] = w->heap[child];
        i = child;
    }
    w->heap[i] = last;
    return top;
}

/* Offer to merge the symbol at `left` with the one behind it. */
static void offer_pair(struct bpe_work *w, int32_t left)
{
    int32_t right = left < 0 ? NO_SYMBOL : w->symbol[left].after;
    if (right < 0)
        return;
    const struct bpe_merge *m =
        bpe_find_merge(w->bpe, w->symbol[left].id, w->symbol[right].id);
    if (m)
        heap_push(w, (struct offer){(uint64_t)m->rank << 32 | (uint32_t)left, m->result});
}

static bool offer_holds(const struct bpe_work *w, int32_t left, token_id result)
{
    const struct symbol *s = &w->symbol[left];
    if (s->gone || s->after < 0)
        return false;
    const struct bpe_merge *m = bpe_find_merge(w->bpe, s->id, w->symbol[s->after].id);
    return m && m->result == result;
}

static void merge_all(struct bpe_work *w)
{
    while (w->offers) {
        struct offer o = heap_pop(w);
        int32_t left = (int32_t)(uint32_t)o.order;
        if (!offer_holds(w, left, o.result))
            continue;
        struct symbol *s = &w->symbol[left], *eaten = &w->symbol[s->after];
        s->id = o.result;
        s->after = eaten->after;
        eaten->gone = true;
        if (s->after >= 0)
            w->symbol[s->after].before = left;
        offer_pair(w, s->before);
        offer_pair(w, left);
    }
}

static void word_merge(struct bpe_work *w, struct token_list *out, const char *word,
                       size_t len)
{
    if (len > INT32_MAX)
        BUG("a word of %zu bytes", len);
    vec_grow(w->symbol, w->cap_symbol, len);
    for (size_t i = 0; i < len; i++)
        w->symbol[i] = (struct symbol){.id = w->bpe->byte_token[(unsigned char)word[i]],
                                       .before = (int32_t)i - 1,
                                       .after = i + 1 < len ? (int32_t)i + 1 : NO_SYMBOL};
    w->offers = 0;
    for (size_t i = 0; i < len; i++)
        offer_pair(w, (int32_t)i);
    merge_all(w);
    for (int32_t i = 0; i >= 0; i = w->symbol[i].after)
        token_list_add(out, w->symbol[i].id);
}

static void word_encode(struct bpe_work *w, struct token_list *out, const char *word,
                        size_t len)
{
    int64_t whole = w->bpe->whole_words ? bpe_find(w->bpe, word, len) : -1;
    if (whole >= 0)
        token_list_add(out, (token_id)whole);
    else
        word_merge(w, out, word, len);
}

void bpe_word(struct bpe_work *w, struct token_list *out, const char *word, size_t len)
{
    if (!len)
        return;
    if (len > CACHE_BYTES) {
        word_encode(w, out, word, len);
        return;
    }
    struct cached_word *c = &w->cache[bpe_bytes_hash(word, len) % CACHE_SLOTS];
    if (c->len != len || memcmp(c->bytes, word, len)) {
        size_t before = out->n;
        word_encode(w, out, word, len);
        size_t n = out->n - before;
        if (n <= CACHE_TOKENS) {
            c->len = (uint8_t)len;
            memcpy(c->bytes, word, len);
            c->n = (uint32_t)n;
            memcpy(c->token, out->id + before, n * sizeof *c->token);
        }
        return;
    }
    for (uint32_t i = 0; i < c->n; i++)
        token_list_add(out, c->token[i]);
}

/* The pass over added tokens, then the next one over what lies between them; behind the
 * last pass the text is split into words. */
static void text_pass(struct bpe_work *w, struct token_list *out, const char *text,
                      size_t len, int pass)
{
    while (len) {
        size_t at = len;
        const struct added_token *t =
            added_tokens_next(&w->bpe->added, pass, text, len, &at);
        if (pass == 0)
            text_pass(w, out, text, at, 1);
        else
            for (size_t i = 0, n; i < at; i += n) {
                n = word_next(w->bpe->pattern, text + i, at - i);
                bpe_word(w, out, text + i, n);
            }
        if (t)
            token_list_add(out, t->id);
        size_t took = at + (t ? t->len : 0);
        text += took;
        len -= took;
    }
}

void bpe_text(struct bpe_work *w, struct token_list *out, const char *text, size_t len)
{
    text_pass(w, out, text, len, 0);
}
