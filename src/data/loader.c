#include "data/loader.h"

#include "data/counter_random.h"
#include "probe/probe.h"

static int64_t smaller(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static enum status loader_check(struct token_range text, const struct loader_options *o,
                                struct err *err)
{
    if (o->batch < 1 || o->context < 1 || o->ranks < 1 || o->min_context < 0 ||
        o->rank < 0 || o->rank >= o->ranks)
        BUG("a loader for batch %lld, context %lld, rank %d of %d", (long long)o->batch,
            (long long)o->context, o->rank, o->ranks);
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
    if (text.n <= (size_t)o->context)
        return err_set(err, STATUS_INPUT,
                       "the text has %zu characters and a window needs context + 1 = "
                       "%lld; use a longer text or a smaller context",
                       text.n, (long long)o->context + 1);
    return STATUS_OK;
}

enum status loader_init(struct loader *l, struct token_range text,
                        const struct loader_options *o, struct err *err)
{
    enum status st = loader_check(text, o, err);
    if (st)
        return st;
    int64_t n = (int64_t)text.n, T = o->context;
    *l = (struct loader){.text = text, .o = *o, .rows = o->batch / o->ranks};
    /* offset + windows * T + 1 <= n for each offset below offsets: all targets exist. */
    l->offsets = smaller(T, n - T);
    l->windows = (n - l->offsets) / T;
    l->validation_windows = (n - 1 - T) / (T - o->min_context) + 1;
    return STATUS_OK;
}

static void window_copy(const struct loader *l, int64_t begin, int32_t *inputs,
                        int32_t *targets)
{
    const token_id *src = l->text.token + begin;
    for (int64_t t = 0; t < l->o.context; t++) {
        inputs[t] = src[t];
        targets[t] = src[t + 1];
    }
}

/* Where training window number `sample` of the whole training begins. */
static int64_t window_begin(const struct loader *l, int64_t sample)
{
    uint64_t windows = (uint64_t)l->windows;
    uint64_t epoch = (uint64_t)sample / windows, i = (uint64_t)sample % windows;
    uint64_t offset =
        random_below(random_at(l->o.seed, RANDOM_STREAM_WINDOW_OFFSET, epoch, 0),
                     (uint64_t)l->offsets);
    uint64_t window =
        random_permute(l->o.seed, RANDOM_STREAM_WINDOW_ORDER, epoch, i, windows);
    return (int64_t)offset + (int64_t)window * l->o.context;
}

void loader_train(const struct loader *l, int64_t step, int32_t *inputs, int32_t *targets)
{
    if (step < 0)
        BUG("step %lld", (long long)step);
    int64_t t0 = probe_begin();
    int64_t T = l->o.context, first = step * l->o.batch + l->o.rank * l->rows;
    for (int64_t b = 0; b < l->rows; b++)
        window_copy(l, window_begin(l, first + b), inputs + b * T, targets + b * T);
    probe_end(t0, SPAN_KIND_OP, "load batch", 0,
              l->rows * T * (int64_t)(2 * sizeof *inputs + sizeof(token_id)));
}

int64_t loader_validation_batches(const struct loader *l)
{
    return (l->validation_windows + l->o.batch - 1) / l->o.batch;
}

int64_t loader_validation(const struct loader *l, int64_t index, int32_t *inputs,
                          int32_t *targets)
{
    if (index < 0)
        BUG("validation batch %lld", (long long)index);
    int64_t t0 = probe_begin();
    int64_t T = l->o.context, stride = T - l->o.min_context, counted = 0;
    int64_t first = index * l->o.batch + l->o.rank * l->rows;
    for (int64_t b = 0; b < l->rows; b++) {
        bool real = first + b < l->validation_windows;
        int64_t begin = real ? (first + b) * stride : 0;
        window_copy(l, begin, inputs + b * T, targets + b * T);
        counted += real;
    }
    probe_end(t0, SPAN_KIND_OP, "load batch", 0,
              l->rows * T * (int64_t)(2 * sizeof *inputs + sizeof(token_id)));
    return counted;
}
