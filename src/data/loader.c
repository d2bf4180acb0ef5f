#include "data/loader.h"

#include "data/counter_random.h"
#include "probe/probe.h"

#include <string.h>

/* Positions times rows, which may pass 2^63. */
typedef unsigned __int128 sample_number;

static int64_t smaller(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static enum status loader_check(const struct token_range *text,
                                const struct loader_options *o, struct err *err)
{
    if (o->batch < 1 || o->context < 1 || o->ranks < 1 || o->min_context < 0 ||
        o->rank < 0 || o->rank >= o->ranks || !o->vocabulary)
        BUG("a loader for batch %lld, context %lld, rank %d of %d, vocabulary %zu",
            (long long)o->batch, (long long)o->context, o->rank, o->ranks, o->vocabulary);
    if (o->batch % o->ranks) {
        int64_t fits = (o->batch + o->ranks - 1) / o->ranks * o->ranks;
        return err_set(err, STATUS_USAGE,
                       "batch_size %lld cannot be shared equally by %d processes; use "
                       "batch_size %lld or another number of processes",
                       (long long)o->batch, o->ranks, (long long)fits);
    }
    if (o->min_context >= o->context)
        return err_set(err, STATUS_USAGE,
                       "eval_min_context %lld leaves nothing to score in a context of "
                       "%lld; use at most %lld",
                       (long long)o->min_context, (long long)o->context,
                       (long long)o->context - 1);
    if (text->n <= (size_t)o->context)
        return err_set(err, STATUS_INPUT,
                       "the text has %zu tokens and a window needs context + 1 = %lld; "
                       "use a longer text or a smaller context",
                       text->n, (long long)o->context + 1);
    return STATUS_OK;
}

enum status loader_init(struct loader *l, const struct token_range *text,
                        const struct loader_options *o, struct err *err)
{
    enum status st = loader_check(text, o, err);
    if (st)
        return st;
    int64_t n = (int64_t)text->n, T = o->context;
    *l = (struct loader){.text = *text, .o = *o, .rows = o->batch / o->ranks};
    /* offset + windows * T + 1 <= n for each offset below offsets: all targets exist. */
    l->offsets = o->shuffle ? smaller(T, n - T) : 1;
    l->windows = (n - l->offsets) / T;
    l->validation_windows = (n - 1 - T) / (T - o->min_context) + 1;
    return STATUS_OK;
}

static enum status window_copy(const struct loader *l, int64_t begin, int32_t *inputs,
                               int32_t *targets, struct err *err)
{
    size_t T = (size_t)l->o.context, at = (size_t)begin;
    enum status st = token_range_copy(&l->text, inputs, at, T, l->o.vocabulary, err);
    memcpy(targets, inputs + 1, (T - 1) * sizeof *targets);
    if (!st)
        st = token_range_copy(&l->text, targets + T - 1, at + T, 1, l->o.vocabulary, err);
    return st;
}

/* Where training sample number `sample` of the whole training begins. */
static int64_t window_begin(const struct loader *l, sample_number sample)
{
    uint64_t windows = (uint64_t)l->windows;
    uint64_t epoch = (uint64_t)(sample / windows), i = (uint64_t)(sample % windows);
    if (!l->o.shuffle)
        return (int64_t)i * l->o.context;
    uint64_t offset =
        random_below(random_at(l->o.seed, RANDOM_STREAM_WINDOW_OFFSET, epoch, 0),
                     (uint64_t)l->offsets);
    uint64_t window =
        random_permute(l->o.seed, RANDOM_STREAM_WINDOW_ORDER, epoch, i, windows);
    return (int64_t)offset + (int64_t)window * l->o.context;
}

/* Of this rank's first row. */
static sample_number first_sample(const struct loader *l, int64_t position)
{
    return (sample_number)position * (uint64_t)l->o.batch +
           (uint64_t)(l->o.rank * l->rows);
}

static void record(const struct loader *l, int64_t begin_ns)
{
    int64_t width = l->text.piece[0].width;
    probe_end(begin_ns, SPAN_KIND_OP, "load batch", 0,
              l->rows * l->o.context * ((int64_t)(2 * sizeof(int32_t)) + width));
}

enum status loader_fill(const struct loader *l, int64_t position, int32_t *inputs,
                        int32_t *targets, struct err *err)
{
    if (position < 0)
        BUG("position %lld", (long long)position);
    int64_t T = l->o.context;
    sample_number first = first_sample(l, position);
    enum status st = STATUS_OK;
    for (int64_t b = 0; b < l->rows && !st; b++)
        st = window_copy(l, window_begin(l, first + (uint64_t)b), inputs + b * T,
                         targets + b * T, err);
    return st;
}

enum status loader_train(const struct loader *l, int64_t position, int32_t *inputs,
                         int32_t *targets, struct err *err)
{
    int64_t begin_ns = probe_begin();
    enum status st = loader_fill(l, position, inputs, targets, err);
    record(l, begin_ns);
    return st;
}

int64_t loader_epoch(const struct loader *l, int64_t position)
{
    return (int64_t)((sample_number)position * (uint64_t)l->o.batch /
                     (uint64_t)l->windows);
}

double loader_epochs_behind(const struct loader *l, int64_t position)
{
    return (double)position * (double)l->o.batch / (double)l->windows;
}

int64_t loader_positions(const struct loader *l, int64_t epochs)
{
    sample_number samples = (sample_number)epochs * (uint64_t)l->windows;
    uint64_t batch = (uint64_t)l->o.batch;
    return (int64_t)((samples + batch - 1) / batch);
}

int64_t loader_validation_batches(const struct loader *l)
{
    return (l->validation_windows + l->o.batch - 1) / l->o.batch;
}

enum status loader_validation(const struct loader *l, int64_t index, int64_t *counted,
                              int32_t *inputs, int32_t *targets, struct err *err)
{
    if (index < 0)
        BUG("validation batch %lld", (long long)index);
    int64_t begin_ns = probe_begin();
    int64_t T = l->o.context, stride = T - l->o.min_context;
    sample_number first = first_sample(l, index);
    enum status st = STATUS_OK;
    *counted = 0;
    for (int64_t b = 0; b < l->rows && !st; b++) {
        bool real = first + (uint64_t)b < (uint64_t)l->validation_windows;
        int64_t begin = real ? (int64_t)(first + (uint64_t)b) * stride : 0;
        st = window_copy(l, begin, inputs + b * T, targets + b * T, err);
        *counted += real;
    }
    record(l, begin_ns);
    return st;
}
