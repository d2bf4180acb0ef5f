/* Readers never see half of what was written. */
#include "cmocka_setup.h"

#include "metrics/metric_board.h"

#include <pthread.h>

static struct metric_board board;
static atomic_bool over;

/* All of one value, which is also the time. */
static struct metric_values all_of(int64_t n)
{
    struct metric_values v = {.at_ns = n};
    for (size_t i = 0; i < METRIC_ROWS_MAX; i++)
        metric_set_value(&v, i, (double)n);
    return v;
}

static void *read_on(void *arg)
{
    long *torn = arg;
    struct metric_values v;
    int64_t last = 0;
    while (!over) {
        metric_board_get(&board, &v);
        for (size_t i = 0; i < METRIC_ROWS_MAX; i++)
            *torn += v.value[i] != (double)v.at_ns;
        *torn += v.at_ns < last; /* time does not go back */
        last = v.at_ns;
    }
    return NULL;
}

static void readers_see_whole_values_in_order(void **state)
{
    (void)state;
    pthread_t reader[2];
    long torn[2] = {0};
    metric_board_init(&board);
    for (int i = 0; i < 2; i++)
        assert_int_equal(pthread_create(&reader[i], NULL, read_on, &torn[i]), 0);
    for (int64_t n = 1; n <= 200000; n++) {
        struct metric_values v = all_of(n);
        metric_board_put(&board, &v);
    }
    over = true;
    for (int i = 0; i < 2; i++) {
        pthread_join(reader[i], NULL);
        assert_int_equal(torn[i], 0);
    }
}

static void nothing_is_known_at_first(void **state)
{
    (void)state;
    struct metric_values v;
    metric_board_init(&board);
    metric_board_get(&board, &v);
    assert_int_equal(v.known, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_is_known_at_first),
        cmocka_unit_test(readers_see_whole_values_in_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
