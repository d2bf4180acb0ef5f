#include "metrics/metric_board.h"

#include <assert.h>
#include <sched.h>
#include <string.h>

static_assert(METRIC_WORDS * sizeof(uint64_t) == sizeof(struct metric_values),
              "values are whole words");

void metric_board_init(struct metric_board *b)
{
    static const struct metric_values nothing;
    atomic_init(&b->turn, 0);
    for (size_t i = 0; i < METRIC_WORDS; i++)
        atomic_init(&b->word[i], 0);
    metric_board_put(b, &nothing);
}

/* The words are released one by one, and the turn last: who sees the new turn sees them,
 * and who saw one of them too early sees that the turn is another. */
void metric_board_put(struct metric_board *b, const struct metric_values *v)
{
    uint64_t word[METRIC_WORDS];
    memcpy(word, v, sizeof word);
    uint64_t turn = atomic_load_explicit(&b->turn, memory_order_relaxed);
    atomic_store_explicit(&b->turn, turn + 1, memory_order_relaxed);
    for (size_t i = 0; i < METRIC_WORDS; i++)
        atomic_store_explicit(&b->word[i], word[i], memory_order_release);
    atomic_store_explicit(&b->turn, turn + 2, memory_order_release);
}

/* Reading a word acquires it: the turn that is read after it is not older. */
void metric_board_get(struct metric_board *b, struct metric_values *out)
{
    uint64_t word[METRIC_WORDS];
    for (;; sched_yield()) {
        uint64_t before = atomic_load_explicit(&b->turn, memory_order_acquire);
        for (size_t i = 0; i < METRIC_WORDS; i++)
            word[i] = atomic_load_explicit(&b->word[i], memory_order_acquire);
        if (!(before & 1) &&
            before == atomic_load_explicit(&b->turn, memory_order_relaxed))
            break;
    }
    memcpy(out, word, sizeof word);
}
