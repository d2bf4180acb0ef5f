#include "spans/span_sort.h"

#include "base/mem.h"

#include <string.h>

enum {
    INDEX_BITS = 16, /* of a word; the rest is begin_ns over the run's least */
    BEGIN_BITS = 64 - INDEX_BITS,
    DIGIT_BITS_MAX = 12,    /* counts of a digit: 16 KiB, within the L1 cache */
    INSERTION_ROWS_MAX = 8, /* fewer are not worth a merge */
};

void span_sort_init(struct span_sort *s)
{
    *s = (struct span_sort){0};
}

void span_sort_release(struct span_sort *s)
{
    mem_free(s->index);
    mem_free(s->index_spare);
    mem_free(s->word);
    mem_free(s->word_spare);
}

static void span_sort_grow(struct span_sort *s, size_t n)
{
    if (n <= s->cap)
        return;
    s->index = mem_resize(s->index, n, sizeof *s->index);
    s->index_spare = mem_resize(s->index_spare, n, sizeof *s->index_spare);
    s->word = mem_resize(s->word, n, sizeof *s->word);
    s->word_spare = mem_resize(s->word_spare, n, sizeof *s->word_spare);
    s->cap = n;
}

static bool row_is_before(const struct span_row *a, const struct span_row *b)
{
    if (a->begin_ns != b->begin_ns)
        return a->begin_ns < b->begin_ns;
    if (a->dur_ns != b->dur_ns)
        return a->dur_ns > b->dur_ns;
    return a->seq < b->seq;
}

static void insertion_sort(uint16_t *index, const struct span_row *rows, size_t n)
{
    for (size_t i = 1; i < n; i++) {
        uint16_t moved = index[i];
        size_t at = i;
        for (; at && row_is_before(&rows[moved], &rows[index[at - 1]]); at--)
            index[at] = index[at - 1];
        index[at] = moved;
    }
}

/* Stable: of equal rows, that of the left half comes first. */
static void merge_sort(uint16_t *index, uint16_t *spare, const struct span_row *rows,
                       size_t n)
{
    if (n <= INSERTION_ROWS_MAX) {
        insertion_sort(index, rows, n);
        return;
    }
    size_t half = n / 2;
    merge_sort(index, spare, rows, half);
    merge_sort(index + half, spare, rows, n - half);
    if (!row_is_before(&rows[index[half]], &rows[index[half - 1]]))
        return;
    memcpy(spare, index, half * sizeof *index);
    size_t left = 0, right = half, to = 0;
    while (left < half && right < n) {
        bool right_first = row_is_before(&rows[index[right]], &rows[spare[left]]);
        index[to++] = right_first ? index[right++] : spare[left++];
    }
    memcpy(index + to, spare + left, (half - left) * sizeof *index);
}

static void make_words(struct span_sort *s, const struct span_row *rows, size_t n,
                       int64_t least_ns)
{
    for (size_t i = 0; i < n; i++)
        s->word[i] = ((uint64_t)rows[i].begin_ns - (uint64_t)least_ns) << INDEX_BITS | i;
}

/* Sorts s->word by the digit at `shift`, stable. */
static void radix_pass(struct span_sort *s, size_t n, int shift, uint64_t digit_mask)
{
    uint32_t start[1 << DIGIT_BITS_MAX], sum = 0;
    const uint64_t *word = s->word;
    uint64_t *sorted = s->word_spare;
    memset(start, 0, (digit_mask + 1) * sizeof *start);
    for (size_t i = 0; i < n; i++)
        start[word[i] >> shift & digit_mask]++;
    for (size_t d = 0; d <= digit_mask; d++) {
        uint32_t count = start[d];
        start[d] = sum;
        sum += count;
    }
    for (size_t i = 0; i < n; i++)
        sorted[start[word[i] >> shift & digit_mask]++] = word[i];
    s->word_spare = s->word;
    s->word = sorted;
}

/* Sorts s->word by begin; digits are as wide as the begins need. */
static void radix_sort(struct span_sort *s, size_t n, uint64_t width_ns)
{
    int bits = width_ns ? 64 - __builtin_clzll(width_ns) : 0;
    int passes = (bits + DIGIT_BITS_MAX - 1) / DIGIT_BITS_MAX;
    int digit_bits = passes ? (bits + passes - 1) / passes : 0;
    for (int pass = 0; pass < passes; pass++)
        radix_pass(s, n, INDEX_BITS + pass * digit_bits, ((uint64_t)1 << digit_bits) - 1);
}

/* From sorted words to row numbers; rows of equal begin are put in order here. */
static void take_indices(struct span_sort *s, const struct span_row *rows, size_t n)
{
    size_t group = 0; /* the first of equal begin */
    for (size_t i = 0; i < n; i++) {
        s->index[i] = (uint16_t)s->word[i];
        if (s->word[i] >> INDEX_BITS == s->word[group] >> INDEX_BITS)
            continue;
        if (i - group > 1)
            merge_sort(s->index + group, s->index_spare, rows, i - group);
        group = i;
    }
    merge_sort(s->index + group, s->index_spare, rows, n - group);
}

static void index_as_added(struct span_sort *s, size_t n)
{
    for (size_t i = 0; i < n; i++)
        s->index[i] = (uint16_t)i;
}

void span_sort_rows(struct span_sort *s, const struct span_row *rows, size_t n)
{
    span_sort_grow(s, n);
    if (!n)
        return;
    int64_t least_ns = rows[0].begin_ns, most_ns = rows[0].begin_ns;
    bool in_order = true;
    for (size_t i = 1; i < n; i++) {
        in_order &= !row_is_before(&rows[i], &rows[i - 1]);
        least_ns = rows[i].begin_ns < least_ns ? rows[i].begin_ns : least_ns;
        most_ns = rows[i].begin_ns > most_ns ? rows[i].begin_ns : most_ns;
    }
    uint64_t width_ns = (uint64_t)most_ns - (uint64_t)least_ns;
    if (in_order || width_ns >> BEGIN_BITS) {
        index_as_added(s, n);
        if (!in_order)
            merge_sort(s->index, s->index_spare, rows, n);
        return;
    }
    make_words(s, rows, n, least_ns);
    radix_sort(s, n, width_ns);
    take_indices(s, rows, n);
}
