#include "data/token_range.h"

#include "base/mem.h"
#include "data/token_check.h"

#include <string.h>

#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "token files are little-endian and are mapped as they are"
#endif

void token_range_add(struct token_range *r, struct token_piece piece)
{
    if (piece.width != 2 && piece.width != 4)
        BUG("tokens of %d bytes", piece.width);
    if (!piece.n)
        return;
    vec_grow(r->piece, r->cap, r->pieces + 1);
    piece.begin = r->n;
    r->piece[r->pieces++] = piece;
    r->n += piece.n;
}

void token_range_add_part(struct token_range *r, const struct token_range *from,
                          size_t begin, size_t n)
{
    if (begin > from->n || n > from->n - begin)
        BUG("tokens %zu … + %zu of %zu", begin, n, from->n);
    for (size_t i = 0; i < from->pieces && n; i++) {
        struct token_piece p = from->piece[i];
        if (begin >= p.begin + p.n)
            continue;
        size_t skip = begin - p.begin;
        p.base = (const char *)p.base + skip * (size_t)p.width;
        p.path_at += skip;
        p.n = p.n - skip < n ? p.n - skip : n;
        token_range_add(r, p);
        begin += p.n;
        n -= p.n;
    }
}

void token_range_release(struct token_range *r)
{
    mem_free(r->piece);
    *r = (struct token_range){0};
}

/* The piece that holds a place. */
static const struct token_piece *piece_at(const struct token_range *r, size_t place)
{
    size_t lo = 0, hi = r->pieces;
    while (hi - lo > 1) {
        size_t middle = lo + (hi - lo) / 2;
        if (r->piece[middle].begin <= place)
            lo = middle;
        else
            hi = middle;
    }
    return &r->piece[lo];
}

/* These two return the largest token, so that one comparison checks them all. */
static uint32_t copy_narrow(int32_t *restrict out, const uint16_t *restrict src, size_t n)
{
    uint16_t max = 0;
    for (size_t i = 0; i < n; i++) {
        out[i] = src[i];
        max = src[i] > max ? src[i] : max;
    }
    return max;
}

static uint32_t copy_wide(int32_t *restrict out, const uint32_t *restrict src, size_t n)
{
    uint32_t max = 0;
    for (size_t i = 0; i < n; i++) {
        out[i] = (int32_t)src[i];
        max = src[i] > max ? src[i] : max;
    }
    return max;
}

static uint32_t piece_copy(const struct token_piece *p, int32_t *out, size_t begin,
                           size_t n)
{
    if (p->width == 2)
        return copy_narrow(out, (const uint16_t *)p->base + begin, n);
    return copy_wide(out, (const uint32_t *)p->base + begin, n);
}

static enum status piece_check(const struct token_piece *p, size_t begin, size_t n,
                               struct err *err)
{
    size_t width = (size_t)p->width;
    if (!p->check)
        return STATUS_OK;
    return token_check_part(p->check, (const char *)p->base + begin * width, n * width,
                            err);
}

static enum status say_where(const struct token_piece *p, int32_t *out, size_t begin,
                             size_t n, size_t vocabulary, struct err *err)
{
    size_t i = 0;
    while (i < n && (uint32_t)out[i] < vocabulary)
        i++;
    uint32_t token = i < n ? (uint32_t)out[i] : 0;
    memset(out, 0, n * sizeof *out);
    return err_set(err, STATUS_INPUT,
                   "%s: token %zu is %u, and the vocabulary has %zu; is it the right "
                   "file for this tokenizer, and not damaged?",
                   p->path ? p->path : "the text", p->path_at + begin + i, token,
                   vocabulary);
}

enum status token_range_copy(const struct token_range *r, int32_t *out, size_t begin,
                             size_t n, size_t vocabulary, struct err *err)
{
    if (begin > r->n || n > r->n - begin)
        BUG("tokens %zu … + %zu of %zu", begin, n, r->n);
    while (n) {
        const struct token_piece *p = piece_at(r, begin);
        size_t at = begin - p->begin, take = p->n - at < n ? p->n - at : n;
        enum status st = piece_check(p, at, take, err);
        if (st) {
            memset(out, 0, n * sizeof *out);
            return st;
        }
        if (piece_copy(p, out, at, take) >= vocabulary)
            return say_where(p, out, at, take, vocabulary, err);
        out += take;
        begin += take;
        n -= take;
    }
    return STATUS_OK;
}

enum status token_range_check(const struct token_range *r, struct err *err)
{
    enum status st = STATUS_OK;
    for (size_t k = 0; k < r->pieces && !st; k++)
        st = piece_check(&r->piece[k], 0, r->piece[k].n, err);
    return st;
}

uint32_t token_range_max(const struct token_range *r)
{
    int32_t scratch[4096];
    uint32_t max = 0;
    for (size_t k = 0; k < r->pieces; k++) {
        const struct token_piece *p = &r->piece[k];
        for (size_t at = 0, n; at < p->n; at += n) {
            n = p->n - at < 4096 ? p->n - at : 4096;
            uint32_t m = piece_copy(p, scratch, at, n);
            max = m > max ? m : max;
        }
    }
    return max;
}
