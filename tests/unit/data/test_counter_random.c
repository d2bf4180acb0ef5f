#include "data/counter_random.h"

#include "cmocka_setup.h"

#include <string.h>

/* The published known answers of Philox4x32-10 for all-zero and all-one inputs. */
static void philox_gives_its_known_answers(void **state)
{
    (void)state;
    assert_int_equal(random_at(0, (enum random_stream)0, 0, 0), 0xe169c58d6627e8d5u);
    assert_int_equal(
        random_at(UINT64_MAX, (enum random_stream)0xffffffffu, UINT64_MAX, UINT32_MAX),
        0x41c83b0e408f276du);
}

static void streams_and_draws_differ(void **state)
{
    (void)state;
    uint64_t a = random_at(7, RANDOM_STREAM_GRAMMAR, 3, 1);
    assert_int_equal(a, random_at(7, RANDOM_STREAM_GRAMMAR, 3, 1));
    assert_int_not_equal(a, random_at(7, RANDOM_STREAM_WINDOW_ORDER, 3, 1));
    assert_int_not_equal(a, random_at(7, RANDOM_STREAM_GRAMMAR, 3, 2));
    assert_int_not_equal(a, random_at(8, RANDOM_STREAM_GRAMMAR, 3, 1));
}

static void below_stays_below(void **state)
{
    (void)state;
    assert_int_equal(random_below(UINT64_MAX, 10), 9);
    assert_int_equal(random_below(0, 10), 0);
    assert_int_equal(random_below(UINT64_MAX, 1), 0);
    assert_int_equal(random_below(UINT64_MAX / 2 + 1, 10), 5);
}

static void a_permutation_visits_each_place_once(void **state)
{
    (void)state;
    static const uint64_t sizes[] = {1, 2, 3, 4, 5, 16, 17, 63, 1000, 4097};
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
        uint8_t seen[4097] = {0};
        for (uint64_t i = 0; i < sizes[k]; i++) {
            uint64_t to = random_permute(5, RANDOM_STREAM_WINDOW_ORDER, 2, i, sizes[k]);
            assert_true(to < sizes[k]);
            assert_false(seen[to]);
            seen[to] = 1;
        }
    }
}

/* Each place should hold each image about equally often over many rounds. */
static void permutations_of_different_rounds_are_spread_evenly(void **state)
{
    (void)state;
    enum { N = 10, ROUNDS = 20000 };
    int hits[N][N] = {{0}};
    for (uint64_t round = 0; round < ROUNDS; round++)
        for (uint64_t i = 0; i < N; i++)
            hits[i][random_permute(1, RANDOM_STREAM_WINDOW_ORDER, round, i, N)]++;
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) /* binomial: mean 2000, deviation 42 */
            assert_in_range(hits[i][j], 2000 - 6 * 42, 2000 + 6 * 42);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(philox_gives_its_known_answers),
        cmocka_unit_test(streams_and_draws_differ),
        cmocka_unit_test(below_stays_below),
        cmocka_unit_test(a_permutation_visits_each_place_once),
        cmocka_unit_test(permutations_of_different_rounds_are_spread_evenly),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
