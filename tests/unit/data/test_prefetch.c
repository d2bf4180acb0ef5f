#include "data/prefetch.h"

#include "base/mem.h"
#include "cmocka_setup.h"

#include <string.h>
#include <time.h>

enum { N = 5000, BATCH = 8, T = 32 };

static uint16_t tokens[N];
static struct token_range text;

static int fill_text(void **state)
{
    (void)state;
    for (int i = 0; i < N; i++)
        tokens[i] = (uint16_t)i;
    token_range_add(&text, (struct token_piece){.base = tokens, .n = N, .width = 2});
    return 0;
}

static int drop_text(void **state)
{
    (void)state;
    token_range_release(&text);
    return 0;
}

static struct loader make(size_t vocabulary, bool shuffle)
{
    struct loader l;
    struct loader_options o = {.batch = BATCH,
                               .context = T,
                               .seed = 3,
                               .ranks = 1,
                               .shuffle = shuffle,
                               .vocabulary = vocabulary};
    assert_int_equal(loader_init(&l, &text, &o, NULL), STATUS_OK);
    return l;
}

static struct prefetch *open_ring(const struct loader *l, int workers, int depth,
                                  int64_t first, int32_t **buffer)
{
    *buffer = mem_zalloc(prefetch_buffer_ints(l, depth), sizeof **buffer);
    struct prefetch_options o = {workers, depth, first, *buffer};
    struct prefetch *p = NULL;
    assert_int_equal(prefetch_open(&p, l, &o, NULL), STATUS_OK);
    return p;
}

static void pause_ns(long ns)
{
    nanosleep(&(struct timespec){0, ns}, NULL);
}

/* For any threads, depth and start: what loader_train() gives, in order. The caller
 * pauses now and then, so that both sides wait. */
static void batches_come_as_without_threads(void **state)
{
    (void)state;
    struct loader l = make(N, true);
    int32_t in[BATCH * T], out[BATCH * T];
    for (int workers = 0; workers <= 3; workers++)
        for (int depth = 1; depth <= 5; depth += 2) {
            int32_t *buffer;
            int64_t first = 17 * workers + depth; /* amid an epoch too */
            struct prefetch *p = open_ring(&l, workers, depth, first, &buffer);
            for (int64_t k = 0; k < 60; k++) {
                struct batch b;
                assert_int_equal(prefetch_next(p, &b, NULL), STATUS_OK);
                if (k % 16 == 7)
                    pause_ns(2000000);
                assert_int_equal(loader_train(&l, first + k, in, out, NULL), STATUS_OK);
                assert_int_equal(b.position, first + k);
                assert_memory_equal(b.inputs, in, sizeof in);
                assert_memory_equal(b.targets, out, sizeof out);
                assert_true(b.waited_ns >= 0);
            }
            prefetch_close(p);
            mem_free(buffer);
        }
}

/* On a busy machine a worker may be late; of fifty batches one must be in time. */
static void a_batch_that_is_there_is_not_waited_for(void **state)
{
    (void)state;
    struct loader l = make(N, true);
    int32_t *buffer;
    struct prefetch *p = open_ring(&l, 1, 4, 0, &buffer);
    struct batch b = {.waited_ns = 1};
    for (int i = 0; i < 50 && b.waited_ns; i++) {
        pause_ns(20000000);
        assert_int_equal(prefetch_next(p, &b, NULL), STATUS_OK);
    }
    assert_int_equal(b.waited_ns, 0);
    prefetch_close(p);
    mem_free(buffer);
}

static void closing_early_ends_the_threads(void **state)
{
    (void)state;
    struct loader l = make(N, true);
    for (int i = 0; i < 50; i++) {
        int32_t *buffer;
        struct batch b;
        struct prefetch *p = open_ring(&l, 1 + i % 3, 1 + i % 4, i, &buffer);
        for (int k = 0; k < i % 5; k++)
            assert_int_equal(prefetch_next(p, &b, NULL), STATUS_OK);
        prefetch_close(p);
        mem_free(buffer);
    }
    prefetch_close(NULL);
}

/* In order, window 9 holds token 300: batch 1. */
static void a_bad_token_comes_up_at_its_batch(void **state)
{
    (void)state;
    struct loader l = make(300, false);
    for (int workers = 0; workers <= 2; workers++) {
        int32_t *buffer;
        struct batch b;
        struct err err = ERR_INIT;
        struct prefetch *p = open_ring(&l, workers, 3, 0, &buffer);
        assert_int_equal(prefetch_next(p, &b, &err), STATUS_OK);
        for (int again = 0; again < 3; again++) {
            assert_int_equal(prefetch_next(p, &b, &err), STATUS_INPUT);
            assert_non_null(strstr(err.text, "token 300 is 300"));
        }
        prefetch_close(p);
        mem_free(buffer);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(batches_come_as_without_threads),
        cmocka_unit_test(a_batch_that_is_there_is_not_waited_for),
        cmocka_unit_test(closing_early_ends_the_threads),
        cmocka_unit_test(a_bad_token_comes_up_at_its_batch),
    };
    return cmocka_run_group_tests(tests, fill_text, drop_text);
}
