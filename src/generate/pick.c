/*
 * Which tokens stay is a cut through one order: score descending, then token ascending.
 * The cut is found with a heap that gives up its largest as long as needed, so that a
 * full sort is never made; then one pass in the order of tokens applies it.
 *
 * Invariant of the heap: heap[0 … left) is a max-heap, heap[left … n) are the ranked
 * tokens, the best last.
 */
#include "generate/pick.h"

#include "data/counter_random.h"

#include <math.h>
#include <stdbool.h>

enum status pick_check(const struct pick_options *o, struct err *err)
{
    if (!(o->repetition_penalty > 0) || !isfinite(o->repetition_penalty))
        return err_set(err, STATUS_USAGE,
                       "repetition_penalty is %g; give a number above 0, 1 for none",
                       o->repetition_penalty);
    if (!(o->temperature >= 0) || !isfinite(o->temperature))
        return err_set(err, STATUS_USAGE,
                       "temperature is %g; give 0 for the likeliest token, or more",
                       o->temperature);
    if (o->top_k < 0)
        return err_set(err, STATUS_USAGE, "top_k is %lld; give 0 for all tokens, or more",
                       (long long)o->top_k);
    if (!(o->top_p >= 0 && o->top_p <= 1))
        return err_set(err, STATUS_USAGE, "top_p is %g; give a number from 0 to 1",
                       o->top_p);
    if (!(o->min_p >= 0 && o->min_p <= 1))
        return err_set(err, STATUS_USAGE, "min_p is %g; give a number from 0 to 1",
                       o->min_p);
    return STATUS_OK;
}

size_t pick_work_bytes(int64_t vocab)
{
    if (vocab < 1 || vocab > INT32_MAX)
        BUG("a vocabulary of %lld", (long long)vocab);
    return (size_t)vocab * (sizeof(double) + sizeof(int32_t));
}

void pick_work_init(struct pick_work *w, void *memory, int64_t vocab)
{
    w->vocab = vocab;
    w->probability = memory;
    w->heap = (int32_t *)(w->probability + vocab);
}

/* The scores stand where the probabilities will. */
static void fill_scores(struct pick_work *w, const struct pick_options *o,
                        const float *logits, const int32_t *seen, size_t n_seen)
{
    double *score = w->probability;
    for (int64_t i = 0; i < w->vocab; i++)
        score[i] = isnan(logits[i]) ? -INFINITY : (double)logits[i];
    if (o->repetition_penalty == 1)
        return;
    for (size_t i = 0; i < n_seen; i++) {
        if (seen[i] < 0 || seen[i] >= w->vocab || isnan(logits[seen[i]]))
            continue;
        double logit = (double)logits[seen[i]]; /* not score: a token may be seen twice */
        score[seen[i]] =
            logit < 0 ? logit * o->repetition_penalty : logit / o->repetition_penalty;
    }
}

static int64_t largest(const struct pick_work *w)
{
    int64_t best = -1;
    for (int64_t i = 0; i < w->vocab; i++)
        if (w->probability[i] > (best < 0 ? -INFINITY : w->probability[best]))
            best = i;
    return best;
}

/* Every score as it is relative to the largest: at most 0, so that exp() is at most 1. */
static void scale_scores(struct pick_work *w, const struct pick_options *o, double best)
{
    for (int64_t i = 0; i < w->vocab; i++) {
        double *score = &w->probability[i];
        if (best == INFINITY)
            *score = *score == INFINITY ? 0 : -INFINITY;
        else
            *score = (*score - best) / o->temperature;
    }
}

struct ranking {
    const double *score;
    int32_t *heap;
    int64_t left, n;
};

static bool is_before(const struct ranking *r, int32_t a, int32_t b)
{
    return r->score[a] > r->score[b] || (r->score[a] == r->score[b] && a < b);
}

static void sift_down(struct ranking *r, int64_t at)
{
    int32_t moving = r->heap[at];
    for (int64_t child; (child = 2 * at + 1) < r->left; at = child) {
        if (child + 1 < r->left && is_before(r, r->heap[child + 1], r->heap[child]))
            child++;
        if (!is_before(r, r->heap[child], moving))
            break;
        r->heap[at] = r->heap[child];
    }
    r->heap[at] = moving;
}

static void ranking_init(struct ranking *r, struct pick_work *w)
{
    *r = (struct ranking){.score = w->probability, .heap = w->heap};
    for (int64_t i = 0; i < w->vocab; i++)
        if (r->score[i] > -INFINITY)
            r->heap[r->n++] = (int32_t)i;
    r->left = r->n;
    for (int64_t i = r->n / 2 - 1; i >= 0; i--)
        sift_down(r, i);
}

/* The token that is i-th in the order, from 0. */
static int32_t ranked(struct ranking *r, int64_t i)
{
    while (r->n - r->left <= i) {
        int32_t top = r->heap[0];
        r->heap[0] = r->heap[--r->left];
        r->heap[r->left] = top;
        if (r->left)
            sift_down(r, 0);
    }
    return r->heap[r->n - 1 - i];
}

static int64_t count_top_k(struct ranking *r, int64_t top_k)
{
    if (!top_k || top_k >= r->n)
        return r->n;
    int64_t count = top_k;
    double last = r->score[ranked(r, top_k - 1)];
    while (count < r->n && r->score[ranked(r, count)] == last)
        count++;
    return count;
}

static int64_t count_top_p(struct ranking *r, int64_t count, double top_p)
{
    double total = 0, above = 0;
    if (top_p >= 1)
        return count;
    if (count == r->n)
        for (int64_t i = 0; i < r->n; i++)
            total += exp(r->score[r->heap[i]]);
    else
        for (int64_t i = 0; i < count; i++)
            total += exp(r->score[ranked(r, i)]);
    int64_t stay = 0;
    while (stay < count && (!stay || above < top_p * total))
        above += exp(r->score[ranked(r, stay++)]);
    return stay;
}

/* The last token that stays by top_k and top_p; -1 where all do. */
static int64_t last_to_stay(struct pick_work *w, const struct pick_options *o)
{
    struct ranking r;
    if (!o->top_k && o->top_p >= 1)
        return -1;
    ranking_init(&r, w);
    int64_t stay = count_top_p(&r, count_top_k(&r, o->top_k), o->top_p);
    return stay < r.n ? ranked(&r, stay - 1) : -1;
}

/* Scores into probabilities; what is behind the last that stays gets 0. */
static int64_t cut_and_normalise(struct pick_work *w, int64_t last, double min_p)
{
    double total = 0, last_score = last < 0 ? -INFINITY : w->probability[last];
    int64_t stay = 0;
    for (int64_t i = 0; i < w->vocab; i++) {
        double score = w->probability[i], weight = exp(score);
        bool stays = score > last_score || (score == last_score && i <= last);
        w->probability[i] = stays && weight >= min_p ? weight : 0;
        stay += w->probability[i] > 0;
        total += w->probability[i];
    }
    for (int64_t i = 0; i < w->vocab; i++)
        w->probability[i] /= total;
    return stay;
}

static int64_t only(struct pick_work *w, int64_t token)
{
    for (int64_t i = 0; i < w->vocab; i++)
        w->probability[i] = i == token;
    return 1;
}

int64_t pick_distribution(struct pick_work *w, const struct pick_options *o,
                          const float *logits, const int32_t *seen, size_t n_seen)
{
    fill_scores(w, o, logits, seen, n_seen);
    int64_t best = largest(w);
    if (best < 0)
        return 0;
    if (o->temperature == 0)
        return only(w, best);
    scale_scores(w, o, w->probability[best]);
    return cut_and_normalise(w, last_to_stay(w, o), o->min_p);
}

int64_t pick_token(struct pick_work *w, const struct pick_options *o, const float *logits,
                   const int32_t *seen, size_t n_seen, uint64_t sequence,
                   uint32_t position)
{
    if (!pick_distribution(w, o, logits, seen, n_seen))
        return -1;
    uint64_t bits = random_at(o->seed, RANDOM_STREAM_PICK, sequence, position);
    double at = (double)(bits >> 11) * 0x1p-53; /* 0 … 1, never 1 */
    int64_t token = -1;
    for (int64_t i = 0; i < w->vocab && at >= 0; i++)
        if (w->probability[i] > 0) {
            token = i; /* rounding may leave a rest: then it is the last that stays */
            at -= w->probability[i];
        }
    return token;
}
